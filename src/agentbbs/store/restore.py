"""A backup put back in the place of a database, whole or not at all."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from agentbbs.config import DATABASE_FILE
from agentbbs.store import backup
from agentbbs.store.backup import BackupFault
from agentbbs.store.database import Database

_BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a database while it is in use."""


def restore(source: Path, database: Database) -> tuple[int, int]:
    """Put the backup in the folder `source` (as `backup.backup` makes one) in the place of `database`, which nobody may
    have open: hold the venue's lock. `database` itself is closed; make a new one for what is there then. Returns how
    many accounts and matches it holds.

    The copy is verified beside the database before it takes its place. Raises BackupFault, and DatabaseFault if the
    backup is none of this version; then the database is what it was.
    """
    copy = source / DATABASE_FILE
    if not copy.is_file():
        raise BackupFault(f"there is no {copy}: name a folder that holds a backup")
    database.dispose()
    draft = database.path.with_name(f".{database.path.name}.restored")
    try:
        database.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _remove(draft)
        shutil.copyfile(copy, draft)
        draft.chmod(0o600)
        held = backup.verify(draft)
        _write_out(draft)
        _empty_log(database.path)
        draft.replace(database.path)
        _sync(database.path.parent)
    except OSError as fault:
        raise BackupFault(f"{database.path} can't be restored: {fault.strerror}") from fault
    finally:
        _remove(draft)
    return held


def _write_out(draft: Path) -> None:
    """All of it into its one file, and on the disk."""
    with closing(sqlite3.connect(draft)) as conn:
        conn.execute("PRAGMA journal_mode = DELETE")
    _sync(draft)


def _empty_log(path: Path) -> None:
    """What was written ahead into the old database: it must not be taken for the new one's."""
    if path.exists():
        try:
            with closing(sqlite3.connect(path)) as conn:
                conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                conn.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.DatabaseError as fault:
            if "locked" in str(fault):
                raise BackupFault(f"{path} is in use: stop the venue") from fault
            # A damaged database is what one restores.
    for ending in _BESIDE:
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _remove(file: Path) -> None:
    for ending in ("", *_BESIDE):
        file.with_name(file.name + ending).unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
