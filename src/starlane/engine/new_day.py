"""A day passes: what becomes of the world while nobody gives orders."""

from __future__ import annotations

from collections import Counter
from typing import Final

import msgspec

from starlane.engine.ports import World
from starlane.engine.thorns import thorn_day
from starlane.flows import Flow
from starlane.goods import TRADE_GOODS, Good
from starlane.orders import NewDay
from starlane.records import Bargain, News, Notice, Pilot, Planet, Port
from starlane.reports import Done
from starlane.rules.growth import growth
from starlane.rules.planets import births, makes_per_day

NOTICE_DAYS: Final = 14
"""How long a notice waits: who comes back later starts afresh, with the Gazette to read."""
NEWS_DAYS: Final = 30
"""How long the Gazette keeps its lines: a month to look back on."""


def new_day(world: World, order: NewDay) -> Done:  # noqa: ARG001 - handlers take their order
    """See `orders.NewDay`.

    The calendar turns first, so that what the night brings is news of the new day. Then bargains end, nobody counts as
    aboard until the next entry, ports recover, planets harvest and grow, the Thorn has its day, and old words go.
    Protection ends by the number of the day, and turns are given as pilots come (`engine.turns`).
    """
    world.next_day()
    for bargain in world.find(Bargain):
        world.drop(bargain)
    for pilot in world.find(Pilot, aboard=True):
        world.put(msgspec.structs.replace(pilot, aboard=False))
    _grow_ports(world)
    _work_planets(world)
    thorn_day(world)
    _forget(world)
    return Done(text=f"It is day {world.today}.")


def _grow_ports(world: World) -> None:
    total: Counter[Good] = Counter()
    for port in world.find(Port):
        grown = port
        for good in TRADE_GOODS:
            change = growth(port, good)
            if change:
                total[good] += change
                grown = grown.traded(good, change)
        if grown is not port:
            world.put(grown)
    for good in TRADE_GOODS:
        world.flow(Flow.PORT_GROWTH, good, total[good])


def _work_planets(world: World) -> None:
    harvest: Counter[Good] = Counter()
    born = 0
    for planet in world.find(Planet):
        made, more = makes_per_day(planet), births(planet)
        if not made and not more:
            continue
        good = Good(planet.job.value)
        harvest[good] += made
        born += more
        world.put(planet.with_more(**{good.value: made}).with_more(colonists=more))
    for good, made in harvest.items():
        world.flow(Flow.HARVEST, good, made)
    world.flow(Flow.BIRTHS, Good.COLONISTS, born)


def _forget(world: World) -> None:
    """Drop the words that have become too old with this day; those that were older went with days before."""
    for notice in world.find(Notice, day=world.today - NOTICE_DAYS - 1):
        world.drop(notice)
    for line in world.find(News, day=world.today - NEWS_DAYS - 1):
        world.drop(line)
