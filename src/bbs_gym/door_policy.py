"""How many agents may be in a door game at a time: a policy of the game, and the gate that keeps it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from enum import StrEnum
from types import MappingProxyType
from typing import Final

TURN_WAIT_S: Final = 3600.0
"""For a serialized door: a whole session of somebody else's, budgets and all, comes first."""


class DoorPolicy(StrEnum):
    """Who may be in."""

    CONCURRENT = "concurrent"
    """Any number: the game locks what it must."""
    SERIALIZED = "serialized"
    """One at a time, the others wait: the game's locks are not known to hold."""
    SINGLE = "single"
    """The game takes one player: a match of several is refused unless forced."""


DOOR_POLICIES: Final[Mapping[str, DoorPolicy]] = MappingProxyType(
    {
        "bre": DoorPolicy.SERIALIZED,
        "starlane": DoorPolicy.CONCURRENT,
        "tele-arena": DoorPolicy.CONCURRENT,
        "tw2": DoorPolicy.CONCURRENT,
        "tw2002": DoorPolicy.CONCURRENT,
    }
)
"""By game, in lower case."""


class DoorRefused(Exception):
    """The door takes no more; the text says why, and what to do. Infrastructure, never an agent's fault."""


def policy_of(game: str, own: Mapping[str, DoorPolicy] = DOOR_POLICIES) -> DoorPolicy:
    """The policy of a game; a game that nobody knows is serialized, which is slow and never wrong."""
    return own.get(game.strip().lower(), DoorPolicy.SERIALIZED)


def check_players(game: str, policy: DoorPolicy, players: int, *, forced: bool = False) -> None:
    """Raise DoorRefused where so many agents are to meet in a door that takes one."""
    if policy is DoorPolicy.SINGLE and players > 1 and not forced:
        raise DoorRefused(f"{game} takes one player, and {players} agents are to play it: take one, or force it")


class DoorGate:
    """The door of one game on one BBS, for one event loop."""

    def __init__(self, game: str, policy: DoorPolicy, *, forced: bool = False) -> None:
        self.game: Final = game
        self.policy: Final = policy
        self._forced = forced
        self._turn = asyncio.Lock()
        self._inside = 0

    @property
    def inside(self) -> int:
        """Who is in."""
        return self._inside

    @asynccontextmanager
    async def stay(self, *, timeout_s: float = TURN_WAIT_S) -> AsyncIterator[None]:
        """One agent's stay, from before it enters to after it left. Raises DoorRefused, at once for a door of one
        player, after `timeout_s` for one of turns."""
        if self.policy is DoorPolicy.SINGLE:
            check_players(self.game, self.policy, self._inside + 1, forced=self._forced)
        turns = self.policy is DoorPolicy.SERIALIZED
        if turns:
            await self._take_turn(timeout_s)
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1
            if turns:
                self._turn.release()

    async def _take_turn(self, timeout_s: float) -> None:
        try:
            async with asyncio.timeout(timeout_s):
                await self._turn.acquire()
        except TimeoutError:
            why = f"{self.game} takes one at a time, and was not free within {timeout_s:g} s: give sessions less time"
            raise DoorRefused(why) from None
