"""`manifest.json`, `match.jsonl` and `campaign-match.json` of a run's folder, as docs/runs.md has them: as far as they
are whole, and of whatever version."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from agentbbs.web.gym.moments import moment_ms
from agentbbs.web.gym.places import file_stamp
from agentbbs.web.gym.scores import SCHEMA_VERSION, note_version, read
from agentbbs.web.gym.shapes import Happening, Usage
from agentbbs.web.gym.traces import saying, usage
from tty_agent.terminal.inert import inert
from tty_agent.trace.records import whole_lines

MANIFEST: Final = "manifest.json"
EVENTS: Final = "match.jsonl"
CAMPAIGN: Final = "campaign-match.json"
JOURNAL: Final = "campaign.jsonl"
"""Of a campaign: a folder that has it is no run's."""

MAX_EVENTS_BYTES: Final = 64 * 1024 * 1024
"""Of `match.jsonl`: a match of 50 rounds takes a hundredth of a megabyte a participant."""

TURNING_POINTS: Final = frozenset(
    (
        "match_started",
        "match_resumed",
        "participant_ready",
        "node_mismatch",
        "disconnected",
        "reconnect_attempted",
        "reconnected",
        "participant_stopped",
        "match_completed",
    )
)
"""All events but those of every round."""

_SAID: Final = (
    "order", "participants", "committed", "scheduler", "host", "alias", "allocated_node", "observed_node", "valid",
    "error_code", "repaired", "action", "sent", "kind", "stop_reason", "stopped_by", "detail", "attempt", "of",
    "rounds", "ticks",
)  # fmt: skip


class Participant(msgspec.Struct, frozen=True, kw_only=True):
    """What `participant_stopped` tells of one."""

    agent_id: str = ""
    alias: str = ""
    model: str = ""
    provider: str = ""
    stop_reason: str = ""
    detail: str = ""
    void: bool = False
    infra_suspect: str | None = None
    usage: Usage = Usage()


class Course(msgspec.Struct, kw_only=True):
    """A match as its events tell it."""

    started_ms: int | None = None
    finished_ms: int | None = None
    stopped_by: str = ""
    detail: str = ""
    rounds: int | None = None
    told: dict[str, Any] = {}
    """By the first event."""
    stopped: dict[str, Participant] = {}
    damaged: int = 0
    """Lines that are none."""


class _Event(msgspec.Struct, frozen=True):
    event: str = ""
    timestamp: str = ""
    seq: int = 0
    round: int | None = None
    tick: int | None = None
    agent_id: str | None = None
    data: dict[str, Any] = {}


class _Seated(msgspec.Struct, frozen=True):
    campaign: str = ""
    turn: str = ""
    schema_version: int = SCHEMA_VERSION


_decoder: Final = msgspec.json.Decoder(_Event)


def manifest(folder: Path, notes: list[str]) -> dict[str, Any]:
    """What a match was made of; empty where nothing says it."""
    found = read(folder / MANIFEST, dict[str, Any], notes) or {}
    version = found.get("schema_version", SCHEMA_VERSION)
    note_version(MANIFEST, version if isinstance(version, int) else 0, notes)
    return found


def seated(folder: Path, notes: list[str]) -> tuple[str, str] | None:
    """The campaign that a match belongs to, and its turn."""
    found = read(folder / CAMPAIGN, _Seated, notes)
    return (found.campaign, found.turn) if found is not None and found.campaign else None


def course(folder: Path, notes: list[str]) -> Course | None:
    """The match so far; None if the folder is of a single run."""
    if file_stamp(folder / EVENTS) is None:
        return None
    match = Course(told={}, stopped={})
    for event in _events(folder, notes, lambda: _count_damage(match)):
        if event.event in TURNING_POINTS:
            _follow(match, event)
    if match.damaged:
        notes.append(f"{EVENTS} has {match.damaged} lines that are none: they are left out")
    version = match.told.get("schema_version", SCHEMA_VERSION)
    note_version(EVENTS, version if isinstance(version, int) else 0, notes)
    return match


def happenings(folder: Path, *, after: int, limit: int, every: bool) -> tuple[tuple[Happening, ...], bool]:
    """Up to `limit` events after that number, all or the turning points; and whether there are more."""
    found: list[Happening] = []
    for event in _events(folder, [], lambda: None):
        if event.seq <= after or not (every or event.event in TURNING_POINTS):
            continue
        if len(found) == limit:
            return tuple(found), True
        found.append(
            Happening(
                event=inert(event.event, max_chars=40),
                at_ms=moment_ms(event.timestamp),
                seq=event.seq,
                round=event.round,
                tick=event.tick,
                agent_id=event.agent_id,
                says=saying(event.data, _SAID),
            )
        )
    return tuple(found), False


def _events(folder: Path, notes: list[str], damaged: Callable[[], None]) -> Iterator[_Event]:
    """The whole lines, as far as they are read."""
    place = folder / EVENTS
    if file_stamp(place) is None:
        return
    try:
        with place.open("rb") as file:
            for _, text, end in whole_lines(file):
                if end > MAX_EVENTS_BYTES:
                    notes.append(f"{EVENTS} is longer than {MAX_EVENTS_BYTES} bytes: the rest is left out")
                    return
                try:
                    event = _decoder.decode(text)
                except (msgspec.MsgspecError, ValueError, RecursionError):
                    damaged()
                else:
                    yield event
    except OSError as fault:
        notes.append(f"{EVENTS} can't be read: {fault.strerror}")


def _count_damage(match: Course) -> None:
    match.damaged += 1


def _follow(match: Course, event: _Event) -> None:
    if event.event == "match_started":
        match.started_ms = moment_ms(event.timestamp)
        match.told = event.data
    elif event.event == "match_resumed":
        match.finished_ms, match.stopped_by, match.stopped = None, "", {}
    elif event.event == "participant_stopped" and event.agent_id:
        match.stopped[event.agent_id] = _participant(event)
    elif event.event == "match_completed":
        match.finished_ms = moment_ms(event.timestamp)
        match.stopped_by = str(event.data.get("stopped_by") or "ended")
        match.detail = str(event.data.get("detail") or "")
        rounds = event.data.get("rounds")
        match.rounds = rounds if isinstance(rounds, int) else None


def _participant(event: _Event) -> Participant:
    def text(name: str) -> str:
        value = event.data.get(name)
        return value if isinstance(value, str) else ""

    used = usage({**event.data, "decision_ticks": event.data.get("decisions")})
    return Participant(
        agent_id=event.agent_id or "",
        alias=text("alias"),
        model=text("model"),
        provider=text("provider"),
        stop_reason=text("stop_reason"),
        detail=text("detail"),
        void=event.data.get("void") is True,
        infra_suspect=text("infra_suspect") or None,
        usage=msgspec.structs.replace(used, wall_seconds=None),
    )
