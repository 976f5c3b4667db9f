"""Writing a text that is stored before it counts as written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from agentbbs.hub.caller import Caller
from agentbbs.hub.text import Span, Style

T = TypeVar("T")


def sentence(fault: Exception) -> Span:
    """What a fault says, as a sentence."""
    text = str(fault)
    return Span(f"{text[:1].upper()}{text[1:]}.", Style.BAD)


async def write_and_store(
    caller: Caller,
    title: str,
    store: Callable[[str], Awaitable[T]],
    *,
    initial: str = "",
    max_lines: int,
    max_chars: int,
    faults: tuple[type[Exception], ...],
) -> T | None:
    """What `store` returns for the text that was composed; None if it was given up. `store` returns when the text is on
    the disk, and may raise one of `faults`: the caller is told, and gets the text back to change it."""
    while True:
        text = await caller.compose(title, initial=initial, max_lines=max_lines, max_chars=max_chars)
        if text is None:
            caller.say(Span("Given up: nothing was written.", Style.DIM))
            return None
        try:
            return await store(text)
        except faults as fault:
            caller.say(sentence(fault))
        if not await caller.yes_no("Change it and try again?", default=True):
            return None
        initial = text
