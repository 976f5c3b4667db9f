"""A Synchronet from outside, whatever it runs in: what `SynchronetHost` needs of a native tree or a compose service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from bbs_gym.hosts.host import HostFault
from bbs_gym.hosts.sbbs_ini import BbsSettings, read_settings


class Installation(Protocol):
    """One installation. Every method raises HostFault."""

    root: Path
    """The folder that holds `ctrl`, `data`, `xtrn` and the rest of the state."""

    restartable: bool
    """It may be stopped and started again although this object did not start it."""

    def settings(self) -> BbsSettings:
        """As its files have them now."""

    def ports(self) -> Mapping[str, int]:
        """By transport, where a caller of this machine finds them."""

    async def running(self) -> bool:
        """Whether the BBS is up, whoever started it."""

    async def start(self) -> bool:
        """Have it run and take calls. True if this call started it."""

    async def stop(self) -> None:
        """End it, and wait until it is gone. Its worlds must be on the disk before: see `SynchronetHost.stop`."""

    async def run(self, script: str, request: Mapping[str, Any], *, secrets: Sequence[str] = ()) -> Any:
        """The value that one of our scripts answers with. Raises Refused where the script does."""


def settings_in(root: Path) -> BbsSettings:
    """Of the configuration in `root/ctrl`; stock values for files that are not there."""
    return read_settings(_text(root / "ctrl" / "sbbs.ini"), _text(root / "ctrl" / "json-db.ini"))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="cp437")
    except FileNotFoundError:
        return ""
    except OSError as fault:
        raise HostFault(f"{path}: {fault.strerror}: have it readable for the user that runs the gym") from fault
