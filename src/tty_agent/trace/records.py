"""A run as a file: one JSON object a line, UTF-8, in the order in which things happened.

The first line is the header, then comes one line for each decision and one for each event between them. Each is in
the file before the run goes on, so that a run that was killed reads to its last whole line; what follows the last
line end is torn and is no part of the trace (recover.py cuts it off). The terminal's bytes are not in here
but in the transcript, to which each decision points by absolute offsets.

Readers ignore fields they do not know. `schema_version` goes up when a field changes its meaning or goes.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

from tty_agent.activity.budget import Spent
from tty_agent.observation.observation import Observation
from tty_agent.terminal.inert import inert
from tty_agent.transcript.regular_file import regular_file

TRACE_SCHEMA_VERSION: Final = 1

MAX_LINE_BYTES: Final = 64 * 1024 * 1024
"""Far more than a decision takes (some 20 kB); bounds what a reader holds of a file that is no trace."""

_BUFFER_BYTES: Final = 256 * 1024
"""A dozen lines and more in one read."""

_MAX_FAULT_CHARS: Final = 160
"""A fault may quote the line."""


class ProfileRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What a profile told and allowed the agent."""

    objective: str
    system_guidance: str = ""
    modules: tuple[str, ...] = ()
    policy: dict[str, Any] = {}
    """The fields of its `ActionPolicy`."""
    schema: dict[str, Any] = {}
    """The JSON Schema of an action, as models get it."""


class Header(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="header"):
    """The first line: all that is fixed over the run. It holds no secret."""

    run_id: str
    agent_id: str
    timestamp: str
    """ISO 8601, UTC, as everywhere in a trace."""
    model: str
    provider: str
    profile: str
    """The profile that the run begins with."""
    schema_version: int = TRACE_SCHEMA_VERSION
    match_id: str | None = None
    node: int | None = None
    route_set: str | None = None
    profiles: dict[str, ProfileRecord] = {}
    """By name: every profile that can be active."""
    run_objective: str = ""
    prompt_mode: str = ""
    prompt_layout: str = ""
    budget: dict[str, Any] = {}
    """The limits; None is no limit."""
    raw_bytes_path: str | None = None
    """The transcript."""
    prompt_modules_schema_version: int = 0
    config: dict[str, Any] = {}
    """Settings of the run, as its maker names them."""
    seeds: dict[str, Any] = {}
    """What random sources were started with."""
    software: dict[str, str] = {}


class ReplyRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One answer of a model."""

    raw: str
    """As it came, with reasoning and all; the end of it, and a note, if it was longer than a reply is read."""
    text: str
    """After the output filter: what was parsed."""
    filter: str = "none"
    model: str = ""
    provider: str = ""
    attempts: int = 1
    session_id: str | None = None
    stop_reason: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    latency_s: float = 0.0
    notes: tuple[str, ...] = ()
    """What the adapter tells of the call."""


class RepairRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The one attempt to get a valid action after an answer that held none."""

    error: str
    """What was wrong with the first answer."""
    prompt: str
    reply: ReplyRecord | None = None
    """None if the provider failed or the time ran out."""
    error_after: str | None = None
    """What was wrong with the second; None if it was valid."""


class ModuleRecord(msgspec.Struct, frozen=True):
    """A prompt module as it was rendered."""

    name: str
    level: str
    text: str


class HintsRecord(msgspec.Struct, frozen=True):
    """What was read off the turn, see `tty_agent.hints`."""

    input_mode: str
    active_prompt: str
    """As the program wrote it."""
    effects: tuple[str, ...] = ()
    """What the action before did."""


class Switch(msgspec.Struct, frozen=True):
    """The active profile changed before this decision."""

    before: str
    after: str
    route: str
    """The route that was taken, or `default`."""


class DecisionRecord(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="decision"):
    """One decision tick: what was seen, asked, answered and chosen. Its line is written before the action goes out,
    so that the terminal never got anything that the trace does not know."""

    match_id: str | None
    agent_id: str
    node: int | None
    step: int
    """From 1, without gaps."""
    raw_bytes_path: str | None
    transcript_byte_start: int
    transcript_byte_end: int
    """What the program wrote since the decision before, as absolute offsets into the transcript."""
    pretty_screen: str
    model_text: str
    matched_prompt: str | None
    ready_reason: str
    prompt: str
    action: dict[str, Any] | None
    """As models write it, `{"action": …, "arguments": …}`; None if no valid one came."""
    timestamp: str
    """When the observation was made."""
    active_profile: str
    observation: Observation
    """The rest of it: its `pretty_screen` and `model_text` are empty, since they stand above. See `seen`."""
    system_prompt: str = ""
    prompt_kind: str = ""
    """`full`, `bootstrap` or `delta`."""
    profile_switch: Switch | None = None
    prompt_modules: tuple[ModuleRecord, ...] = ()
    prompt_modules_schema_version: int = 0
    reply: ReplyRecord | None = None
    """The first answer; None if there was none."""
    repair: RepairRecord | None = None
    action_text: str = ""
    """The object as the model wrote it."""
    reason: str = ""
    """The model's prose around it."""
    ignored_objects: tuple[str, ...] = ()
    """Other objects of the answer, which did not count."""
    parse_notes: tuple[str, ...] = ()
    """Where the answer departed from the form and was understood all the same."""
    error: str | None = None
    """Why no action was done, in one line."""
    error_code: str | None = None
    decided_at: str = ""
    spent: Spent = Spent()
    """What the run has used up, this decision counted."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    latency_s: float = 0.0
    """Tokens, cost and latency of all calls of this decision."""
    hints: HintsRecord | None = None
    """None in traces of before there was this field."""
    detected: tuple[str, ...] = ()
    """The names of the profile's detectors that recognised something."""

    def seen(self) -> Observation:
        """The observation as the agent had it."""
        return msgspec.structs.replace(self.observation, pretty_screen=self.pretty_screen, model_text=self.model_text)


class EventName(StrEnum):
    """The events of a run. Matches and campaigns add their own."""

    RUN_STARTED = "run_started"
    RUN_FINISHED = "run_finished"
    PROFILE_SWITCH = "profile_switch"
    INFRA = "infra"
    CUT_OFF = "cut_off"
    """The run's time was over before the model had answered."""
    NOT_SENT = "not_sent"
    """The terminal refused an action that the policy allowed."""
    UNCOUNTED = "uncounted"
    """Something is limited that the provider does not count. Once a limit."""
    DISCONNECTED = "disconnected"
    MEMORY_COMPACTED = "memory_compacted"
    MEMORY_COMMITTED = "memory_committed"


class EventRecord(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="event"):
    """Something between two decisions."""

    event: str
    timestamp: str
    step: int
    """The decision before it; 0 before the first."""
    data: dict[str, Any] = {}


Record = Header | DecisionRecord | EventRecord


class TraceFault(Exception):
    """A file can't be read as a trace, or not from that place; the text says why and what to do."""


class NotATrace(TraceFault):
    """The file does not begin with the header of a trace."""

    def __init__(self, path: Path, fault: str) -> None:
        super().__init__(f"{path} is no trace: {fault}: give the .jsonl file of a run")


class DamagedTrace(TraceFault):
    """A whole line is no record."""

    def __init__(self, path: Path, offset: int, fault: str) -> None:
        super().__init__(
            f"{path}: the line at byte {offset} is no record: {fault}; `trace recover` shows what is whole"
        )
        self.offset = offset


_decoder: Final = msgspec.json.Decoder(Header | DecisionRecord | EventRecord)


def is_too_long(line: bytes) -> bool:
    """Whether the line is over `MAX_LINE_BYTES`: none is read that is."""
    return len(line) > MAX_LINE_BYTES


def decode_line(line: bytes) -> Record:
    """The record in one line, its end included or not. Raises ValueError with the fault."""
    if is_too_long(line):
        raise ValueError(f"it is longer than {MAX_LINE_BYTES} bytes")
    try:
        record: Record = _decoder.decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError) as fault:
        raise ValueError(inert(str(fault), max_chars=_MAX_FAULT_CHARS)) from fault
    if isinstance(record, Header) and record.schema_version > TRACE_SCHEMA_VERSION:
        raise ValueError(f"schema version {record.schema_version}, and this program knows {TRACE_SCHEMA_VERSION}")
    return record


def read_line(file: BinaryIO) -> bytes:
    """The line that begins here, its end included; of one over `MAX_LINE_BYTES` a byte more than that, which
    `decode_line` refuses."""
    return file.readline(MAX_LINE_BYTES + 1)


def whole_lines(file: BinaryIO, offset: int = 0) -> Iterator[tuple[int, bytes, int]]:
    """Each whole line from `offset` on, where one begins: the place where it begins, the line as `read_line` gives
    it, and the place behind it. What follows the last line end is left out."""
    file.seek(offset)
    while line := read_line(file):
        end = offset + len(line)
        last = line
        while not last.endswith(b"\n"):
            if not (last := file.readline(_BUFFER_BYTES)):
                return
            end += len(last)
        yield offset, line, end
        offset = end


def read_trace(path: Path | str) -> Iterator[Record]:
    """The records of a file one by one, never more than one in memory; a torn tail is left out.

    Raises NotATrace, DamagedTrace, OSError.
    """
    place = regular_file(path)
    offset = -1
    try:
        with place.open("rb", buffering=_BUFFER_BYTES) as file:
            for offset, line, _ in whole_lines(file):
                record = decode_line(line)
                if offset == 0 and not isinstance(record, Header):
                    raise NotATrace(place, "its first line is no header")
                yield record
    except ValueError as fault:
        if offset <= 0:
            raise NotATrace(place, str(fault)) from fault
        raise DamagedTrace(place, offset, str(fault)) from fault
    if offset < 0:
        raise NotATrace(place, "it has no whole line")
