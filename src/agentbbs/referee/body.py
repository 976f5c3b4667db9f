"""The body of an answer: decoded, and never more of it than counts.

Nobody asked for a compressed answer, but servers in between do as they like. One that unpacks to more than the cap is
unpacked up to the cap.
"""

from __future__ import annotations

import zlib
from typing import Any, Final, Protocol

from agentbbs.protocol.arena import MAX_BODY_BYTES
from agentbbs.referee.failures import BrokenBody

MAX_PACKED_BYTES: Final = 2 * MAX_BODY_BYTES
"""On the wire. Compression that makes a body of the cap this long is none: it would be a way to send without an end."""

_GZIP: Final = frozenset({"gzip", "x-gzip"})
_DEFLATE: Final = "deflate"
_PLAIN: Final = frozenset({"", "identity"})

_ZLIB: Final = 8
"""The method in the first byte of zlib data (RFC 1950, section 2.2). Many servers call data without it deflate, too."""


class Stream(Protocol):
    """Where the bytes come from: `aiohttp.StreamReader` is one."""

    async def readany(self) -> bytes:
        """What is there, at least one byte; nothing at the end."""
        ...


async def take(stream: Stream, encoding: str) -> bytes:
    """The decoded body, at most one byte longer than the cap: then there is more, and the connection should be closed.
    `encoding` is the Content-Encoding. Raises BrokenBody, and what the stream raises."""
    encoding = encoding.strip().lower()
    if encoding in _PLAIN:
        return await _plain(stream)
    if encoding in _GZIP or encoding == _DEFLATE:
        return await _packed(stream, encoding)
    raise BrokenBody("the body has a Content-Encoding that was not asked for")


async def _plain(stream: Stream) -> bytes:
    most = MAX_BODY_BYTES + 1
    content = bytearray()
    while len(content) < most and (chunk := await stream.readany()):
        content += chunk[: most - len(content)]
    return bytes(content)


async def _packed(stream: Stream, encoding: str) -> bytes:
    most = MAX_BODY_BYTES + 1
    content = bytearray()
    decoder: Any = None
    packed = 0
    while chunk := await stream.readany():
        packed += len(chunk)
        while chunk and len(content) < most:
            if decoder is None or (decoder.eof and encoding in _GZIP):  # gzip may have several members (RFC 1952, 2.2)
                decoder = _decoder(encoding, chunk[0])
            try:
                content += decoder.decompress(chunk, most - len(content))
            except zlib.error as fault:
                raise BrokenBody("the body is not what its Content-Encoding says") from fault
            chunk = b"" if encoding == _DEFLATE else decoder.unused_data
        if len(content) == most:
            return bytes(content)
        if packed > MAX_PACKED_BYTES:
            raise BrokenBody("the body is longer packed than it may be unpacked")
    if decoder is not None and not decoder.eof:
        raise BrokenBody("the body broke off")
    return bytes(content)


def _decoder(encoding: str, first: int) -> Any:
    if encoding in _GZIP:
        return zlib.decompressobj(16 + zlib.MAX_WBITS)
    return zlib.decompressobj(zlib.MAX_WBITS if first & 0xF == _ZLIB else -zlib.MAX_WBITS)
