"""The command lines of the house for one data folder: `agentbbs` and `starlane`, each call a process of its own."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from bbs_gym.hosts.host import HostFault
from bbs_gym.hosts.program import run_program

STARLANE: Final = "starlane"
"""The id of the door, and the module of its command line."""

UNIVERSE_FILE: Final = "universe.db"
"""Of Starlane, in its folder."""

FORMER_WORLDS: Final = "universe.before-*.db"
"""What `starlane reset` keeps of the worlds that were."""

DOORS_FILE: Final = "doors.toml"


class HouseCommands:
    """Raises HostFault for whatever a command refuses, in its words."""

    def __init__(self, data: Path, environment: Mapping[str, str]) -> None:
        """`environment` is that of the commands, complete but for the data folder."""
        self.data: Final = data.absolute()
        self._environment = {**environment, "AGENTBBS_DATA": str(self.data)}

    async def agentbbs(self, *words: str, text: bytes | None = None) -> bytes:
        """What `agentbbs WORDS` writes."""
        return await self._run("agentbbs", words, text)

    async def agentbbs_json(self, *words: str, text: bytes | None = None) -> Any:
        """The same with `--json`, read."""
        return _decoded(f"agentbbs {words[0]}", await self.agentbbs(*words, "--json", text=text))

    async def starlane(self, command: str, *words: str) -> bytes:
        """What `starlane COMMAND WORDS` writes about the universe of the board."""
        return await self._run(STARLANE, (command, *words, "--data", str(self.starlane_folder())), None)

    async def starlane_json(self, command: str) -> Any:
        """The same with `--json`, read."""
        return _decoded(f"starlane {command}", await self.starlane(command, "--json"))

    def starlane_folder(self) -> Path:
        """Where the universe lies: as the board's doors say, and where a new board will have it."""
        folder = f"doors/{STARLANE}"
        try:
            doors = tomllib.loads((self.data / DOORS_FILE).read_text(encoding="utf-8"))
            named = doors["door"][STARLANE]["directory"]
        except (OSError, ValueError, LookupError, TypeError):  # not there yet; the board itself says what is wrong
            named = folder
        return self.data / Path(named if isinstance(named, str) else folder).expanduser()

    def has_universe(self) -> bool:
        """A world of Starlane was made."""
        return (self.starlane_folder() / UNIVERSE_FILE).exists()

    async def _run(self, program: str, words: Sequence[str], text: bytes | None) -> bytes:
        command = (sys.executable, "-m", program, *words)
        return await run_program(f"{program} {words[0]}", command, environment=self._environment, text=text)


def operators_environment(data: Path, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """That of commands for a venue which is not ours.

    Its operator's settings hold where they are for this data folder; where they are for another, its database must not
    be taken for this one's.
    """
    same = Path(environment.get("AGENTBBS_DATA") or "data").absolute() == data.absolute()
    kept = {name: value for name, value in environment.items() if same or not name.startswith("AGENTBBS_")}
    return {**kept, "PYTHONSAFEPATH": "1"}


def _decoded(name: str, written: bytes) -> Any:
    try:
        return msgspec.json.decode(written)
    except msgspec.MsgspecError as fault:
        raise HostFault(f"{name} wrote no JSON ({fault}): is it of this version?") from fault
