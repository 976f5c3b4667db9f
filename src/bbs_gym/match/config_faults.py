"""What is wrong with one field of a match's settings."""

from __future__ import annotations

from typing import Final

import msgspec

from tty_agent.terminal.inert import inert

MAX_SHOWN_CHARS: Final = 60
"""Of a value: a fault is one line."""


class Fault(msgspec.Struct, frozen=True):
    """One wrong field. Its text is the line that people get."""

    place: str
    """`participants[0].node`."""
    wrong: str
    """What it is, with the value."""
    remedy: str

    def __str__(self) -> str:
        """`participants[0].node is 0: give a number from 1`."""
        return f"{self.place} {self.wrong}: {self.remedy}"


def shown(value: object) -> str:
    """A value as a fault quotes it: as JSON where it is such, cut, inert."""
    try:
        text = msgspec.json.encode(value).decode()
    except (TypeError, ValueError):
        text = repr(value)
    return inert(text, max_chars=MAX_SHOWN_CHARS)
