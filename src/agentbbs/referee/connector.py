"""Connections to endpoints: each address is looked at once more as its socket is made, and what comes back is metered.

Every connection comes through `_socket_for`, whether its address was resolved or stood in the URL. What the
library would take without an end - headers, interim answers, bytes that nobody asked for - ends the connection.
"""

from __future__ import annotations

import asyncio
import errno
import functools
import socket
import ssl
from typing import Any, Final

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.streams import EMPTY_PAYLOAD

from agentbbs.referee.addresses import AddressKind, classify, refusal
from agentbbs.referee.attempt import CURRENT, Attempt
from agentbbs.referee.failures import OURS
from agentbbs.referee.resolving import Lookups

KEEPALIVE_S: Final = 60.0
"""How long an idle connection is kept: longer than an opponent thinks."""

MAX_ADDRESSES: Final = 16
"""Of one name, that are tried; all of them are looked at."""

MAX_HEAD_BYTES: Final = 64 * 1024
"""Status line, headers and interim answers together: several times what any server sends."""

_PIECE_BYTES: Final = 16 * 1024
"""In such pieces headers are read, so that the meter is looked at in between."""


class AddressRefused(OSError):
    """An address that is not dialled; the attempt has its kind."""


class CheckedResolver(AbstractResolver):
    """Hands the library only addresses that may be dialled, as it is about to dial."""

    def __init__(self, lookups: Lookups, *, loopback: bool) -> None:
        self._lookups = lookups
        self._loopback = loopback

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Both families, whatever `family` says. Raises OSError, OwnFault; AddressRefused if one of the addresses, be
        it any, may not be dialled."""
        del family
        found = await self._lookups.addresses(host, port)
        kind = refusal(found, loopback=self._loopback)
        if kind is not None:
            CURRENT.get().refused = kind
            raise AddressRefused(errno.EACCES, kind)
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for address in found[:MAX_ADDRESSES]
        ]

    async def close(self) -> None:
        """The look-ups are their owner's."""


class Connector(aiohttp.TCPConnector):
    """Dials, and keeps connections. Make it in a running event loop."""

    def __init__(self, lookups: Lookups, trust: ssl.SSLContext, *, loopback: bool) -> None:
        super().__init__(
            limit=0,  # bounded by the slots, where waiting is not on an agent's clock
            resolver=CheckedResolver(lookups, loopback=loopback),
            use_dns_cache=False,
            ssl=trust,
            keepalive_timeout=KEEPALIVE_S,
            socket_factory=functools.partial(_socket_for, loopback=loopback),
        )
        self._factory = functools.partial(_metered, loop=self._loop)


def _socket_for(info: tuple[Any, ...], *, loopback: bool) -> socket.socket:
    """A socket to dial the address in `info` (as of `getaddrinfo`) with. Raises OSError."""
    family, kind, protocol, _, where = info
    attempt = CURRENT.get()
    refused = refusal([where[0]], loopback=loopback)
    if refused is None and attempt.loopback_only and classify(where[0]) is not AddressKind.LOOPBACK:
        refused = AddressKind.PUBLIC
    if refused is not None:
        attempt.refused = refused
        raise AddressRefused(errno.EACCES, refused)
    try:
        made = socket.socket(family, kind, protocol)
    except OSError as fault:
        if fault.errno in OURS:
            attempt.out_of_sockets = fault
        raise
    attempt.dialled_ipv4 = attempt.dialled_ipv4 or family == socket.AF_INET
    return made


class _Metered(ResponseHandler):
    """The library's side of one connection, with a meter. It is asked one request at a time."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._attempt: Attempt | None = None
        self._head_bytes = 0
        self._lost: BaseException | None = None

    def set_response_params(self, **params: Any) -> None:
        """A request is about to go out."""
        attempt = CURRENT.get()
        attempt.reused = self._attempt is not None
        attempt.lost = self._lost
        attempt.hang_up = functools.partial(self._hang_up, attempt)
        self._attempt = attempt
        self._head_bytes = 0
        unasked = self.should_close
        self._payload = None
        super().set_response_params(**params)
        if unasked:  # bytes came that nobody asked for: they are no answer to what is asked now
            self._buffer.clear()
            self.set_exception(aiohttp.ServerDisconnectedError())
            if self.transport is not None:
                self.transport.abort()

    def close(self) -> None:
        """Without a farewell: TLS would wait for the other side's, which who is late may never send."""
        if self.transport is not None:
            self.transport.abort()
        super().close()

    def connection_lost(self, exc: BaseException | None) -> None:
        """The connection has ended, maybe before the request went out."""
        self._lost = exc
        if self._attempt is not None:
            self._attempt.lost = exc
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Bytes came: the head of an answer, its body, or more than was asked for."""
        if self._exception is not None:
            return  # the connection has been given up
        if self._attempt is not None:
            self._attempt.received += len(data)
        rest = memoryview(data)
        while rest and self._in_head():
            piece, rest = bytes(rest[:_PIECE_BYTES]), rest[_PIECE_BYTES:]
            self._head_bytes += len(piece)
            super().data_received(piece)
            if self._in_head() and self._head_bytes > MAX_HEAD_BYTES:
                self._cut()
        if rest and self._payload is not None and self._payload.is_eof():
            self._cut()  # the answer is complete, and goes on
        elif rest or not data:
            super().data_received(data if len(rest) == len(data) else bytes(rest))

    def _hang_up(self, attempt: Attempt) -> None:
        if self._attempt is attempt and self.transport is not None:  # it may be somebody else's by now
            self.transport.abort()

    def _in_head(self) -> bool:
        return self._exception is None and (self._payload is None or self._payload is EMPTY_PAYLOAD)

    def _cut(self) -> None:
        self.set_exception(HttpProcessingError(code=400, message="more than an answer"))
        if self.transport is not None:
            self.transport.abort()


def _metered(loop: asyncio.AbstractEventLoop) -> ResponseHandler:
    return _Metered(loop)
