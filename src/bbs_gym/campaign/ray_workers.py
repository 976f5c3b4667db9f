"""Workers on many machines, by Ray (the extra `ray`): a Ray task for each match.

A match is played on whichever machine Ray chooses, in a folder of that machine's, with a private BBS of its own there;
its run folder comes back as an archive. So machines need share no disk. The snapshot and the agents' memories go with
the task. What the settings name by a path (a registry, scripts, session files) and the variables with keys have to be
on each machine, at the same place.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import msgspec

from bbs_gym.campaign.archive import BadArchive, packed, unpack
from bbs_gym.campaign.journal import CampaignFault
from bbs_gym.campaign.playing import HOST_FOLDER, decoded, encoded, play
from bbs_gym.campaign.task import MatchResult, MatchTask, WorkerLost, read_result
from bbs_gym.hosts.host import Snapshot
from tty_agent.terminal.inert import inert

CPUS_PER_MATCH: Final = 1
"""What Ray reserves: a BBS and its agents rarely use more."""

MAX_TOLD_CHARS: Final = 300

END_S: Final = 25.0
"""For a task to end when it is told so; then it is killed."""

Work = Callable[[bytes, bytes | None], bytes]
"""Takes a task as `playing.encoded` has it and the snapshot, packed; returns the run's folder, packed."""


class RayCrew:
    """See `task.Crew`. Ray is joined at the first match, and left at `close`."""

    def __init__(self, address: str, size: int, *, work: Work | None = None) -> None:
        """`address` as of `ray.init`: `auto`, `HOST:PORT`, `ray://HOST:PORT`, or `local` for a Ray of this process
        alone. `work` is what a task does; left out: `play_remotely`. Raises CampaignFault without the extra."""
        self.size = size
        self._address = address
        self._work = work or play_remotely
        self._ray: Any = _ray()
        self._slots = asyncio.Semaphore(size)
        self._play: Any = None
        self._snapshots: dict[str, Any] = {}
        self._joining = asyncio.Lock()

    async def play(self, task: MatchTask) -> MatchResult:
        """See Crew."""
        async with self._slots:
            await self._join()
            snapshot = await self._shipped(task.snapshot)
            reference = self._play.remote(encoded(task), snapshot)
            limit = asyncio.timeout(task.limit_s)
            try:
                async with limit:
                    content = await asyncio.wrap_future(reference.future())
            except asyncio.CancelledError:
                await asyncio.shield(self._cancelled(reference))
                raise
            except (TimeoutError, self._ray.exceptions.RayError) as fault:
                if not limit.expired():
                    raise WorkerLost(_why(fault)) from fault
                await self._cancelled(reference)
                raise WorkerLost(f"the match was not over within {task.limit_s:g} s: its task was ended") from fault
        return await asyncio.to_thread(_taken_back, task, content)

    async def close(self) -> None:
        """See Crew."""
        if self._play is not None:
            self._play = None
            await asyncio.to_thread(self._ray.shutdown)

    async def _join(self) -> None:
        async with self._joining:
            if self._play is not None:
                return
            try:
                await asyncio.to_thread(
                    self._ray.init, address=self._address, log_to_driver=False, configure_logging=False
                )
            except (OSError, RuntimeError, ValueError, self._ray.exceptions.RayError) as fault:
                raise CampaignFault(f"Ray can't be joined at {self._address}: {_why(fault)}") from fault
            self._play = self._ray.remote(num_cpus=CPUS_PER_MATCH, max_retries=0)(self._work)

    async def _shipped(self, snapshot: Snapshot | None) -> Any:
        """Its content, put into Ray once."""
        if snapshot is None:
            return None
        if snapshot.sha256 not in self._snapshots:
            content = await asyncio.to_thread(packed, snapshot.path)
            self._snapshots[snapshot.sha256] = self._ray.put(content)
        return self._snapshots[snapshot.sha256]

    async def _cancelled(self, reference: Any) -> None:
        """Told to end, then killed."""
        for force in (False, True):
            self._ray.cancel(reference, force=force)
            done, _ = await asyncio.to_thread(self._ray.wait, [reference], timeout=END_S)
            if done:
                return


def play_remotely(line: bytes, snapshot: bytes | None) -> bytes:
    """On the machine that Ray chose: play, and pack the run's folder."""
    task = decoded(line)
    with tempfile.TemporaryDirectory(prefix="bbs-gym-match-") as name:
        place = Path(name)
        here = msgspec.structs.replace(task, folder=place / "run")
        if task.snapshot is not None and snapshot is not None:
            unpack(snapshot, place / "snapshot")
            here = msgspec.structs.replace(here, snapshot=_at(task.snapshot, place / "snapshot"))
        asyncio.run(_played(here))
        return packed(here.folder, leave_out=(HOST_FOLDER,))


async def _played(task: MatchTask) -> None:
    await play(task)


def _at(snapshot: Snapshot, place: Path) -> Snapshot:
    return msgspec.structs.replace(snapshot, path=place)


def _taken_back(task: MatchTask, content: bytes) -> MatchResult:
    """Unpack the run's folder beside its place, and put it there whole."""
    draft = task.folder.with_name(f".{task.folder.name}.{task.token}")
    try:
        unpack(content, draft)
        task.folder.parent.mkdir(parents=True, exist_ok=True)
        draft.rename(task.folder)
    except (BadArchive, OSError) as fault:
        shutil.rmtree(draft, ignore_errors=True)  # what is left of it is of no use
        raise WorkerLost(f"the record of the match could not be taken back: {fault}") from fault
    result = read_result(task.folder, task.token)
    if result is None:
        raise WorkerLost("the record of the match came back without a result")
    return result


def _why(fault: Exception) -> str:
    said = next((line for line in reversed(str(fault).split("\n")) if line.strip()), "")
    return f"{type(fault).__name__}: {inert(said.strip(), max_chars=MAX_TOLD_CHARS)}"


def _ray() -> Any:
    try:
        ray = import_module("ray")
        import_module("ray.exceptions")
    except ImportError as fault:
        raise CampaignFault(
            "Ray is not installed: pip install 'agentbbs[ray]', or leave --ray away for workers on this machine"
        ) from fault
    return ray
