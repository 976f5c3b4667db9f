"""A decision's record as it is told: in a line of a list, or in full. Pure."""

from __future__ import annotations

from typing import Any, Final

from agentbbs.web.gym.moments import moment_ms
from agentbbs.web.gym.shapes import Decision, DecisionLine, ModelRepair, ModelReply, PromptModule
from agentbbs.web.gym.traces import usage
from tty_agent.render.recording import action_label
from tty_agent.terminal.inert import ELLIPSIS, inert
from tty_agent.trace.records import DecisionRecord, ModuleRecord, RepairRecord, ReplyRecord

MAX_TEXT_CHARS: Final = 262_144
"""As much as a record keeps of a reply; a line of a trace could have two hundred times that."""

MAX_REASON_CHARS: Final = 160
"""In a list."""


def line(record: DecisionRecord) -> DecisionLine:
    """In a line."""
    return DecisionLine(
        step=record.step,
        at_ms=moment_ms(record.timestamp),
        action=action_label(record.action),
        valid=record.action is not None,
        reason=inert(" ".join(record.reason[: 4 * MAX_REASON_CHARS].split()), max_chars=MAX_REASON_CHARS),
        matched_prompt=record.matched_prompt,
        ready_reason=record.ready_reason,
        profile=record.active_profile,
        switched_from=record.profile_switch.before if record.profile_switch else None,
        repaired=record.repair is not None,
        error=record.error if record.error is None else inert(record.error, max_chars=2 * MAX_REASON_CHARS),
        error_code=record.error_code,
        input_tokens=record.input_tokens,
        output_tokens=record.output_tokens,
        cost_usd=record.cost_usd,
        latency_s=record.latency_s,
    )


def whole(record: DecisionRecord, steps: int) -> Decision:
    """In full."""
    seen = record.observation
    action = record.action or {}
    arguments = action.get("arguments")
    return Decision(
        line=line(record),
        steps=steps,
        decided_ms=moment_ms(record.decided_at),
        screen=_cut(record.pretty_screen),
        columns=seen.columns,
        rows=seen.rows,
        cursor=seen.cursor,
        title=_cut(seen.title),
        new_text=_cut(seen.new_text),
        readiness=_cut(seen.readiness.detail),
        highlighted=seen.highlighted.text if seen.highlighted else None,
        closed=seen.closed,
        input_mode=record.hints.input_mode if record.hints else None,
        effects=record.hints.effects if record.hints else (),
        route=record.profile_switch.route if record.profile_switch else None,
        action=_cut(str(action["action"])) if "action" in action else None,
        arguments=arguments if isinstance(arguments, dict) else {},
        action_text=_cut(record.action_text),
        reason=_cut(record.reason),
        ignored=tuple(_cut(one) for one in record.ignored_objects),
        parse_notes=record.parse_notes,
        prompt_kind=record.prompt_kind,
        prompt=_cut(record.prompt),
        system_prompt=_cut(record.system_prompt),
        modules=tuple(_module(one) for one in record.prompt_modules),
        reply=_reply(record.reply),
        repair=_repair(record.repair),
        spent=usage(record.spent),
    )


def _module(record: ModuleRecord) -> PromptModule:
    return PromptModule(name=record.name, level=record.level, text=_cut(record.text))


def _reply(record: ReplyRecord | None) -> ModelReply | None:
    if record is None:
        return None
    fields: dict[str, Any] = {name: getattr(record, name) for name in ModelReply.__struct_fields__}
    return ModelReply(**{**fields, "raw": _cut(record.raw), "text": _cut(record.text)})


def _repair(record: RepairRecord | None) -> ModelRepair | None:
    if record is None:
        return None
    return ModelRepair(
        error=record.error,
        prompt=_cut(record.prompt),
        reply=_reply(record.reply),
        error_after=record.error_after,
    )


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT_CHARS else text[: MAX_TEXT_CHARS - 1] + ELLIPSIS
