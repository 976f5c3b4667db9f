"""Going on with a match whose process was killed, where its state allows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from bbs_gym.accounts.account import Account
from bbs_gym.hosts.host import Host, HostFault
from bbs_gym.match.events import EventLine, MatchEvent
from bbs_gym.match.journal import FILE_NAME, JournalFault, read_events
from bbs_gym.match.leftover import leftover
from bbs_gym.match.manifest import FILE_NAME as MANIFEST_NAME
from bbs_gym.match.manifest import MANIFEST_SCHEMA_VERSION, manifest, plain, settings_told
from bbs_gym.match.match import Keep, Left, Match
from bbs_gym.match.outcome import MatchOutcome
from bbs_gym.match.participant import Start
from bbs_gym.match.preparing import accounts_for, stays, world_mark
from bbs_gym.match.retracing import Retraced, retrace
from bbs_gym.match.roster import Entrant, resolve
from bbs_gym.match.settings import MatchSettings
from bbs_gym.match.wiring import Wiring
from tty_agent.memory.store import CampaignFile
from tty_agent.runner.memory import RunMemory
from tty_agent.runner.settings import SYSTEM_CLOCK, Clock
from tty_agent.trace.records import Record, TraceFault

_SAME: tuple[str, ...] = ("participants", "profiles", "policies", "seeds")
"""Of the manifest: what must not have changed."""


class CannotResume(Exception):
    """This match can't be gone on with; the text says why, and what to do."""


async def resume_match(
    settings: MatchSettings,
    folder: Path,
    *,
    host: Host,
    accounts: Iterable[Account] | None = None,
    wiring: Wiring = Wiring(),  # noqa: B008 - a frozen value
    clock: Clock = SYSTEM_CLOCK,
    watch: Callable[[EventLine], None] | None = None,
    watch_records: Callable[[str, Record], None] | None = None,
    memory: Path | None = None,
    keep: Keep | None = None,
) -> MatchOutcome:
    """Go on after the last whole event: who is over stays over, the others call again and have what is left of their
    budgets, their memory and their transcript; traces go on in `resumed-N/`.

    `settings` are those that the match was begun with; the other parameters as of `run_match`. The host must have the
    world as it was when the process died. Raises CannotResume, and what `run_match` raises.
    """
    told, events = _manifest(folder), _events(folder)
    _check_settings(settings, told)
    known = accounts_for(settings, host, accounts)
    entrants = resolve(settings, known, wiring)
    _check_made_of(settings, entrants, host, told)
    _check_snapshot(told)
    await _check_world(settings, host, told)
    left = _left(settings, folder, events, memory)
    match = Match(
        settings,
        folder,
        entrants=entrants,
        host=host,
        wiring=wiring,
        clock=clock,
        watch=watch,
        watch_records=watch_records,
        match_id=str(told["match_id"]),
        memory=memory,
        keep=keep,
        left=left,
    )
    return await match.go_on()


def _manifest(folder: Path) -> dict[str, Any]:
    place = folder / MANIFEST_NAME
    try:
        told = msgspec.json.decode(place.read_bytes(), type=dict[str, Any])
    except FileNotFoundError as fault:
        raise CannotResume(f"{folder} has no {MANIFEST_NAME}: the match had not begun; run it anew") from fault
    except (OSError, msgspec.MsgspecError) as fault:
        raise CannotResume(f"{place} can't be read ({fault}): run the match anew") from fault
    if told.get("schema_version") != MANIFEST_SCHEMA_VERSION:
        raise CannotResume(
            f"{place} has schema version {told.get('schema_version')}, and this program {MANIFEST_SCHEMA_VERSION}:"
            " use the version that began the match"
        )
    return told


def _events(folder: Path) -> tuple[EventLine, ...]:
    try:
        events = tuple(read_events(folder / FILE_NAME))
    except JournalFault as fault:
        raise CannotResume(str(fault)) from fault
    if not events or events[0].event is not MatchEvent.MATCH_STARTED:
        raise CannotResume(f"{folder} has no beginning of a match: run it anew")
    if any(event.event is MatchEvent.MATCH_COMPLETED for event in events):
        raise CannotResume(f"the match in {folder} is over: nothing is left to play")
    return events


def _check_settings(settings: MatchSettings, told: Mapping[str, Any]) -> None:
    now = plain(settings_told(settings))
    before = told.get("settings", {})
    changed = sorted(name for name in {*now, *before} if now.get(name) != before.get(name))
    if changed:
        raise CannotResume(f"{', '.join(changed)} of the settings changed since the match began: give those of then")
    if len(stays(settings)) > 1:
        raise CannotResume("a match at a door of one at a time can't be gone on with: run it anew")


def _check_made_of(settings: MatchSettings, entrants: tuple[Entrant, ...], host: Host, told: Mapping[str, Any]) -> None:
    """Profiles and prompts are those of then."""
    now = plain(manifest(settings, entrants, host, match_id="", created_at="", snapshot=None, world={}))
    changed = [name for name in _SAME if now[name] != told.get(name)]
    if changed:
        raise CannotResume(
            f"{', '.join(changed)} changed since the match began: use the version of then, or run the match anew"
        )


def _check_snapshot(told: Mapping[str, Any]) -> None:
    snapshot = told["host"].get("snapshot")
    if snapshot is not None and not Path(snapshot["path"]).exists():
        raise CannotResume(f"the snapshot {snapshot['name']} is missing ({snapshot['path']}): run the match anew")


async def _check_world(settings: MatchSettings, host: Host, told: Mapping[str, Any]) -> None:
    """The BBS has the world that the match is played in."""
    before = told["host"].get("world") or {}
    if not before:
        return
    try:
        await host.start()
        now = await world_mark(host, settings)
    except HostFault as fault:
        raise CannotResume(f"the BBS does not run: {fault}") from fault
    if now.get("settings") != before.get("settings") or now.get("journal", 0) < before.get("journal", 0):
        raise CannotResume("the world of the game was made anew since the match began: run the match anew")


def _left(settings: MatchSettings, folder: Path, events: tuple[EventLine, ...], memory: Path | None) -> Left:
    resumed = sum(event.event is MatchEvent.MATCH_RESUMED for event in events)
    roster = [one.agent_id for one in settings.participants]
    traces = {agent: _traces(folder, agent, resumed) for agent in roster}
    memories: dict[str, RunMemory] = {}
    retraced: dict[str, Retraced] = {}
    for agent in roster:
        file = CampaignFile(memory / f"{agent}.json") if memory is not None else None
        memories[agent] = RunMemory(file=file)
        try:
            retraced[agent] = retrace(traces[agent], memories[agent])
        except (TraceFault, OSError) as fault:
            raise CannotResume(f"a trace of {agent} can't be read ({fault}): run the match anew") from fault
    try:
        found = leftover(settings, events, {agent: one.steps for agent, one in retraced.items()})
    except (msgspec.ValidationError, KeyError, ValueError) as fault:
        raise CannotResume(f"{folder / FILE_NAME} can't be gone on from ({fault}): run the match anew") from fault
    starts = {
        agent: Start(
            spent=retraced[agent].spent,
            actions=found.actions.get(agent, 0),
            reconnects=found.reconnects.get(agent, 0),
            traces=traces[agent],
        )
        for agent in roster
    }
    return Left(
        progress=found.progress,
        wall_seconds=found.wall_seconds,
        started_at=found.started_at,
        starts=starts,
        memories=memories,
        stopped=found.stopped,
        resumed=found.resumed + 1,
    )


def _traces(folder: Path, agent: str, resumed: int) -> tuple[Path, ...]:
    """Those that have anything in them, in order."""
    places = [folder, *(folder / f"resumed-{number}" for number in range(1, resumed + 1))]
    found = (place / f"{agent}.jsonl" for place in places)
    return tuple(path for path in found if path.is_file() and path.stat().st_size)
