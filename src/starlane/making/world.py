"""The making of a world: the same settings give the same world, bit for bit, on any machine."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

import msgspec

from starlane.dice import Dice
from starlane.goods import TRADE_GOODS
from starlane.making.layout import Layout, reached
from starlane.making.markets import HAVEN_PARTNER, haven_port, port
from starlane.making.names import HAVEN_REGION, THORNHOLD_REGION, Names
from starlane.making.regions import divided
from starlane.records import HAVEN, Kind, Lane, Planet, Port, Sector, Thornship
from starlane.rules.planets import NATURES
from starlane.rules.thorn import new_ship, planned_ships
from starlane.settings import MAX_SECTORS, MIN_SECTORS, Settings

_HAVEN_PORT: Final = "Haven Exchange"
_PORTS_PERMILLE: Final = 450
"""Sectors with a port: enough that most have one beside them, few enough that a map is worth something."""
_PLANETS_PERMILLE: Final = 110
"""Sectors with a planet, of those that are not safe."""
_MIN_PLANETS: Final = 2
"""The smallest world has some to claim."""
_LAIR_SHARE: Final = 20
"""The empire starts in the twentieth of all sectors that is nearest to Thornhold, so that no newcomer stumbles over
it."""


class MadeWorld(msgspec.Struct, frozen=True, kw_only=True):
    """A world on the day 0, before anybody came. Records of each kind are in the order of their keys.

    Sectors are numbered from 1, Haven, to `Settings.sectors`, Thornhold, region by region outwards from Haven.
    """

    sectors: tuple[Sector, ...]
    lanes: tuple[Lane, ...]
    ports: tuple[Port, ...]
    planets: tuple[Planet, ...]
    thornships: tuple[Thornship, ...]
    dice: int
    """The state of the dice that made it: with it the chance of the world's own days begins."""


def make(settings: Settings) -> MadeWorld:
    """The world of these settings: `seed` and `sectors` alone count. Raises ValueError for too few or too many
    sectors.

    Every sector can be reached from every other.
    """
    if not MIN_SECTORS <= settings.sectors <= MAX_SECTORS:
        raise ValueError(f"a world has {MIN_SECTORS} to {MAX_SECTORS} sectors, not {settings.sectors}")
    dice = Dice(settings.seed)
    out = Layout(dice, settings.sectors).out()
    regions = divided(dice, out, 0, settings.sectors - 1)
    number: dict[int, int] = {}
    for place in (place for region in regions for place in region):
        number[place] = len(number) + 1
    making = _Making(
        dice,
        out=[(), *(tuple(sorted(number[target] for target in out[place])) for place in number)],
        sizes=[len(region) for region in regions],
    )
    sectors = making.sectors()
    return MadeWorld(
        sectors=sectors,
        lanes=making.lanes(),
        ports=making.ports(),
        planets=making.planets(),
        thornships=making.thornships(),
        dice=dice.state,
    )


def fingerprint(made: MadeWorld) -> str:
    """64 hexadecimal digits that two worlds have in common only if every record of them is the same."""
    return sha256(msgspec.json.encode(made)).hexdigest()


class _Making:
    """What lies where. `out` says for each sector, from 1, where its lanes lead; `sizes` how many sectors each region
    has, in the order of their numbers."""

    def __init__(self, dice: Dice, *, out: list[tuple[int, ...]], sizes: list[int]) -> None:
        self._dice = dice
        self._out = out
        self._names = Names(dice)
        self._count = len(out) - 1
        self._region = [0, *(region for region, size in enumerate(sizes) for _ in range(size))]
        self._regions = [HAVEN_REGION, *(self._names.region() for _ in sizes[1:-1]), THORNHOLD_REGION]
        self._safe = {HAVEN, *out[HAVEN]}

    def sectors(self) -> tuple[Sector, ...]:
        return tuple(
            Sector(number=number, region=self._regions[self._region[number]], safe=number in self._safe)
            for number in range(1, self._count + 1)
        )

    def lanes(self) -> tuple[Lane, ...]:
        ways = ((source, target) for source, targets in enumerate(self._out) for target in targets)
        return tuple(Lane(id=id_, source=source, target=target) for id_, (source, target) in enumerate(ways, 1))

    def ports(self) -> tuple[Port, ...]:
        dice = self._dice
        away = self._lanes_away()
        known_for = [dice.choice(TRADE_GOODS) for _ in self._regions]
        partner = dice.choice(self._out[HAVEN])
        ports = [haven_port(dice, HAVEN, _HAVEN_PORT)]
        others = range(HAVEN + 1, self._count + 1)
        ports += [
            port(
                dice,
                sector,
                self._names.port(),
                lanes_away=away[sector],
                leaning=known_for[self._region[sector]],
                letters=HAVEN_PARTNER if sector == partner else None,
            )
            for sector in others
            if sector == partner or dice.permille(_PORTS_PERMILLE)
        ]
        return tuple(ports)

    def _lanes_away(self) -> dict[int, int]:
        """How many lanes each sector is from Haven."""
        away = {HAVEN: 0}
        for sector in reached(self._out, [HAVEN]):
            for target in self._out[sector]:
                away.setdefault(target, away[sector] + 1)
        return away

    def planets(self) -> tuple[Planet, ...]:
        dice = self._dice
        wild = [sector for sector in range(1, self._count + 1) if sector not in self._safe]
        certain = set(dice.shuffled(wild)[:_MIN_PLANETS])
        there = [sector for sector in wild if sector in certain or dice.permille(_PLANETS_PERMILLE)]
        kinds = [dice.choice(tuple(Kind)) for _ in there]
        return tuple(
            Planet(id=id_, sector=sector, name=self._names.place(), kind=kind, job=NATURES[kind].best)
            for id_, (sector, kind) in enumerate(zip(there, kinds, strict=True), 1)
        )

    def thornships(self) -> tuple[Thornship, ...]:
        dice = self._dice
        near = [sector for sector in reached(self._out, [self._count]) if sector not in self._safe]
        lair = near[: max(1, self._count // _LAIR_SHARE)]
        return tuple(
            Thornship(id=id_, name=self._names.thornship(), sector=dice.choice(lair), fighters=new_ship(dice, 0))
            for id_ in range(1, planned_ships(self._count) + 1)
        )
