"""Tables out of records: a kind of record is a table, a field is a column.

Columns hold whole numbers and texts alone. Numbers that count goods or money carry a check, so that an order that would
make one negative, or load more cargo than there are holds, fails as a whole and leaves no trace.
"""

# ruff: noqa: S608 - the names of tables and columns in the statements are those of our own records
from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import Any, Final, Generic

import msgspec

from starlane.engine.ports import R
from starlane.goods import Good
from starlane.records import INDEXED, KEYS, Pilot, Record
from starlane.settings import MAX_AMOUNT

_AMOUNTS: Final = frozenset(
    {*Good, "bank", "turns", *(f"{good}_{part}" for good in Good for part in ("stock", "size"))}
)
"""The fields that count something owned, in whatever kind they stand."""


class Table(Generic[R]):
    """How a kind of record is kept."""

    def __init__(self, kind: type[R]) -> None:
        fields = msgspec.structs.fields(kind)
        self.kind = kind
        self.name: Final = kind.__name__.lower()
        self.key: Final = KEYS[kind]
        self.columns: Final = tuple(field.name for field in fields)
        self.numbered: Final = self.key == "id"
        """The store gives the keys."""
        self._types: Final = {field.name: field.type for field in fields}
        self._readers: Final = tuple(
            (place, _reader(field.type)) for place, field in enumerate(fields) if field.type not in {int, str}
        )
        names = ", ".join(f'"{column}"' for column in self.columns)
        rest = ", ".join(f'"{column}"' for column in self.columns if column != self.key)
        updates = ", ".join(f'"{column}" = excluded."{column}"' for column in self.columns if column != self.key)
        self.get_sql: Final = f'SELECT {names} FROM "{self.name}" WHERE "{self.key}" = ?'
        self.put_sql: Final = (
            f'INSERT INTO "{self.name}" ({names}) VALUES ({_places(len(fields))})'
            f' ON CONFLICT ("{self.key}") DO UPDATE SET {updates}'
        )
        self.add_sql: Final = f'INSERT INTO "{self.name}" ({rest}) VALUES ({_places(len(fields) - 1)})'
        self.drop_sql: Final = f'DELETE FROM "{self.name}" WHERE "{self.key}" = ?'
        self._names: Final = names

    def definition(self) -> list[str]:
        """The SQL statements that make the table and its indexes."""
        columns = [self._column(column) for column in self.columns]
        if self.kind is Pilot:
            columns.append("CHECK (ice + grain + tools + colonists <= holds)")
        made = [f'CREATE TABLE "{self.name}" ({", ".join(columns)})']
        for fields in INDEXED.get(self.kind, ()):
            names = ", ".join(f'"{field}"' for field in fields.split())
            made.append(f'CREATE INDEX "{self.name}_by_{fields.replace(" ", "_")}" ON "{self.name}" ({names})')
        return made

    def _column(self, column: str) -> str:
        text = f'"{column}" {"TEXT" if self._textual(column) else "INTEGER"}'
        if column == self.key:
            return f"{text} PRIMARY KEY{' AUTOINCREMENT' if self.numbered else ''}"
        text += " NOT NULL"
        if column in _AMOUNTS:
            text += f' CHECK ("{column}" BETWEEN 0 AND {MAX_AMOUNT})'
        return text

    def _textual(self, column: str) -> bool:
        kind = self._types[column]
        return isinstance(kind, type) and issubclass(kind, str)

    def row(self, record: R) -> tuple[Any, ...]:
        """A record as a row, column by column. Enums of text and truth values are what SQLite takes already."""
        return msgspec.structs.astuple(record)

    def record(self, row: Sequence[Any]) -> R:
        """A row as a record."""
        if self._readers:
            values = list(row)
            for place, read in self._readers:
                values[place] = read(values[place])
            row = values
        return self.kind(**dict(zip(self.columns, row, strict=True)))

    def find_sql(self, fields: tuple[str, ...]) -> str:
        """The rows whose `fields` equal the parameters, in the order of their keys."""
        return f'SELECT {self._names} FROM "{self.name}"{self._where(fields)} ORDER BY "{self.key}"'

    def count_sql(self, fields: tuple[str, ...]) -> str:
        """How many rows there are whose `fields` equal the parameters."""
        return f'SELECT count(*) FROM "{self.name}"{self._where(fields)}'

    def _where(self, fields: tuple[str, ...]) -> str:
        for field in fields:
            if field not in self.columns:
                raise TypeError(f"{self.kind.__name__} has no field {field!r}")
        return " WHERE " + " AND ".join(f'"{field}" = ?' for field in fields) if fields else ""


def _places(count: int) -> str:
    return ", ".join("?" * count)


def _reader(kind: Any) -> Callable[[Any], Any]:
    if kind is bool:
        return bool
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {member.value: member for member in kind}.__getitem__
    raise TypeError(f"no column for a field of type {kind}")


TABLES: Final[Mapping[type[Record], Table[Any]]] = {kind: Table(kind) for kind in KEYS}
"""Every kind of record with its table."""


@cache
def find_sql(kind: type[Record], fields: tuple[str, ...]) -> str:
    """`Table.find_sql`, made once."""
    return TABLES[kind].find_sql(fields)


@cache
def count_sql(kind: type[Record], fields: tuple[str, ...]) -> str:
    """`Table.count_sql`, made once."""
    return TABLES[kind].count_sql(fields)


def define_tables(connection: sqlite3.Connection) -> None:
    """Make the tables of all kinds of records in an empty file."""
    for table in TABLES.values():
        for statement in table.definition():
            connection.execute(statement)
