"""The prompts of the game, as text: which one is open, and what it is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from typing import Final

import msgspec


class At(Enum):
    """What the game waits for."""

    COMMAND = "the command prompt"
    PORT = "the port's menu"
    YARD = "the yard's menu"
    COMPUTER = "the computer's menu"
    LOG = "the log's menu"
    GROUND = "a planet's menu"
    BARRED = "the choice before a picket"
    NUMBER = "a number"
    CONFIRM = "yes or no"
    KEY = "a key"
    TEXT = "a text"
    MORE = "the next page"


OTHERS: Final = "*** "
"""What a notice begins with: the words in it may be those of another pilot, and look like anything."""
_INDENT: Final = " " * len(OTHERS)
"""Of the rows that follow of a notice that was too long for one."""


class Prompt(msgspec.Struct, frozen=True):
    """A prompt that is open."""

    at: At
    text: str
    """All of its line."""


_PROMPTS: Final = (
    (At.COMMAND, re.compile(r"Command \(\?=Help\)\? ")),
    (At.PORT, re.compile(r"Port: .*\(.*\) \[Q\]\? ")),
    (At.YARD, re.compile(r"Yard and bank \(.*\) \[Q\]\? ")),
    (At.COMPUTER, re.compile(r"Computer: .*\(.*\) \[X\]\? ")),
    (At.LOG, re.compile(r"Log: .*\(.*\) \[Q\]\? ")),
    (At.GROUND, re.compile(r"Planet: .*\(.*\) \[Q\]\? ")),
    (At.BARRED, re.compile(r".*S=Stay here \(.*\) \[S\]\? ")),
    (At.NUMBER, re.compile(r".* \(\d+-\d+\)(?: \[\d+\])?\? ")),
    (At.CONFIRM, re.compile(r".* \(Y/N\) \[[YN]\]\? ")),
    (At.TEXT, re.compile(r".* \(up to \d+ characters\)(?: \[.*\])?: ")),
    (At.MORE, re.compile(r"\[(?:More|Hit a key)\] ")),
    (At.KEY, re.compile(r".*(?:\([A-Z](?:/[A-Z?])+\)(?: \[[A-Z]\])?|, Enter=nothing\)|\(Enter=nothing\))\? ")),
)
_RANGE: Final = re.compile(r".* \((\d+)-(\d+)\)(?: \[\d+\])?\? ")
_ESCAPE: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[@-Z\\-_])")
"""ECMA-48 control sequences: a far side may colour what it sends."""


def prompt_at_end(text: str) -> Prompt | None:
    """The prompt that the text ends in, if it ends in one."""
    line = plain(text).rpartition("\n")[2]
    if line.startswith(OTHERS):  # and has not come whole yet
        return None
    for at, pattern in _PROMPTS:
        if pattern.fullmatch(line):
            return Prompt(at, line)
    return None


def of_the_game(lines: Sequence[str]) -> list[str]:
    """The lines that are the game's own, without notices."""
    own = []
    noticed = False
    for line in lines:
        noticed = line.startswith(OTHERS) or (noticed and line.startswith(_INDENT))
        if not noticed:
            own.append(line)
    return own


def highest(prompt: Prompt) -> int:
    """The highest number that a prompt for a number takes."""
    found = _RANGE.fullmatch(prompt.text)
    if found is None:
        raise ValueError(f"{prompt.text!r} asks for no number")
    return int(found[2])


def plain(text: str) -> str:
    """The text without colours, bells and carriage returns."""
    return _ESCAPE.sub("", text).replace("\r", "").replace("\a", "")
