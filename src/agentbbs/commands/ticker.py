"""A line on stderr that says how long a wait has been: for people at a terminal alone."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

from tty_agent.terminal.inert import inert

TICK_S: Final = 0.5
"""How often the line is written again."""

_CLEAR_LINE: Final = "\r\x1b[K"


@asynccontextmanager
async def ticking(what: Callable[[], str], *, quiet: bool = False) -> AsyncIterator[Callable[[], None]]:
    """While the body runs, a line with what is waited for and how long it has been; it is gone at the end. The body
    gets a function to call before it prints a line of its own."""
    if quiet or not sys.stderr.isatty():
        yield _nothing
        return
    task = asyncio.create_task(_tick(what))
    try:
        yield _clear
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        _clear()


def _nothing() -> None:
    pass


def _clear() -> None:
    print(_CLEAR_LINE, end="", file=sys.stderr, flush=True)


async def _tick(what: Callable[[], str]) -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    while True:
        print(f"{_CLEAR_LINE}{inert(what())}, {loop.time() - began:.0f} s", end="", file=sys.stderr, flush=True)
        await asyncio.sleep(TICK_S)
