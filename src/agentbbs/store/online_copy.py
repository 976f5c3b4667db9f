"""One moment of a SQLite database, copied while others write to it: SQLite's online backup."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

PAGES_A_STEP: Final = 2048
"""Pages (4 KiB each) copied between two reports of progress."""

SIGNATURE: Final = b"SQLite format 3\0"
"""The first bytes of every SQLite database (https://www.sqlite.org/fileformat.html)."""

SIDE_FILES: Final = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside an open database, by the ends of their names: no content of a copy."""


class CopyFault(Exception):
    """The database can't be copied; the text is SQLite's reason."""


def is_database(path: Path) -> bool:
    """Whether `path` is a file, no link, with a SQLite database in it."""
    if path.is_symlink() or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(SIGNATURE)) == SIGNATURE
    except OSError:
        return False


def online_copy(source: Path, target: Path, progress: Callable[[int, int], None] | None = None) -> None:
    """Copy the database `source` to the new file `target` (mode 0600), as it was at one moment.

    `progress` is called with the pages copied and the pages in all. Raises OSError if `target` can't be made, and
    CopyFault if `source` can't be read or `target` not be filled.
    """
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))

    def report(_status: int, left: int, total: int) -> None:
        if progress is not None:
            progress(total - left, total)

    try:
        with closing(sqlite3.connect(source)) as live, closing(sqlite3.connect(target)) as copy:
            live.backup(copy, pages=PAGES_A_STEP, progress=report)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, that can be moved about
    except sqlite3.Error as fault:
        raise CopyFault(str(fault)) from fault
