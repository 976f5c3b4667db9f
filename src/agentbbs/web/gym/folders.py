"""One folder of a run as a value: a match's, a single agent's, whole, half-written or damaged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from agentbbs.web.gym import matches, scores
from agentbbs.web.gym.moments import moment_ms
from agentbbs.web.gym.places import file_stamp, is_folder, is_name, own_folders
from agentbbs.web.gym.shapes import GymAgent, GymRun, RunKind, RunPart, added
from agentbbs.web.gym.traces import TRACE_SUFFIX, TRANSCRIPT_SUFFIX, NoTrace, Traces, limits, part_of, told
from tty_agent.terminal.inert import inert
from tty_agent.trace.records import Header, TraceFault

MAX_AGENTS: Final = 200
"""Of a run; no match has nearly as many."""

MAX_NOTES: Final = 20

_RESUMED: Final = re.compile(r"resumed-([1-9][0-9]{0,3})")
_MARKS_SUFFIX: Final = ".raw.sent.jsonl"


def trace_path(folder: Path, agent_id: str, part: int) -> Path:
    """Where the trace of a part would be."""
    place = folder / f"resumed-{part}" if part else folder
    return place / f"{agent_id}{TRACE_SUFFIX}"


def transcript_path(folder: Path, agent_id: str) -> Path:
    """Where its transcript would be: one for all parts."""
    return folder / f"{agent_id}{TRANSCRIPT_SUFFIX}"


def agents_in(folder: Path) -> tuple[tuple[str, int], ...]:
    """Each agent that has a trace in a folder, with the part. Raises OSError."""
    found = [(agent, 0) for agent in _traces(folder)]
    for entry in own_folders(folder):
        number = _RESUMED.fullmatch(entry.name)
        if number:
            found += [(agent, int(number[1])) for agent in _traces(Path(entry.path))]
    return tuple(sorted(found))[: 4 * MAX_AGENTS]


def is_run(folder: Path) -> bool:
    """Whether anything in a folder is of a run. Raises OSError."""
    if file_stamp(folder / matches.JOURNAL) is not None:
        return False
    named = (matches.MANIFEST, matches.EVENTS, scores.SCORE)
    return any(file_stamp(folder / name) for name in named) or any(
        _header_ms(trace_path(folder, agent, 0)) is not None for agent in _traces(folder)
    )


def stamp(folder: Path) -> tuple[object, ...]:
    """What changes when anything that is told of a run does. Raises OSError."""
    named = (matches.MANIFEST, matches.EVENTS, matches.CAMPAIGN, scores.SCORE)
    return (
        *(file_stamp(folder / name) for name in named),
        *(
            (agent, part, file_stamp(trace_path(folder, agent, part)), bool(file_stamp(transcript_path(folder, agent))))
            for agent, part in agents_in(folder)
        ),
    )


def began(folder: Path) -> tuple[int, str | None]:
    """When a run began, as far as its files' times tell, in Unix milliseconds, and the campaign that it is of.

    A list of thousands is put in order by it, so nothing but the smallest files are read. Raises OSError.
    """
    campaign = matches.seated(folder, [])
    times = [found[1] for name in (matches.MANIFEST, matches.EVENTS) if (found := file_stamp(folder / name))]
    if times:
        header = scores.read(folder / matches.MANIFEST, _Created, [])
        at = moment_ms(header.created_at) if header is not None else None
        return at if at is not None else min(times) // 1_000_000, campaign[0] if campaign else None
    for agent in _traces(folder):
        at = _header_ms(trace_path(folder, agent, 0))
        if at is not None:
            return at, None
    return folder.lstat().st_mtime_ns // 1_000_000, None


def read_run(folder: Path, run_id: str, traces: Traces) -> GymRun:
    """What is whole in a folder. Raises OSError where the folder itself can't be read."""
    notes: list[str] = []
    manifest = matches.manifest(folder, notes)
    course = matches.course(folder, notes)
    seated = matches.seated(folder, notes)
    score = scores.read(folder / scores.SCORE, scores.MatchScore, notes)
    agents = _agents(folder, manifest, course, score, traces, notes)
    first = {**(course.told if course else {}), **manifest}
    settings = _table(first, "settings")
    policies = _table(first, "policies")
    is_match = course is not None or bool(manifest)
    ended, finished = _end(course, agents, is_match=is_match)
    ends = [part.finished_ms for agent in agents for part in agent.parts if part.finished_ms is not None]
    starts = [part.started_ms for agent in agents for part in agent.parts if part.started_ms is not None]
    return GymRun(
        run_id=run_id,
        kind=RunKind.MATCH if is_match else RunKind.RUN,
        name=_text(first, "name") or _text(settings, "name"),
        campaign=seated[0] if seated else None,
        turn=seated[1] if seated else None,
        started_ms=(course.started_ms if course else None) or min(starts, default=None),
        finished_ms=course.finished_ms if course else max(ends, default=None) if finished else None,
        finished=finished,
        ended=ended,
        detail=(course.detail if course else "") or (agents[0].detail if len(agents) == 1 and not is_match else ""),
        seed=_number(first, "seed"),
        scheduler=_text(policies, "scheduler") or _text(first, "scheduler") or None,
        order=_text(policies, "order") or _text(first, "order") or None,
        host=_text(_table(first, "host"), "kind") or _text(first, "host") or None,
        game=_text(_table(settings, "door"), "game") or None,
        rounds=course.rounds if course else None,
        limits=limits(policies.get("budgets")),
        software={inert(str(name)): inert(str(version)) for name, version in _table(first, "software").items()},
        git_commit=_text(first, "git_commit") or None,
        agents=agents,
        scored_ms=moment_ms(score.scored_at) if score else None,
        notes=tuple(notes[:MAX_NOTES]),
    )


class _Created(msgspec.Struct, frozen=True):
    created_at: str = ""


def _agents(
    folder: Path,
    manifest: dict[str, Any],
    course: matches.Course | None,
    score: scores.MatchScore | None,
    traces: Traces,
    notes: list[str],
) -> tuple[GymAgent, ...]:
    """Everybody whom a trace, an event or the manifest names, by id."""
    roster = _roster(manifest, course)
    parts: dict[str, list[tuple[Header | None, RunPart]]] = {}
    for agent_id, number in agents_in(folder):
        found = _part(folder, agent_id, number, traces, notes)
        parts.setdefault(agent_id, []).append(found)
    names = sorted({*roster, *parts, *(course.stopped if course else {})})
    return tuple(
        _agent(
            name,
            roster.get(name, {}),
            parts.get(name, []),
            course.stopped.get(name) if course else None,
            score.of(name) if score else None,
            of_match=course is not None,
        )
        for name in names[:MAX_AGENTS]
        if is_name(name)
    )


def _agent(
    agent_id: str,
    listed: dict[str, Any],
    parts: list[tuple[Header | None, RunPart]],
    stopped: matches.Participant | None,
    score: scores.ParticipantScore | None,
    *,
    of_match: bool,
) -> GymAgent:
    header = next((one for one, _ in parts if one is not None), None)
    last = parts[-1][1] if parts else RunPart(part=0)
    model = _table(listed, "model")
    if stopped is not None:
        reason, detail, used = stopped.stop_reason, stopped.detail, stopped.usage
    else:
        reason, detail, used = ("" if of_match else last.outcome), last.detail, added([one.usage for _, one in parts])
    return GymAgent(
        agent_id=agent_id,
        alias=(stopped.alias if stopped else "") or _text(listed, "alias"),
        model=(stopped.model if stopped else "") or (header.model if header else _text(model, "model")),
        provider=(stopped.provider if stopped else "") or (header.provider if header else _text(model, "provider")),
        objective=_text(listed, "objective") or (header.run_objective if header else ""),
        stop_reason=reason,
        detail=detail,
        void=(stopped.void if stopped else False) or bool(score and score.void),
        infra_suspect=stopped.infra_suspect if stopped else None,
        usage=used,
        parts=tuple(part for _, part in parts),
        score=score,
    )


def _part(folder: Path, agent_id: str, number: int, traces: Traces, notes: list[str]) -> tuple[Header | None, RunPart]:
    """One trace. A fault of it is noted, and it is a part of no steps."""
    path = trace_path(folder, agent_id, number)
    name = path.relative_to(folder).as_posix()
    try:
        with traces.opened(path) as trace:
            header, part = part_of(trace, number)
    except NoTrace as fault:
        notes.append(f"{name}: {fault}")
    except TraceFault as fault:
        notes.append(f"{name}: {told(fault, path)}")
    except OSError as fault:
        notes.append(f"{name} can't be read: {fault.strerror}")
    else:
        if part.torn_bytes:
            notes.append(f"{name} ends in {part.torn_bytes:,} bytes of a line that was never finished: left out")
        has = file_stamp(transcript_path(folder, agent_id)) is not None
        return header, msgspec.structs.replace(part, has_transcript=has)
    return None, RunPart(part=number)


def _end(course: matches.Course | None, agents: tuple[GymAgent, ...], *, is_match: bool) -> tuple[str, bool]:
    """Why a run ended, empty if it did not; and whether it did."""
    if course is not None:
        return course.stopped_by, bool(course.stopped_by)
    if is_match or not agents:
        return "", False
    reasons = {agent.stop_reason for agent in agents}
    finished = all(agent.parts and agent.parts[-1].finished for agent in agents)
    return (next(iter(reasons)) if len(reasons) == 1 else "ended") if finished else "", finished


def _roster(manifest: dict[str, Any], course: matches.Course | None) -> dict[str, dict[str, Any]]:
    """Who was to take part."""
    listed = manifest.get("participants") or (course.told.get("participants") if course else None)
    found: dict[str, dict[str, Any]] = {}
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict) and isinstance(one.get("agent_id"), str):
            found[one["agent_id"]] = one
        elif isinstance(one, str):
            found[one] = {}
    return found


def _traces(folder: Path) -> Iterator[str]:
    """The agents that have a trace in this very folder, in no order. Raises OSError."""
    if not is_folder(folder):
        return
    for path in folder.iterdir():
        name = path.name
        if not name.endswith(TRACE_SUFFIX) or name == matches.EVENTS or name.endswith(_MARKS_SUFFIX):
            continue
        agent = name.removesuffix(TRACE_SUFFIX)
        if is_name(agent) and file_stamp(path) is not None:
            yield agent


def _header_ms(path: Path) -> int | None:
    """When a trace began, by its first bytes (0 where they do not say it); None if it is no trace."""
    try:
        with path.open("rb") as file:
            start = file.read(_LOOKED_AT_BYTES)
    except OSError:
        return None
    if not _HEADER.match(start):
        return None
    found = _TIMESTAMP.search(start)
    return (moment_ms(found[1].decode("ascii", "replace")) or 0) if found else 0


_LOOKED_AT_BYTES: Final = 4096
_HEADER: Final = re.compile(rb'\{\s*"type"\s*:\s*"header"')
_TIMESTAMP: Final = re.compile(rb'"timestamp"\s*:\s*"([^"\\]{1,40})"')


def _table(value: dict[str, Any], name: str) -> dict[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def _text(value: dict[str, Any], name: str) -> str:
    found = value.get(name)
    return found if isinstance(found, str) else ""


def _number(value: dict[str, Any], name: str) -> int | None:
    found = value.get(name)
    return found if isinstance(found, int) and not isinstance(found, bool) else None
