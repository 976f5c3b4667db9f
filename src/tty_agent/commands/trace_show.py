"""`trace show` and `trace recover`: what is in a trace, and what is whole of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tty_agent.commands import output
from tty_agent.commands.failure import Failed

if TYPE_CHECKING:
    from tty_agent.trace.index import TraceFile
    from tty_agent.trace.records import DecisionRecord, Header, ReplyRecord

PAGE_STEPS = 50
"""More than a screenful, and read in a moment."""

MAX_SCREEN_LINE_CHARS = 40

TraceFilePath = Annotated[Path, typer.Argument(metavar="FILE", help="The .jsonl file of a run.")]


def show(
    *,
    file: TraceFilePath,
    step: Annotated[
        int | None, typer.Option("--step", metavar="N", help="One decision in full: screen, prompt, answer, action.")
    ] = None,
    first: Annotated[int, typer.Option("--from", metavar="N", min=1, help="The first step of the list.")] = 1,
    count: Annotated[int, typer.Option("--count", metavar="N", min=1, help="How many steps to list.")] = PAGE_STEPS,
    as_json: Annotated[bool, typer.Option("--json", help="JSON: the step, or one line for each of the list.")] = False,
) -> None:
    """List the steps of a trace, or show one of them in full.

    A trace of any length is shown at once: an index beside it has the place of every line.

    \b
    Examples:
      bbs-gym trace show runtime/runs/RUN/agent-001.jsonl
      bbs-gym trace show runtime/runs/RUN/agent-001.jsonl --step 42
    """
    from tty_agent.trace.index import TraceFile  # noqa: PLC0415 - not for the help

    with TraceFile(file) as trace:
        if step is not None:
            record = trace.step(step)
            output.json_value(record) if as_json else _decision(record)
            return
        records = trace.page(first, count)
        if as_json:
            for record in records:
                output.json_value(record)
            return
        _header(trace.header(), trace.steps, _ended(trace))
        output.table(("STEP", "ACTION", "READY", "PROFILE", "CURSOR ROW"), (_row(record) for record in records))
        left = trace.steps - first - len(records) + 1
        if left > 0:
            output.note(f"{left} more: --from {first + len(records)}")
        if trace.torn_bytes:
            output.note(f"the last {trace.torn_bytes} bytes are torn: `trace recover` cuts them off")


def recover(
    *,
    file: TraceFilePath,
    write: Annotated[bool, typer.Option("--write", help="Cut the torn tail off; a copy of it is kept.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="What was found as one JSON object.")] = False,
) -> None:
    """Tell what is whole of the trace of a run that was killed, and cut off what is not.

    \b
    Examples:
      bbs-gym trace recover runtime/runs/RUN/agent-001.jsonl
      bbs-gym trace recover runtime/runs/RUN/agent-001.jsonl --write
    """
    from tty_agent.trace import recover as trace_recover  # noqa: PLC0415 - not for the help

    found = trace_recover.inspect(file)
    if as_json:
        output.json_value(found)
    else:
        end = "the run was ended in order" if found.finished else "the run has no end: it was killed, or is still on"
        output.line(f"{found.lines} whole lines, {found.steps} steps, the last one is {found.last_step}; {end}")
        for damage in found.damaged:
            output.line(f"damaged at byte {damage.offset}: {damage.fault}")
        if found.torn_bytes:
            output.line(f"torn: {found.torn_bytes} bytes after byte {found.whole_bytes}")
    if write:
        copy = trace_recover.cut(file)
        output.note(f"cut off; a copy is in {copy}" if copy else "nothing is torn, nothing was changed")
    elif found.torn_bytes:
        output.note("--write cuts them off and keeps a copy")
    if found.damaged:
        raise Failed(f"{file} is damaged in the middle: the steps around it can still be shown, `trace show`")


def _ended(trace: TraceFile) -> str:
    """How the run ended; its last line says so."""
    from tty_agent.trace.records import EventName, EventRecord  # noqa: PLC0415 - not for the help

    last = next(trace.records(trace.lines - 1), None)
    if not isinstance(last, EventRecord) or last.event != EventName.RUN_FINISHED:
        return "no end: killed or still running"
    outcome, detail = last.data.get("outcome"), last.data.get("detail")
    return f"{outcome}: {detail}" if detail else str(outcome)


def _header(header: Header, steps: int, ended: str) -> None:
    route = f", routes {header.route_set}" if header.route_set else ""
    output.line(f"{header.run_id}  {header.agent_id}  {header.provider} {header.model}  {header.profile}{route}")
    output.line(f"{header.timestamp}  {steps} steps  {ended}")
    if header.run_objective:
        output.line(f"objective: {header.run_objective}")
    output.line()


def _row(record: DecisionRecord) -> tuple[object, ...]:
    from tty_agent.render.recording import action_label  # noqa: PLC0415 - not for the help

    rows = record.pretty_screen.split("\n")
    row = record.observation.cursor[0]
    seen = rows[row].strip()[-MAX_SCREEN_LINE_CHARS:] if 0 <= row < len(rows) else ""
    ready = f"{record.ready_reason} {record.matched_prompt or ''}".rstrip()
    return record.step, action_label(record.action), ready, record.active_profile, seen


def _decision(record: DecisionRecord) -> None:
    from tty_agent.render.recording import action_label  # noqa: PLC0415

    output.line(f"step {record.step}  {record.timestamp}  {record.active_profile}")
    output.line(f"ready: {record.ready_reason}, prompt: {record.matched_prompt or 'none known'}")
    output.line(f"transcript: {record.raw_bytes_path} {record.transcript_byte_start}-{record.transcript_byte_end}")
    _part("screen", record.pretty_screen)
    _part("system", record.system_prompt)
    _part("prompt", record.prompt)
    _reply("reply", record.reply)
    if record.repair is not None:
        _part("why it was asked again", record.repair.error)
        _reply("second reply", record.repair.reply)
    _part("reason", record.reason)
    _part("action", action_label(record.action) if record.action else f"none: {record.error}")


def _reply(title: str, reply: ReplyRecord | None) -> None:
    if reply is not None:
        _part(f"{title} ({reply.provider} {reply.model}, filter {reply.filter})", reply.raw)


def _part(title: str, text: str) -> None:
    if text:
        output.line()
        output.line(f"===== {title} =====")
        output.block(text.rstrip("\n"))
