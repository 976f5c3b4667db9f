"""Haggling: what to offer next, from what the port says."""

from __future__ import annotations

from typing import Final, Protocol

from starlane.reports import Haggle, Haggled

_NEAR_WORDS: Final = ("So close", "nearly have us", "A hair short", "almost shake")
"""What traders say to an offer within half a percent of their limit."""
_SENSIBLE_WORDS: Final = ("but we can talk", "a little your way", "Reasonable")
"""What they say to one within four percent."""
_THIN_WORDS: Final = "patience wears thin"
"""The next offer is the last that is heard."""
_MOVED_WORDS: Final = "the price has moved"


class Haggler(Protocol):
    """A way of haggling, for one bargain."""

    def offer(self, said: Haggled, worth: int) -> int:
        """The total price to name now, while the port hears offers. `worth` is that of the goods by the board."""


class Taker:
    """Takes the first price."""

    def offer(self, said: Haggled, worth: int) -> int:  # noqa: ARG002 - as all hagglers
        """See `Haggler`."""
        return said.ask


class Splitter:
    """Tries a little better than the board, then the board, then takes what the port says."""

    _TRIES: Final = (6, 0)
    """Thousandths better than the board."""

    def __init__(self) -> None:
        self._step = 0

    def offer(self, said: Haggled, worth: int) -> int:
        """See `Haggler`."""
        if self._step >= len(self._TRIES):
            return said.ask
        better = self._TRIES[self._step]
        self._step += 1
        return no_worse(said, priced(said, worth, better * 10))


class Judge:
    """Listens: each answer says how far off the port's limit is, and narrows down where it lies.

    The help says that the limit is between 0.4 % worse and 1.4 % better than the board.
    """

    _BOLD: Final = (70, 50, 30)
    """Hundredths of the way from the safe end of what is possible to the other, offer by offer."""

    def __init__(self) -> None:
        self._low, self._high = -40, 140
        """Where the limit may lie, in hundredths of a percent better than the board."""
        self._last = 0
        self._named: list[int] = []

    def offer(self, said: Haggled, worth: int) -> int:
        """See `Haggler`."""
        if self._named and not self._heard(said.text):
            return said.ask
        step = len(self._BOLD) - 1 if _THIN_WORDS in said.text else min(len(self._named), len(self._BOLD) - 1)
        self._last = self._low + (self._high - self._low) * self._BOLD[step] // 100
        price = priced(said, worth, self._last)
        if price in self._named:
            return said.ask
        self._named.append(price)
        return no_worse(said, price)

    def _heard(self, text: str) -> bool:
        """Narrow down the limit; False if there is nothing more to win."""
        if _MOVED_WORDS in text:
            return False
        if any(words in text for words in _NEAR_WORDS):
            self._low, self._high = max(self._low, self._last - 50), self._last
        elif any(words in text for words in _SENSIBLE_WORDS):
            self._high = min(self._high, self._last - 50)
        else:
            return False
        return self._low < self._high


def priced(said: Haggled, worth: int, better: int) -> int:
    """`worth` made so many hundredths of a percent better for the pilot, 1 credit at least."""
    change = (worth * abs(better) + 5_000) // 10_000 * (1 if better >= 0 else -1)
    return max(1, worth - change if said.buying else worth + change)


def no_worse(said: Haggled, price: int) -> int:
    """`price`, or the port's own where that is better."""
    return min(price, said.ask) if said.buying else max(price, said.ask)


def is_open(said: Haggled) -> bool:
    """Whether the port hears offers."""
    return said.state is Haggle.OPEN
