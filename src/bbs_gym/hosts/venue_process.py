"""A private venue: `agentbbs serve` as a process of ours, on free ports of this machine alone."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Final

from bbs_gym.hosts import tether
from bbs_gym.hosts.host import HostFault
from bbs_gym.hosts.venue_state import STATE_FILE, VenueState, read_venue_state
from tty_agent.terminal.inert import inert

START_LIMIT_S: Final = 60.0
"""A venue opens within two seconds; a machine that is full of work may need far longer."""

STOP_LIMIT_S: Final = 15.0
"""From the order to end to the kill: callers are told and hung up within six."""

KILL_LIMIT_S: Final = 5.0
"""For what was killed to be gone."""

LOOK_S: Final = 0.02
"""Between two looks whether it has opened."""

PRIVATE_NODES: Final = 128
"""Callers at once: as many as its Starlane takes."""

LOG_TAIL_BYTES: Final = 4096
"""Of the log, in which the reason of an end is looked for."""

MAX_TOLD_CHARS: Final = 300
"""Of such a reason."""

_KEPT: Final = frozenset({"PATH", "HOME", "LANG", "TZ", "TMPDIR", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "TERMINFO"})
_KEPT_BEGINNINGS: Final = ("LC_", "PYTHON")


def venue_environment(data: Path, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment of a private venue and of the commands for it.

    Of ours it has what a program needs to run and to speak, and nothing else: a board on which agents play is to know
    neither keys of models nor settings of another venue.
    """
    kept = {name: value for name, value in environment.items() if name in _KEPT or name.startswith(_KEPT_BEGINNINGS)}
    return kept | {
        "PYTHONSAFEPATH": "1",  # the folder that we are called in is no place for modules
        "AGENTBBS_DATA": str(data),
        "AGENTBBS_GAME_WS_ADDR": "127.0.0.1:0",
        "AGENTBBS_SSH_ADDR": "127.0.0.1:0",
        "AGENTBBS_TELNET_ADDR": "127.0.0.1:0",
        "AGENTBBS_RLOGIN_ADDR": "127.0.0.1:0",
        "AGENTBBS_WEB_ADDR": "",
        "AGENTBBS_REGISTRATION": "open",
        "AGENTBBS_NODES": str(PRIVATE_NODES),
        "AGENTBBS_DRAIN": "0",
        "AGENTBBS_LOG_FORMAT": "json",
    }


class VenueProcess:
    """One venue in a data folder; start and stop it as often as you like. It ends with this process at the latest.

    It belongs to no event loop: it may be started in one and stopped in another.
    """

    def __init__(self, data: Path, log: Path, environment: Mapping[str, str]) -> None:
        """`log` gets what it says, appended."""
        self._data = data
        self._log = log
        self._environment = dict(environment)
        self._process: subprocess.Popen[bytes] | None = None
        self._state: VenueState | None = None

    @property
    def running(self) -> bool:
        """It was started and has not ended."""
        return self._process is not None and self._process.poll() is None

    @property
    def state(self) -> VenueState:
        """Where it listens. Raises HostFault if it was not started, was stopped, or has died."""
        self.check()
        if self._state is None:
            raise HostFault("the private venue does not run: start the host first")
        return self._state

    def check(self) -> None:
        """Raises HostFault if it was started and has died since."""
        if self._process is not None and (status := self._process.poll()) is not None:
            raise HostFault(f"the private venue has ended by itself ({self._why(status)}): see {self._log}")

    async def start(self) -> VenueState:
        """Start it, and wait until it is open. Raises HostFault; then nothing is left of it."""
        before = self._stamp()
        with self._opened_log() as log:
            command = (sys.executable, "-I", "-S", tether.__file__, f"{STOP_LIMIT_S:g}")
            self._process = self._spawn(command, log)
        try:
            async with asyncio.timeout(START_LIMIT_S):
                self._state = await self._until_open(before)
        except TimeoutError as fault:
            await self.stop()
            raise HostFault(f"the private venue has not opened within {START_LIMIT_S:g} s: see {self._log}") from fault
        except BaseException:
            await asyncio.shield(self.stop())
            raise
        return self._state

    async def stop(self) -> None:
        """End it: SIGTERM, and after `STOP_LIMIT_S` SIGKILL. Nothing if it does not run."""
        process, self._process, self._state = self._process, None, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()  # which the tether takes for the order to end
        try:
            await asyncio.to_thread(process.wait, STOP_LIMIT_S + KILL_LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            await asyncio.to_thread(process.wait, KILL_LIMIT_S)

    def _spawn(self, tethered: tuple[str, ...], log: IO[bytes]) -> subprocess.Popen[bytes]:
        # A session of its own: Ctrl-C at our terminal is for us, who end it in order.
        return subprocess.Popen(  # noqa: S603 - no shell, and no word of it from outside
            (*tethered, sys.executable, "-m", "agentbbs", "serve"),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=log,
            env=self._environment,
            start_new_session=True,
        )

    async def _until_open(self, before: int | None) -> VenueState:
        while True:
            if (state := self._opened(before)) is not None:
                return state
            await asyncio.sleep(LOOK_S)

    def _opened(self, before: int | None) -> VenueState | None:
        """What it says once it is open: the file is another one than before. Raises HostFault if it has ended."""
        self.check()
        return None if self._stamp() == before else read_venue_state(self._data)

    def _stamp(self) -> int | None:
        try:
            return (self._data / STATE_FILE).stat().st_mtime_ns
        except FileNotFoundError:
            return None

    def _opened_log(self) -> IO[bytes]:
        self._log.parent.mkdir(parents=True, exist_ok=True)
        return os.fdopen(os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600), "wb")

    def _why(self, status: int) -> str:
        """What it said last, if that was a failure in words."""
        try:
            with self._log.open("rb") as log:
                log.seek(max(0, log.seek(0, os.SEEK_END) - LOG_TAIL_BYTES))
                lines = log.read().decode("utf-8", "replace").splitlines()
        except OSError:  # the status says something too
            lines = []
        if lines and lines[-1].startswith("error: "):
            return inert(lines[-1].removeprefix("error: "), max_chars=MAX_TOLD_CHARS)
        return f"status {status}"
