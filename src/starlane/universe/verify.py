"""What must hold in every universe after every order."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from starlane.goods import TRADE_GOODS, Good
from starlane.records import (
    KEYS,
    NOBODY,
    Alliance,
    Bargain,
    Bounty,
    Invitation,
    Lane,
    Letter,
    Note,
    Notice,
    Picket,
    Pilot,
    Planet,
    Port,
    Record,
    Sector,
    Seen,
    Thornship,
)
from starlane.rules.charts import Charts
from starlane.settings import MAX_AMOUNT, MAX_FIGHTERS, MAX_HOLDS
from starlane.universe import journal
from starlane.universe.books import HOLDINGS, flowed_in, held_in
from starlane.universe.store import TABLES
from starlane.universe.transaction import Look

REFERENCES: Final[Mapping[type[Record], Mapping[str, type[Record]]]] = {
    Lane: {"source": Sector, "target": Sector},
    Port: {"sector": Sector},
    Pilot: {"sector": Sector, "planet": Planet, "alliance": Alliance},
    Planet: {"sector": Sector, "owner": Pilot},
    Picket: {"sector": Sector, "owner": Pilot},
    Thornship: {"sector": Sector},
    Alliance: {"leader": Pilot},
    Invitation: {"alliance": Alliance, "pilot": Pilot},
    Bounty: {"target": Pilot, "poster": Pilot},
    Bargain: {"pilot": Pilot, "sector": Port},
    Seen: {"pilot": Pilot, "sector": Sector},
    Letter: {"sender": Pilot, "reader": Pilot},
    Notice: {"pilot": Pilot},
    Note: {"pilot": Pilot},
}
"""The fields that name another record by its key."""

_MAY_BE_NOBODY: Final = frozenset({(Pilot, "planet"), (Pilot, "alliance"), (Planet, "owner"), (Letter, "sender")})


def faults(sky: Look) -> Iterator[list[str]]:
    """All that is wrong with what `sky` shows, a line each, check by check: a damaged file may end it at any."""
    connection = sky.connection
    yield list(_damage(connection))
    yield list(_imbalances(connection))
    yield list(_amounts(connection))
    yield list(_references(connection))
    yield list(_pilots(sky))
    yield list(_places(sky))
    yield list(_map(sky))
    yield list(_journal(connection, sky))


def _damage(connection: sqlite3.Connection) -> Iterator[str]:
    for (line,) in connection.execute("PRAGMA integrity_check"):
        if line != "ok":
            yield f"the file is damaged: {' '.join(line.split())}"


def _imbalances(connection: sqlite3.Connection) -> Iterator[str]:
    held, flowed = held_in(connection), flowed_in(connection)
    for good in Good:
        if held[good] != flowed[good]:
            yield f"{good}: {held[good]} are held, but the books have {flowed[good]}"


def _amounts(connection: sqlite3.Connection) -> Iterator[str]:
    for kind, fields in HOLDINGS.items():
        table = TABLES[kind]
        for field in fields:
            rows = connection.execute(
                f'SELECT "{table.key}", "{field}" FROM "{table.name}" WHERE "{field}" NOT BETWEEN 0 AND ?',  # noqa: S608
                (MAX_AMOUNT,),
            )
            for key, amount in rows:
                yield f"{table.name} {key}: {field} is {amount}"


def _references(connection: sqlite3.Connection) -> Iterator[str]:
    for kind, fields in REFERENCES.items():
        table = TABLES[kind]
        for field, target in fields.items():
            other = TABLES[target]
            nobody = f' AND "{field}" != {NOBODY}' if (kind, field) in _MAY_BE_NOBODY else ""
            rows = connection.execute(
                f'SELECT "{table.key}", "{field}" FROM "{table.name}" WHERE "{field}" NOT IN'  # noqa: S608 - our names
                f' (SELECT "{other.key}" FROM "{other.name}"){nobody}'
            )
            for key, value in rows:
                yield f"{table.name} {key}: {field} is {value}, but there is no {other.name} {value}"


def _pilots(sky: Look) -> Iterator[str]:
    keys = Counter(pilot.key for pilot in sky.find(Pilot))
    yield from (f"{count} pilots have the key {key!r}" for key, count in keys.items() if count > 1)
    seen = Counter((seen.pilot, seen.sector) for seen in sky.find(Seen))
    yield from (f"pilot {who} has seen sector {where} {n} times" for (who, where), n in seen.items() if n > 1)
    visited = Counter(seen.pilot for seen in sky.find(Seen, visited=True))
    for pilot in sky.find(Pilot):
        planet = sky.get(Planet, pilot.planet)
        wrong = {
            "has more cargo than holds": pilot.free_holds() < 0,
            f"has more than {MAX_HOLDS} holds": pilot.holds > MAX_HOLDS,
            f"has more than {MAX_FIGHTERS} fighters": pilot.fighters > MAX_FIGHTERS,
            "has seen another number of sectors than it has visited": pilot.sectors_seen != visited[pilot.id],
            "has been given turns of a day to come": pilot.turns_day > sky.today,
            "stands on a planet of another sector": planet is not None and planet.sector != pilot.sector,
            "is docked where there is no port": pilot.docked and sky.get(Port, pilot.sector) is None,
            "is docked and landed at once": pilot.docked and planet is not None,
        }
        yield from (f"pilot {pilot.id} {what}" for what, holds in wrong.items() if holds)


def _places(sky: Look) -> Iterator[str]:
    for port in sky.find(Port):
        for good in TRADE_GOODS:
            if port.stock(good) > port.size(good):
                yield f"port {port.sector} has more {good} than room for it"
    for alliance in sky.find(Alliance):
        leader = sky.get(Pilot, alliance.leader)
        if leader is not None and leader.alliance != alliance.id:
            yield f"alliance {alliance.id} is led by pilot {leader.id}, who is not in it"
    for picket in sky.find(Picket):
        sector = sky.get(Sector, picket.sector)
        if sector is not None and sector.safe:
            yield f"fighters are deployed in the safe sector {picket.sector}"


def _map(sky: Look) -> Iterator[str]:
    """That every sector can be reached from every other: there and back from any one."""
    lanes = sky.find(Lane)
    sectors = {getattr(sector, KEYS[Sector]) for sector in sky.find(Sector)}
    back = [Lane(id=lane.id, source=lane.target, target=lane.source) for lane in lanes]
    first = min(sectors, default=0)
    for ways, what in ((lanes, "reached from"), (back, "left for")):
        lost = sorted(sectors - set(Charts(ways).hops(first)))
        if lost:
            yield f"{len(lost)} sectors can't be {what} sector {first}, among them sector {lost[0]}"


def _journal(connection: sqlite3.Connection, sky: Look) -> Iterator[str]:
    expected, day = 1, 0
    try:
        for entry in journal.entries(connection):
            if entry.seq != expected:
                yield f"the journal lacks the orders {expected} to {entry.seq - 1}"
            if entry.day < day:
                yield f"order {entry.seq} of the journal was given on day {entry.day}, after one of day {day}"
            expected, day = entry.seq + 1, entry.day
    except msgspec.MsgspecError as error:
        yield f"the journal has a line after order {expected - 1} that is no order: {error}"
    if day > sky.today:
        yield f"the journal has come to day {day}, but it is day {sky.today}"
