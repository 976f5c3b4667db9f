"""Telnet options of one side of a line, without the line (RFC 1143): what is on, what was asked for, what to answer.

A client and a server are alike in this, and differ in what they allow and ask for. We never end an option, so WANTNO
and the queue bits of the RFC cannot come up. An option that is not allowed is refused once.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

IAC: Final = 255


class OptionState(Enum):
    """Of one option on one side of the line (RFC 1143, section 7)."""

    NO = 0
    YES = 1
    WANT_YES = 2
    """We asked for it, and no answer came yet."""


class OptionSide:
    """The options of one side of the line, and the two words by which we speak of that side."""

    def __init__(self, allowed: frozenset[int], *, agree: int, refuse: int) -> None:
        self._allowed = allowed
        self._agree = agree
        self._refuse = refuse
        self._states: dict[int, OptionState] = {}
        self._refused: set[int] = set()

    def state(self, option: int) -> OptionState:
        return self._states.get(option, OptionState.NO)

    def on(self, option: int) -> bool:
        return self._states.get(option) is OptionState.YES

    def request(self, option: int) -> bytes:
        """Ask that the option be on; b"" if it is, or was asked for."""
        if self.state(option) is not OptionState.NO:
            return b""
        self._states[option] = OptionState.WANT_YES
        return bytes((IAC, self._agree, option))

    def told_on(self, option: int) -> bytes:
        """The other end said WILL or DO; returns the answer, b"" if none is due."""
        state = self.state(option)
        if state is OptionState.YES:
            return b""
        if state is OptionState.WANT_YES or option in self._allowed:
            self._states[option] = OptionState.YES
            return bytes((IAC, self._agree, option)) if state is OptionState.NO else b""
        if option in self._refused:
            return b""
        self._refused.add(option)
        return bytes((IAC, self._refuse, option))

    def told_off(self, option: int) -> bytes:
        """The other end said WONT or DONT, which is to be obeyed; returns the answer, b"" if none is due."""
        was_on = self.on(option)
        self._states.pop(option, None)
        return bytes((IAC, self._refuse, option)) if was_on else b""
