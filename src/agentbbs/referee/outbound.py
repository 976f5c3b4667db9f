"""The only module that dials out: one POST to an endpoint, under one deadline, and what came of it.

Every address that a name resolves to is classified, and the one that is dialled is one of those; a connection that is
kept alive was dialled in that way. A failure is a row of the strike table, or `OwnFault` where the venue is at fault.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import ssl
import zlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace, TracebackType
from typing import Any, Final, Protocol, Self

import aiohttp
import msgspec
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from agentbbs.protocol.arena import CONTENT_TYPE, MAX_BODY_BYTES, USER_AGENT
from agentbbs.protocol.arena_reply import Answer
from agentbbs.protocol.strikes import StrikeRow
from agentbbs.referee.addresses import AddressKind, refusal
from agentbbs.referee.endpoint_url import EndpointUrl, UrlRefused, UrlRules, parse

KEEPALIVE_S: Final = 60.0
"""How long an idle connection is kept: longer than an opponent thinks."""

MAX_LOOKUPS: Final = 64
"""Names that are looked up at once. A look-up can't be called off, and name servers may be slow on purpose."""

MAX_ADDRESSES: Final = 64
"""Of one name: more is no honest answer."""

CHECK_S: Final = 10.0
"""For the look-up of a name that is being registered."""

_OURS: Final = frozenset(
    {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS, errno.EADDRNOTAVAIL, errno.EPERM, errno.EACCES}
)
"""What the system says when this machine is short of something, or does not let us."""

_SKIPPED: Final = ("Accept", "Accept-Encoding", "User-Agent", "Content-Type")
"""Headers that the library would add or set by itself."""


class OwnFault(Exception):
    """The venue could not ask; nothing that an agent did. The text is for the log."""


class OutboundRules(msgspec.Struct, frozen=True, kw_only=True):
    """What is dialled, and whom it trusts beyond the authorities of the system."""

    url: UrlRules = UrlRules()
    ca_file: Path | None = None


class Exchange(msgspec.Struct, frozen=True):
    """What came of one POST: an answer, or the row of the strike that its absence is. `detail` holds neither body, nor
    headers, nor an address. `ms` is the whole time, from the look-up to the last byte."""

    answer: Answer | None
    row: StrikeRow | None
    detail: str
    ms: int


class Resolver(Protocol):
    """Where the addresses of a name come from."""

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """All addresses of `host`, in the order in which to try them. Raises OSError."""
        ...


Headers = Mapping[str, str] | Callable[[], Mapping[str, str]]
"""Further headers of a request; called anew for each time that it goes out, where they are signed."""


class _Refused(Exception):
    """A name led to an address of this kind."""

    def __init__(self, kind: AddressKind) -> None:
        super().__init__(kind)
        self.kind = kind


class SystemResolver:
    """The system's own look-up, in threads of its own: a slow name server holds up nobody else."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(MAX_LOOKUPS, thread_name_prefix="agentbbs-name")

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._threads, _look_up, host, port)
        return list(dict.fromkeys(str(entry[4][0]) for entry in found))

    def close(self) -> None:
        """Wait for nobody."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _look_up(host: str, port: int) -> Sequence[Any]:
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)


class _Checked(AbstractResolver):
    """Hands the library only addresses that may be dialled, as it is about to dial."""

    def __init__(self, resolver: Resolver, *, loopback: bool) -> None:
        self._resolver = resolver
        self._loopback = loopback

    async def addresses(self, host: str, port: int) -> Sequence[str]:
        """All of them, each classified. Raises OSError, _Refused."""
        found = list(await self._resolver(host, port))[:MAX_ADDRESSES]
        if not found:
            raise OSError(errno.ENOENT, "the name has no address")
        kind = refusal(found, loopback=self._loopback)
        if kind is not None:
            raise _Refused(kind)
        return found

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        del family
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for address in await self.addresses(host, port)
        ]

    async def close(self) -> None:
        """The resolver is its owner's."""


class Outbound:
    """Dials endpoints. Make it in a running event loop, and close it (or use it as an async context manager)."""

    def __init__(self, rules: OutboundRules | None = None, *, resolver: Resolver | None = None) -> None:
        """Raises OSError or ssl.SSLError for a CA file that can't be used."""
        self.rules = rules or OutboundRules()
        self._system = SystemResolver() if resolver is None else None
        self._checked = _Checked(resolver or self._required(), loopback=self.rules.url.loopback)
        tracing = aiohttp.TraceConfig()
        tracing.on_connection_reuseconn.append(_note_reuse)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=0,
                resolver=self._checked,
                use_dns_cache=False,
                ssl=_trust(self.rules.ca_file),
                keepalive_timeout=KEEPALIVE_S,
            ),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
            skip_auto_headers=_SKIPPED,
            trace_configs=[tracing],
        )

    def _required(self) -> SystemResolver:
        assert self._system is not None
        return self._system

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection; a second call does nothing."""
        await self._session.close()
        if self._system is not None:
            self._system.close()

    async def check(self, text: str) -> EndpointUrl:
        """The endpoint that `text` names, if it may be dialled as things stand. Raises UrlRefused."""
        url = parse(text, self.rules.url)
        try:
            if url.literal:
                self._check_literal(url)
            else:
                async with asyncio.timeout(CHECK_S):
                    await self._checked.addresses(url.host, url.port)
        except _Refused as fault:
            why = f"the host leads to an address that is not called ({fault.kind}): use a public one"
            raise UrlRefused("address", why) from fault
        except (OSError, UnicodeError) as fault:  # TimeoutError is one
            raise UrlRefused("name", f"the host name {url.host} does not resolve: check it") from fault
        return url

    async def post(self, url: EndpointUrl, body: bytes, headers: Headers, timeout_s: float) -> Exchange:
        """POST `body` and take the answer, all within `timeout_s`. Raises OwnFault."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        answer: Answer | None = None
        row, detail = None, ""
        try:
            async with asyncio.timeout(timeout_s) as deadline:
                answer = await self._ask(url, body, headers)
        except Exception as fault:
            row, detail = _ruling(fault, overdue=deadline.expired())
        return Exchange(answer, row, detail, round((loop.time() - began) * 1000))

    def _check_literal(self, url: EndpointUrl) -> None:
        kind = refusal([url.host], loopback=self.rules.url.loopback)
        if kind is not None:
            raise _Refused(kind)

    async def _ask(self, url: EndpointUrl, body: bytes, headers: Headers) -> Answer:
        """As often as a kept connection turns out to be dead before a byte of the answer, once on a new one."""
        if url.literal:
            self._check_literal(url)
        while True:
            tried = SimpleNamespace(reused=False, answered=False)
            more = headers() if callable(headers) else headers
            try:
                return await self._once(url, body, more, tried)
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                if tried.answered or not tried.reused:
                    raise

    async def _once(self, url: EndpointUrl, body: bytes, more: Mapping[str, str], tried: SimpleNamespace) -> Answer:
        response = await self._session.post(
            URL(url.text, encoded=True),
            data=body,
            headers={"content-type": CONTENT_TYPE, "user-agent": USER_AGENT, **more},
            allow_redirects=False,
            trace_request_ctx=tried,
        )
        tried.answered = True
        try:
            content = await _content(response)
        except BaseException:
            response.close()
            raise
        if len(content) > MAX_BODY_BYTES:
            response.close()
        else:
            response.release()
        return Answer(response.status, content)


async def _note_reuse(_: aiohttp.ClientSession, context: SimpleNamespace, __: object) -> None:
    context.trace_request_ctx.reused = True


async def _content(response: aiohttp.ClientResponse) -> bytes:
    """The decoded body, up to one byte more than the cap. Raises zlib.error, aiohttp.ClientError."""
    most = MAX_BODY_BYTES + 1
    decoder = _decoder(response.headers.get("Content-Encoding", ""))
    content = bytearray()
    while len(content) < most:
        chunk = await response.content.readany()
        if not chunk:
            break
        content += chunk if decoder is None else decoder.decompress(chunk, most - len(content))
    return bytes(content[:most])


def _decoder(encoding: str) -> Any:
    """Nobody asked for a compressed answer, but servers in between do as they like."""
    name = encoding.strip().lower()
    if name in {"gzip", "x-gzip"}:
        return zlib.decompressobj(16 + zlib.MAX_WBITS)
    return zlib.decompressobj() if name == "deflate" else None


def _ruling(fault: Exception, *, overdue: bool) -> tuple[StrikeRow, str]:
    """The row of a failure, and what of it in a few words. Raises OwnFault."""
    if overdue and isinstance(fault, TimeoutError):
        return StrikeRow.TIMEOUT, "no complete answer in time"
    if isinstance(fault, OSError) and fault.errno in _OURS:
        raise OwnFault(f"this machine could not connect: {errno.errorcode.get(fault.errno or 0, 'error')}") from fault
    for kinds, row, says in _ROWS:
        if isinstance(fault, kinds):
            return row, says(fault)
    raise OwnFault(f"the request failed in the venue: {type(fault).__name__}") from fault


def _of_address(fault: Exception) -> str:
    return f"the name leads to an address that is not called ({fault})"


def _of_connection(fault: Exception) -> str:
    name = errno.errorcode.get(getattr(fault, "errno", 0) or 0, "")
    return f"the connection failed{f' ({name})' if name else ''}"


def _of_tls(fault: Exception) -> str:
    cause: object = fault
    if isinstance(fault, aiohttp.ClientConnectorCertificateError):
        cause = fault.certificate_error
    message = getattr(cause, "verify_message", None)
    return f"the certificate is not accepted: {message}" if message else "the TLS handshake failed"


_ROWS: Final[
    tuple[tuple[type[Exception] | tuple[type[Exception], ...], StrikeRow, Callable[[Exception], str]], ...]
] = (
    (_Refused, StrikeRow.ADDRESS_REFUSED, _of_address),
    ((aiohttp.ClientSSLError, ssl.SSLError), StrikeRow.TLS, _of_tls),
    (aiohttp.ClientConnectorDNSError, StrikeRow.CONNECTION, lambda _: "the name does not resolve"),
    ((aiohttp.ClientPayloadError, zlib.error), StrikeRow.HTTP, lambda _: "the body broke off or can't be decoded"),
    (aiohttp.ClientResponseError, StrikeRow.HTTP, lambda _: "no HTTP answer that can be read"),
    (aiohttp.ServerDisconnectedError, StrikeRow.CONNECTION, lambda _: "the connection was closed without an answer"),
    ((aiohttp.ClientConnectionError, OSError), StrikeRow.CONNECTION, _of_connection),
)
"""What each failure is; the first that fits."""


def _trust(ca_file: Path | None) -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    with contextlib.suppress(NotImplementedError):
        context.set_alpn_protocols(["http/1.1"])
    if ca_file is not None:
        context.load_verify_locations(ca_file)
    return context
