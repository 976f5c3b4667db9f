"""SplitMix64: repeatable random choices for a layer that has no random source of its own.

Source: Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators (2014).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

_T = TypeVar("_T")

_MASK: Final = 0xFFFF_FFFF_FFFF_FFFF


class SplitMix:
    """A generator of 64-bit numbers: the same seed gives the same numbers on every machine."""

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def below(self, bound: int) -> int:
        """A number from 0 to `bound` - 1; the bias is under `bound` / 2**64."""
        self._state = (self._state + 0x9E37_79B9_7F4A_7C15) & _MASK
        mixed = self._state
        mixed = (mixed ^ mixed >> 30) * 0xBF58_476D_1CE4_E5B9 & _MASK
        mixed = (mixed ^ mixed >> 27) * 0x94D0_49BB_1331_11EB & _MASK
        return (mixed ^ mixed >> 31) % bound

    def choice(self, values: Sequence[_T]) -> _T:
        """One of `values`, which must not be empty."""
        return values[self.below(len(values))]
