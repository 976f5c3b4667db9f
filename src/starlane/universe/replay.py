"""A world once more: made from its settings in memory, its journal carried out again, and compared."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from hashlib import sha256
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import msgspec

from starlane.engine.refusal import Refused, Superseded
from starlane.universe.file import MEMORY
from starlane.universe.store import TABLES
from starlane.universe.universe import Universe

if TYPE_CHECKING:
    from starlane.making.world import MadeWorld


def replayed(universe: Universe, made: MadeWorld | None = None) -> Universe:
    """The world that the settings and the journal of `universe` make, in memory; close it.

    `made` is needed for a world that was given one. Raises ReplayFault at an order that can't be carried out.
    """
    again = Universe.make(MEMORY, universe.settings, made)
    try:
        for entry in universe.journal():
            try:
                again.perform(entry.actor, entry.order)
            except (Refused, Superseded) as refusal:
                raise ReplayFault(f"order {entry.seq} was carried out once and now is not: {refusal}") from refusal
    except BaseException:
        again.close()
        raise
    return again


class ReplayFault(Exception):
    """The journal does not lead to where the world is."""


def differences(universe: Universe, made: MadeWorld | None = None) -> list[str]:
    """Where `universe` is not what its settings and its journal make: a line for each kind of record that differs."""
    try:
        again = replayed(universe, made)
    except ReplayFault as fault:
        return [str(fault)]
    with again, again.look() as there, universe.look() as here:
        found = []
        for table in _tables():
            pairs = zip_longest(rows(here.connection, table), rows(there.connection, table))
            first = next(((kept, made_anew) for kept, made_anew in pairs if kept != made_anew), None)
            if first is not None:
                found.append(f"{table} differs from the replay: {first[0]} in the file, {first[1]} in the replay")
        return found


def fingerprint(universe: Universe) -> str:
    """64 hexadecimal digits that two universes have in common only if all their records, days, dice and journals are
    the same."""
    digest = sha256()
    with universe.look() as sky:
        for table in _tables():
            digest.update(table.encode())
            for row in rows(sky.connection, table):
                digest.update(msgspec.json.encode(row))
    return digest.hexdigest()


def rows(connection: sqlite3.Connection, table: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a table in the order of their keys. Of the world: what the journal decides, and not the calendar."""
    columns = "settings, day, dice" if table == "world" else "*"
    return connection.execute(f'SELECT {columns} FROM "{table}" ORDER BY 1')  # noqa: S608 - our own names


def _tables() -> list[str]:
    return ["world", *(table.name for table in TABLES.values()), "journal"]
