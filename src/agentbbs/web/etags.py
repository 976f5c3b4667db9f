"""Answers that a reader has already: a tag of what is shown, and whether the reader named it.

Tags are weak (RFC 9110, section 8.8.1): they say that two answers tell the same, not that they are the same bytes, so
a proxy may still compress what goes through it.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Mapping
from typing import Any, Final

import msgspec
from aiohttp import web

from agentbbs.web.frame import FORM_KEY, READER

_HASH_BYTES: Final = 16
"""Two answers with one tag would have to be sought for; nobody gains by finding them."""

_RUN: Final = secrets.token_hex(8)
"""Another run of the venue may draw the same things otherwise: its pages have other tags."""

_TAG: Final = re.compile(r'(?:W/)?"([^"]*)"')

_SAFE: Final = frozenset({"GET", "HEAD"})


def etag_of(content: bytes) -> str:
    """The tag of `content`, as the header `ETag` takes it."""
    return f'W/"{hashlib.blake2b(content, digest_size=_HASH_BYTES).hexdigest()}"'


def not_modified(request: web.Request, etag: str) -> bool:
    """Whether the reader has what `etag` stands for, so that 304 answers the request: it names the tag, among others
    or not, weak or not, or `*`, which is whatever there is (RFC 9110, section 13.1.2)."""
    if request.method not in _SAFE:
        return False
    named = ",".join(request.headers.getall("If-None-Match", ()))
    return named.strip() == "*" or _opaque(etag) in _TAG.findall(named)


def page_etag(request: web.Request, *shown: Any) -> str:
    """The tag of a page made from `shown` (whatever msgspec writes), for this reader at this address."""
    around = (_RUN, request.path_qs, request.get(READER), request.get(FORM_KEY))
    return etag_of(msgspec.json.encode((around, shown)))


def tagged(headers: Mapping[str, str], etag: str) -> dict[str, str]:
    """`headers` of a page with its tag. Pages differ by who is signed in, which a cookie says."""
    return {**headers, "ETag": etag, "Vary": "Cookie"}


def unchanged(headers: Mapping[str, str], etag: str) -> web.Response:
    """The answer to whom `not_modified` holds for; `headers` are those of the page."""
    return web.Response(status=304, headers=tagged(headers, etag))


def _opaque(etag: str) -> str:
    return etag.removeprefix("W/").strip('"')
