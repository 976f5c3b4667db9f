"""Whether the database is whole, and what its driver's errors mean: for `agentbbs doctor` and the command line."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection
from sqlalchemy.exc import DatabaseError, DBAPIError

from agentbbs.store.database import DatabaseFault

MAX_FAULTS: Final = 5
"""The first faults say it all: the remedy is a backup."""

_MEANINGS: Final = (
    ("locked", "another process has held it for seconds: wait until a backup or an upgrade is done, and try again"),
    ("full", "the disk is full: make room, and try again"),
    ("readonly", "its file can't be written to: check who owns it and its folder"),
    ("malformed", "it is damaged: stop the venue and restore a backup"),
    ("not a database", "it is no database: stop the venue and restore a backup"),
)
"""What SQLite says, and what that means to people."""


def faults(conn: Connection) -> tuple[str, ...]:
    """What SQLite's quick check finds, at most `MAX_FAULTS`; () if the file is whole. Reads all of it."""
    try:
        found = conn.exec_driver_sql(f"PRAGMA quick_check({MAX_FAULTS})").scalars().all()
    except DatabaseError as fault:  # so damaged that the check itself can't go on
        if "malformed" not in str(fault.orig):
            raise
        return (str(fault.orig),)
    return tuple(str(fault) for fault in found if fault != "ok")


def explain(fault: Exception) -> str | None:
    """A sentence with its remedy for what the store or the driver under it raised; None for other faults."""
    if isinstance(fault, DatabaseFault):
        return str(fault)
    if not isinstance(fault, DBAPIError):
        return None
    said = str(fault.orig)
    for word, meaning in _MEANINGS:
        if word in said:
            return f"the database can't be used now, {meaning}"
    return f"the database refused ({said}): `agentbbs doctor` looks at it"
