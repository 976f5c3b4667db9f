"""One caller's terminal, as everything behind the menu uses it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentbbs.hub import chooser, composer, pager, prompts
from agentbbs.hub.keys import Key
from agentbbs.hub.terminal import Terminal
from agentbbs.hub.text import Text

__all__ = ["Caller", "Key"]


class Caller(Terminal):
    """Shows text, and asks.

    `Caller(line, clock=…, idle_limit_s=…)` in a running event loop; then `await caller.detect()` once, and in the end
    `close()`. Used by one task at a time, but `post` and `nudge`. Whatever is shown is made inert. Notices that were
    posted show up above whatever is asked here; a plain `key` keeps them back. Each method that waits raises LineGone
    when the line is gone.
    """

    async def hotkey(self, choices: str, *, default: str | None = None) -> str:
        """Wait for one of the characters `choices`: in upper case, echoed, and the line ended. Enter is `default`, and
        other keys are ignored. Show the prompt with `write` before."""
        return await prompts.hotkey(self, choices, default=default)

    async def ask(
        self, prompt: Text, *, max_chars: int = 60, mask: bool = False, initial: str = "", strip: bool = True
    ) -> str | None:
        """A line of input that can be edited; None for Escape or ctrl-c. With `mask` it shows as stars."""
        return await prompts.ask(self, prompt, max_chars=max_chars, mask=mask, initial=initial, strip=strip)

    async def yes_no(self, prompt: Text, *, default: bool) -> bool:
        """Y or N; Enter is `default`, Escape is no."""
        return await prompts.yes_no(self, prompt, default=default)

    async def pause(self) -> Key:
        """Wait for any key."""
        return await prompts.pause(self)

    async def show(self, texts: Iterable[Text]) -> bool:
        """Each text on a line of its own (or more, wrapped), a screen at a time. False if the reader quit."""
        return await pager.show(self, texts)

    async def choose(self, prompt: Text, items: Sequence[Text]) -> int | None:
        """The index of the item that the caller chooses from a list; None if none. An item takes one row."""
        return await chooser.choose(self, prompt, items)

    async def compose(
        self, title: str, *, initial: str = "", max_lines: int = 200, max_chars: int = 20_000
    ) -> str | None:
        """A text of many lines, its paragraphs unwrapped, joined by LF; None if it was given up or is empty."""
        return await composer.compose(self, title, initial=initial, max_lines=max_lines, max_chars=max_chars)
