"""The only place that dials out: one POST to an endpoint, under one deadline, and what came of it.

A name is resolved here, refused as a whole if one of its addresses is not public, and dialled at an address that was
looked at (`connector.py`); a connection that is kept was dialled in that way. A failure is a row of the strike table,
or `OwnFault` where the venue is at fault (`failures.py`).
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import aiohttp
import msgspec
from yarl import URL

from agentbbs.protocol.arena import CONTENT_TYPE, MAX_BODY_BYTES, USER_AGENT
from agentbbs.protocol.arena_reply import OK, Answer
from agentbbs.protocol.strikes import StrikeRow
from agentbbs.referee import body
from agentbbs.referee.addresses import AddressKind, classify, refusal
from agentbbs.referee.attempt import CURRENT, Attempt
from agentbbs.referee.connector import Connector
from agentbbs.referee.deadline import Deadline
from agentbbs.referee.endpoint_url import HTTP, EndpointUrl, UrlRefused, UrlRules, parse
from agentbbs.referee.failures import OURS, OwnFault, ruling
from agentbbs.referee.resolving import Lookups, Resolver, system_resolver

__all__ = ["Exchange", "Headers", "Outbound", "OutboundRules", "OwnFault", "Resolver"]

CHECK_S: Final = 10.0
"""For the look-up of a name that is being registered."""

_SKIPPED: Final = ("Accept", "Accept-Encoding", "User-Agent", "Content-Type")
"""Headers that the library would add or set by itself."""


class OutboundRules(msgspec.Struct, frozen=True, kw_only=True):
    """What is dialled, and whom it trusts beyond the authorities of the system."""

    url: UrlRules = UrlRules()
    ca_file: Path | None = None
    """Certificates (PEM) of further authorities: for development, where `url.loopback` is allowed."""


class Exchange(msgspec.Struct, frozen=True):
    """What came of one POST: an answer, or the row of the strike that its absence is. `detail` holds neither body, nor
    headers, nor an address. `ms` is the whole time, from the look-up to the last byte.

    The body of an answer is there only where it counts: with status 200."""

    answer: Answer | None
    row: StrikeRow | None
    detail: str
    ms: int


Headers = Mapping[str, str] | Callable[[], Mapping[str, str]]
"""Further headers of a request; called anew for each time that it goes out, where they are signed."""


class Outbound:
    """Dials endpoints. Make it in a running event loop, and close it (or use it as an async context manager)."""

    def __init__(self, rules: OutboundRules | None = None, *, resolver: Resolver | None = None) -> None:
        """Raises OSError or ssl.SSLError for a CA file that can't be used, and ValueError for one where no loopback
        address is called: it would be trusted for the whole world."""
        self.rules = rules or OutboundRules()
        loopback = self.rules.url.loopback
        if self.rules.ca_file is not None and not loopback:
            raise ValueError("a CA file is for development: it needs rules that allow loopback addresses")
        self._lookups = Lookups(resolver or system_resolver)
        self._session = aiohttp.ClientSession(
            connector=Connector(self._lookups, _trust(self.rules.ca_file), loopback=loopback),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
            skip_auto_headers=_SKIPPED,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection; who waits for an answer gets OwnFault. A second call does nothing."""
        await self._session.close()
        await self._lookups.close()

    async def check(self, text: str) -> EndpointUrl:
        """The endpoint that `text` names, if it may be dialled as things stand. Raises UrlRefused."""
        url = parse(text, self.rules.url)
        found = [url.host] if url.literal else await self._resolved(url)
        kind = refusal(found, loopback=self.rules.url.loopback)
        if kind is None and url.scheme == HTTP and any(classify(one) is not AddressKind.LOOPBACK for one in found):
            raise UrlRefused("scheme", "plain HTTP is for this machine alone: use `https://`")
        if kind is not None:
            raise UrlRefused("address", f"the host leads to an address that is not called ({kind}): use a public one")
        return url

    async def post(self, url: EndpointUrl, body: bytes, headers: Headers, timeout_s: float) -> Exchange:
        """POST `body` and take the answer, all within `timeout_s`. Raises OwnFault."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        answer: Answer | None = None
        row, detail = None, ""
        attempt = Attempt(loopback_only=url.scheme == HTTP)
        token = CURRENT.set(attempt)
        try:
            async with Deadline(timeout_s) as deadline:
                answer = await self._ask(url, body, headers, attempt)
        except Exception as fault:
            if self._session.closed:
                raise OwnFault("the venue closes its connections") from fault
            if deadline.expired() and isinstance(fault, TimeoutError):
                row, detail = _late(attempt)
            else:
                row, detail = ruling(fault, attempt)
        finally:
            CURRENT.reset(token)
        return Exchange(answer, row, detail, round((loop.time() - began) * 1000))

    async def _resolved(self, url: EndpointUrl) -> list[str]:
        """The addresses of a name that is being registered. Raises UrlRefused."""
        try:
            async with asyncio.timeout(CHECK_S):
                return list(await self._lookups.addresses(url.host, url.port))
        except (OSError, UnicodeError, OwnFault) as fault:  # TimeoutError is an OSError
            if isinstance(fault, OwnFault) or getattr(fault, "errno", None) in OURS:
                raise UrlRefused("referee", "this venue can't look names up just now: try again in a minute") from fault
            raise UrlRefused("name", f"the host name {url.host} does not resolve: check it") from fault

    async def _ask(self, url: EndpointUrl, content: bytes, headers: Headers, attempt: Attempt) -> Answer:
        """Once more whenever a kept connection turns out to be dead before a byte of the answer came."""
        while True:
            attempt.reused, attempt.received = False, 0
            try:
                return await self._once(url, content, headers() if callable(headers) else headers, attempt)
            except aiohttp.ClientConnectionError:
                await asyncio.sleep(0)  # a connection that can't be written to tells a moment later what it ended with
                if attempt.received or not attempt.reused:
                    raise

    async def _once(self, url: EndpointUrl, content: bytes, headers: Mapping[str, str], attempt: Attempt) -> Answer:
        response = await self._session.post(
            URL(url.text, encoded=True),
            data=content,
            headers={"content-type": CONTENT_TYPE, "user-agent": USER_AGENT, **headers},
            allow_redirects=False,
        )
        location = "Location" in response.headers
        if response.status != OK:
            response.release()  # keeps the connection only if the whole body is there already
            return Answer(response.status, b"", location)
        try:
            taken = await body.take(response.content, response.headers.get("Content-Encoding", ""))
        except BaseException:
            attempt.hang_up()
            response.close()
            raise
        if len(taken) > MAX_BODY_BYTES:
            attempt.hang_up()
        response.release()
        return Answer(response.status, taken, location)


def _late(attempt: Attempt) -> tuple[StrikeRow, str]:
    """The deadline has passed. Raises OwnFault where the venue kept the request waiting."""
    if attempt.crowded:
        raise OwnFault("too many names are looked up at once")
    return StrikeRow.TIMEOUT, "no complete answer in time"


def _trust(ca_file: Path | None) -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    with contextlib.suppress(NotImplementedError):  # an OpenSSL without ALPN: servers then speak HTTP/1.1 anyway
        context.set_alpn_protocols(["http/1.1"])
    if ca_file is not None:
        context.load_verify_locations(ca_file)
    return context
