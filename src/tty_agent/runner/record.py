"""What a run writes into its trace, made from the values of the run."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from tty_agent.actions.action import to_json
from tty_agent.activity.activity import ActivityProfile, Budget
from tty_agent.activity.budget import Spent
from tty_agent.models.model import Model, ModelReply
from tty_agent.prompt_modules import PROMPT_MODULES_SCHEMA_VERSION, RenderedModule
from tty_agent.runner.decision import Decision, Repair
from tty_agent.runner.settings import RunSettings
from tty_agent.runner.turn import Turn
from tty_agent.trace.records import (
    DecisionRecord,
    Header,
    HintsRecord,
    ModuleRecord,
    ProfileRecord,
    RepairRecord,
    ReplyRecord,
)


class RunIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """Who plays, in which match, where."""

    run_id: str
    agent_id: str
    match_id: str | None = None
    node: int | None = None


def stamp(at: datetime) -> str:
    """A time as traces write it: `2026-01-31T14:05:09.123Z`."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def profile_record(profile: ActivityProfile) -> ProfileRecord:
    """What a profile tells and allows, for the header."""
    plain = {"policy": profile.policy, "schema": profile.policy.schema()}
    as_read: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(plain))
    return ProfileRecord(
        objective=profile.objective,
        system_guidance=profile.system_guidance,
        modules=tuple(module.name for module in profile.modules),
        policy=as_read["policy"],
        schema=as_read["schema"],
    )


def header(
    identity: RunIdentity,
    settings: RunSettings,
    model: Model,
    profiles: Sequence[ActivityProfile],
    *,
    timestamp: str,
    budget: Budget,
    route_set: str | None,
) -> Header:
    """The first line of a run that begins with the first of `profiles`."""
    return Header(
        run_id=identity.run_id,
        agent_id=identity.agent_id,
        match_id=identity.match_id,
        node=identity.node,
        timestamp=timestamp,
        model=model.name,
        provider=model.provider,
        profile=profiles[0].name,
        route_set=route_set,
        profiles={profile.name: profile_record(profile) for profile in profiles},
        run_objective=settings.run_objective,
        prompt_mode=str(settings.mode_for(model)),
        prompt_layout=str(settings.prompt_layout),
        budget=msgspec.to_builtins(budget),
        raw_bytes_path=settings.transcript_path,
        prompt_modules_schema_version=PROMPT_MODULES_SCHEMA_VERSION,
        config=dict(settings.config),
        seeds=dict(settings.seeds),
        software={"python": platform.python_version(), "system": platform.system()},
    )


def decision_record(
    identity: RunIdentity,
    decision: Decision,
    turn: Turn,
    *,
    prompt_kind: str,
    modules: tuple[RenderedModule, ...],
    spent: Spent,
    decided_at: str,
) -> DecisionRecord:
    """The line of one decision tick."""
    parsed, observation, hints = decision.parsed, turn.observation, turn.hints
    return DecisionRecord(
        match_id=identity.match_id,
        agent_id=identity.agent_id,
        node=identity.node,
        step=turn.number,
        raw_bytes_path=observation.transcript_path,
        transcript_byte_start=observation.transcript_byte_start,
        transcript_byte_end=observation.transcript_byte_end,
        pretty_screen=observation.pretty_screen,
        model_text=observation.model_text,
        matched_prompt=observation.matched_prompt,
        ready_reason=str(observation.ready_reason),
        prompt=decision.prompt.user,
        action=to_json(parsed.action) if parsed else None,
        timestamp=observation.timestamp,
        active_profile=turn.profile.name,
        observation=msgspec.structs.replace(observation, pretty_screen="", model_text=""),
        system_prompt=decision.prompt.system,
        prompt_kind=prompt_kind,
        profile_switch=turn.switch,
        prompt_modules=tuple(ModuleRecord(module.name, str(module.level), module.text) for module in modules),
        prompt_modules_schema_version=PROMPT_MODULES_SCHEMA_VERSION,
        reply=reply_record(decision.reply),
        repair=repair_record(decision.repair),
        action_text=parsed.object_text if parsed else "",
        reason=parsed.reason if parsed else "",
        ignored_objects=parsed.ignored_objects if parsed else (),
        parse_notes=parsed.notes if parsed else (),
        error=decision.error,
        error_code=decision.error_code,
        decided_at=decided_at,
        spent=spent,
        input_tokens=decision.input_tokens,
        output_tokens=decision.output_tokens,
        cost_usd=decision.cost_usd,
        latency_s=round(decision.latency_s, 6),
        hints=HintsRecord(str(hints.input_mode), hints.active_prompt, tuple(str(effect) for effect in hints.effects)),
        detected=turn.detected,
    )


def reply_record(reply: ModelReply | None) -> ReplyRecord | None:
    """One answer, if there is one."""
    if reply is None:
        return None
    return ReplyRecord(
        raw=reply.raw,
        text=reply.text,
        filter=reply.filter,
        model=reply.model,
        provider=reply.provider,
        attempts=reply.attempts,
        session_id=reply.session_id,
        stop_reason=reply.stop_reason,
        input_tokens=reply.usage.input_tokens,
        output_tokens=reply.usage.output_tokens,
        cached_tokens=reply.usage.cached_tokens,
        cost_usd=reply.cost_usd,
        latency_s=reply.latency_s,
        notes=reply.notes,
    )


def repair_record(repair: Repair | None) -> RepairRecord | None:
    """The repair attempt, if there was one."""
    if repair is None:
        return None
    return RepairRecord(
        error=repair.error,
        prompt=repair.prompt.user,
        reply=reply_record(repair.reply),
        error_after=repair.error_after,
    )
