"""Synchronet as a service of `deploy/compose.yaml`, driven by `docker compose`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bbs_gym.hosts.host import HostFault
from bbs_gym.hosts.jsexec_call import SCRIPTS, TIMEOUT_S, end_process, run_script
from bbs_gym.hosts.line_probe import START_S, Sleep, wait_for_lines
from bbs_gym.hosts.sbbs_ini import BbsSettings
from bbs_gym.hosts.synchronet_installation import settings_in
from tty_agent.terminal.inert import inert

COMPOSE_FILE: Final = Path("deploy/compose.yaml")
STATE: Final = Path("runtime/sbbs")
SERVICE: Final = "sbbs"
DOS_SERVICE: Final = "sbbs-dosemu"
"""The same BBS from an image with DOSEMU, behind the profile `dosemu`."""

PORTS: Final = {"telnet": 2323, "rlogin": 2513}
"""On the loopback of this machine, as the compose file publishes them."""

IN_CONTAINER: Final = "/opt/bbs-gym"
"""Where the compose file shows our scripts."""

COMMAND_S: Final = 300.0
"""For `up`, which may fetch an image, and `stop`, which waits for the container."""

_LOOPBACK: Final = "127.0.0.1"
_QUOTED_CHARS: Final = 300

_NO_DOCKER: Final = "install Docker with its compose plugin, or name the folder of a native Synchronet"
_NO_COMPOSE: Final = "docker has no compose: install its compose plugin (version 2)"

_REMEDIES: Final = (
    ("docker can't be run", _NO_DOCKER),
    ("'compose' is not a docker command", _NO_COMPOSE),
    ("unknown command: docker compose", _NO_COMPOSE),
    ("unknown flag: --file", _NO_COMPOSE),
    ("Run 'docker --help'", _NO_COMPOSE),
    ("Cannot connect to the Docker daemon", "the Docker daemon does not answer: start it"),
    ("permission denied", "you may not use Docker: join its group, or run it as its user"),
    ("is not running", "the BBS does not run: start it with `bbs-gym synchronet up`"),
    ("port is already allocated", "port 2323 or 2513 is taken: end what listens there"),
    ("address already in use", "port 2323 or 2513 is taken: end what listens there"),
)
"""What Docker says, and what to do about it."""


class SynchronetCompose:
    """One service, with its state in a folder of this machine."""

    restartable = True

    def __init__(
        self,
        state: Path = STATE,
        *,
        compose_file: Path = COMPOSE_FILE,
        service: str = SERVICE,
        docker: str = "docker",
        host: str = _LOOPBACK,
        ports: Mapping[str, int] | None = None,
        timeout_s: float = TIMEOUT_S,
        start_s: float = START_S,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        """Nothing is started, and Docker is not asked yet. Raises HostFault where there is no compose file."""
        self.root = state.absolute()
        self._file = compose_file.absolute()
        self._service = service
        self._docker = docker
        self._host = host
        self._ports = dict(PORTS if ports is None else ports)
        self._timeout_s = timeout_s
        self._start_s = start_s
        self._sleep = sleep
        if not self._file.is_file():
            raise HostFault(
                f"{compose_file}: there is no compose file: run this in the folder that holds deploy/, or name the "
                "folder of a native Synchronet"
            )

    def settings(self) -> BbsSettings:
        """As its files have them now."""
        return settings_in(self.root)

    def ports(self) -> Mapping[str, int]:
        """As published on this machine; what `sbbs.ini` says holds within the container."""
        return self._ports

    async def running(self) -> bool:
        """Whether the container of the service runs."""
        listed = await self._compose("ps", "--status", "running", "--services")
        return self._service in listed.split()

    async def start(self) -> bool:
        """`up` unless it runs already, and wait until it takes calls."""
        if await self.running():
            return False
        for folder in (self.root, self.root / "data"):  # or Docker makes them, as root
            folder.mkdir(parents=True, exist_ok=True)
        await self._compose("up", "--detach", self._service)
        await wait_for_lines(self._host, self._ports, timeout_s=self._start_s, sleep=self._sleep)
        return True

    async def stop(self) -> None:
        """Stop the service; its container stays for the next start."""
        await self._compose("stop", self._service)

    async def run(self, script: str, request: Mapping[str, Any], *, secrets: Sequence[str] = ()) -> Any:
        """Run one of our scripts in the container, which must run."""
        jsexec = ("-T", "--workdir", "/sbbs/exec", "--env", "SBBSCTRL=/sbbs/ctrl", self._service, "/sbbs/exec/jsexec")
        try:
            return await run_script(
                (*self._command("exec"), *jsexec, "-n", f"{IN_CONTAINER}/{script}"),
                request,
                name=script,
                environment=self._environment(),
                secrets=secrets,
                timeout_s=self._timeout_s,
            )
        except HostFault as fault:
            if type(fault) is not HostFault:
                raise
            raise HostFault(self._told(str(fault))) from None

    async def _compose(self, *words: str) -> str:
        """What a command of `docker compose` prints. Raises HostFault with what to do."""
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command(*words),
                env=self._environment(),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as fault:
            raise HostFault(self._told(f"docker can't be run ({fault.strerror})")) from fault
        try:
            output, errors = await asyncio.wait_for(process.communicate(), COMMAND_S)
        except TimeoutError:
            raise HostFault(f"`docker compose {words[0]}` took over {COMMAND_S:g} s: look at it by hand") from None
        finally:
            await end_process(process)
        if process.returncode != 0:
            said = (errors or output).decode(errors="replace").strip()
            raise HostFault(
                self._told(f"`docker compose {words[0]}` failed: {said or f'exit code {process.returncode}'}")
            )
        return output.decode(errors="replace")

    def _command(self, *words: str) -> tuple[str, ...]:
        profile = ("--profile", "dosemu") if self._service == DOS_SERVICE else ()
        return (self._docker, "compose", "--file", str(self._file), *profile, *words)

    def _environment(self) -> dict[str, str]:
        """What the compose file fills in, and what Docker itself reads."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if name in {"PATH", "HOME", "USER", "LANG", "XDG_RUNTIME_DIR", "SSH_AUTH_SOCK"}
            or name.startswith(("DOCKER_", "COMPOSE_", "BBS_GYM_SBBS_", "BBS_GYM_DOSEMU_"))
        }
        return kept | {"BBS_GYM_STATE": str(self.root), "BBS_GYM_JSEXEC": str(SCRIPTS)}

    def _told(self, said: str) -> str:
        """Docker's words, and the remedy if we know one."""
        for words, remedy in _REMEDIES:
            if words.lower() in said.lower():
                return f"{remedy} ({inert(said.splitlines()[-1], max_chars=_QUOTED_CHARS)})"
        return inert(said, max_chars=_QUOTED_CHARS)
