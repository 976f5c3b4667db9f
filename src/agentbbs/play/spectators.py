"""Watching: each match's messages for any number of onlookers, none of whom can slow the match.

A subscription is a bounded queue; when its reader falls behind, the oldest messages are dropped and
counted, since a newer position makes them worthless.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

from agentbbs.games.game import NOBODY
from agentbbs.play.match import Match
from agentbbs.protocol.codec import encode
from agentbbs.protocol.watching import Watching

MAX_QUEUED_MESSAGES: Final = 64
"""What one onlooker may lag behind: more than any match of the catalog has positions in a burst."""


class Subscription:
    """One onlooker's queue of encoded messages. Iterate it; it ends when the match does."""

    def __init__(self, max_messages: int = MAX_QUEUED_MESSAGES) -> None:
        self.dropped = 0
        self._messages: deque[bytes] = deque(maxlen=max_messages)
        self._news = asyncio.Event()
        self._ended = False

    def put(self, message: bytes) -> None:
        """Queue `message`; drops and counts the oldest when the queue is full."""
        if len(self._messages) == self._messages.maxlen:
            self.dropped += 1
        self._messages.append(message)
        self._news.set()

    def end(self) -> None:
        """No more messages will come; those queued are still read."""
        self._ended = True
        self._news.set()

    def __aiter__(self) -> Subscription:
        return self

    async def __anext__(self) -> bytes:
        while not self._messages:
            if self._ended:
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        return self._messages.popleft()


class Audience:
    """Who watches which match."""

    def __init__(self) -> None:
        self._watching: dict[str, set[Subscription]] = {}

    def __contains__(self, match_id: object) -> bool:
        """Whether anybody watches that match: asked before a message is made for nobody."""
        return match_id in self._watching

    def count(self) -> int:
        """How many onlookers there are."""
        return sum(map(len, self._watching.values()))

    def join(self, match_id: str, max_messages: int = MAX_QUEUED_MESSAGES) -> Subscription:
        """Start to watch; leave with `leave`."""
        subscription = Subscription(max_messages)
        self._watching.setdefault(match_id, set()).add(subscription)
        return subscription

    def watch(self, match: Match, now: float) -> Subscription:
        """Start to watch a match that is on, with how it stands at time `now` as the first two messages."""
        subscription = self.join(match.id)
        subscription.put(encode(_watching(match)))
        subscription.put(encode(match.state(NOBODY, now)))
        return subscription

    def leave(self, match_id: str, subscription: Subscription) -> None:
        """Stop to watch."""
        watching = self._watching.get(match_id)
        if watching is not None:
            watching.discard(subscription)
            if not watching:
                del self._watching[match_id]

    def publish(self, match_id: str, message: bytes) -> None:
        """Give `message` to all who watch that match."""
        for subscription in self._watching.get(match_id, ()):
            subscription.put(message)

    def end(self, match_id: str) -> None:
        """The match is over: its onlookers read what is queued, then end."""
        for subscription in self._watching.pop(match_id, ()):
            subscription.end()


def _watching(match: Match) -> Watching:
    return Watching(
        match=match.id,
        game=match.game.id,
        players=(match.players[0].name, match.players[1].name),
        move_timeout_ms=match.move_timeout_ms,
        rated=match.why_unrated is None,
        moves=tuple(ply.move for ply in match.plies),
    )
