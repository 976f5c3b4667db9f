"""A trace as text that a person reads from top to bottom: what the agent saw, did and said, step by step.

All that came from a program or a model is inert, so the text can be shown on a terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import msgspec

from tty_agent.render.control_markers import marked
from tty_agent.render.recording import action_label
from tty_agent.terminal.inert import inert
from tty_agent.trace.records import DecisionRecord, EventName, EventRecord, Header, Record, ReplyRecord

ReadBytes = Callable[[int, int], str | None]
"""From two offsets of the transcript, those bytes with control markers; None if they are not to be had."""

_WIDTH: Final = 100
"""Of a rule between steps."""
MAX_DATA_CHARS: Final = 400
"""Of the data of an event, and of an action: a screenful of a post at most."""


def pretty_lines(
    records: Iterable[Record],
    *,
    model_replies: bool = False,
    control_markers: bool = False,
    read_bytes: ReadBytes | None = None,
) -> Iterator[str]:
    """The lines, without line ends, made while the records are read.

    With `model_replies` each step shows the model's answers as they came, reasoning and all. With
    `control_markers` it shows what the program wrote since the step before, control characters by name, from
    `read_bytes`, or else without them, from the observation's `new_text`.
    """
    for record in records:
        if isinstance(record, Header):
            yield from _header(record)
        elif isinstance(record, EventRecord):
            yield from _event(record)
        else:
            yield from _decision(record, model_replies=model_replies)
            if control_markers:
                yield from _written(record, read_bytes)
            yield ""


def _header(record: Header) -> Iterator[str]:
    yield inert(f"run {record.run_id} · agent {record.agent_id} · {record.provider} {record.model}")
    about = [f"profile {record.profile}", record.timestamp]
    about += [f"match {record.match_id}"] if record.match_id else []
    about += [f"node {record.node}"] if record.node is not None else []
    about += [f"route set {record.route_set}"] if record.route_set else []
    yield inert(" · ".join(about))
    yield from _block("objective", record.run_objective)
    if record.raw_bytes_path:
        yield inert(f"transcript {record.raw_bytes_path}")
    yield ""


def _event(record: EventRecord) -> Iterator[str]:
    if record.event == EventName.RUN_FINISHED:
        yield from _ending(record)
        return
    # A prompt would fill the line; `trace show` has those of steps.
    data = " ".join(f"{name}={_compact(value)}" for name, value in record.data.items() if name != "prompt")
    yield inert(f"* {record.timestamp} {record.event} {data}".rstrip(), max_chars=MAX_DATA_CHARS)
    yield ""


def _ending(record: EventRecord) -> Iterator[str]:
    """How the run ended, and what its last look had seen."""
    told = record.data
    yield inert(f"{told.get('outcome')}: {told.get('detail')}", max_chars=MAX_DATA_CHARS)
    yield "─" * _WIDTH
    for line in str(told.get("final_screen", "")).rstrip("\n").split("\n"):
        yield f"│ {inert(line)}".rstrip()
    yield "─" * _WIDTH
    spent = told.get("spent") or {}
    yield inert(f"{told.get('steps')} steps · {record.timestamp} · {spent.get('wall_seconds', 0):.1f} s")
    yield ""


def _decision(record: DecisionRecord, *, model_replies: bool) -> Iterator[str]:
    seen = record.observation
    title = (
        f"step {record.step} · {record.timestamp} · {record.active_profile} · {record.ready_reason} "
        f"after {seen.readiness.waited_ms} ms · bytes {record.transcript_byte_start}-{record.transcript_byte_end}"
    )
    yield inert(title)
    yield "─" * _WIDTH
    for line in record.pretty_screen.rstrip("\n").split("\n"):
        yield f"│ {inert(line)}".rstrip()
    yield "─" * _WIDTH
    row, column = seen.cursor
    state = [f"cursor {row},{column}"]
    state += [f"prompt {record.matched_prompt}"] if record.matched_prompt else []
    state += [f"highlighted {seen.highlighted.text}"] if seen.highlighted else []
    state += [f"closed: {seen.closed}"] if seen.closed else []
    state += [f"detected {', '.join(record.detected)}"] if record.detected else []
    yield inert(" · ".join(state))
    if record.profile_switch:
        switch = record.profile_switch
        yield inert(f"profile {switch.before} → {switch.after} by {switch.route}")
    if model_replies:
        yield from _replies(record)
    yield from _block("reason", record.reason)
    yield f"> {action_label(record.action)}"
    if record.error:
        yield from _block(f"error ({record.error_code})" if record.error_code else "error", record.error)


def _replies(record: DecisionRecord) -> Iterator[str]:
    yield from _reply("reply", record.reply)
    if record.repair:
        yield from _block("fault", record.repair.error)
        yield from _reply("repair", record.repair.reply)
        yield from _block("fault", record.repair.error_after or "")


def _reply(name: str, reply: ReplyRecord | None) -> Iterator[str]:
    if reply is None:
        yield f"{name}: none came"
        return
    counts = [f"{reply.latency_s:.2f} s"]
    counts += [f"{reply.input_tokens} tokens in"] if reply.input_tokens is not None else []
    counts += [f"{reply.output_tokens} out"] if reply.output_tokens is not None else []
    counts += [f"filter {reply.filter}"] if reply.filter != "none" else []
    yield from _block(f"{name} ({', '.join(counts)})", reply.raw)


def _written(record: DecisionRecord, read_bytes: ReadBytes | None) -> Iterator[str]:
    start, end = record.transcript_byte_start, record.transcript_byte_end
    text = read_bytes(start, end) if read_bytes else None
    if text is None:
        text = marked(record.observation.new_text)
    # A line of the program is a line here, its end still seen.
    yield from _block("wrote", text.replace("<LF>", "<LF>\n").rstrip("\n"))


def _block(name: str, text: str) -> Iterator[str]:
    """Nothing for no text; one line `name: text`, or the text indented below its name."""
    if not text:
        return
    lines = text.split("\n")
    if len(lines) == 1:
        yield f"{name}: {inert(text)}"
        return
    yield f"{name}:"
    for line in lines:
        yield f"    {inert(line)}".rstrip()


def _compact(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
