"""SQLite's errors as faults of a universe: which file it is about, and what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from starlane.universe.faults import UniverseDamaged, UniverseFault

_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_REMEDIES: Final = {
    sqlite3.SQLITE_FULL: "make room on its disk",
    sqlite3.SQLITE_IOERR: "its disk is likely full, or else it fails: make room, or look after the disk",
    sqlite3.SQLITE_CANTOPEN: "see that its folder is there and that you may write in it",
    sqlite3.SQLITE_READONLY: "see that you may write in its folder and in all that lies there",
    sqlite3.SQLITE_PERM: "see that you may write in its folder and in all that lies there",
    sqlite3.SQLITE_BUSY: "another program holds it: end that, or try again later",
}
"""By SQLite's primary code. What else comes up is SQLite's to explain."""
_PRIMARY: Final = 0xFF
"""The part of an error's code that has no details."""


@contextmanager
def trouble(path: str | Path, what: str) -> Iterator[None]:
    """Raises UniverseFault, UniverseDamaged if so, when SQLite can't work on `path`. `what` can't be done then.

    An error that is no file's fault but a bug, such as sqlite3.IntegrityError, stays what it is.
    """
    try:
        yield
    except sqlite3.DatabaseError as error:
        if type(error) not in {sqlite3.DatabaseError, sqlite3.OperationalError}:
            raise
        code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY  # the module's own errors have none
        if code in _DAMAGED:
            raise _damage(path, what, error) from error
        remedy = f": {_REMEDIES[code]}" if code in _REMEDIES else ""
        raise UniverseFault(f"{what}: {path}: {error}{remedy}") from error
    except UnicodeDecodeError as error:  # what SQLite says of a damaged table names it as it stands there
        raise _damage(path, what, error) from error


def _damage(path: str | Path, what: str, error: Exception) -> UniverseDamaged:
    return UniverseDamaged(
        f"{what}: {path} is damaged ({error}): put a backup of it in its place, or name another folder"
    )
