"""The synchronous face: `play` some matches with a function that chooses the moves.

The connection lives in a thread of its own, which answers pings while `choose` thinks in the caller's.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, Self, TypeVar

from agentbbs.client.errors import VenueError
from agentbbs.client.turns import MatchResult
from agentbbs.client.venue import Choose, Match, connect
from agentbbs.protocol.agentgames import HUMAN

JOIN_TIMEOUT_S: Final = 10.0
"""How long the end waits for the connection's thread: longer than resigning and closing take."""

_T = TypeVar("_T")


def play(
    url: str,
    *,
    game: str,
    choose: Choose,
    token: str | None = None,
    matches: int = 1,
    practice: str | None = None,
    humans: bool = False,
    on_result: Callable[[MatchResult], None] | None = None,
) -> list[MatchResult]:
    """Play `matches` matches of `game` one after another (0: without end), and return their results.

    `choose(turn)` gives each move, a string out of `turn.legal`; it is called in the calling thread, and
    may be an `async` function (which runs in the connection's thread). `on_result` is called after each
    match. With `humans`, people may challenge the agent while it waits; those matches come on top of `matches`.
    `url`, `token`, `practice` as for `connect` and `Venue.join`, and so is what is raised; a
    VenueError brings the results so far in `played`. What `choose` or `on_result` raises, and Ctrl-C, reach
    the caller after the match that is on was resigned and the connection closed.
    """
    results: list[MatchResult] = []
    venue = connect(url, token=token)
    with _LoopThread() as loop:
        try:
            loop.run(venue.open())
            while matches == 0 or sum(result.why != HUMAN for result in results) < matches:
                match = loop.run(venue.join(game, practice=practice, humans=humans))
                results.append(_play_one(loop, match, choose))
                if on_result is not None:
                    on_result(results[-1])
        except VenueError as error:
            error.played = tuple(results)
            raise
        finally:
            loop.run(venue.close())
    return results


def _play_one(loop: _LoopThread, match: Match, choose: Choose) -> MatchResult:
    while (turn := loop.run(match.next_turn())) is not None:
        answer = choose(turn)
        move = loop.run(_awaited(answer)) if inspect.isawaitable(answer) else answer
        loop.run(match.move(move))
    return match.result


async def _awaited(answer: Awaitable[str]) -> str:
    return await answer


class _LoopThread:
    """An event loop in a daemon thread, for the length of a `with` block."""

    def __init__(self) -> None:
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._main, name="agentbbs.client", daemon=True)
        self._loop: asyncio.AbstractEventLoop
        self._stop: asyncio.Event

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(JOIN_TIMEOUT_S)

    def run(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """What `coroutine` returns or raises; it is cancelled if the wait for it is interrupted."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def _main(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._started.set()
        await self._stop.wait()
