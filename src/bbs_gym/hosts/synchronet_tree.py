"""A native installation of Synchronet: its folder, its `jsexec`, and its process if we start it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bbs_gym.hosts.host import HostFault
from bbs_gym.hosts.jsexec_call import SCRIPTS, TIMEOUT_S, end_process, run_script
from bbs_gym.hosts.line_probe import START_S, Sleep, answers, wait_for_lines
from bbs_gym.hosts.sbbs_ini import BbsSettings
from bbs_gym.hosts.synchronet_installation import settings_in

STOP_S: Final = 30.0
"""From SIGTERM to the end: its servers wait for their callers' last words; after that it is killed."""

LOOPBACK: Final = "127.0.0.1"

_KEPT_VARIABLES: Final = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "LD_LIBRARY_PATH")
"""Of our environment: agents' passwords and keys of model providers are none of Synchronet's business."""


class SynchronetTree:
    """The folder that Synchronet's documentation calls `/sbbs`, with `exec/jsexec` in it."""

    restartable = False

    def __init__(
        self,
        root: Path,
        *,
        log: Path,
        host: str = LOOPBACK,
        ports: Mapping[str, int] | None = None,
        timeout_s: float = TIMEOUT_S,
        start_s: float = START_S,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        """`log` takes what the BBS prints if we start it; it is private, since names and failed logins are in it.
        `ports` by transport, where they are others than in `sbbs.ini`. Raises HostFault if `root` is none."""
        self.root = root.absolute()
        self._log = log
        self._host = host
        self._ports = ports
        self._timeout_s = timeout_s
        self._start_s = start_s
        self._sleep = sleep
        self._process: asyncio.subprocess.Process | None = None
        if not (self.root / "exec" / "jsexec").is_file() or not (self.root / "ctrl").is_dir():
            raise HostFault(f"{root}: no Synchronet is installed there, it needs exec/jsexec and ctrl: name its folder")

    def settings(self) -> BbsSettings:
        """As its files have them now."""
        return settings_in(self.root)

    def ports(self) -> Mapping[str, int]:
        """As given, else as of `sbbs.ini`; a transport that is switched off is left out."""
        if self._ports is not None:
            return self._ports
        settings = self.settings()
        found = {"telnet": settings.telnet_port} if settings.telnet else {}
        return found | ({"rlogin": settings.rlogin_port} if settings.rlogin else {})

    async def running(self) -> bool:
        """Our process lives, or somebody else's answers at a port."""
        if self._process is not None and self._process.returncode is None:
            return True
        ports = self.ports()
        return any([await answers(self._host, port, greets=False) for port in ports.values()])

    async def start(self) -> bool:
        """Start `exec/sbbs` unless somebody answers already, and wait until it takes calls."""
        if await self.running():
            return False
        program = self.root / "exec" / "sbbs"
        log = self._open_log()
        try:
            self._process = await asyncio.create_subprocess_exec(
                str(program),
                cwd=program.parent,
                env=self._environment(),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=asyncio.subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as fault:
            raise HostFault(f"{program}: can't be run ({fault.strerror}): is Synchronet installed there?") from fault
        finally:
            os.close(log)  # the process has its own
        process = self._process
        try:
            await wait_for_lines(
                self._host,
                dict(self.ports()),
                alive=lambda: process.returncode is None,
                timeout_s=self._start_s,
                sleep=self._sleep,
            )
        except HostFault as fault:
            await self.stop()
            raise HostFault(f"{fault} ({self._log})") from None
        except BaseException:
            await self.stop()
            raise
        return True

    async def stop(self) -> None:
        """End our own process; somebody else's is left alone."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):  # it ended by itself
            process.send_signal(signal.SIGTERM)
        with contextlib.suppress(TimeoutError):  # then it is killed
            await asyncio.wait_for(process.wait(), STOP_S)
        await end_process(process)

    async def run(self, script: str, request: Mapping[str, Any], *, secrets: Sequence[str] = ()) -> Any:
        """Run one of our scripts with the tree's own jsexec, whether the BBS runs or not."""
        return await run_script(
            (str(self.root / "exec" / "jsexec"), "-n", str(SCRIPTS / script)),
            request,
            name=script,
            cwd=self.root / "exec",
            environment=self._environment(),
            secrets=secrets,
            timeout_s=self._timeout_s,
        )

    def _environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        return kept | {"SBBSCTRL": str(self.root / "ctrl"), "SBBSEXEC": str(self.root / "exec")}

    def _open_log(self) -> int:
        """A descriptor for the process to inherit."""
        try:
            self._log.parent.mkdir(parents=True, exist_ok=True)
            return os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError as fault:
            raise HostFault(f"{self._log}: {fault.strerror}: name another folder for the log") from fault
