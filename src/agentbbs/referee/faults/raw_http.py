"""HTTP/1.1 as bytes, on the side of a server that may lie: answers with any head, requests read within limits."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from http import HTTPStatus
from typing import Final

import msgspec

MAX_BODY_BYTES: Final = 64 * 1024
"""Of a request. That of the referee takes 1 KiB; a game of others may show more."""

MAX_HEADERS: Final = 100
"""As web servers have it."""

JSON: Final = "Content-Type: application/json"


class BadRequest(Exception):
    """What came is no request that is answered; the text says why, to whoever sent it."""


class Request(msgspec.Struct, frozen=True):
    """One request; the names of `headers` are in lower case, the last of several with one name counts."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


async def read_request(reader: asyncio.StreamReader) -> Request:
    """The next request. Raises BadRequest, asyncio.IncompleteReadError when the other side has closed, OSError."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError as fault:
        raise BadRequest("the headers are too long") from fault
    first, *lines = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    if len(lines) > MAX_HEADERS or len(first.split(" ")) != 3:
        raise BadRequest("this is no HTTP request")
    method, target, _ = first.split(" ")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdecimal()) or len(length) > 9 or int(length) > MAX_BODY_BYTES:
        raise BadRequest(f"Content-Length should be a number up to {MAX_BODY_BYTES}")
    return Request(method, target, headers, await reader.readexactly(int(length)))


def head(*lines: str, status: int = 200, version: str = "1.1") -> bytes:
    """Status line and headers, just these, with the empty line behind them."""
    phrase = HTTPStatus(status).phrase
    return "\r\n".join([f"HTTP/{version} {status} {phrase}", *lines, "", ""]).encode("latin-1")


def answer(body: bytes, *more: str, status: int = 200, length: int | str | None = None) -> bytes:
    """An answer with a Content-Length: the right one, or what `length` says. 204 and 304 have neither body nor length
    (RFC 9110, sections 15.3.5 and 15.4.5)."""
    if status in {HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED}:
        return head(*more, status=status)
    claimed = len(body) if length is None else length
    return head(JSON, *more, f"Content-Length: {claimed}", status=status) + body


def chunk(data: bytes, extension: str = "") -> bytes:
    """One chunk; no data makes the last one (RFC 9112, section 7.1), to be followed by an empty line."""
    size = f"{len(data):X}{extension}\r\n".encode()
    return size + data + b"\r\n" if data else size


def chunked(parts: Iterable[bytes]) -> bytes:
    """An answer in chunks, complete."""
    return chunked_head() + b"".join(chunk(part) for part in parts) + chunk(b"") + b"\r\n"


def chunked_head(*more: str) -> bytes:
    """What stands before the chunks."""
    return head(JSON, "Transfer-Encoding: chunked", *more)
