"""Ports of a new world: what each trades, how much of it, and what lies there on the first day."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from starlane.dice import Dice
from starlane.goods import TRADE_GOODS, Good
from starlane.records import Port

CLASSES: Final = ("SBB", "BSB", "BBS", "SSB", "SBS", "BSS")
"""What a port may be, ice, grain and tools in this order: each sells something and buys something."""
HAVEN_CLASS: Final = "SBS"
"""Haven sells ice and tools and buys grain; a port beside it does the contrary: whoever starts finds a trade."""
HAVEN_PARTNER: Final = "BSB"
"""The class of the first port beside Haven."""

_LEANING_PERMILLE: Final = 300
"""Ports of a region that sell the region's own good for certain: long ways pay, and places differ."""
_HAVEN_UNITS: Final = 800
"""Of every good at Haven: for many newcomers at once."""
_NEAR_UNITS: Final = (200, 400)
"""A port's size beside Haven: a small ship has traded such a pair dry in a day."""
_UNITS_PER_LANE: Final = (20, 60)
"""How much larger ports are for each lane that they are away from Haven: who goes far needs a large ship, and can use
it."""
_MAX_COUNTED_LANES: Final = 25
"""Beyond it ports grow no more: else one stop in a great world would fill a pilot's day."""
_BULK_PERCENT: Final[Mapping[Good, int]] = {Good.ICE: 150, Good.GRAIN: 125, Good.TOOLS: 100}
"""Of cheap goods there is more."""
_SELLER_PERCENT: Final = (40, 100)
"""What sellers have of their size on the first day."""
_BUYER_PERCENT: Final = (0, 35)
"""What buyers have, of goods that they still take more of."""
_STEP: Final = 10
"""Sizes are multiples of it: easier to read and to remember."""


def haven_port(dice: Dice, sector: int, name: str) -> Port:
    """The port of Haven, full of what it sells."""
    return _stocked(dice, sector, name, HAVEN_CLASS, dict.fromkeys(TRADE_GOODS, _HAVEN_UNITS))


def port(dice: Dice, sector: int, name: str, *, lanes_away: int, leaning: Good, letters: str | None = None) -> Port:
    """A port `lanes_away` from Haven, in a region that is known for the good `leaning`; of the class `letters`, or one
    by chance."""
    if letters is None:
        leans = dice.permille(_LEANING_PERMILLE)
        place = TRADE_GOODS.index(leaning)
        letters = dice.choice([each for each in CLASSES if each[place] == "S"] if leans else CLASSES)
    sizes = {}
    for good in TRADE_GOODS:
        units = dice.between(*_NEAR_UNITS) + min(lanes_away, _MAX_COUNTED_LANES) * dice.between(*_UNITS_PER_LANE)
        sizes[good] = units * _BULK_PERCENT[good] // (100 * _STEP) * _STEP
    return _stocked(dice, sector, name, letters, sizes)


def _stocked(dice: Dice, sector: int, name: str, letters: str, sizes: Mapping[Good, int]) -> Port:
    numbers: dict[str, int] = {}
    for good, letter in zip(TRADE_GOODS, letters, strict=True):
        percent = dice.between(*(_SELLER_PERCENT if letter == "S" else _BUYER_PERCENT))
        numbers[f"{good}_size"] = sizes[good]
        numbers[f"{good}_stock"] = sizes[good] * percent // 100
    ice, grain, tools = (letter == "S" for letter in letters)
    return Port(sector=sector, name=name, ice_sells=ice, grain_sells=grain, tools_sells=tools, **numbers)
