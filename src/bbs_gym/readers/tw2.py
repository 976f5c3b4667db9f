"""Trade Wars 2 as Synchronet's door of that name shows it: its prompts, and what it says of the player.

All of its input is eager: an answer is taken as soon as it can match nothing longer, keys and numbers alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

from bbs_gym.readers.figures import Said
from bbs_gym.readers.known_prompt import KnownPrompt, Wants
from bbs_gym.readers.live_screen import LiveScreen

_DIGITS: Final = r"\s*\d*$"

TW2_PROMPTS: Final = (
    KnownPrompt(
        name="tw2-command",
        pattern=r"^Command \(\?=Help\)\?\s*\d{0,4}$",
        wants=Wants.KEY_OR_EAGER_NUMBER,
        safe=True,
        shared=True,
        hint="The number of a sector next door flies there, for a turn.",
    ),
    KnownPrompt(
        name="tw2-computer",
        pattern=r"^Computer command \(\?=help\)\?\s*$",
        wants=Wants.KEY,
        safe=True,
        hint="X leaves the computer.",
    ),
    KnownPrompt(
        name="tw2-offer",
        pattern=rf"^Your offer\?{_DIGITS}",
        wants=Wants.EAGER_NUMBER,
        safe=False,
        hint="Credits for the whole lot. Enter alone makes no deal.",
    ),
    KnownPrompt(
        name="tw2-quantity",
        pattern=r"^How many (?:holds|fighters|turns)(?: of \w+)? do you want to (?:buy|sell) \[\d+\](?:-\d+)?\?"
        + _DIGITS,
        wants=Wants.EAGER_NUMBER,
        safe=False,
        hint="Enter alone takes the number in brackets.",
    ),
    KnownPrompt(
        name="tw2-quantity",
        pattern=rf"^(?:How much \[\d+\](?:-\d+)?|\w+: Increase by how many units)\?{_DIGITS}",
        wants=Wants.EAGER_NUMBER,
        safe=False,
    ),
    KnownPrompt(
        name="tw2-move",
        pattern=rf"^To which sector\?{_DIGITS}",
        wants=Wants.EAGER_NUMBER,
        safe=True,
        hint="Enter alone stays.",
    ),
    KnownPrompt(
        name="tw2-sector",
        pattern=rf"^What sector (?:number is the port in|do you want to get to)\?{_DIGITS}",
        wants=Wants.EAGER_NUMBER,
        safe=True,
    ),
    KnownPrompt(
        name="tw2-fighters",
        pattern=rf"^How many fighters do you (?:want defending this sector|wish to use)\?{_DIGITS}",
        wants=Wants.EAGER_NUMBER,
        safe=False,
    ),
    KnownPrompt(
        name="tw2-gamble",
        pattern=rf"^\[0\](?:-\d+)?\?{_DIGITS}",
        above=r"^How much do you want to gamble at double or nothing",
        wants=Wants.EAGER_NUMBER,
        safe=False,
        hint="Enter alone gambles nothing.",
    ),
    KnownPrompt(
        name="tw2-planet",
        pattern=r"^Planet command \(\?=help\) ?\[A\]\?\s*$",
        wants=Wants.KEY,
        safe=False,
        hint="Enter alone takes all that the planet has. L leaves it.",
    ),
    KnownPrompt(
        name="tw2-planet-name",
        pattern=r"^What do you want to name this planet\? \(41 chars\. max\)\?",
        wants=Wants.LINE,
    ),
    KnownPrompt(
        name="tw2-radio-to",
        pattern=r"^Who do you wish to send this message to \(search string\)\?",
        wants=Wants.LINE,
        safe=True,
        hint="Part of a name is enough; Enter alone gives up.",
    ),
    KnownPrompt(
        name="tw2-radio-text",
        pattern=r"^\?(?: |$)",
        above=r"^ +\[-{20,}\]$",
        wants=Wants.LINE,
        hint="At most 74 characters; Enter alone gives up.",
    ),
    KnownPrompt(
        name="tw2-confirm",
        pattern=r"^Are you sure \(Y/N\)(?:\[N\])?\?\s*$",
        wants=Wants.YES_NO,
        safe=False,
        hint="After Q, yes leaves the game.",
    ),
    KnownPrompt(
        name="tw2-instructions",
        pattern=r"^Do you want instructions \(Y/N\) \[N\]\?\s*$",
        wants=Wants.YES_NO,
        safe=True,
        shared=True,
        hint="Answer it; whoever hangs up here for the first time is locked out of the game.",
    ),
    KnownPrompt(name="tw2-yes-no", pattern=r"^.{1,80}\(Y/N\)\[Y\]\?\s*$", wants=Wants.YES_NO),
    KnownPrompt(
        name="tw2-yes-no", pattern=r"^Do you wish to buy a planet ?\(Y/N\) ?\[N\]\?\s*$", wants=Wants.YES_NO, safe=False
    ),
    KnownPrompt(
        name="tw2-which", pattern=rf"^Which one do you want to increase \([\d,]+\)\?{_DIGITS}", wants=Wants.KEY
    ),
)
"""In order: the first that fits is it."""

_GOODS: Final = {"Ore": "ore", "Org": "organics", "Equ": "equipment"}

_SECTOR: Final = re.compile(r"^Sector (\d{1,5})$")
_PORT: Final = re.compile(r"^Port   \S")
_DEFENDED: Final = "Fighters defending sector"
_INFO: Final = "<Info>"
_ECHO: Final = re.compile(r"^Command \(\?=Help\)\? \S+$")
_ANSWER: Final = re.compile(r"^<[A-Z][\w /]{2,20}>$")
_BOX: Final = re.compile(r"╠[═]{3,}╗╔.*TradeWars2/JavaScript")
_LABELLED: Final = re.compile(r"^ {0,15}([\w#' ]+): (.*)$")
_INFO_FIELDS: Final = {
    "Fighters": "fighters",
    "Sector Location": "sector",
    "Turns left": "turns",
    "Cargo Holds": "holds",
    "Credits": "credits",
}
_HELD: Final = re.compile(r"^(Ore|Org|Equ)[a-z]*\.+ +(?:(?:Buying|Selling) +)?-?\d+ +(?:-?\d+ +)?(\d+)$")
_RADIO: Final = re.compile(r"^Message from .*:$")

_SENTENCES: Final = (
    (re.compile(r"^You (?:now )?have (\d+) credits\.?$"), ("credits",)),
    (re.compile(r"^You have (\d+) credits and (-?\d+) empty cargo holds\.$"), ("credits", "free_holds")),
    (re.compile(r"^You have (\d+) free cargo holds\.$"), ("free_holds",)),
    (re.compile(r"^You have (\d+) turns left\.$"), ("turns",)),
    (re.compile(r"^Done\.  You have (\d+) fighter\(s\) in your fleet\.$"), ("fighters",)),
    (re.compile(r"^You lost \d+ fighter\(s\), (\d+) remain\.$"), ("fighters",)),
)
_NO_TURNS: Final = re.compile(
    r"^(?:I'm sorry but you|Sorry, but you|You) don't have any turns left(?:\.$| today\. You will be allowed)"
)
_LEFT: Final = "Returning to Door monitor..."
_TURNS_DEDUCTED: Final = "One turn deducted"
_DEALS: Final = frozenset({"Sold!", "We'll take them!"})


def tw2_shown(screen: LiveScreen) -> bool:
    """Something on the screen is laid out as nothing but this game does it, in rows that nobody who writes a line of
    text can make: the frame of a menu, the display of a sector, the echo of a command with its title."""
    rows = _since_entered(screen)
    if any(_BOX.search(row) for row in rows):
        return True
    return any(
        (_ECHO.match(row) and _ANSWER.match(below)) or (row == _DEFENDED and below.startswith("   "))
        for row, below in pairwise(rows)
    )


def tw2_facts(screen: LiveScreen) -> dict[str, Any]:
    """What the game says last: sector, turns, credits, fighters, holds and cargo."""
    said = Said()
    rows = _since_entered(screen)
    for at, row in enumerate(rows):
        if at and _RADIO.match(rows[at - 1]):
            continue  # what somebody wrote
        for reads in _READERS:
            reads(rows, at, said)
        if row in _DEALS:
            said.forget("credits", "free_holds")
            said.cargo.clear()
    return said.fields()


def _since_entered(screen: LiveScreen) -> tuple[str, ...]:
    """The rows below the one that says that the game was left, if any does."""
    rows = screen.rows()
    left = max((at for at, row in enumerate(rows) if row == _LEFT), default=-1)
    return rows[left + 1 :]


def _sector(rows: tuple[str, ...], at: int, said: Said) -> None:
    found = _SECTOR.match(rows[at])
    if found is not None and at + 1 < len(rows) and _PORT.match(rows[at + 1]):
        said.tell("sector", found[1])
        said.forget("turns")  # coming here may have taken one


def _sentence(rows: tuple[str, ...], at: int, said: Said) -> None:
    row = rows[at]
    for pattern, names in _SENTENCES:
        found = pattern.match(row)
        if found is not None:
            for name, figure in zip(names, found.groups(), strict=True):
                said.tell(name, figure)
    if _NO_TURNS.match(row):
        said.tell("turns", 0)
    if row == _TURNS_DEDUCTED:
        said.forget("turns")


def _table(rows: tuple[str, ...], at: int, said: Said) -> None:
    found = _HELD.match(rows[at])
    if found is not None:
        said.load(_GOODS[found[1]], found[2])


def _info(rows: tuple[str, ...], at: int, said: Said) -> None:
    """The answer to I: a block of labels to the right of their blanks."""
    if rows[at] != _INFO:
        return
    holds, free = None, 0
    for row in rows[at + 1 :]:
        found = _LABELLED.match(row)
        if found is None:
            break
        label, value = found[1].strip(), found[2].strip()
        if label in _INFO_FIELDS:
            said.tell(_INFO_FIELDS[label], value)
        if label.startswith("# with ") and (good := _GOODS.get(label[7:])) and value.isascii() and value.isdigit():
            said.load(good, value)
            free -= int(value[:9])
        if label == "Cargo Holds" and value.isascii() and value.isdigit():
            holds = int(value[:9])
    if holds is not None and holds + free >= 0:
        said.tell("free_holds", holds + free)


_READERS: Final[tuple[Callable[[tuple[str, ...], int, Said], None], ...]] = (_sector, _sentence, _table, _info)
