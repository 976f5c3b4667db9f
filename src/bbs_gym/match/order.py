"""Who comes first in a round. No clock, and no chance but the match's seed: the same seed gives the same orders under
every version of Python, so that a match can be told again from its settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bbs_gym.match.settings import Order

_MASK: Final = 2**64 - 1
_GAMMA: Final = 0x9E3779B97F4A7C15


class SplitMix:
    """Steele, Lea and Flood's SplitMix64 (OOPSLA 2014): 64 bits a draw, the same everywhere."""

    def __init__(self, seed: int) -> None:
        """Of a seed the low 64 bits count, in two's complement."""
        self._state = seed & _MASK

    def draw(self) -> int:
        """The next number, 0 to 2**64 - 1."""
        self._state = (self._state + _GAMMA) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def below(self, bound: int) -> int:
        """A number from 0 to `bound` - 1, each as likely: draws past the last whole multiple are thrown away."""
        limit = (_MASK + 1) - (_MASK + 1) % bound
        drawn = self.draw()
        while drawn >= limit:
            drawn = self.draw()
        return drawn % bound


def shuffled(items: Sequence[str], seed: int, number: int) -> tuple[str, ...]:
    """The items in the order that `seed` gives round `number`: Fisher and Yates, each order as likely."""
    chance = SplitMix(SplitMix(seed).draw() + number)
    mixed = list(items)
    for last in range(len(mixed) - 1, 0, -1):
        other = chance.below(last + 1)
        mixed[last], mixed[other] = mixed[other], mixed[last]
    return tuple(mixed)


def round_order(policy: Order, ring: Sequence[str], *, seed: int, number: int) -> tuple[str, ...]:
    """The order of round `number`, from 1. `ring` is the roster; with `rotate`, as `turned` left it."""
    return shuffled(ring, seed, number) if policy is Order.SHUFFLE else tuple(ring)


def turned(policy: Order, ring: Sequence[str], first: str) -> tuple[str, ...]:
    """The ring after a round in which `first` was the first of those who took part: with `rotate` it is the last of
    the next, whoever was away; else nothing changes."""
    if policy is not Order.ROTATE:
        return tuple(ring)
    return (*(agent for agent in ring if agent != first), first)
