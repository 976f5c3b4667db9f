"""`agentbbs snapshot …`: the whole state of a venue, kept and put back."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentbbs.commands import output
from agentbbs.commands.failure import Failed
from agentbbs.commands.opened import store

if TYPE_CHECKING:
    from agentbbs.commands.snapshot_list import SnapshotList
    from agentbbs.doors.config import Door
    from agentbbs.doors.saves import Saved

Directory = Annotated[Path, typer.Argument(metavar="DIR", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="What it holds, as one JSON object on stdout.")]


def save(directory: Directory, as_json: AsJson = False) -> None:
    """Copy the venue's state into a new folder.

    That is: accounts, matches, boards, mail and doors. The venue may run, and callers may be on: the database is
    copied as of one moment and verified, and each door's folder as of a moment at which nothing in it changes.
    Passwords and tokens are in it as hashes. The host key is not, for a snapshot can be restored in another data
    folder, which is another venue; `agentbbs backup` keeps the key.

    \b
    Example:
      agentbbs snapshot save /var/backups/agentbbs/before-the-season
    """
    from agentbbs.commands import snapshot_list  # noqa: PLC0415 - heavy, as is what follows
    from agentbbs.config import Settings  # noqa: PLC0415
    from agentbbs.doors import saves  # noqa: PLC0415
    from agentbbs.doors.config import DOORS_FILE  # noqa: PLC0415
    from agentbbs.store import backup  # noqa: PLC0415

    _named(directory)
    data = Settings.from_env().data
    _new(directory)
    doors_file = data / DOORS_FILE
    try:
        with store() as database:
            done = backup.backup(database, directory, (doors_file,))
        saved = saves.save(_doors(doors_file), data, directory)
    except (backup.BackupFault, saves.SavesFault) as fault:
        _forget(directory)
        raise Failed(str(fault)) from fault
    except BaseException:
        _forget(directory)
        raise
    snapshot_list.write(directory, output.now_ms(), saved, doors_file=(directory / DOORS_FILE).exists())
    _tell(directory, done.accounts, done.matches, saved, as_json)


def restore(directory: Directory, as_json: AsJson = False) -> None:
    """Put a snapshot back into the data folder.

    No venue may run in it. Everything is looked at before anything is replaced, and each part is replaced whole.
    Where a power cut falls between two parts, restore again. Doors' folders outside of the data folder are replaced
    only if the doors.toml that is there now names them.

    \b
    Example:
      agentbbs snapshot restore /var/backups/agentbbs/before-the-season
    """
    from agentbbs.commands import snapshot_list  # noqa: PLC0415 - heavy, as is what follows
    from agentbbs.config import Settings  # noqa: PLC0415
    from agentbbs.doors import saves  # noqa: PLC0415
    from agentbbs.doors.config import DOORS_FILE  # noqa: PLC0415
    from agentbbs.store import restore as restoring  # noqa: PLC0415
    from agentbbs.store.backup import BackupFault  # noqa: PLC0415

    _named(directory)
    listing = snapshot_list.read(directory)
    data = Settings.from_env().data
    with _held(data):
        try:
            outside = any(Path(one.path).is_absolute() for one in listing.doors)
            doors = _doors(data / DOORS_FILE) if outside else ()
            where = saves.allowed(listing.doors, doors, data)
            _there(directory, listing)
            with store() as database:
                accounts, matches = restoring.restore(directory, database)
            saves.put_back(directory, where)
        except (BackupFault, saves.SavesFault) as fault:
            raise Failed(str(fault)) from fault
        _put_doors_file(directory / DOORS_FILE if listing.doors_file else None, data / DOORS_FILE)
    _tell(directory, accounts, matches, listing.doors, as_json)


def _named(directory: Path) -> None:
    if directory == Path():
        raise typer.BadParameter("DIR is empty or this folder: name a folder")


def _doors(file: Path) -> tuple[Door, ...]:
    from agentbbs.doors.config import WrongDoors, load_doors  # noqa: PLC0415

    try:
        return load_doors(file)
    except WrongDoors as fault:
        raise Failed(str(fault)) from fault


def _new(directory: Path) -> None:
    if directory.exists() and any(directory.iterdir()):
        raise Failed(f"{directory} is not empty: name a folder that is new or empty")


def _forget(directory: Path) -> None:
    """Half a snapshot is none. The folder was empty."""
    for left in directory.iterdir() if directory.is_dir() else ():
        shutil.rmtree(left) if left.is_dir() else left.unlink()


def _there(directory: Path, listing: SnapshotList) -> None:
    """All parts, before the first one is put back. Raises Failed."""
    from agentbbs.doors import saves  # noqa: PLC0415
    from agentbbs.doors.config import DOORS_FILE  # noqa: PLC0415

    parts = [directory / saves.FOLDER / one.copy for one in listing.doors]
    parts += [directory / DOORS_FILE] if listing.doors_file else []
    for part in parts:
        if not part.exists():
            raise Failed(f"there is no {part}, which the snapshot should hold: restore another one")


def _put_doors_file(kept: Path | None, mine: Path) -> None:
    if kept is None:
        mine.unlink(missing_ok=True)
        return
    draft = mine.with_name(f".{mine.name}.restored")
    shutil.copy2(kept, draft)
    draft.replace(mine)


@contextmanager
def _held(data: Path) -> Iterator[None]:
    """The data folder is ours: no venue can start in it meanwhile. Raises Failed if one runs."""
    from agentbbs.venue_folder import LOCK_FILE  # noqa: PLC0415

    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(data / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK, 0o600)) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as fault:
            raise Failed(f"a venue runs in {data}: stop it, then restore") from fault
        yield


def _tell(directory: Path, accounts: int, matches: int, doors: tuple[Saved, ...], as_json: bool) -> None:
    if as_json:
        output.json_value(
            {"path": str(directory), "accounts": accounts, "matches": matches, "doors": [one.path for one in doors]}
        )
    else:
        places = f", {len(doors)} places of doors" if doors else ""
        output.line(output.cell(f"{directory}: {accounts} accounts, {matches} matches{places}, verified"))
