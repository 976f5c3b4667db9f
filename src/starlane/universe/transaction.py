"""What the engine works on: a universe as it is seen (`Look`) and as it is changed (`Transaction`)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any, Final

import msgspec

from starlane.dice import Dice
from starlane.engine.ports import Lanes, R
from starlane.flows import Flow
from starlane.goods import Good
from starlane.records import FlowTotal, Record
from starlane.settings import Settings
from starlane.universe.store import TABLES, count_sql, find_sql

_FLOW: Final = "UPDATE flowtotal SET amount = amount + ? WHERE flow = ? AND good = ?"


class Look:
    """One consistent state of a universe: `engine.ports.Sky`."""

    def __init__(
        self, connection: sqlite3.Connection, settings: Settings, charts: Callable[[], Lanes], today: int
    ) -> None:
        """`charts` gives the map; it is asked for it when somebody needs it."""
        self._connection = connection
        self._settings = settings
        self._charts = charts
        self._today = today

    @property
    def connection(self) -> sqlite3.Connection:
        """What it is read through; for this package alone."""
        return self._connection

    @property
    def settings(self) -> Settings:
        """The numbers of this world."""
        return self._settings

    @property
    def today(self) -> int:
        """The day of the world."""
        return self._today

    @property
    def lanes(self) -> Lanes:
        """The map."""
        return self._charts()

    def get(self, kind: type[R], key: int) -> R | None:
        """The record with that key."""
        table = TABLES[kind]
        row = self._connection.execute(table.get_sql, (key,)).fetchone()
        found: R | None = None if row is None else table.record(row)
        return found

    def find(self, kind: type[R], /, **where: int | str) -> list[R]:
        """The records whose fields equal `where`, in the order of their keys; all without `where`."""
        rows = self._connection.execute(find_sql(kind, tuple(where)), tuple(where.values()))
        record = TABLES[kind].record
        return [record(row) for row in rows]

    def count(self, kind: type[Record], /, **where: int | str) -> int:
        """How many `find` would give."""
        row: tuple[int] = self._connection.execute(count_sql(kind, tuple(where)), tuple(where.values())).fetchone()
        return row[0]


class Transaction(Look):
    """A universe within a transaction that changes it: `engine.ports.World`. The universe commits it, with the day and
    the state of the dice, or takes everything back."""

    def __init__(
        self, connection: sqlite3.Connection, settings: Settings, charts: Callable[[], Lanes], today: int, dice: Dice
    ) -> None:
        super().__init__(connection, settings, charts, today)
        self._dice = dice

    @property
    def dice(self) -> Dice:
        """The world's own chance."""
        return self._dice

    def put(self, record: Record) -> None:
        """Keep a record in place of the one with its key; add it if there was none."""
        table = TABLES[type(record)]
        self._connection.execute(table.put_sql, table.row(record))

    def add(self, record: R) -> R:
        """Keep a new record of a kind whose key is `id`; the one given is ignored. Returns it with its own."""
        table = TABLES[type(record)]
        if not table.numbered:
            raise TypeError(f"{table.kind.__name__} has a key of its own: put it")
        values: Any = table.row(record)
        key = self._connection.execute(table.add_sql, values[1:]).lastrowid
        return msgspec.structs.replace(record, id=key)

    def drop(self, record: Record) -> None:
        """Remove the record with this one's key."""
        table = TABLES[type(record)]
        self._connection.execute(table.drop_sql, (getattr(record, table.key),))

    def flow(self, flow: Flow, good: Good, amount: int) -> None:
        """Enter into the books that so much came into the world (negative: left it)."""
        if amount and not self._connection.execute(_FLOW, (amount, flow, good)).rowcount:
            self.add(FlowTotal(id=0, flow=flow, good=good, amount=amount))

    def next_day(self) -> None:
        """`today` is one more."""
        self._today += 1
