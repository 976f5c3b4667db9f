"""Ways to haggle, some sane and some not, for tests of what they earn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from starlane.dice import Dice
from starlane.goods import Good
from starlane.records import Bargain
from starlane.reports import Haggle
from starlane.rules.haggling import MAX_SPOILT, Mood, answer, open_bargain

Way = Callable[[Bargain, Mood | None, list[int]], int | None]
"""What to offer (None: walk away), given the bargain as the pilot knows it, how the last offer was taken and the offers
so far. It must not look at the bargain's reserve and patience, but for patience 0: the last word is said aloud."""


def at(bargain: Bargain, permille: int) -> int:
    """A price so many thousandths better for the pilot than the board's."""
    share = 1000 - permille if bargain.buying else 1000 + permille
    return (bargain.fair * share + 500) // 1000


def accept(bargain: Bargain, mood: Mood | None, offers: list[int]) -> int:
    """Takes the first price."""
    return bargain.ask


def patient(bargain: Bargain, mood: Mood | None, offers: list[int]) -> int:
    """Begins a little beyond the board, gives way in steps by what the port says, and takes the last word."""
    if bargain.patience == 0:
        return bargain.ask
    if mood is None:
        return at(bargain, 12)
    step = max(1, bargain.fair * {Mood.NEAR: 4, Mood.SENSIBLE: 8}.get(mood, 16) // 1000)
    return offers[-1] + step if bargain.buying else offers[-1] - step


def insulting(bargain: Bargain, mood: Mood | None, offers: list[int]) -> int:
    """Offers three quarters, and takes the last word if there is one."""
    return bargain.ask if bargain.patience == 0 else at(bargain, 250)


def stubborn(bargain: Bargain, mood: Mood | None, offers: list[int]) -> int:
    """Names its price, and no other."""
    return at(bargain, 10)


def off_the_ask(permille: int) -> Way:
    """Always offers so much less than the port's price, and takes the last word."""

    def way(bargain: Bargain, mood: Mood | None, offers: list[int]) -> int:
        share = 1000 - permille if bargain.buying else 1000 + permille
        return bargain.ask if bargain.patience == 0 else bargain.ask * share // 1000

    return way


def last_word(bargain: Bargain, mood: Mood | None, offers: list[int]) -> int:
    """Sensible but low offers, only to hear the last word."""
    return bargain.ask if bargain.patience == 0 else at(bargain, 20 - len(offers))


def reopening(bargain: Bargain, mood: Mood | None, offers: list[int]) -> int | None:
    """As the patient one, but walks away from a last word that is worse than the board, to ask again."""
    if bargain.patience == 0 and (bargain.ask > bargain.fair) == bargain.buying:
        return None
    return patient(bargain, mood, offers)


WAYS: Final[Mapping[str, Way]] = {
    "accept": accept,
    "patient": patient,
    "insulting": insulting,
    "stubborn": stubborn,
    "last word": last_word,
    "reopening": reopening,
    **{f"{permille // 10} % off the ask": off_the_ask(permille) for permille in (10, 20, 30, 50, 100)},
}


def haggle(dice: Dice, way: Way, fair: int, *, buying: bool, spoilt: int = 0) -> int | None:
    """The price that `way` comes to for goods worth `fair`; None for no deal."""
    first = open_bargain(dice, fair, buying=buying, spoilt=spoilt)
    bargain = Bargain(
        pilot=1,
        sector=2,
        good=Good.ICE,
        buying=buying,
        quantity=1,
        fair=fair,
        ask=first.ask,
        reserve=first.reserve,
        patience=first.patience,
    )
    mood, offers = None, list[int]()
    while (offer := way(bargain, mood, offers)) is not None:
        said = answer(dice, bargain, offer)
        if said.state is Haggle.DEAL:
            return said.bargain.ask
        if said.state is Haggle.BROKEN:
            return None
        bargain, mood = said.bargain, said.mood
        offers.append(offer)
    return None


def haggle_on(dice: Dice, way: Way, fair: int, *, buying: bool) -> int | None:
    """As `haggle`, but whoever has spoilt a bargain asks again until the port talks no more."""
    for spoilt in range(MAX_SPOILT):
        found = haggle(dice, way, fair, buying=buying, spoilt=spoilt)
        if found is not None:
            return found
    return None
