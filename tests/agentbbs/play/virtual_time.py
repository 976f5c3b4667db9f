"""An event loop whose clock is the test's: it jumps to the next timer instead of waiting for it.

Computing takes no time on this clock, so that every ms in a dialogue is exact and half a minute of
idleness costs nothing. A test that waits for what can't come fails at once: nothing would ever happen.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _NoWaiting(selectors.DefaultSelector):
    """Looks at the files that are ready and never waits; the time it should have waited just passes."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 1000.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready:
            if timeout is None:
                raise RuntimeError("the test waits for something that can never happen")
            self.now_s += max(0.0, timeout)
        return ready


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """The loop; `faults` are the exceptions that callbacks raised."""

    def __init__(self) -> None:
        self._no_waiting = _NoWaiting()
        super().__init__(self._no_waiting)
        self.faults: list[BaseException] = []
        self.set_exception_handler(self._keep)

    def time(self) -> float:
        """Seconds; stands still while anything is left to do."""
        return self._no_waiting.now_s

    def _keep(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self.faults.append(context.get("exception") or AssertionError(context["message"]))


def in_virtual_time(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end. Fails if a callback of the loop failed meanwhile."""
    loops: list[VirtualTimeLoop] = []

    def made() -> VirtualTimeLoop:
        loops.append(VirtualTimeLoop())
        return loops[0]

    with asyncio.Runner(loop_factory=made) as runner:
        done = runner.run(work)
    if loops[0].faults:
        raise loops[0].faults[0]
    return done


async def pass_time(seconds: float) -> None:
    """Let the clock run on by `seconds`, and everything happen that falls due meanwhile."""
    await asyncio.sleep(seconds)


async def turn(times: int = 10) -> None:
    """Let the loop turn, while no time passes."""
    for _ in range(times):
        await asyncio.sleep(0)
