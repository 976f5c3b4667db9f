"""Stepping through screens by keys: which key leads where, and the loop around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from agentbbs.commands import output
from agentbbs.play import stepping
from agentbbs.play.stepping import Step

NEXT: Final = frozenset({"\r", "\n", " ", "n", "l", "\x1b[C", "\x1bOC", "\x1b[B", "\x1bOB"})
BACK: Final = frozenset({"b", "p", "h", "\x7f", "\x08", "\x1b[D", "\x1bOD", "\x1b[A", "\x1bOA"})
FIRST: Final = frozenset({"g", "\x1b[H", "\x1bOH", "\x1b[1~"})
LAST: Final = frozenset({"G", "\x1b[F", "\x1bOF", "\x1b[4~"})
QUIT: Final = frozenset({"q", "Q", "\x1b", "\x04"})

KEYS: Final = "Enter next  b back  g first  G last  q quit"


_STEPS: Final = {
    key: wanted
    for keys, wanted in ((NEXT, Step.NEXT), (BACK, Step.BACK), (FIRST, Step.FIRST), (LAST, Step.LAST))
    for key in keys
}


def step(at: int, key: str, last: int) -> int | None:
    """The screen that `key` leads to from `at`, from 0 to `last`; None to quit. Any other key stays."""
    if key in QUIT:
        return None
    wanted = _STEPS.get(key)
    return at if wanted is None else stepping.step(at, wanted, last)


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
