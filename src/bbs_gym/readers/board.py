"""What BBSes show: Synchronet's screens and those of the house, which its callers know from there."""

from __future__ import annotations

import re
from typing import Any, Final

from bbs_gym.readers.figures import Said
from bbs_gym.readers.known_prompt import KnownPrompt, Wants, live_prompt
from bbs_gym.readers.live_screen import LiveScreen

HIT_A_KEY: Final = KnownPrompt(
    name="hit-a-key",
    pattern=r"^\[Hit a key\]\s*$",
    wants=Wants.ANY_KEY,
    safe=True,
    shared=True,
    hint="Press space. In a long listing n or q ends it.",
)

BOARD_PROMPTS: Final = (
    HIT_A_KEY,
    KnownPrompt(
        name="bbs-idle",
        pattern=r"Are you really there\?(?: Press a key\.)?\s*$",
        wants=Wants.ANY_KEY,
        safe=True,
        hint="The key is swallowed; do it soon, or the call ends.",
    ),
    KnownPrompt(name="bbs-password", pattern=r"^Password:\s*\**$", wants=Wants.SECRET, safe=False),
    KnownPrompt(
        name="bbs-login",
        pattern=r"^Login:\s*\S*$",
        wants=Wants.LINE,
        safe=False,
        hint="Nobody is logged in. Never type a password here: it would be shown.",
    ),
    KnownPrompt(
        name="bbs-main",
        pattern=r"^[■*] Main [■*] \d+:\d\d:\d\d .*:\s*/?$",
        wants=Wants.KEY,
        safe=True,
        hint="Keys that begin with / act on the second key. O asks whether to log off.",
    ),
    KnownPrompt(
        name="bbs-main", pattern=r"^Main menu:\s*$", wants=Wants.KEY, safe=True, hint="Q asks whether to log off."
    ),
    KnownPrompt(
        name="bbs-log-off",
        pattern=r"^(?:\[.\] )?Log off\?\s+\[?\w",
        wants=Wants.YES_NO,
        safe=False,
        hint="Yes ends the call.",
    ),
    KnownPrompt(
        name="bbs-bulletins",
        pattern=r"^Enter number of bulletin or \[\S+\]:\s*\d*$",
        wants=Wants.EAGER_NUMBER,
        safe=True,
        hint="Enter alone goes on.",
    ),
    KnownPrompt(
        name="bbs-door-sections",
        pattern=r"^Which, Quit or \[\d+\]:\s*\d*$",
        wants=Wants.EAGER_NUMBER,
        safe=True,
        hint="Sections of doors. Q leads back.",
    ),
    KnownPrompt(
        name="bbs-doors",
        pattern=r"^Which or Quit:\s*\d*$",
        wants=Wants.EAGER_NUMBER,
        safe=True,
        hint="Doors by number. Q leads back.",
    ),
    KnownPrompt(
        name="bbs-yes-no", pattern=r"^\[[√+]\] .*\?\s+\[?(?:Yes|No)\]?\s+\[?(?:Yes|No)\]?$", wants=Wants.YES_NO
    ),
    KnownPrompt(name="bbs-yes-no", pattern=r"\[(?:Y/n|y/N)\]\s*$", wants=Wants.YES_NO),
    KnownPrompt(
        name="bbs-more",
        pattern=r"^-- More -- ",
        wants=Wants.KEY,
        safe=True,
        hint="Enter shows the next screen, Q ends the listing, C shows all the rest.",
    ),
    KnownPrompt(
        name="bbs-list",
        pattern=r"^Number or key \([^()]*\):\s*\d*$",
        wants=Wants.KEY_OR_NUMBER,
        safe=True,
        hint="A row of the list by its number and Enter, or one of the keys in brackets; Q leads back.",
    ),
    KnownPrompt(
        name="bbs-keys",
        pattern=r"^Key \([^()]*\):\s*$",
        wants=Wants.KEY,
        hint="One of the keys in brackets; Q leads back.",
    ),
    KnownPrompt(
        name="bbs-choose",
        pattern=r"^Arrows or number, Enter: choose|^Number, (?:N: next, )?(?:P: previous, )?Q: quit:\s*\d*$",
        wants=Wants.CHOICE,
        safe=True,
        hint="Q leads back.",
    ),
    KnownPrompt(name="bbs-to", pattern=r"^To:\s", wants=Wants.LINE, hint="Enter alone gives up."),
    KnownPrompt(name="bbs-subject", pattern=r"^Subject:(?:\s|$)", wants=Wants.LINE, hint="Enter alone gives up."),
    KnownPrompt(
        name="bbs-text",
        pattern=r"^ {0,2}\d{1,3}:(?: |$)",
        wants=Wants.TEXT,
        hint="/s alone on a line saves, /a alone gives up.",
    ),
    KnownPrompt(
        name="games-move",
        pattern=r"^Your move:\s*\S*$",
        wants=Wants.LINE,
        safe=False,
        hint="? and Enter lists the moves that are legal. Escape asks whether to resign.",
    ),
    KnownPrompt(
        name="games-wait",
        pattern=r"^Your opponent thinks\. Esc resigns\.\s*$",
        wants=Wants.NOTHING,
        safe=False,
        hint="Wait, and type nothing.",
    ),
    KnownPrompt(
        name="chat-line",
        pattern=r"^[^<>\s][^<>]{0,31}>(?: |$)",
        wants=Wants.LINE,
        hint="What is typed is said to the whole room. /help lists commands, /quit leaves.",
    ),
)
"""In order: the first that fits is it. The more special stand before the more general."""

_MAIN: Final = tuple(prompt for prompt in BOARD_PROMPTS if prompt.name == "bbs-main")
_HEADER_ROWS: Final = 4
"""The header of a menu is in the first of the screen; what stands lower may be somebody's text."""

_SYNCHRONET_MENU: Final = re.compile(r"Last On: .* Node {1,4}(\d{1,3}) Up \d")
_SYNCHRONET_BANNER: Final = re.compile(r"^ *NODE: (\d{1,3}) \(of \d{1,3}\)")
_BEFORE_BANNER: Final = re.compile(r"^ *ADDR: ")
_HOUSE_MENU: Final = re.compile(r" Node (\d{1,4})  (?:Mail \d+  )?\d+ here  \d\d:\d\d UTC$")
_HOUSE_BANNER: Final = re.compile(r"^Node (\d{1,4}) of \d{1,4}, (?:telnet|ssh|rlogin), \d+x\d+ [-\w]+ (?:ANSI|plain)$")
_HOUSE_NAME: Final = re.compile(r"^\S{3} .* \S{3}$")


def board_facts(screen: LiveScreen) -> dict[str, Any]:
    """The node, from a banner or the header of a menu.

    The time at the prompt of Synchronet's menu is left out: for some accounts it is what is left, for others what is
    used.
    """
    said = Said()
    said.tell("node", _banner(screen) or _menu(screen))
    return said.fields()


def _banner(screen: LiveScreen) -> str | None:
    rows = screen.rows()
    for at in range(1, len(rows)):
        found = _SYNCHRONET_BANNER.match(rows[at])
        if found is not None and _BEFORE_BANNER.match(rows[at - 1]):
            return found[1]
    for at in range(1, min(len(rows), _HEADER_ROWS)):
        found = _HOUSE_BANNER.match(rows[at])
        if found is not None and _HOUSE_NAME.match(rows[at - 1]):
            return found[1]
    return None


def _menu(screen: LiveScreen) -> str | None:
    """Only at the prompt of the menu itself: everywhere else such a row could be somebody's text."""
    if live_prompt(_MAIN, screen) is None:
        return None
    for row in screen.above[:_HEADER_ROWS]:
        found = _SYNCHRONET_MENU.search(row) or _HOUSE_MENU.search(row)
        if found is not None:
            return found[1]
    return None
