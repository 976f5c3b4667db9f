"""Prompts answered one by one: a key is pressed when its prompt stands there, and what comes of it is read to the next.

The game drops what was typed before a prompt was shown, and may put notices above an open prompt at any moment, with
the prompt once more below them. So an answer counts as taken when its echo has come behind the prompt.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from starlane.bots.helm import HelmLost
from starlane.bots.line import Line, LineClosed
from starlane.bots.prompts import At, Prompt, of_the_game, plain, prompt_at_end

ANSWER_S: Final = 30.0
"""For the game to answer: far more than it takes on a busy board; a line that is dead ends the bot."""
MAX_SHOWN_CHARS: Final = 400
"""Of a screen that is not understood, for the report."""


class Conversation:
    """With the game over a `Line`. Begins with `begin`; `shown` are the game's own lines since the last answer: what
    others say is left out, so that nobody can put answers into the game's mouth."""

    def __init__(self, line: Line, *, answer_s: float = ANSWER_S, clock: Callable[[], float] = time.monotonic) -> None:
        self._line = line
        self._answer_s = answer_s
        self._clock = clock
        self.prompt = Prompt(At.MORE, "")
        self.shown: list[str] = []

    def begin(self) -> None:
        """Wait for the first prompt."""
        self._read_to_prompt("")

    def answer(self, keys: str, *, enter: bool = False) -> list[str]:
        """Answer the open prompt; what the game has shown then, to the next prompt."""
        self._write(keys + ("\r" if enter else ""))
        self._read_to_prompt(self._after_echo(keys))
        return self.shown

    def last_words(self, keys: str) -> None:
        """Answer the prompt after which the game ends, and wait for that."""
        self._write(keys)
        ends_at = self._clock() + self._answer_s
        while self._clock() < ends_at:
            try:
                self._line.read(0.1)
            except LineClosed:
                return

    def lost(self, reason: str) -> HelmLost:
        """What to raise when the game can't be understood."""
        return HelmLost(f"{reason} At the prompt {self.prompt.text.strip()!r} after: {self._tail()!r}")

    def _tail(self) -> str:
        return " / ".join(self.shown)[-MAX_SHOWN_CHARS:]

    def _write(self, text: str) -> None:
        try:
            self._line.write(text)
        except LineClosed as closed:
            raise self.lost("The line is closed.") from closed

    def _read(self, text: str, deadline: float) -> str:
        """`text` and what comes next."""
        left = deadline - self._clock()
        if left <= 0:
            self.shown = plain(text).splitlines()
            raise self.lost(f"The game shows nothing that is understood for {self._answer_s:.0f} seconds.")
        try:
            return text + self._line.read(min(left, 1.0))
        except LineClosed as closed:
            self.shown = plain(text).splitlines()
            raise self.lost("The game has ended.") from closed

    def _after_echo(self, keys: str) -> str:
        """Read until the answer stands behind its prompt; what came after it."""
        text, deadline = "", self._clock() + self._answer_s
        page = self.prompt.at is At.MORE
        while True:
            shown = plain(text)
            if page and shown.startswith("\n"):
                return shown[1:]
            if not page:
                for echo in (f"{keys}\n", f"\n{self.prompt.text}{keys}\n"):
                    before, found, after = shown.partition(echo)
                    if found and (not before or echo.startswith("\n")):
                        return after
            text = self._read(text, deadline)

    def _read_to_prompt(self, text: str) -> None:
        """Read until a prompt is open, through all pages."""
        pages: list[str] = []
        deadline = self._clock() + self._answer_s
        while True:
            prompt = prompt_at_end(text)
            if prompt is None:
                text = self._read(text, deadline)
                continue
            pages += plain(text).split("\n")[:-1]
            self.prompt = prompt
            if prompt.at is not At.MORE:
                self.shown = of_the_game(pages)
                return
            self._write(" ")
            text = self._after_echo("")
