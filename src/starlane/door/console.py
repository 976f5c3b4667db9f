"""What the dialogues of the door need of a terminal: lines out, answers to prompts in. `door.terminal` is the real one.

The rules of every prompt:
* A prompt is shown once and stays on its line while it is answered; help or notices come above a fresh copy of it.
* What was typed before a prompt was shown is never an answer to it. (On input that is no terminal there is no before:
  keys are taken in their order, and one Enter right after a hotkey belongs to the hotkey.)
* Hotkeys act at once, in either case; a key that is none gets a short word on what is possible, and the prompt again.
* Fields show their range and their default, take Enter, Backspace and Ctrl-U, and Escape or Ctrl-C empties them.
* While nothing has been typed into the prompt, notices may appear above it. Never once something has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from starlane.door.styles import Line


class HungUp(Exception):
    """The caller is gone: end of input, a hang-up, or a signal. Nothing can be shown any more."""


class TimeUp(Exception):
    """The time that the board gave this call is over."""


class Console(Protocol):
    """A caller's terminal. Every method that reads raises HungUp and TimeUp."""

    idle: Callable[[], Sequence[Line]]
    """Assign to it. Asked for notices before each prompt, and about once a second while nothing is typed into one; what
    it raises comes out of the prompt."""

    @property
    def columns(self) -> int:
        """Its width, at least 40; 80 where it does not say."""

    @property
    def rows(self) -> int:
        """Its height, at least 10; 24 where it does not say."""

    def show(self, *lines: Line) -> None:
        """Write lines, each wrapped at words to the width; an empty one is a blank line. A screen longer than the
        terminal stops at each page with `[More] ` until a key comes (Q skips the rest)."""

    def clear(self) -> None:
        """Clear the screen; a plain terminal gets a blank line."""

    def key(self, prompt: Line, keys: Sequence[str], *, default: str = "") -> str:
        """One of `keys`, upper case; Enter gives `default`, or "" without one. The key is echoed."""

    def command(self, prompt: Line, keys: Sequence[str]) -> str | int:
        """As `key`, and a digit begins a number that is typed to its Enter; an empty answer is ""."""

    def number(self, prompt: str, low: int, high: int, default: int | None = None) -> int | None:
        """A whole number from `low` to `high`, shown as `prompt (low-high) [default]? `. Enter gives the default; an
        empty answer without one is None. Anything else is explained and asked again."""

    def text(self, prompt: str, max_chars: int, *, default: str = "") -> str:
        """A line of text, stripped and inert, cut at `max_chars` as it is typed; Enter alone gives `default`."""

    def confirm(self, prompt: str, *, default: bool = False) -> bool:
        """Y or N, shown as `prompt (Y/N) [N]? `."""

    def pause(self) -> None:
        """`[Hit a key] `."""
