"""Finding one's way through the menus of the game, key by key."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeVar

from starlane.bots.conversation import Conversation
from starlane.bots.prompts import At, highest
from starlane.bots.reader import Unreadable
from starlane.engine.refusal import Refused

T = TypeVar("T")

_QUITS: Final = {At.PORT: "Q", At.YARD: "Q", At.COMPUTER: "X", At.LOG: "Q", At.GROUND: "Q", At.BARRED: "S"}
"""The key that leaves each menu."""
_MAX_MENUS: Final = 6
"""Keys that lead from anywhere to the command prompt at most."""


class Keyboard:
    """Of a conversation that has begun. `pause_s` is waited before each key, for who wants to watch."""

    def __init__(
        self, talk: Conversation, *, pause_s: float = 0.0, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.talk = talk
        self._pause_s = pause_s
        self._sleep = sleep

    @property
    def at(self) -> At:
        """The prompt that is open."""
        return self.talk.prompt.at

    @property
    def shown(self) -> list[str]:
        """The lines since the last key."""
        return self.talk.shown

    def press(self, key: str) -> list[str]:
        """Press a key; what is shown then."""
        self._pause()
        return self.talk.answer(key)

    def type(self, text: str | int) -> list[str]:
        """Type into a field, and Enter; what is shown then."""
        self._pause()
        return self.talk.answer(str(text), enter=True)

    def _pause(self) -> None:
        if self._pause_s:
            self._sleep(self._pause_s)

    def to(self, menu: At) -> None:
        """Be at a menu if it is open; else leave all of them, to the command prompt."""
        for _ in range(_MAX_MENUS):
            if self.at in {menu, At.COMMAND}:
                return
            if self.at not in _QUITS:
                break
            self.press(_QUITS[self.at])
        raise self.talk.lost("No way to the command prompt.")

    def open(self, menu: At, key: str) -> bool:
        """Be at a menu that a key of the command prompt opens; whether that key was pressed for it. Raises Refused with
        what the game says if it does not open."""
        self.to(menu)
        if self.at is menu:
            return False
        self.press(key)
        self.expect(menu)
        return True

    def expect(self, at: At) -> None:
        """Raises Refused with what the game says if another prompt is open."""
        if self.at is not at:
            raise Refused(" ".join(self.shown) or "That can't be done.")

    def amount(self, amount: int) -> list[str]:
        """Answer a prompt for a number. Raises Refused if there is none, or if it takes less; it is left then."""
        self.expect(At.NUMBER)
        most = highest(self.talk.prompt)
        if amount > most:
            self.type(0)
            raise Refused(f"The game takes {most:,} at most.")
        return self.type(amount)

    def read(self, read: Callable[[], T]) -> T:
        """What a reader makes of the screen. Raises HelmLost if it can't be read."""
        try:
            return read()
        except Unreadable as fault:
            raise self.talk.lost(f"This screen is not understood: {fault}.") from fault
