"""One reader of a broadcast: what it is told goes straight into its connection, and waits only where that is full.

A task for each reader and event would cost ten times the write itself. So the task of a reader sleeps while its
connection keeps up, and works off what waits when it does not. What waits is bounded: the oldest is dropped, since a
newer position makes it worthless.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Final, NamedTuple

MAX_QUEUED_EVENTS: Final = 32
"""What a reader may lag behind; then the oldest positions are dropped. An event has about 1 KB."""

MAX_UNSENT_BYTES: Final = 32 * 1024
"""More than that unsent in a connection, and what comes next waits outside of it, where it can be dropped."""


class Event(NamedTuple):
    """What is told: as the body has it, and as a chunk of HTTP/1.1 (RFC 9112, section 7.1), made once for all."""

    body: bytes
    chunk: bytes


def event(body: bytes) -> Event:
    """The event with its frame."""
    return Event(body, b"%x\r\n%b\r\n" % (len(body), body))


class Reader:
    """Whoever makes events calls `put` and `end`; whoever has the connection calls `connect`, then iterates: over the
    events that wait, until the end. What comes meanwhile with nothing waiting is written at once."""

    def __init__(self, max_events: int = MAX_QUEUED_EVENTS) -> None:
        self.dropped = 0
        self._waiting: deque[Event] = deque(maxlen=max_events)
        self._news = asyncio.Event()
        self._ended = False
        self._transport: asyncio.WriteTransport | None = None

    def connect(self, transport: asyncio.WriteTransport) -> None:
        """From now on chunks may be written to `transport`, whose answer has begun and is chunked."""
        self._transport = transport

    def put(self, event: Event) -> None:
        """Tell an event. Never waits; after the end it does nothing, since the connection may serve other requests."""
        if self._ended:
            return
        transport = self._transport
        if transport is not None and not self._waiting:
            if transport.is_closing():
                self.end()
                return
            if transport.get_write_buffer_size() <= MAX_UNSENT_BYTES:
                transport.write(event.chunk)
                return
        if len(self._waiting) == self._waiting.maxlen:
            self.dropped += 1
        self._waiting.append(event)
        self._news.set()

    def end(self) -> None:
        """No more will come; what waits is still read."""
        self._ended = True
        self._news.set()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The bodies of events that wait, to be written in this order before anything else is."""
        while True:
            while self._waiting:
                yield self._waiting.popleft().body
            if self._ended:
                return
            self._news.clear()
            await self._news.wait()
