"""What a universe file is: its mark, its version and its tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from typing import Final

from starlane.universe.faults import UniverseFault
from starlane.universe.journal import JOURNAL_DEFINITION
from starlane.universe.store import define_tables

APPLICATION_ID: Final = 0x5354_4C4E
"""`STLN`: what SQLite calls the kind of a file."""
VERSION: Final = 1
"""Raised by every change of a record, of this module's tables or of the journal."""

MIGRATIONS: Final[Mapping[int, Callable[[sqlite3.Connection], None]]] = {}
"""How a file of a version becomes one of the next. Each runs within one transaction that also raises the version."""

_WORLD: Final = (
    "CREATE TABLE world (id INTEGER PRIMARY KEY CHECK (id = 1), settings TEXT NOT NULL, day INTEGER NOT NULL,"
    " dice INTEGER NOT NULL, generation INTEGER NOT NULL, calendar TEXT NOT NULL)"
)
"""One row. `dice` is the state as a signed number; `generation` counts the worlds that were made in this file;
`calendar` is the date that the day began on, empty until somebody looked at a calendar."""


def define(connection: sqlite3.Connection) -> None:
    """Make the tables in an empty file, within a transaction."""
    connection.execute(_WORLD)
    connection.execute(JOURNAL_DEFINITION)
    define_tables(connection)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def version_of(connection: sqlite3.Connection) -> int:
    """The version of a file. Raises UniverseFault if it is none of ours or newer than this program."""
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise UniverseFault("this file is no Starlane universe: name another folder with --data")
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > VERSION:
        raise UniverseFault(
            f"this universe was made by a newer Starlane (its version is {version}, this program knows {VERSION}):"
            " install the newer one"
        )
    return version


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a file to VERSION, step by step, within the caller's transaction."""
    for version in range(version_of(connection), VERSION):
        step = MIGRATIONS.get(version)
        if step is None:
            raise UniverseFault(f"this universe is of version {version}, too old to be read: make a new one")
        step(connection)
        connection.execute(f"PRAGMA user_version = {version + 1}")
