"""What doors write to, copied away and put back, bit for bit: their working folders and their writable shares.

A copy is taken of each place at a moment at which nothing in it changes: what was written to meanwhile is copied again.
A SQLite database is copied by SQLite, one moment of it, whoever writes to it.
A place is put back by a rename, so that it is the old one or the new one and never a mixture.
"""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from agentbbs.doors.config import Door
from agentbbs.store.online_copy import SIDE_FILES, CopyFault, is_database, online_copy
from tty_agent.terminal.inert import inert

COPIES: Final = 20
"""Tries to copy a place in which nothing changes meanwhile: games write when somebody moves, not all the time."""

PAUSE_S: Final = 0.25
"""Between two tries: 5 s in all."""

FOLDER: Final = "doors"
"""In a snapshot: one entry a place in it, named by its number."""


class SavesFault(Exception):
    """Why the doors' files can't be copied or put back; the text names the remedy."""


class Saved(msgspec.Struct, frozen=True):
    """One place, as the snapshot's list has it."""

    path: str
    """Where it was; relative to the data folder if it lay in it."""
    copy: str
    """The name of its copy."""


def places(doors: Iterable[Door]) -> tuple[Path, ...]:
    """The files and folders that these doors write to, each once, none within another."""
    found = {door.directory for door in doors} | {share.outside for door in doors for share in door.writable}
    return tuple(sorted(path for path in found if not any(parent in found for parent in path.parents)))


def save(
    doors: Iterable[Door], data: Path, target: Path, *, pause: Callable[[float], None] = time.sleep
) -> tuple[Saved, ...]:
    """Copy all places of the doors into the folder `target`/doors, which is made. `data` is the venue's data folder.

    Sockets and pipes are left out: they are no content. Raises SavesFault.
    """
    base = data.resolve()
    saved: list[Saved] = []
    for number, place in enumerate(places(doors)):
        if base.is_relative_to(place) or target.resolve().is_relative_to(place):
            raise SavesFault(
                f"{_shown(place)} belongs to a door and holds the data or the snapshot: name another folder"
            )
        try:
            _copy_at_rest(place, target / FOLDER / str(number), pause)
        except (OSError, shutil.Error, CopyFault) as fault:
            raise SavesFault(f"{_shown(place)} can't be copied ({_why(fault)}): let your user read it") from fault
        saved.append(Saved(str(place.relative_to(base) if place.is_relative_to(base) else place), str(number)))
    return tuple(saved)


def allowed(saved: Iterable[Saved], doors: Iterable[Door], data: Path) -> Mapping[str, Path]:
    """Where each saved place belongs, by its copy's name. Outside of the data folder only what the doors of that folder
    write to already is overwritten: a snapshot can't name places of its own. Raises SavesFault."""
    base, mine = data.resolve(), set(places(doors))
    found: dict[str, Path] = {}
    for one in saved:
        place = Path(os.path.normpath(base / one.path))
        if not one.copy.isdecimal() or place == base:
            raise SavesFault("the snapshot's list is damaged: take another snapshot")
        inside = place.is_relative_to(base) and place.resolve() == place
        if not inside and place not in mine:
            raise SavesFault(
                f"the snapshot holds {_shown(place)}, which no door here writes to: if you trust it, copy the "
                f"snapshot's doors.toml into {_shown(base)} first"
            )
        found[one.copy] = place
    return found


def put_back(source: Path, where: Mapping[str, Path]) -> None:
    """Put the copies in the folder `source`/doors in the places of `allowed`. Nobody may be in a door meanwhile.
    Raises SavesFault; each place is then the old one or the new one."""
    for copy, place in where.items():
        try:
            _put(source / FOLDER / copy, place)
        except (OSError, shutil.Error, CopyFault) as fault:
            raise SavesFault(
                f"{_shown(place)} can't be put back ({_why(fault)}): mend that, and restore again"
            ) from fault


def _put(copy: Path, place: Path) -> None:
    new = place.with_name(f".{place.name}.restored")
    old = place.with_name(f".{place.name}.replaced")
    for left in (new, old):
        _remove(left)
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _copy(copy, new)
    _sync(new)
    if os.path.lexists(place):
        place.rename(old)
    new.rename(place)
    _remove(old)


def _copy_at_rest(place: Path, copy: Path, pause: Callable[[float], None]) -> None:
    for _ in range(COPIES):
        before = _state(place)
        try:
            _copy(place, copy)
        except (FileNotFoundError, shutil.Error):  # a file went while it was copied, or it can't be read at all
            if _state(place) == before:
                raise
        else:
            if _state(place) == before:
                return
        _remove(copy)
        pause(PAUSE_S)
    raise SavesFault(f"{_shown(place)} changes all the time: take the snapshot when nobody is in that door")


def _state(place: Path) -> dict[str, tuple[int, ...]]:
    """Everything by which a change of the place's content shows, databases apart."""
    if is_database(place):
        return {}
    found = {} if place.is_dir() else {"": _facts(place)}
    for folder, folders, files in os.walk(place):
        apart = _of_databases(folder, files)
        for name in (*folders, *files):
            path = Path(folder, name)
            if name not in apart:
                found[str(path)] = (
                    _facts(path)[:2] if path.is_dir() else _facts(path)
                )  # a database's side files come and go
    return found


def _of_databases(folder: str, files: list[str]) -> set[str]:
    """The databases among the files of a folder, and what SQLite keeps beside them."""
    databases = [name for name in files if is_database(Path(folder, name))]
    return {*databases, *(name + end for name in databases for end in SIDE_FILES)}


def _facts(path: Path) -> tuple[int, ...]:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return ()
    return (status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _copy(source: Path, copy: Path) -> None:
    copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if is_database(source):
        online_copy(source, copy)
    elif source.is_dir():
        shutil.copytree(source, copy, symlinks=True, ignore=_left_out)
        for folder, _, files in os.walk(source):
            for name in files:
                if is_database(database := Path(folder, name)):
                    online_copy(database, copy / database.relative_to(source))
    else:
        shutil.copy2(source, copy)


def _left_out(folder: str, names: list[str]) -> list[str]:
    """Of a folder's names: what is no content, and databases, which are copied by themselves."""
    kinds = (stat.S_ISREG, stat.S_ISDIR, stat.S_ISLNK)
    modes = {name: (_facts(Path(folder, name)) or (0, 0))[1] for name in names}
    strange = {name for name, mode in modes.items() if mode and not any(kind(mode) for kind in kinds)}
    return [*strange, *_of_databases(folder, names)]


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    """On the disk before it takes the old one's place."""
    for folder, _, files in os.walk(path):
        for name in files:
            if not Path(folder, name).is_symlink():
                _sync_one(Path(folder, name))
    _sync_one(path)


def _sync_one(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _shown(path: Path) -> str:
    return inert(str(path))


def _why(fault: Exception) -> str:
    if isinstance(fault, OSError) and fault.strerror:
        return fault.strerror
    return inert(str(fault), max_chars=200)
