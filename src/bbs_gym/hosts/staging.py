"""Files of an original DOS door, from where the operator put them to where Synchronet looks for doors."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Final

import msgspec

from bbs_gym.hosts.host import HostFault

DOORS: Final = Path("doors")
"""Original files, by door; git ignores the folder, since they are not ours to give away."""

_DOOR: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")


class Staged(msgspec.Struct, frozen=True, kw_only=True):
    """What was done, as paths within the door's folder, in order."""

    target: Path
    copied: tuple[str, ...]
    kept: tuple[str, ...]
    """There already with other content: a game's own state, or a set-up; left as it is."""


def stage_door(door: str, xtrn: Path, *, doors: Path = DOORS, overwrite: bool = False) -> Staged:
    """Copy `doors/DOOR` to `xtrn/DOOR`. What is there already stays unless `overwrite`. Blocks. Raises HostFault."""
    if not _DOOR.fullmatch(door):
        raise HostFault(f"{door!r} is no name of a door: take small letters and digits")
    source, target = doors / door, xtrn / door
    files = sorted(path for path in source.rglob("*") if path.is_file() and not path.is_symlink())
    if not files:
        raise HostFault(f"{source}: there are no files: put the original files of the door there")
    copied: list[str] = []
    kept: list[str] = []
    try:
        for file in files:
            name = file.relative_to(source)
            _stage(file, target / name, name.as_posix(), copied, kept, overwrite=overwrite)
    except OSError as fault:
        raise HostFault(f"{fault.filename or target}: {fault.strerror}: see docs/synchronet.md on rights") from fault
    return Staged(target=target, copied=tuple(copied), kept=tuple(kept))


def _stage(file: Path, target: Path, name: str, copied: list[str], kept: list[str], *, overwrite: bool) -> None:
    if target.exists():
        if target.read_bytes() == file.read_bytes():
            return
        if not overwrite:
            kept.append(name)
            return
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, target)
    copied.append(name)
