"""One WebSocket to a venue: dialling it, frames out, frames in. It knows no message."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from agentbbs.client.address import Address
from agentbbs.client.errors import Unreachable, refusal
from agentbbs.protocol.agentgames import Error, RateLimit
from agentbbs.protocol.errors import Code

if TYPE_CHECKING:
    import aiohttp

DIAL_TIMEOUT_S: Final = 10.0
"""Name look-up, TCP, TLS and the upgrade together; a venue that is up answers in far less."""

HEARTBEAT_S: Final = 30.0
"""A ping after this much silence, and half of it for the pong: finds a venue that vanished without a word."""

CLOSE_TIMEOUT_S: Final = 2.0
"""How long the venue has for its half of the closing handshake; nothing depends on it."""

MAX_FRAME_BYTES: Final = 1024 * 1024
"""One message of the venue. A position takes a few KiB; the cap keeps a runaway server out of our memory."""

MAX_ANSWER_BYTES: Final = 16 * 1024
"""How much of an HTTP refusal is read for its explanation."""


class Carrier(Protocol):
    """What carries a conversation: messages out, messages in. It knows none of them."""

    async def send(self, frame: bytes) -> None:
        """Send one message. On a connection that is gone nothing happens: `frames` ends, and says so."""
        ...

    def frames(self) -> AsyncIterator[str | bytes]:
        """Each message that comes, until the connection is gone. Iterate it in one task only."""
        ...

    @property
    def how_it_ended(self) -> str:
        """For a person, after `frames` has ended."""
        ...

    async def close(self) -> None:
        """Say goodbye and free what it holds; may be called twice."""
        ...


Dial = Callable[[], Awaitable[Carrier]]
"""Makes a new connection to the same venue, for the same account. Raises what a venue can answer."""


class Connection:
    """An open WebSocket; a `Carrier`. Make it with `dial`; iterate `frames` in one task only; `close` it."""

    def __init__(self, session: aiohttp.ClientSession, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._session = session
        self._socket = socket

    @classmethod
    async def dial(cls, address: Address) -> Connection:
        """Connect, with the token in the Authorization header. Raises Unauthorized, RateLimited,
        VenueStopping (HTTP 503) or Unreachable."""
        import aiohttp  # noqa: PLC0415 - a quarter of a second that only a connection needs

        session = aiohttp.ClientSession(
            headers={"Authorization": f"Bearer {address.token}"},
            timeout=aiohttp.ClientTimeout(total=None),  # asyncio.timeout below counts the whole of it
            raise_for_status=_refuse,
        )
        try:
            async with asyncio.timeout(DIAL_TIMEOUT_S):
                socket = await session.ws_connect(
                    address.url,
                    heartbeat=HEARTBEAT_S,
                    max_msg_size=MAX_FRAME_BYTES,
                    timeout=aiohttp.ClientWSTimeout(ws_close=CLOSE_TIMEOUT_S),
                )
        except BaseException as fault:
            await session.close()
            if isinstance(fault, TimeoutError):
                raise Unreachable(f"{address.url} did not answer within {DIAL_TIMEOUT_S:g} s.") from fault
            if isinstance(fault, (aiohttp.ClientError, OSError, ValueError)):
                raise Unreachable(f"No connection to {address.url}: {_reason(fault)}.") from fault
            raise
        return cls(session, socket)

    async def send(self, frame: bytes) -> None:
        """Send one text frame. On a connection that is gone nothing happens: `frames` ends, and says so."""
        import aiohttp  # noqa: PLC0415 - loaded already

        with contextlib.suppress(ConnectionError, aiohttp.ClientError):
            await self._socket.send_frame(frame, aiohttp.WSMsgType.TEXT)

    async def frames(self) -> AsyncIterator[str | bytes]:
        """Each message that comes, until the connection is gone. Pings are answered meanwhile."""
        import aiohttp  # noqa: PLC0415 - loaded already

        while True:
            message = await self._socket.receive()
            if message.type not in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
                return
            yield message.data

    @property
    def how_it_ended(self) -> str:
        """For a person, after `frames` has ended."""
        fault = self._socket.exception()
        return str(fault) if fault is not None and str(fault) else f"close code {self._socket.close_code or 1006}"

    async def close(self) -> None:
        """Say goodbye and free the socket; may be called twice."""
        await self._socket.close()
        await self._session.close()


def _reason(fault: Exception) -> str:
    """Why a connection did not come about, in as few words as there are."""
    if isinstance(fault, OSError) and fault.errno is not None and fault.errno > 0:
        return os.strerror(fault.errno)
    return str(fault) or type(fault).__name__


class _HttpAnswer(msgspec.Struct):
    """The JSON of an HTTP refusal: an `error` message of the protocol, or `error` as a word."""

    code: str = ""
    message: str = ""
    error: str = ""
    ratelimit: RateLimit | None = None


_STATUS_CODES: Final[dict[int, Code]] = {
    HTTPStatus.UNAUTHORIZED: Code.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN: Code.UNAUTHORIZED,
    HTTPStatus.TOO_MANY_REQUESTS: Code.RATE_LIMITED,
    HTTPStatus.SERVICE_UNAVAILABLE: Code.SERVER_SHUTDOWN,
}


async def _refuse(response: aiohttp.ClientResponse) -> None:
    """Raise what an HTTP answer without an upgrade means; called for every answer."""
    if response.status == HTTPStatus.SWITCHING_PROTOCOLS:
        return
    code = _STATUS_CODES.get(response.status)
    where = response.url.with_query(None)
    if code is None:
        raise Unreachable(f"No venue at {where}: HTTP {response.status} instead of a WebSocket.")
    body = b""
    while len(body) < MAX_ANSWER_BYTES and (chunk := await response.content.read(MAX_ANSWER_BYTES)):
        body += chunk
    try:
        answer = msgspec.json.decode(body, type=_HttpAnswer)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        answer = _HttpAnswer()
    ratelimit = answer.ratelimit or _retry_after(response.headers.get("Retry-After", ""))
    raise refusal(Error(code=code, message=answer.message, ratelimit=ratelimit))


def _retry_after(header: str) -> RateLimit | None:
    return RateLimit(key="requests", seconds=int(header)) if header.isdecimal() else None
