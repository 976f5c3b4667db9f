"""The journal: every order that was carried out, in its order. With the settings it is the whole world again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import msgspec

from starlane.orders import OPERATOR_ORDERS, PILOT_ORDERS, Actor, Order

JOURNAL_DEFINITION: Final = (
    "CREATE TABLE journal (seq INTEGER PRIMARY KEY, day INTEGER NOT NULL, pilot INTEGER NOT NULL,"
    " session INTEGER NOT NULL, instruction TEXT NOT NULL)"
)
"""`instruction` is the order as JSON. Rows are only ever added, so that their numbers have no gaps."""

_ENTER: Final = "INSERT INTO journal (day, pilot, session, instruction) VALUES (?, ?, ?, ?)"
_encoder: Final = msgspec.json.Encoder()


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One order that was carried out."""

    seq: int
    """From 1 on, without gaps."""
    day: int
    """The day of the world when it was given."""
    actor: Actor
    order: Order


def enter(connection: sqlite3.Connection, day: int, actor: Actor, order: Order) -> int:
    """Write an order down, within the transaction that carries it out. Returns its number."""
    row = (day, actor.pilot, actor.session, _encoder.encode(order).decode())
    return connection.execute(_ENTER, row).lastrowid or 0


def entries(connection: sqlite3.Connection) -> Iterator[Entry]:
    """The whole journal from the first order on. Raises msgspec.DecodeError at a line that is no order."""
    decode = _decoder().decode
    for seq, day, pilot, session, instruction in connection.execute(
        "SELECT seq, day, pilot, session, instruction FROM journal ORDER BY seq"
    ):
        yield Entry(seq=seq, day=day, actor=Actor(pilot, session), order=decode(instruction))


def raw_entries(connection: sqlite3.Connection) -> Iterator[tuple[int, int, int, int, str]]:
    """The same as it is written: seq, day, pilot, session, the order as JSON."""
    return connection.execute("SELECT seq, day, pilot, session, instruction FROM journal ORDER BY seq")


@cache
def _decoder() -> msgspec.json.Decoder[Any]:
    kinds: Any = PILOT_ORDERS[0]
    for kind in (*PILOT_ORDERS[1:], *OPERATOR_ORDERS):
        kinds = kinds | kind
    return msgspec.json.Decoder(kinds)
