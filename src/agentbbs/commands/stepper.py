"""Stepping through screens by keys: which key leads where, and the loop around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from agentbbs.commands import output

NEXT: Final = frozenset({"\r", "\n", " ", "n", "l", "\x1b[C", "\x1bOC", "\x1b[B", "\x1bOB"})
BACK: Final = frozenset({"b", "p", "h", "\x7f", "\x08", "\x1b[D", "\x1bOD", "\x1b[A", "\x1bOA"})
FIRST: Final = frozenset({"g", "\x1b[H", "\x1bOH", "\x1b[1~"})
LAST: Final = frozenset({"G", "\x1b[F", "\x1bOF", "\x1b[4~"})
QUIT: Final = frozenset({"q", "Q", "\x1b", "\x04"})

KEYS: Final = "Enter next  b back  g first  G last  q quit"


def step(at: int, key: str, last: int) -> int | None:
    """The screen that `key` leads to from `at`, from 0 to `last`; None to quit. Any other key stays."""
    if key in QUIT:
        return None
    if key in NEXT:
        return min(at + 1, last)
    if key in BACK:
        return max(at - 1, 0)
    if key in FIRST:
        return 0
    return last if key in LAST else at


def walk(screens: Sequence[str], read_key: Callable[[], str]) -> None:
    """Show the first screen, then whichever `read_key` leads to, until it quits or raises EOFError."""
    at: int | None = 0
    while at is not None:
        output.screen(f"{screens[at]}\n\n{KEYS}", redraw=True)
        try:
            key = read_key()
        except EOFError:
            return
        at = step(at, key, len(screens) - 1)
