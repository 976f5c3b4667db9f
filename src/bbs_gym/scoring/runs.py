"""The folders of runs: what a match, or one agent's run, left on disk. Nothing is asked of a folder but to be one: of a
run that was killed, is still on or is damaged, what is whole is told, and what is wrong.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from bbs_gym.match.events import EventLine, MatchEvent
from bbs_gym.scoring.participants import (
    EVENTS,
    UNFINISHED,
    Participant,
    participants_of,
    said,
    settings_of,
    trace_files,
)
from bbs_gym.scoring.result import MatchScore
from tty_agent.trace.records import whole_lines

MANIFEST: Final = "manifest.json"
SCORE: Final = "score.json"

MAX_JSON_BYTES: Final = 64 * 1024 * 1024
"""Of a manifest or a score; a larger file is neither."""


class RunFault(Exception):
    """There is no run to be read; the text says why and what to do."""


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One folder."""

    folder: Path
    match_id: str
    name: str
    seed: int
    participants: tuple[Participant, ...]
    """By agent id."""
    finished: bool
    """The match wrote its end."""
    started_at: str = ""
    finished_at: str = ""
    stopped_by: str = ""
    manifest: Mapping[str, Any] = {}
    """As it stands in the file; empty if there is none."""
    manifest_sha256: str = ""
    faults: tuple[str, ...] = ()
    """What could not be read, a line each."""


def run_folders(root: Path) -> tuple[Path, ...]:
    """The folders of runs in `root`, by name; `root` itself if it is one. Raises RunFault if it is no folder."""
    if not root.is_dir():
        raise RunFault(f"{root} is no folder: name a run's, or the one with all runs")
    if _is_run(root):
        return (root,)
    return tuple(sorted((one for one in root.iterdir() if one.is_dir() and _is_run(one)), key=lambda one: one.name))


def read_run(folder: Path) -> Run:
    """What is whole in a folder. Raises RunFault if nothing in it is of a run."""
    if not folder.is_dir():
        raise RunFault(f"{folder} is no folder: give the folder of a run")
    faults: list[str] = []
    manifest, digest = _manifest(folder, faults)
    events = _events(folder, faults)
    told = {**(events[0].data if events else {}), **manifest}
    participants = participants_of(folder, events, told, faults)
    if not manifest and not events and not participants:
        raise RunFault(f"{folder} has nothing of a run in it: give a folder with {EVENTS} or a trace")
    ended = _end(events)
    if (events or manifest) and ended is None:
        participants = tuple(msgspec.structs.replace(one, void=True) for one in participants)
    seed = told.get("seed", settings_of(told).get("seed", 0))
    return Run(
        folder=folder,
        match_id=str(told.get("match_id") or told.get("run_id") or folder.name),
        name=str(told.get("name") or settings_of(told).get("name") or folder.name),
        seed=seed if isinstance(seed, int) and not isinstance(seed, bool) else 0,
        participants=participants,
        finished=ended is not None
        or not (events or manifest or any(p.stop_reason == UNFINISHED for p in participants)),
        started_at=events[0].timestamp if events else "",
        finished_at=ended.timestamp if ended else "",
        stopped_by=str(ended.data.get("stopped_by", "")) if ended else "",
        manifest=manifest,
        manifest_sha256=digest,
        faults=tuple(faults),
    )


def read_score(folder: Path) -> MatchScore | None:
    """The `score.json` of a folder; None if it has none. Raises RunFault if it is none."""
    place = folder / SCORE
    if not place.is_file():
        return None
    try:
        return msgspec.json.decode(_bounded(place), type=MatchScore)
    except (msgspec.DecodeError, OSError, UnicodeDecodeError, RecursionError) as fault:
        raise RunFault(f"{place} is no score ({said(fault)}): score the run again") from fault


def _end(events: Sequence[EventLine]) -> EventLine | None:
    """The end of a match; one that was gone on with after it has another, or none."""
    for event in reversed(events):
        if event.event is MatchEvent.MATCH_COMPLETED:
            return event
        if event.event is MatchEvent.MATCH_RESUMED:
            return None
    return None


def _is_run(folder: Path) -> bool:
    return any((folder / name).is_file() for name in (MANIFEST, EVENTS, SCORE)) or any(trace_files(folder))


def _manifest(folder: Path, faults: list[str]) -> tuple[Mapping[str, Any], str]:
    place = folder / MANIFEST
    if not place.is_file():
        return {}, ""
    try:
        content = _bounded(place)
        return msgspec.json.decode(content, type=dict[str, Any]), hashlib.sha256(content).hexdigest()
    except (msgspec.DecodeError, OSError, UnicodeDecodeError, RecursionError) as fault:
        faults.append(f"{MANIFEST}: {said(fault)}")
        return {}, ""


def _events(folder: Path, faults: list[str]) -> tuple[EventLine, ...]:
    """The whole events; a torn last line is none, a line that is damaged is told of and left out."""
    place = folder / EVENTS
    if not place.is_file():
        return ()
    decoder = msgspec.json.Decoder(EventLine)
    found = []
    try:
        with place.open("rb") as file:
            for number, (_, line, _) in enumerate(whole_lines(file), 1):
                try:
                    found.append(decoder.decode(line))
                except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
                    faults.append(f"{EVENTS}, line {number}: {said(fault)}")
    except OSError as fault:
        faults.append(f"{EVENTS}: {said(fault)}")
    return tuple(found)


def _bounded(place: Path) -> bytes:
    with place.open("rb") as file:
        content = file.read(MAX_JSON_BYTES + 1)
    if len(content) > MAX_JSON_BYTES:
        raise msgspec.DecodeError(f"it is longer than {MAX_JSON_BYTES} bytes")
    return content
