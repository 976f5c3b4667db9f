"""A conversation on a connection, kept up by a task that reads while the agent thinks.

The task answers pings, sees a loss at once, takes the seat back where the venue allows that, and puts
what happened into a queue. It needs the event loop to turn: thinking belongs into a thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Final, Self

from agentbbs.client.connection import Carrier, Dial
from agentbbs.client.conversation import Conversation, Phase
from agentbbs.client.errors import Unintelligible, VenueError
from agentbbs.client.events import Closed, Event, Noted, Unacknowledged

MAX_EVENTS: Final = 64
"""Events that wait for the agent. A match brings one at a time; a venue that floods is not read further."""

_log: Final = logging.getLogger("agentbbs.client")


class Line:
    """Make it with `dial`, take events with `next`, and `hang_up` in the end."""

    def __init__(self, dial: Dial, connection: Carrier) -> None:
        self.talk = Conversation()
        self._dial = dial
        self._connection = connection
        self._events: asyncio.Queue[Event] = asyncio.Queue(MAX_EVENTS)
        self._reader = asyncio.create_task(self._run(), name="agentbbs.client reader")

    @classmethod
    async def dial(cls, dial: Dial) -> Self:
        """Connect. Raises what `dial` raises."""
        return cls(dial, await dial())

    @property
    def usable(self) -> bool:
        """Whether a join can be sent on it."""
        return not self._reader.done() and self.talk.phase is not Phase.CLOSED

    async def send(self, frame: bytes) -> None:
        """Send a frame of `talk`. If the connection is gone, `next` will say so."""
        await self._connection.send(frame)

    async def next(self) -> Event:
        """The next event, in order. After `Closed` it is `Closed` for ever."""
        event = await self._events.get()
        if isinstance(event, Closed):
            self._events.put_nowait(event)
        return event

    async def hang_up(self) -> None:
        """Close the connection; a match that is on is forfeited by that."""
        self._reader.cancel()
        try:
            await asyncio.wait([self._reader])
        finally:
            with contextlib.suppress(asyncio.QueueFull):
                self._events.put_nowait(self.talk.closed("hung up here"))  # for a task that still waits in `next`
            await self._connection.close()

    async def _run(self) -> None:
        try:
            await self._read()
        except Exception as fault:
            # A fault of this client must end the wait of whoever waits, and be seen.
            _log.exception("the reader of the connection failed")
            await self._events.put(Closed(Unintelligible(f"This client failed at what came: {fault!r}.")))

    async def _read(self) -> None:
        while True:
            try:
                async for frame in self._connection.frames():
                    await self._take(frame)
                closed = self.talk.closed(self._connection.how_it_ended)
            except Unintelligible as fault:
                self.talk.closed(fault.code)
                closed = Closed(fault)
            if closed.resumable:
                if await self._take_seat_back():
                    continue
                closed = self.talk.closed(f"{self._connection.how_it_ended}, and no new one came about")
            await self._events.put(closed)
            return

    async def _take(self, frame: str | bytes) -> None:
        event = self.talk.receive(frame)
        if isinstance(event, Unacknowledged):
            await self._connection.send(event.frame)
        elif isinstance(event, Noted):
            _log.debug("the venue refused %s: %s", event.error.code, event.error.message)
        elif event is not None:
            await self._events.put(event)

    async def _take_seat_back(self) -> bool:
        """One try on a new connection; the grace time is the venue's, the match's clock runs on."""
        await self._connection.close()
        try:
            self._connection = await self._dial()
        except VenueError as fault:
            _log.debug("no new connection for the match that is on: %s", fault)
            return False
        await self._connection.send(self.talk.rejoin())
        return True
