"""What the traders of a port say. The price stands always in one of three forms, at the end of the line:
`We'll sell them for 1,234.`, `We'll pay 1,234.`, `Our last word: 1,234.`
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from starlane.dice import Dice
from starlane.engine.texts import counted
from starlane.records import Bargain
from starlane.reports import Haggle
from starlane.rules.haggling import Answer, Mood

_GREETINGS: Final = (
    "Fine goods, a fair price.",
    "Always a pleasure, pilot.",
    "Let's not make this long.",
    "You have an eye for it.",
    "Quiet day. Make it worth our while.",
)
_GRUDGES: Final = (
    "You again? It got no cheaper.",
    "We remember how the last talk ended.",
    "So you came back after all. That has its price.",
)
"""After a bargain that was spoilt."""

_TEMPERS: Final[Mapping[Mood, tuple[str, ...]]] = {
    Mood.NEAR: ("So close.", "You nearly have us.", "A hair short.", "We could almost shake on that."),
    Mood.SENSIBLE: ("Not enough, but we can talk.", "We'll come a little your way.", "Reasonable. Try harder."),
    Mood.SOUR: ("That is far off.", "You waste our time.", "Are we a charity?"),
    Mood.STALE: ("You have said better already.", "We heard that one before.", "Backwards won't get you there."),
    Mood.INSULTED: ("An insult!", "Do you take us for fools?", "Our grandmothers would blush."),
    Mood.FIRM: ("We said our last word.", "Then not.", "It was that or nothing."),
    Mood.CONTENT: ("Done!", "A deal.", "Shake on it.", "You drive a fair bargain."),
}


def opening(dice: Dice, bargain: Bargain, spoilt: int) -> str:
    """The first line of a bargain, after `spoilt` others."""
    return f"{dice.choice(_GRUDGES if spoilt else _GREETINGS)} {price(bargain)}"


def reply(dice: Dice, answer: Answer) -> str:
    """The line that goes with the port's answer to an offer."""
    bargain, temper = answer.bargain, dice.choice(_TEMPERS[answer.mood])
    match answer.state:
        case Haggle.BROKEN:
            return f"{temper} This talk is over; no deal."
        case Haggle.DEAL:
            verb = "bought" if bargain.buying else "sold"
            return f"{temper} You have {verb} {counted(bargain.quantity, bargain.good)} for {bargain.ask:,} credits."
        case Haggle.FINAL | Haggle.OPEN:
            tired = " Our patience wears thin." if bargain.patience == 1 else ""
            return f"{temper}{tired} {price(bargain)}"


def price(bargain: Bargain) -> str:
    """The port's price as it stands."""
    if bargain.patience < 1:
        return f"Our last word: {bargain.ask:,}."
    return f"We'll sell them for {bargain.ask:,}." if bargain.buying else f"We'll pay {bargain.ask:,}."
