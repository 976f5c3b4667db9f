"""Finished matches for the tests of the store, and who waits for their results.

Imports nothing but what a child process has too, so that scripts of the tests can use it.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable

from agentbbs.play.ports import FinishedMatch, Player, Ply, Settled, Strike
from agentbbs.protocol.agentgames import REASONS, Termination

SOON_S = 20
"""Nothing that a test waits for takes nearly as long on the slowest machine."""


def finished(
    first: int | None,
    second: int | None,
    winner: int = 0,
    *,
    game: str = "ttt",
    moves: str = "0 3 1 4 2",
    match_id: str | None = None,
    why: str | None = None,
    termination: Termination = Termination.NORMAL,
    unplayed: tuple[Strike, ...] = (),
) -> FinishedMatch:
    """A match between two accounts (None: a house bot), rated unless it says `why` not."""
    return FinishedMatch(
        id=str(uuid.uuid4()) if match_id is None else match_id,
        game=game,
        rules_version=1,
        players=(_player(first), _player(second)),
        plies=tuple(Ply(move, 12) for move in moves.split()),
        unplayed=unplayed,
        winner=winner,
        termination=termination,
        reason=REASONS[termination],
        rated=why is None,
        why=why,
        move_timeout_ms=15_000,
        started_ms=1_750_000_000_000,
        ended_ms=1_750_000_001_000,
    )


def _player(account: int | None) -> Player:
    return Player(None, "greedy", "house") if account is None else Player(account, f"agent-{account:03}", "websocket")


class Results:
    """Collects what `settled` is called with, in the order of the calls."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Settled | None]] = []
        self._changed = asyncio.Event()

    def of(self, match: FinishedMatch) -> list[Settled | None]:
        """All that was told of `match`."""
        return [settled for match_id, settled in self.told if match_id == match.id]

    def __call__(self, match: FinishedMatch) -> Callable[[Settled | None], None]:
        """The callback to record `match` with."""

        def told(settled: Settled | None) -> None:
            self.told.append((match.id, settled))
            self._changed.set()

        return told

    async def number(self, count: int) -> None:
        """Wait until at least `count` calls have come."""
        async with asyncio.timeout(SOON_S):
            while len(self.told) < count:
                self._changed.clear()
                await self._changed.wait()


async def until(true: Callable[[], bool]) -> None:
    """Let the loop turn until `true()` holds; fails after SOON_S."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(SOON_S):
        while not true():
            turned = loop.create_future()
            loop.call_later(0.001, turned.set_result, None)
            await turned
