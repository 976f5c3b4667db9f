"""One line of input: keys in, its text out, and the least to send so that the screen shows it. Pure.

What is sent is text, blanks and BS alone, so that it works on every terminal. Characters are counted as code points.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import Final

import msgspec

from agentbbs.hub.keys import Key
from agentbbs.hub.wrapping import width

MASK: Final = "*"
_NO_BASE: Final = "◌"
"""Carries a mark that has nothing before it to join; so Unicode shows it too."""


class Edit(Enum):
    """What a key did."""

    NOTHING = auto()
    CHANGED = auto()
    """Text or cursor."""
    FULL = auto()
    """Nothing, for the line has all the characters that it may."""
    DONE = auto()
    CANCELLED = auto()


class View(msgspec.Struct, frozen=True):
    """What is seen of the line: each character as it shows, with its marks, and which of them the cursor is on."""

    shown: tuple[str, ...] = ()
    cursor: int = 0


class LineEditor:
    """The text, the cursor in it, and how far it is scrolled."""

    def __init__(self, initial: str = "", *, max_chars: int, mask: bool = False) -> None:
        self.text = initial[:max_chars]
        self.cursor = len(self.text)
        """The character that it is on; `len(text)` after the last."""
        self.max_chars: Final = max_chars
        self._mask = mask
        self._scrolled = 0

    def press(self, key: Key) -> Edit:
        """Take a key. Enter ends it; Escape and ctrl-c cancel it."""
        if key.text:
            return self.insert(key.text)
        if key.name == "enter":
            return Edit.DONE
        if key.name in {"escape", "ctrl-c"}:
            return Edit.CANCELLED
        before = self.text, self.cursor
        self._act(key.name)
        return Edit.NOTHING if before == (self.text, self.cursor) else Edit.CHANGED

    def insert(self, text: str) -> Edit:
        """Put characters in at the cursor, as many of them as there is room for."""
        text = text[: max(self.max_chars - len(self.text), 0)]
        if not text:
            return Edit.FULL
        self.text = self.text[: self.cursor] + text + self.text[self.cursor :]
        self.cursor += len(text)
        return Edit.CHANGED

    def view(self, columns: int, fit: Callable[[str], str]) -> View:
        """What shows in `columns` cells, one of which the cursor may take after the last character. `fit` gives what a
        character looks like on the terminal."""
        shown, cursor = self._seen(fit)
        if sum(map(width, shown)) < columns:
            self._scrolled = 0
        if cursor < self._scrolled:
            self._scrolled = max(cursor - columns // 3, 0)
        if sum(map(width, shown[self._scrolled : cursor])) >= columns:
            before = 0
            self._scrolled = cursor
            while self._scrolled and before + width(shown[self._scrolled - 1]) <= columns * 2 // 3:
                self._scrolled -= 1
                before += width(shown[self._scrolled])
        seen: list[str] = []
        for character in shown[self._scrolled :]:
            columns -= width(character)
            if columns < 0:
                break
            seen.append(character)
        return View(tuple(seen), min(cursor - self._scrolled, len(seen)))

    def _seen(self, fit: Callable[[str], str]) -> tuple[list[str], int]:
        """All of it as it shows, marks with the character that they join, and where in it the cursor is."""
        if self._mask:
            return [MASK] * len(self.text), self.cursor
        shown: list[str] = []
        cursor = 0
        for index, char in enumerate(self.text):
            fitted = fit(char)
            if width(fitted):
                shown.append(fitted)
            elif shown:
                shown[-1] += fitted
            else:
                shown.append(_NO_BASE + fitted)
            if index < self.cursor:
                cursor = len(shown)
        return shown, cursor

    def _cut(self, start: int, end: int) -> None:
        self.text = self.text[:start] + self.text[end:]
        self.cursor = start

    def _act(self, name: str) -> None:
        """The keys that write nothing, by the habits of shells and BBSes."""
        at, end = self.cursor, len(self.text)
        match name:
            case "left" | "ctrl-b":
                self.cursor = max(at - 1, 0)
            case "right" | "ctrl-f":
                self.cursor = min(at + 1, end)
            case "home" | "ctrl-a":
                self.cursor = 0
            case "end" | "ctrl-e":
                self.cursor = end
            case "backspace":
                self._cut(max(at - 1, 0), at)
            case "delete" | "ctrl-d":
                self._cut(at, at + 1)
            case "ctrl-u" | "ctrl-x":
                self._cut(0, at if name == "ctrl-u" else end)
            case "ctrl-k":
                self._cut(at, end)
            case "ctrl-w":
                self._cut(self.text[:at].rstrip(" ").rfind(" ") + 1, at)
            case _:
                pass


def redraw(old: View, new: View) -> str:
    """What turns the sight of `old` into that of `new`, the cursor with it."""
    if old.shown == new.shown:
        if new.cursor <= old.cursor:
            return _back(old.shown[new.cursor : old.cursor])
        return "".join(old.shown[old.cursor : new.cursor])
    same = 0
    while same < min(len(old.shown), len(new.shown)) and old.shown[same] == new.shown[same]:
        same += 1
    to = _back(old.shown[same : old.cursor]) if same <= old.cursor else "".join(old.shown[old.cursor : same])
    rest = "".join(new.shown[same:])
    blanks = max(sum(map(width, old.shown[same:])) - width(rest), 0)
    return to + rest + " " * blanks + "\b" * blanks + _back(new.shown[new.cursor :])


def _back(shown: tuple[str, ...]) -> str:
    return "\b" * sum(map(width, shown))
