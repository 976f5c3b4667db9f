"""Starlane, the house's door game: its prompts, and what it says of the pilot.

Its screens are lines that begin with a label in nine columns, and a line that goes on does so under its text. Its
prompts name what they take: `(A/B) [A]?` one key, `(0-20) [20]?` a number and Enter, `(up to 24 characters):` a line.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, Final

from bbs_gym.readers.board import HIT_A_KEY
from bbs_gym.readers.figures import Said
from bbs_gym.readers.known_prompt import KnownPrompt, Wants, live_prompt
from bbs_gym.readers.live_screen import LiveScreen

_FIGURE: Final = r"\d[\d,]*"
_RANGE: Final = rf" \({_FIGURE}-{_FIGURE}\)(?: \[{_FIGURE}\])?\?\s*[\d,]*$"
_KEY: Final = r"\) \[[A-Z]\]\?\s*$"


def _menu(name: str, begins: str, hint: str = "") -> KnownPrompt:
    return KnownPrompt(name=name, pattern=rf"^{begins}.*{_KEY}", wants=Wants.KEY, safe=True, hint=hint)


STARLANE_PROMPTS: Final = (
    KnownPrompt(
        name="starlane-command",
        pattern=r"^Command \(\?=Help\)\?\s*\d{0,9}$",
        wants=Wants.KEY_OR_NUMBER,
        safe=True,
        shared=True,
        hint="The number of a sector flies there, a turn a lane.",
    ),
    KnownPrompt(
        name="starlane-offer",
        pattern=rf"^Your offer, 0 walks away{_RANGE}",
        wants=Wants.NUMBER,
        safe=False,
        hint="Credits for the whole lot. Enter alone agrees to what the port asks.",
    ),
    KnownPrompt(
        name="starlane-last-word",
        pattern=r"^(?:Pay|Take) [\d,]+, the port's last word \(Y/N\) \[Y\]\?\s*$",
        wants=Wants.YES_NO,
        safe=False,
    ),
    KnownPrompt(
        name="starlane-quit",
        pattern=r"^Leave the game \(Y/N\) \[N\]\?\s*$",
        wants=Wants.YES_NO,
        safe=False,
        hint="Yes leaves the game; the ship stays where it is.",
    ),
    KnownPrompt(
        name="starlane-instructions",
        pattern=r"^Do you want instructions \(Y/N\) \[N\]\?\s*$",
        wants=Wants.YES_NO,
        safe=True,
        shared=True,
    ),
    _menu("starlane-port", "Port: ", "I, G and T trade a good; Q leaves."),
    _menu("starlane-computer", "Computer: ", "X leaves."),
    _menu("starlane-yard", r"Yard and bank \(", "Q leaves."),
    _menu("starlane-radio", "Radio: ", "Q leaves."),
    _menu("starlane-alliances", "Alliances: ", "Q leaves."),
    _menu("starlane-bounties", "Bounties: ", "Q leaves."),
    _menu("starlane-log", "Log: ", "Q leaves."),
    KnownPrompt(
        name="starlane-fighters",
        pattern=r"^(?:Fighters (?:against .{1,200}; 0 for none|to send, 0 for none)|How many shall stand here)"
        + _RANGE,
        wants=Wants.NUMBER,
        safe=False,
    ),
    KnownPrompt(
        name="starlane-number",
        pattern=rf"\S{_RANGE}",
        wants=Wants.NUMBER,
        hint="Enter alone takes the number in brackets, if there is one.",
    ),
    KnownPrompt(name="starlane-yes-no", pattern=r"\S \(Y/N\) \[[YN]\]\?\s*$", wants=Wants.YES_NO),
    KnownPrompt(
        name="starlane-key",
        pattern=rf"\S.*{_KEY}|\(.*Enter=nothing\)\?\s*$",
        wants=Wants.KEY,
        hint="Enter takes the key in brackets.",
    ),
    KnownPrompt(
        name="starlane-text",
        pattern=r"^\S.* \(up to \d+ characters\)(?: \[.*\])?:(?: |$)",
        wants=Wants.LINE,
        hint="Enter alone thinks better of it.",
    ),
    KnownPrompt(
        name="starlane-more",
        pattern=r"^\[More\]\s*$",
        wants=Wants.ANY_KEY,
        safe=True,
        hint="Any key shows the next screen; Q shows no more of it.",
    ),
    HIT_A_KEY,
)
"""In order: the first that fits is it."""

_HANG: Final = " " * 9
_SECTOR_TITLE: Final = re.compile(r"^Sector (\d{1,7}), [^:]*$")
_LABEL: Final = re.compile(r"^(?:Port|Planet|Ship|Thorn|Picket|Lanes) {2,6}\S")
_NEIGHBOURS: Final = tuple(
    (re.compile(upper), re.compile(lower))
    for upper, lower in (
        (r"^S T A R L A N E$", r"^Trade, planets and war among "),
        (r"^Lanes    \(?\d", r"^(?:You|Shield|Landed|Docked) {3,6}\S"),
        (r"^(?:Shield|Landed|Docked)   \S", r"^You      \d"),
        (r"^Day      \d", r"^Sector   \d"),
        (r"^Money    \d", r"^(?:Holds|Ship) {4,5}\d"),
        (r"^Record   \d", r"^Charted  \d"),
        (r"^Commands: one key each$", r"^D  \S"),
        (r"^F  \S.* Q  \S", r"^Flying, docking, landing and attacking"),
    )
)
"""A row of a screen, and the one below it."""

_YOU: Final = re.compile(rf"^You      ({_FIGURE}) turns?, ({_FIGURE}) credits?, (.*)$")
_FIGHTERS_AND_HOLDS: Final = re.compile(rf"^({_FIGURE}) fighters?, holds ({_FIGURE}): (.*)$")
_FREE_HOLDS: Final = re.compile(rf"^({_FIGURE}) free holds?$")
_IN_HOLDS: Final = re.compile(rf"([a-z]{{2,20}}) ({_FIGURE})(?:, |$)|({_FIGURE}) free$")
_ROWS: Final = (
    (re.compile(rf"^Day      {_FIGURE}, ({_FIGURE}) turns? left today$"), ("turns",)),
    (re.compile(r"^Sector   (\d{1,7})$"), ("sector",)),
    (re.compile(rf"^Money    ({_FIGURE}) credits? aboard, {_FIGURE} in the .*bank$"), ("credits",)),
    (re.compile(rf"^Fighters ({_FIGURE}) aboard$"), ("fighters",)),
    (
        re.compile(rf"^Ship     ({_FIGURE}) fighters?, holds ({_FIGURE}), ({_FIGURE}) free$"),
        ("fighters", "holds", "free_holds"),
    ),
    (re.compile(rf"^Welcome back, .*\. It is day {_FIGURE}; you have ({_FIGURE}) turns?\.$"), ("turns",)),
    (re.compile(rf"^You own {_FIGURE} credits? in all.*\. ({_FIGURE}) turns? left today\.$"), ("turns",)),
)
_HOLDS: Final = re.compile(rf"^Holds    ({_FIGURE}): (.*)$")
_NO_TURNS: Final = re.compile(r"^You have no turns left today;")
_LEFT: Final = re.compile(r"^Goodbye, .{1,40}\.$")
_DEAL: Final = re.compile(r"^(?:A deal\.|Done!|Shake on it\.|You drive a fair bargain\.) You have (?:bought|sold) ")


def starlane_shown(screen: LiveScreen) -> bool:
    """Something on the screen is laid out as nothing but this game does it: neighbour rows of one of its screens, or a
    prompt of the game that was answered right above."""
    rows = _whole_lines(screen)
    if any(upper.match(row) and lower.match(below) for row, below in pairwise(rows) for upper, lower in _NEIGHBOURS):
        return True
    answered = LiveScreen((), re.sub(r"(\?) [A-Z\d]+$", r"\1", screen.nearest), waits=True)
    found = live_prompt(STARLANE_PROMPTS, answered)
    return found is not None and not found.shared


def starlane_facts(screen: LiveScreen) -> dict[str, Any]:
    """What the game says last: sector, turns, credits, fighters, holds and cargo."""
    said = Said()
    rows = _whole_lines(screen)
    for row, below in pairwise((*rows, "")):
        title = _SECTOR_TITLE.match(row)
        if title is not None and _LABEL.match(below):
            said.tell("sector", title[1])
        for pattern, names in _ROWS:
            found = pattern.match(row)
            if found is not None:
                for name, figure in zip(names, found.groups(), strict=True):
                    said.tell(name, figure)
        _you(row, said)
        if _NO_TURNS.match(row):
            said.tell("turns", 0)
        if _DEAL.match(row):
            said.forget("credits", "free_holds")
            said.cargo.clear()
    return said.fields()


def _you(row: str, said: Said) -> None:
    """The line of the pilot's own ship, of a sector or of the board of a port; or the holds of the ship screen."""
    holds = _HOLDS.match(row)
    if holds is not None:
        _in_holds(holds[1], holds[2], said)
    you = _YOU.match(row)
    if you is None:
        return
    ship, free = _FIGHTERS_AND_HOLDS.match(you[3]), _FREE_HOLDS.match(you[3])
    if ship is None and free is None:
        return
    said.tell("turns", you[1])
    said.tell("credits", you[2])
    if ship is not None:
        said.tell("fighters", ship[1])
        _in_holds(ship[2], ship[3], said)
    if free is not None:
        said.tell("free_holds", free[1])


def _in_holds(holds: str, text: str, said: Said) -> None:
    said.tell("holds", holds)
    said.cargo.clear()
    for good, amount, free in _IN_HOLDS.findall(text):
        if good:
            said.load(good, amount)
        else:
            said.tell("free_holds", free)


def _whole_lines(screen: LiveScreen) -> list[str]:
    """The rows since the game was entered, each with those in which it goes on under its text."""
    lines: list[str] = []
    for row in screen.rows():
        if lines and row.startswith(_HANG) and lines[-1][:1].isupper():
            lines[-1] += f" {row.strip()}"
        else:
            lines.append(row)
    left = max((at for at, line in enumerate(lines) if _LEFT.match(line)), default=-1)
    return lines[left + 1 :]
