"""Play one match of a campaign, in whichever process and on whichever machine: `play`."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path
from typing import Final

import msgspec

from bbs_gym.accounts.account import Account
from bbs_gym.accounts.fault import AccountFault
from bbs_gym.accounts.registry import find_registry, read_registry
from bbs_gym.campaign.task import MatchResult, MatchTask, write_about, write_result
from bbs_gym.hosts.catalog import make_host
from bbs_gym.hosts.host import Host, HostFault
from bbs_gym.match.config import BadMatch
from bbs_gym.match.outcome import MatchOutcome
from bbs_gym.match.preparing import is_private
from bbs_gym.match.run import run_match
from bbs_gym.match.settings import MatchSettings
from bbs_gym.scoring.kept_state import keeper
from bbs_gym.scoring.runs import RunFault
from bbs_gym.scoring.score_run import score_run
from tty_agent.memory.store import MemoryFault
from tty_agent.models.catalog import ModelConfigError
from tty_agent.models.model import ProviderFault
from tty_agent.models.scripted import ScriptError
from tty_agent.terminal.inert import inert

HOST_FOLDER: Final = "host"
"""In the folder of the match: the private BBS. It goes when the match was played; of a void one it stays."""

MEMORY_FOLDER: Final = "memory"
"""In the same: what each agent knew before, and after."""

MAX_DETAIL_CHARS: Final = 300


async def play(task: MatchTask) -> MatchResult:
    """Bring the BBS to its snapshot, play, score, end the BBS, write the result. What fails at the BBS is a void
    result, what the settings got wrong a refused one. Raises OSError, JournalFault."""
    await asyncio.to_thread(_begin, task)
    host = None
    try:
        host = make_host(task.settings.host, task.folder / HOST_FOLDER)
        result = await _played(task, host)
    except HostFault as fault:
        everyone = tuple(one.agent_id for one in task.settings.participants)
        result = MatchResult(token=task.token, void=everyone, stopped_by="infra", detail=_short(fault))
    except (AccountFault, BadMatch, MemoryFault, ModelConfigError, ProviderFault, ScriptError) as fault:
        result = MatchResult(token=task.token, refused=_short(fault))
    finally:
        if host is not None:
            await host.stop()
    await asyncio.to_thread(_end, task, result)
    return result


async def _played(task: MatchTask, host: Host) -> MatchResult:
    settings, folder = task.settings, task.folder
    accounts = await asyncio.to_thread(_registered, settings, host)
    if task.snapshot is not None:
        await host.restore(task.snapshot)
    outcome = await run_match(
        settings,
        folder,
        host=host,
        accounts=accounts,
        match_id=task.match_id,
        memory=folder / MEMORY_FOLDER if task.memory is not None else None,
        snapshot=task.snapshot,
        keep=keeper(host, folder, settings),
    )
    return _told(task, outcome, await _scored(folder, outcome.finished_at))


def _registered(settings: MatchSettings, host: Host) -> tuple[Account, ...] | None:
    """The accounts of the registry that the match names, or that stands at the usual place; None: they are to be made
    for the match."""
    path = settings.accounts
    if path is None and not is_private(host):
        path = find_registry()
    return read_registry(path).accounts if path is not None else None


async def _scored(folder: Path, at: str) -> str:
    """What went wrong, if anything: a match that can't be scored now can be later."""
    try:
        await score_run(folder, scored_at=at)
    except (RunFault, OSError) as fault:
        return f"not scored: {fault}"
    return ""


def _told(task: MatchTask, outcome: MatchOutcome, fault: str) -> MatchResult:
    void = [one for one in outcome.participants if one.void]
    why = (f"{one.agent_id}: {one.detail}" for one in void)
    return MatchResult(
        token=task.token,
        void=tuple(one.agent_id for one in void),
        stopped_by=outcome.stopped_by,
        cost_usd=outcome.cost_usd,
        wall_seconds=outcome.wall_seconds,
        decisions=outcome.decisions,
        detail=_short("; ".join(part for part in (outcome.detail, *why, fault) if part)),
    )


def _begin(task: MatchTask) -> None:
    task.folder.mkdir(parents=True, exist_ok=True)
    write_about(task.folder, task.about)
    if task.memory is not None:
        place = task.folder / MEMORY_FOLDER
        place.mkdir(mode=0o700)
        for agent, text in task.memory.items():
            fd = os.open(place / f"{agent}.json", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(fd, "wb") as file:
                file.write(text.encode())


def _end(task: MatchTask, result: MatchResult) -> None:
    if not result.void and result.refused is None:
        shutil.rmtree(task.folder / HOST_FOLDER, ignore_errors=True)  # nothing reads it any more
    write_result(task.folder, result)


def _short(fault: object) -> str:
    return inert(str(fault), max_chars=MAX_DETAIL_CHARS)


def encoded(task: MatchTask) -> bytes:
    """The task as one line of JSON."""
    return msgspec.json.encode(task, enc_hook=str)


def decoded(line: bytes) -> MatchTask:
    """The task of such a line. Raises msgspec.ValidationError."""
    return msgspec.json.decode(line, type=MatchTask, dec_hook=lambda kind, value: kind(value))
