"""The time that a connection may take before it is somebody: for HTTP servers, which have no such limit.

aiohttp waits for ever for the first byte and for the end of the headers. A vestibule makes the connections of
a server, knows when each last finished a request, and cuts those that have done nothing for too long. A
connection that was upgraded is let through and looked at no more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler

from agentbbs.play.alarms import Alarms

MAX_SILENCE_S: Final = 20.0
"""From the connection, or its last answer, to the next whole request: as long as SSH gives for a login."""

LOOK_S: Final = 5.0
"""How often the connections are looked at while there are any."""

_log = structlog.get_logger(__name__)


class Vestibule:
    """Give the application `middleware`, and `loop.create_server` what `around` returns."""

    def __init__(self, alarms: Alarms, *, max_silence_s: float = MAX_SILENCE_S, look_s: float = LOOK_S) -> None:
        self._alarms = alarms
        self._max_silence_s = max_silence_s
        self._look_s = look_s
        self._since: dict[web.RequestHandler, float] = {}
        self._alarm = alarms.add(self._look)
        self._looking = False

    def around(self, make: Callable[[], web.RequestHandler]) -> Callable[[], web.RequestHandler]:
        """The protocol factory that an aiohttp server is (`AppRunner.server`), with the limit."""

        def accept() -> web.RequestHandler:
            handler = make()
            self._since[handler] = self._alarms.now()
            if not self._looking:
                self._look_later()
            return handler

        return accept

    def __len__(self) -> int:
        """Connections that are still nobody."""
        return len(self._since)

    def upgraded(self, request: web.Request) -> None:
        """The connection of `request` speaks another protocol from now on, which has limits of its own."""
        self._since.pop(request.protocol, None)

    @web.middleware
    async def middleware(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Note that a connection is answered: it may be silent anew."""
        if request.protocol not in self._since:
            return await handler(request)
        self._since[request.protocol] = float("inf")
        try:
            return await handler(request)
        finally:
            if request.protocol in self._since:
                self._since[request.protocol] = self._alarms.now()

    def _look_later(self) -> None:
        self._looking = True
        self._alarms.set(self._alarm, self._alarms.now() + self._look_s)

    def _look(self) -> None:
        self._looking = False
        oldest = self._alarms.now() - self._max_silence_s
        cut = 0
        for handler, since in tuple(self._since.items()):
            transport = handler.transport
            if transport is None or transport.is_closing():
                del self._since[handler]
            elif since < oldest and isinstance(transport, asyncio.Transport):
                transport.abort()
                del self._since[handler]
                cut += 1
        if cut:
            _log.info("silent_connections_cut", count=cut)
        if self._since:
            self._look_later()
