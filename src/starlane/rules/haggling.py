"""How ports haggle: what they open with, and what an offer does to them.

A port opens worse for the pilot than its board says, and has a reserve somewhat beyond the board that it keeps to
itself. An offer that reaches the reserve is taken as it stands. One that comes near moves the port's price towards the
reserve, the further the nearer it came. One that is far off or no better than one before it costs twice the patience
for nothing, and an insult costs it all. When the patience is gone, the port's price is its last word; but where the
pilot has strained it the port may break off instead.

The port says how near an offer came (`Mood`); whoever listens finds the reserve before the patience is gone.
All prices are totals in credits. What is rounded is rounded for the port.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

import msgspec

from starlane.dice import Dice
from starlane.records import Bargain
from starlane.reports import Haggle

MAX_SPOILT: Final = 4
"""Bargains that a port lets come to nothing at one docking; then it talks no more, and is far worse than its board."""

_OPENING = (8, 20)
"""Thousandths that a port's first price is worse than the board."""
_RESERVE = (-4, 14)
"""Thousandths that its reserve is better than the board; below 0 worse: the board's price is no sure offer."""
_PATIENCE = (2, 5)
"""Offers that it hears."""
_SPOILT = 30
"""Thousandths that everything is worse for each bargain spoilt: more than a second draw of the reserve can win."""
_NEAR = 5
"""Thousandths short of the reserve up to which an offer is called near."""
_SENSIBLE = 40
"""Thousandths short of the reserve up to which an offer moves the port."""
_INSULT = 100
"""Thousandths short of the reserve beyond which an offer is an insult."""
_PULL = 420
"""Thousandths of the way to the reserve that the port goes for an offer next to it; in proportion less for others."""
_NOISE = (600, 1400)
"""Thousandths of that way by chance: its step hints at the reserve and does not tell it."""
_INSULT_BREAKS = 600
"""Chance in a thousand that an insult ends the bargain at once; else the port's price is its last word."""
_SOUR_BREAKS = 300
"""The same of a far-off or stale offer that uses up the patience: greed risks the deal."""


class Mood(Enum):
    """How the port took an offer."""

    NEAR = "near"
    """Within half a percent of the reserve."""
    SENSIBLE = "sensible"
    SOUR = "sour"
    """Far off: it cost patience, and the price stays."""
    STALE = "stale"
    """No better than an offer before it: the same."""
    INSULTED = "insulted"
    CONTENT = "content"
    """A deal."""
    FIRM = "firm"
    """The last word had been said."""


class Opening(msgspec.Struct, frozen=True):
    """What a port begins with."""

    ask: int
    reserve: int
    patience: int


class Answer(msgspec.Struct, frozen=True):
    """What an offer did. `bargain` is how it stands now; in a deal its `ask` is the price."""

    state: Haggle
    mood: Mood
    bargain: Bargain


def open_bargain(dice: Dice, fair: int, *, buying: bool, spoilt: int = 0) -> Opening:
    """A bargain over goods worth `fair`, with a port that has seen `spoilt` others come to nothing."""
    worse = spoilt * _SPOILT
    return Opening(
        ask=_worse(fair, dice.between(*_OPENING) + worse, buying=buying),
        reserve=_worse(fair, worse - dice.between(*_RESERVE), buying=buying),
        patience=dice.between(*_PATIENCE),
    )


def worst_opening(fair: int, *, buying: bool, spoilt: int = 0) -> int:
    """The first price can't be worse for the pilot than this."""
    return _worse(fair, spoilt * _SPOILT + _OPENING[1], buying=buying)


def best_reserve(fair: int, *, buying: bool, spoilt: int = 0) -> int:
    """No offer that is better for the pilot than this is ever taken."""
    return _worse(fair, spoilt * _SPOILT - _RESERVE[1], buying=buying)


def answer(dice: Dice, bargain: Bargain, offer: int) -> Answer:
    """What the port says to an `offer` of so many credits, 0 or more, in an open bargain.

    After DEAL and BROKEN the bargain is over. The price of a deal is never worse for the pilot than the port's own.
    """
    buying = bargain.buying
    if _short(offer, bargain.ask, buying=buying) <= 0:
        return Answer(Haggle.DEAL, Mood.CONTENT, bargain)
    if bargain.patience < 1:
        return Answer(Haggle.BROKEN, Mood.FIRM, bargain)
    short = _short(offer, bargain.reserve, buying=buying)
    if short <= 0:
        return Answer(Haggle.DEAL, Mood.CONTENT, msgspec.structs.replace(bargain, ask=offer))
    mood = _mood(bargain, offer, short)
    if mood is Mood.INSULTED:
        return _strained(dice, mood, msgspec.structs.replace(bargain, patience=0), _INSULT_BREAKS)
    if mood in (Mood.SOUR, Mood.STALE):
        less = max(bargain.patience - 2, 0)
        return _strained(dice, mood, msgspec.structs.replace(bargain, patience=less), _SOUR_BREAKS)
    moved = msgspec.structs.replace(
        bargain, ask=_conceded(dice, bargain, short), patience=bargain.patience - 1, best=offer
    )
    return _standing(mood, moved)


def repriced(bargain: Bargain, fair: int) -> Bargain:
    """The same bargain after the goods' worth at the port has become `fair`: its prices have moved along."""
    buying = bargain.buying
    return msgspec.structs.replace(
        bargain,
        fair=fair,
        ask=_scaled(bargain.ask * fair, bargain.fair, buying=buying),
        reserve=_scaled(bargain.reserve * fair, bargain.fair, buying=buying),
    )


def _strained(dice: Dice, mood: Mood, bargain: Bargain, breaks: int) -> Answer:
    if bargain.patience < 1 and dice.permille(breaks):
        return Answer(Haggle.BROKEN, mood, bargain)
    return _standing(mood, bargain)


def _standing(mood: Mood, bargain: Bargain) -> Answer:
    return Answer(Haggle.OPEN if bargain.patience else Haggle.FINAL, mood, bargain)


def _mood(bargain: Bargain, offer: int, short: int) -> Mood:
    permille = short * 1000 // max(bargain.reserve, 1)
    if permille > _INSULT and short > 1:
        return Mood.INSULTED
    if bargain.best and _short(offer, bargain.best, buying=bargain.buying) >= 0:
        return Mood.STALE
    if short == 1 or permille <= _NEAR:
        return Mood.NEAR
    return Mood.SENSIBLE if permille <= _SENSIBLE else Mood.SOUR


def _conceded(dice: Dice, bargain: Bargain, short: int) -> int:
    """The port's next price, after an offer that was `short` credits off its reserve."""
    way = _short(bargain.reserve, bargain.ask, buying=bargain.buying)
    scale = max(bargain.reserve * _SENSIBLE, 1000)
    nearness = max(scale - short * 1000, 0)
    step = way * _PULL * nearness * dice.between(*_NOISE) // (scale * 1_000_000)
    return bargain.ask - step if bargain.buying else bargain.ask + step


def _short(offer: int, price: int, *, buying: bool) -> int:
    """How much worse for the port `offer` is than `price`."""
    return price - offer if buying else offer - price


def _worse(fair: int, permille: int, *, buying: bool) -> int:
    """`fair` made so many thousandths worse for the pilot."""
    return _scaled(fair * (1000 + permille if buying else 1000 - permille), 1000, buying=buying)


def _scaled(numerator: int, denominator: int, *, buying: bool) -> int:
    return -(-numerator // denominator) if buying else numerator // denominator
