"""`snapshot.json`: what a snapshot holds beside its database, and the sign that it is whole."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import msgspec

from agentbbs.commands.failure import Failed
from agentbbs.doors.saves import Saved

LIST_FILE: Final = "snapshot.json"
"""Written last: a folder that holds it holds a whole snapshot."""

FORMAT: Final = "agentbbs-snapshot"
"""What the file says it is."""

VERSION: Final = 1
"""Raised when a snapshot of before can't be restored any more."""


class SnapshotList(msgspec.Struct, frozen=True):
    """The content of the file."""

    format: str
    version: int
    made_ms: int
    """Unix milliseconds."""
    doors_file: bool
    """Whether the data folder had a doors.toml."""
    doors: tuple[Saved, ...]


def write(directory: Path, now_ms: int, doors: tuple[Saved, ...], *, doors_file: bool) -> None:
    """Everything else is in the folder: say so, durably. Raises OSError."""
    draft = directory / f".{LIST_FILE}"
    with draft.open("wb") as file:
        file.write(msgspec.json.encode(SnapshotList(FORMAT, VERSION, now_ms, doors_file, doors)) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    draft.rename(directory / LIST_FILE)


def read(directory: Path) -> SnapshotList:
    """What the snapshot in a folder holds. Raises Failed."""
    file = directory / LIST_FILE
    try:
        found = msgspec.json.decode(file.read_bytes(), type=SnapshotList)
    except FileNotFoundError as fault:
        raise Failed(f"there is no {file}: name a folder that `agentbbs snapshot save` has filled") from fault
    except msgspec.MsgspecError as fault:
        raise Failed(f"{file} is damaged ({fault}): restore another snapshot") from fault
    if found.format != FORMAT or found.version != VERSION:
        raise Failed(f"{file} is of another version: restore it with the AgentBBS that made it")
    return found
