"""A match from a command line: its folder, its host, its score."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog

from bbs_gym.accounts.account import Account
from bbs_gym.accounts.registry import find_registry, read_registry
from bbs_gym.commands.signals import cancelled_by_signals
from bbs_gym.hosts.catalog import make_host
from bbs_gym.hosts.host import Host
from bbs_gym.match.events import EventLine
from bbs_gym.match.journal import FILE_NAME
from bbs_gym.match.outcome import MatchOutcome
from bbs_gym.match.preparing import is_private
from bbs_gym.match.resume import resume_match
from bbs_gym.match.run import run_match
from bbs_gym.match.settings import MatchSettings
from bbs_gym.scoring.kept_state import Moment, keep, needed
from bbs_gym.scoring.result import MatchScore
from bbs_gym.scoring.score_run import score_run
from tty_agent.commands import event_loop

HOST_FOLDER: Final = "host"
"""In a run's folder: what a private BBS has on the disk. It goes when the match is over and was not void."""

_log = structlog.get_logger(__name__)


class Interrupted(Exception):
    """A signal stopped it; what was played is on record."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class Scored(msgspec.Struct, frozen=True, kw_only=True):
    """A match, and what it is worth."""

    outcome: MatchOutcome
    score: MatchScore
    score_path: Path


def play(
    settings: MatchSettings,
    folder: Path,
    *,
    resume: bool = False,
    memory: Path | None = None,
    watch: Any = None,
) -> Scored:
    """Play the match in `folder`, or go on with the one that is there, and score it. Raises Interrupted, and what
    `run_match` and `resume_match` raise."""
    stopped: list[int] = []

    async def run() -> Scored:
        with cancelled_by_signals(stopped):
            return await _play(settings, folder, resume=resume, memory=memory, watch=watch)

    try:
        return event_loop.run(run())
    except (asyncio.CancelledError, KeyboardInterrupt):
        raise Interrupted(stopped[0] if stopped else 2) from None


def registered(settings: MatchSettings, host: Host) -> tuple[Account, ...] | None:
    """The accounts of the registry that the match names, or that stands at the usual place; None: they are to be made
    for the match. Raises AccountFault."""
    path = settings.accounts
    if path is None and not is_private(host):
        path = find_registry()
    return read_registry(path).accounts if path is not None else None


async def _play(settings: MatchSettings, folder: Path, *, resume: bool, memory: Path | None, watch: Any) -> Scored:
    host = make_host(settings.host, folder / HOST_FOLDER)

    async def keep_state(moment: str) -> Iterable[str]:
        return await keep(host, folder, Moment(moment), needed(settings))

    shared: dict[str, Any] = {
        "host": host,
        "accounts": registered(settings, host),
        "watch": watch,
        "memory": memory,
        "keep": keep_state,
    }
    begin = resume_match if resume else run_match
    try:
        outcome = await begin(settings, folder, **shared)
    finally:
        await host.stop()
        if not resume and is_private(host) and not (folder / FILE_NAME).exists():
            await asyncio.to_thread(_clear, folder)
    if is_private(host) and not outcome.void:
        await asyncio.to_thread(shutil.rmtree, folder / HOST_FOLDER, ignore_errors=True)
    score = await score_run(folder, scored_at=outcome.finished_at)
    return Scored(outcome=outcome, score=score, score_path=folder / "score.json")


def _clear(folder: Path) -> None:
    """Take away what a match leaves that did not begin, passwords of its accounts above all."""
    shutil.rmtree(folder / HOST_FOLDER, ignore_errors=True)
    with suppress(OSError):  # there is something else in it, or nothing at all
        folder.rmdir()


class Progress:
    """The events of a match as people follow them: one line each."""

    def __init__(self, tell: Any) -> None:
        self._tell = tell

    def __call__(self, event: EventLine) -> None:
        """Tell it, if people should know of it."""
        line = _LINES.get(str(event.event))
        if line is not None:
            self._tell(line(event))


def _committed(event: EventLine) -> str:
    where = f"round {event.round}" if event.round is not None else f"request {event.data.get('queued_tick')}"
    not_sent = "" if event.data.get("sent", True) else " (not sent)"
    return f"tick {event.tick} ({where}) {event.agent_id}: {event.data.get('action')}{not_sent}"


def _stopped(event: EventLine) -> str:
    data = event.data
    void = ", void" if data.get("void") else ""
    return (
        f"{event.agent_id} stopped ({data['stop_reason']}{void}) after {data['decisions']} decisions: {data['detail']}"
    )


_LINES: Final = {
    "match_started": lambda event: f"{event.data['name']}: {', '.join(event.data['participants'])}",
    "match_resumed": lambda event: f"goes on with {', '.join(event.data['participants']) or 'nobody'}",
    "participant_ready": lambda event: f"{event.agent_id} is on node {event.data['observed_node'] or '?'}",
    "node_mismatch": lambda event: (
        f"{event.agent_id} is on node {event.data['observed_node']}, not {event.data['allocated_node']}"
    ),
    "action_committed": _committed,
    "disconnected": lambda event: f"{event.agent_id} is disconnected: {event.data['detail']}",
    "reconnect_attempted": lambda event: (
        f"{event.agent_id} calls again ({event.data['attempt']} of {event.data['of']})"
    ),
    "reconnected": lambda event: f"{event.agent_id} is back",
    "participant_stopped": _stopped,
}
