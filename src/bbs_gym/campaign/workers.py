"""Workers on this machine: a process for each match, so many at a time, each with a private BBS of its own.

A process a match costs its start, a second or so, and buys that a match that crashes, hangs or leaks takes nobody with
it. A worker ends when this process does, however that comes about, and its BBS with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bbs_gym.campaign.playing import encoded
from bbs_gym.campaign.task import MatchResult, MatchTask, WorkerLost, read_result
from tty_agent.terminal.inert import inert

LOG_FILE: Final = "worker.log"
"""In the folder of the match: what the worker said."""

END_S: Final = 25.0
"""From the order to end to the kill: a worker ends within 20 s by itself."""

LOG_TAIL_BYTES: Final = 4096
"""Of the log, in whose last line the reason of an end is looked for."""

MAX_TOLD_CHARS: Final = 200
"""Of such a reason."""

PROGRAM: Final = (sys.executable, "-m", "bbs_gym.campaign.worker")


class LocalCrew:
    """See `task.Crew`."""

    def __init__(
        self, size: int, *, lock: int | None = None, program: Sequence[str] = PROGRAM, end_s: float = END_S
    ) -> None:
        """`lock` is a descriptor that each worker holds until it ends. `program` takes the task as a line of standard
        input, and writes the result into the folder of the match."""
        self.size = size
        self._slots = asyncio.Semaphore(size)
        self._inherited = () if lock is None else (lock,)
        self._program = tuple(program)
        self._end_s = end_s

    async def play(self, task: MatchTask) -> MatchResult:
        """See Crew."""
        async with self._slots:
            process = await self._started(task)
            try:
                async with asyncio.timeout(task.limit_s):
                    await self._told(process, task)
                    status = await process.wait()
            except TimeoutError as fault:
                raise WorkerLost(f"the match was not over within {task.limit_s:g} s: the worker was ended") from fault
            finally:
                await asyncio.shield(self._ended(process))
        result = read_result(task.folder, task.token)
        if result is None:
            raise WorkerLost(_why(task.folder / LOG_FILE, status))
        return result

    async def close(self) -> None:
        """See Crew: each match ends its own worker."""

    async def _started(self, task: MatchTask) -> asyncio.subprocess.Process:
        try:
            task.folder.mkdir(parents=True, exist_ok=True)
            log = os.open(task.folder / LOG_FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            try:
                # A session of its own: Ctrl-C at our terminal is for us, who end it in order.
                return await asyncio.create_subprocess_exec(
                    *self._program,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    pass_fds=self._inherited,
                )
            finally:
                os.close(log)
        except OSError as fault:
            raise WorkerLost(f"a worker can't be started: {fault.strerror}") from fault

    async def _told(self, process: asyncio.subprocess.Process, task: MatchTask) -> None:
        """Its input stays open: its end is the order to end."""
        assert process.stdin is not None
        with contextlib.suppress(ConnectionError):  # it has ended, which its status tells
            process.stdin.write(encoded(task) + b"\n")
            await process.stdin.drain()

    async def _ended(self, process: asyncio.subprocess.Process) -> None:
        """It and all that it started have ended."""
        assert process.stdin is not None
        process.stdin.close()
        try:
            async with asyncio.timeout(self._end_s):
                await process.wait()
        except TimeoutError:
            pass
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        with contextlib.suppress(ConnectionError):
            await process.stdin.wait_closed()


def _why(log: Path, status: int) -> str:
    """How it ended, and what it said last."""
    how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
    try:
        with log.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - LOG_TAIL_BYTES))
            said = file.read().decode("utf-8", "replace").split("\n")
    except OSError:  # the status says something too
        said = []
    last = next((line for line in reversed(said) if line.strip()), "")
    return f"the worker {how} before the match was over" + (
        f" ({inert(last, max_chars=MAX_TOLD_CHARS)})" if last else ""
    )
