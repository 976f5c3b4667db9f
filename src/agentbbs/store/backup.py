"""A backup of the data folder that is consistent while the venue runs, and is known to be good.

SQLite copies the database page by page from one moment's snapshot (its online backup); then the copy is
opened, checked, and its ladders are computed again from its matches. Only a copy that passes gets its name,
so a folder that holds `agentbbs.db` holds a good one.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
from sqlalchemy import URL, func, select

from agentbbs.config import DATABASE_FILE
from agentbbs.store import rebuild, soundness
from agentbbs.store.database import Database
from agentbbs.store.online_copy import CopyFault, online_copy
from agentbbs.store.schema import accounts, game_matches


class BackupFault(Exception):
    """Why there is no backup, as a sentence that names the remedy."""


class Backup(msgspec.Struct, frozen=True):
    """What was backed up: where it lies, how large it is, and what it holds."""

    path: str
    bytes: int
    accounts: int
    matches: int
    files: tuple[str, ...]


def backup(
    database: Database, target: Path, files: tuple[Path, ...], *, progress: Callable[[int, int], None] | None = None
) -> Backup:
    """Copy `database`, and those of `files` that are there, into the folder `target`, and verify the copy.

    `progress` is called with the pages copied and the pages in all. Raises BackupFault; then the folder
    holds no new `agentbbs.db`.
    """
    with database.connect():
        pass  # says in its own words if there is no database of this version to copy
    final = target / DATABASE_FILE
    if final.exists():
        raise BackupFault(f"{final} is there already: name a folder without a backup in it")
    draft = target / f".{DATABASE_FILE}.unverified"
    try:
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft.unlink(missing_ok=True)
        online_copy(database.path, draft, progress)
        accounts_kept, matches_kept = verify(draft)
        copied = tuple(str(_copy_file(file, target)) for file in files if file.exists())
        draft.rename(final)
    except OSError as fault:
        raise BackupFault(f"the backup can't be written to {target}: {fault.strerror}") from fault
    except CopyFault as fault:
        raise BackupFault(f"the database can't be copied to {target}: {fault}") from fault
    finally:
        for left in target.glob(f"{draft.name}*"):
            left.unlink()
    return Backup(str(final), final.stat().st_size, accounts_kept, matches_kept, copied)


def verify(file: Path) -> tuple[int, int]:
    """How many accounts and matches the copy holds. Raises BackupFault if it is not good, DatabaseFault if it is no
    database of this version."""
    with Database(URL.create("sqlite", database=str(file)).render_as_string()) as copy, copy.connect() as conn:
        found = [*soundness.faults(conn), *map(str, rebuild.check(conn))]
        if found:
            raise BackupFault(f"the copy is not good ({found[0]}): `agentbbs doctor` looks at the database")
        return (
            conn.execute(select(func.count()).select_from(accounts)).scalar_one(),
            conn.execute(select(func.count()).select_from(game_matches)).scalar_one(),
        )


def _copy_file(file: Path, target: Path) -> Path:
    copied = target / file.name
    shutil.copy2(file, copied)  # with its mode: a host key stays its owner's
    return copied
