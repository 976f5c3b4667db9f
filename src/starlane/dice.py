"""The world's own generator: every chance after the making of a world is drawn here, and its state is kept with it.

SplitMix64: Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators (2014). The state is one number of 64
bits, so that a universe file records it in a single field, and the same state gives the same numbers on any machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

_T = TypeVar("_T")

_MASK: Final = 0xFFFF_FFFF_FFFF_FFFF


class Dice:
    """Numbers by chance from a recorded `state`."""

    __slots__ = ("state",)

    def __init__(self, state: int) -> None:
        self.state: int = state & _MASK

    def below(self, bound: int) -> int:
        """A number from 0 to `bound` - 1, `bound` at least 1; the bias is under `bound` / 2**64."""
        self.state = (self.state + 0x9E37_79B9_7F4A_7C15) & _MASK
        mixed = self.state
        mixed = (mixed ^ mixed >> 30) * 0xBF58_476D_1CE4_E5B9 & _MASK
        mixed = (mixed ^ mixed >> 27) * 0x94D0_49BB_1331_11EB & _MASK
        return (mixed ^ mixed >> 31) % bound

    def between(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def permille(self, chance: int) -> bool:
        """True `chance` times in a thousand."""
        return self.below(1000) < chance

    def choice(self, values: Sequence[_T]) -> _T:
        """One of `values`, which must not be empty."""
        return values[self.below(len(values))]

    def shuffled(self, values: Sequence[_T]) -> list[_T]:
        """`values` in an order by chance (Fisher and Yates)."""
        cards = list(values)
        for last in range(len(cards) - 1, 0, -1):
            other = self.below(last + 1)
            cards[last], cards[other] = cards[other], cards[last]
        return cards
