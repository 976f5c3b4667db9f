"""Regions: neighbourhoods of sectors with a name in common, so that a map feels like places."""

from __future__ import annotations

from typing import Final

from starlane.dice import Dice
from starlane.making.layout import reached

PLACES_PER_REGION: Final = 25
"""On average: a region is crossed in a handful of moves, and its ports can be remembered."""
_MIN_REGIONS: Final = 2
"""Haven's and the empire's."""


def divided(dice: Dice, out: list[tuple[int, ...]], first: int, last: int) -> list[list[int]]:
    """The places that `out` (place → where lanes lead from it) connects, in regions.

    Each place belongs to the centre that is fewest lanes away. The region around `first` comes first and the one around
    `last` comes last, the others in the order in which they are reached from `first`; within a region the places are in
    an order by chance, but `first` is the very first and `last` the very last.
    """
    wanted = max(_MIN_REGIONS, len(out) // PLACES_PER_REGION)
    others = [place for place in range(len(out)) if place not in {first, last}]
    centres = [first, last, *dice.shuffled(others)[: wanted - _MIN_REGIONS]]
    centre_of = reached(out, centres)
    members: dict[int, list[int]] = {centre: [] for centre in centres}
    for place in dice.shuffled(range(len(out))):
        if place not in {first, last}:
            members[centre_of[place]].append(place)
    in_turn = [place for place in reached(out, [first]) if place in members and place not in {first, last}]
    return [[first, *members[first]], *(members[centre] for centre in in_turn), [*members[last], last]]
