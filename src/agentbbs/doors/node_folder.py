"""The folder of a node: where a door finds its dropfiles. It is new at each stay, for the last door wrote there too."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec

from agentbbs.doors.cage import Stay, drop_folder
from agentbbs.doors.config import Door, Dropfile
from agentbbs.doors.dropfiles import DropfileFacts, dropfile

NODES_FOLDER = "nodes"
"""In the venue's data folder."""


def prepare(door: Door, facts: DropfileFacts, stay: Stay) -> None:
    """Empty the folder and write the dropfiles. Never follows a link that a door left. Raises OSError."""
    clear(stay.drop)
    stay.drop.mkdir(mode=0o700, parents=True)
    told = msgspec.structs.replace(
        facts, time_left_s=door.time_limit_s, com_port=door.com_port, folder=drop_folder(door, stay)
    )
    for name in door.dropfiles:
        (stay.drop / name).write_bytes(dropfile(Dropfile(name.upper()), told))


def clear(folder: Path) -> None:
    """Remove the folder and all that is in it. Raises OSError."""
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)
