"""The numbers of the Thorn, the empire that no player flies for: how many ships, how strong, and what they are worth.

The empire grows with the size of the world and with its days, up to a bound, so that it stays a matter for many pilots
and never smothers a world that plays on.
"""

from __future__ import annotations

from typing import Final

from starlane.dice import Dice

REWARD_PER_FIGHTER: Final = 15
"""Credits of the Haven Watch for a fighter shot down. A fighter costs 50 at the yard: who attacks with four times the
force of a ship loses about a third of what it shoots down, and so comes out even."""
REWARD_PER_SHIP: Final = 100
"""Credits on top for who shoots down the last fighter of a thornship: worth the search for a weak one."""
SECTORS_PER_SHIP: Final = 25
"""So many for each thornship: met every few days of flying, not at every turn."""
MIN_SHIPS: Final = 2
"""Even the smallest world has an empire."""
MAX_SHIPS: Final = 400
"""Of the largest: each has a name of its own, of which there are 780, and a day's flight takes time."""
FIRST_DAY_FIGHTERS: Final = 30
"""Of a thornship, on the average, on the day 0: about what a new pilot has."""
FIGHTERS_A_DAY: Final = 6
"""More of them with each day of the world: slower than a good pilot grows."""
MOST_FIGHTERS: Final = 600
"""Of a thornship, on the average, for ever: a rich pilot's fleet stays stronger than a ship of the Thorn."""
MAX_LANES_A_DAY: Final = 3
"""A thornship flies 1 to so many lanes a day."""
HUNT_PERMILLE: Final = 333
"""How often a thornship looks for prey where its day's flight ends."""


def planned_ships(sectors: int) -> int:
    """How many thornships the empire keeps in a world of so many sectors."""
    return min(max(MIN_SHIPS, sectors // SECTORS_PER_SHIP), MAX_SHIPS)


def average_fighters(day: int) -> int:
    """What the empire wants a thornship to have on that day, on the average over all."""
    return min(FIRST_DAY_FIGHTERS + FIGHTERS_A_DAY * day, MOST_FIGHTERS)


def most_fighters(sectors: int, day: int) -> int:
    """What all thornships together have at most; the empire builds none beyond it."""
    return planned_ships(sectors) * average_fighters(day)


def new_ship(dice: Dice, day: int) -> int:
    """The fighters of a ship that the Thorn sends out: from a quarter of the average to all of it."""
    average = average_fighters(day)
    return dice.between(average // 4, average)


def built(dice: Dice, day: int) -> int:
    """The fighters that the Thorn builds for one ship in a day: about a tenth of the average, more or less."""
    return dice.below(average_fighters(day) // 5 + 1)


def reward(shot_down: int, *, destroyed: bool) -> int:
    """What the Watch pays, in credits, for so many fighters of a thornship and, `destroyed`, for the ship."""
    return shot_down * REWARD_PER_FIGHTER + (REWARD_PER_SHIP if destroyed else 0)
