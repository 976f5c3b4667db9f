"""A match told to any number of readers: each event is made once, and fanned out to a bounded queue a reader.

A broadcast is on while anybody reads it. It takes one place in the match's audience, whatever the number of its
readers, and nobody waits for anybody: a reader who falls behind misses the oldest positions, and the loop turns
between one share of the readers and the next, so that a thousand of them are no hitch in other matches.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

from agentbbs.play.match import Match
from agentbbs.play.spectators import Audience
from agentbbs.web.live.reader import Event, Reader, event
from agentbbs.web.live.telling import HEARTBEAT, Course, live_over, over_event, state_event

MAX_READERS: Final = 4_000
"""Of all matches together. Each holds a connection, and so a file of the process, for as long as it likes."""

KEPT_EVENTS: Final = 16
"""The positions before the current one that a reader can still be told of: who was gone for a moment misses none."""

READERS_AT_ONCE: Final = 100
"""Told before the loop turns: a few ms of work."""

HEARTBEAT_S: Final = 15.0
"""The longest silence: below the minute after which proxies cut a connection."""


class TooManyReaders(Exception):
    """Nobody else can read along just now."""


class Broadcasts:
    """The broadcasts that are on, one a match that has readers."""

    def __init__(
        self,
        audience: Audience,
        now: Callable[[], float],
        *,
        heartbeat_s: float = HEARTBEAT_S,
        max_readers: int = MAX_READERS,
    ) -> None:
        """`now` is the clock of matches."""
        self._audience = audience
        self._now = now
        self._heartbeat_s = heartbeat_s
        self._max_readers = max_readers
        self._on: dict[str, _Broadcast] = {}
        self._closed = False

    def __contains__(self, match_id: object) -> bool:
        """Whether anybody reads that match."""
        return match_id in self._on

    def __len__(self) -> int:
        """How many readers there are."""
        return sum(len(broadcast.readers) for broadcast in self._on.values())

    def join(self, match: Match, *, after: int | None = None) -> Reader:
        """Read a match that is on, from where it stands; `leave` at the end. Who has read up to ply `after` is told
        what came since, as far as that is kept. Raises TooManyReaders."""
        if self._closed or len(self) >= self._max_readers:
            raise TooManyReaders
        broadcast = self._on.get(match.id)
        if broadcast is None:
            broadcast = _Broadcast(match, self._audience, self._now, self._heartbeat_s)
            self._on[match.id] = broadcast
            broadcast.task.add_done_callback(lambda _: self._ended(match.id, broadcast))
        return broadcast.join(after)

    def leave(self, match_id: str, reader: Reader) -> None:
        """Read no more. The last one ends the broadcast."""
        reader.end()
        broadcast = self._on.get(match_id)
        if broadcast is None:
            return
        broadcast.readers.discard(reader)
        if not broadcast.readers:
            del self._on[match_id]
            broadcast.task.cancel()

    async def close(self) -> None:
        """End every broadcast; readers are told what is queued for them."""
        self._closed = True
        tasks = [broadcast.task for broadcast in self._on.values()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _ended(self, match_id: str, broadcast: _Broadcast) -> None:
        if self._on.get(match_id) is broadcast:
            del self._on[match_id]
        broadcast.end()
        if not broadcast.task.cancelled():
            broadcast.task.result()


class _Broadcast:
    """One match, told as it goes on."""

    def __init__(self, match: Match, audience: Audience, now: Callable[[], float], heartbeat_s: float) -> None:
        self.readers: set[Reader] = set()
        self._match = match
        self._audience = audience
        self._now = now
        self._heartbeat_s = heartbeat_s
        self._course = Course(match, last=KEPT_EVENTS)
        self._kept: deque[tuple[int, Event]] = deque(maxlen=KEPT_EVENTS)
        self._news()
        self._feed = audience.join(match.id)
        self.task = asyncio.create_task(self._run())

    def join(self, after: int | None) -> Reader:
        """One more reader."""
        current = self._course.current(self._now())
        reader = Reader()
        if after is not None:
            for ply, told in self._kept:
                if after < ply < current.ply:
                    reader.put(told)
        reader.put(event(state_event(current)))
        self.readers.add(reader)
        return reader

    def end(self) -> None:
        """Leave the audience, and let readers go."""
        self._audience.leave(self._match.id, self._feed)
        for reader in self.readers:
            reader.end()

    def _news(self) -> list[Event]:
        events = []
        for state in self._course.news(self._now()):
            events.append(event(state_event(state)))
            self._kept.append((state.ply, events[-1]))
        return events

    async def _run(self) -> None:
        while await self._moved_on():
            for told in self._news():
                await self._tell(told)
        if self._match.finished is not None:
            for told in (*self._news(), event(over_event(live_over(self._match.finished)))):
                await self._tell(told)

    async def _moved_on(self) -> bool:
        """Wait until something has happened; False once the match is over. Silence is filled with heartbeats."""
        while True:
            try:
                async with asyncio.timeout(self._heartbeat_s):
                    await anext(self._feed)
            except StopAsyncIteration:
                return False
            except TimeoutError:
                await self._tell(event(HEARTBEAT))
            else:
                return True

    async def _tell(self, told: Event) -> None:
        for number, reader in enumerate(tuple(self.readers), start=1):
            reader.put(told)
            if number % READERS_AT_ONCE == 0:
                await asyncio.sleep(0)
