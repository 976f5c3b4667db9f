"""Who holds what: the sums that must agree with the flows, good by good."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Final

from starlane.goods import TRADE_GOODS, Good
from starlane.records import Bounty, Picket, Pilot, Planet, Port, Record, Thornship
from starlane.universe.store import TABLES

HOLDINGS: Final[Mapping[type[Record], Mapping[str, Good]]] = {
    Pilot: {"bank": Good.CREDITS, **{good.value: good for good in Good}},
    Port: {f"{good}_stock": good for good in TRADE_GOODS},
    Planet: {good.value: good for good in Good if good is not Good.HOLDS},
    Picket: {"fighters": Good.FIGHTERS},
    Thornship: {"fighters": Good.FIGHTERS},
    Bounty: {"credits": Good.CREDITS},
}
"""The fields of records that hold a good. What a pilot saw of a port, or haggles for, is only told, not held."""


def held_by(records: Iterable[Record]) -> dict[Good, int]:
    """What these records hold together."""
    held = dict.fromkeys(Good, 0)
    for record in records:
        for field, good in HOLDINGS.get(type(record), {}).items():
            held[good] += getattr(record, field)
    return held


def held_in(connection: sqlite3.Connection) -> dict[Good, int]:
    """What all records of a universe hold together."""
    held = dict.fromkeys(Good, 0)
    for kind, fields in HOLDINGS.items():
        sums = ", ".join(f'coalesce(sum("{field}"), 0)' for field in fields)
        row = connection.execute(f'SELECT {sums} FROM "{TABLES[kind].name}"').fetchone()  # noqa: S608 - our own names
        for good, amount in zip(fields.values(), row, strict=True):
            held[good] += amount
    return held


def flowed_in(connection: sqlite3.Connection) -> dict[Good, int]:
    """What has come into a universe and not left it, by its flows."""
    flowed = dict.fromkeys(Good, 0)
    for good, amount in connection.execute("SELECT good, sum(amount) FROM flowtotal GROUP BY good"):
        flowed[Good(good)] = amount
    return flowed
