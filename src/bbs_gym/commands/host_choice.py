"""Which BBS a command works on from outside of play: from its options to a host."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

if TYPE_CHECKING:
    from bbs_gym.hosts.host import Host

HostKind = Annotated[str, typer.Option("--host", "--kind", metavar="house|synchronet", help="Which kind of BBS it is.")]
DataFolder = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        help="Its folder; left out: AGENTBBS_DATA or ./data of the house, SBBSCTRL's or runtime/sbbs of Synchronet.",
    ),
]
KeptIn = Annotated[
    Path | None,
    typer.Option("--kept-in", metavar="DIR", help="Where snapshots are; left out: runtime/house or runtime."),
]

FOLDERS: Final[Mapping[str, Path]] = {"house": Path("runtime/house"), "synchronet": Path("runtime")}
"""What a host keeps for itself, by its kind."""


def chosen_host(
    kind: str, data: Path | None, folder: Path | None = None, environment: Mapping[str, str] = os.environ
) -> Host:
    """The host, not started: commands work on a BBS that is there. Raises HostFault."""
    from bbs_gym.hosts.catalog import make_host  # noqa: PLC0415 - not for the help, as is what follows
    from bbs_gym.hosts.settings import HostSettings  # noqa: PLC0415

    if data is None and kind == "house":
        data = Path(environment.get("AGENTBBS_DATA") or "data")
    return make_host(HostSettings(kind=kind, data=data), host_folder(kind, folder))


def host_folder(kind: str, folder: Path | None) -> Path:
    """Where a host of that kind keeps what it makes."""
    return folder or FOLDERS.get(kind, Path("runtime"))
