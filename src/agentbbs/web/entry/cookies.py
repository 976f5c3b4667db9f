"""The two cookies of this site, and how they are told to browsers.

Both hold 256 random bits and nothing else. Over TLS their names begin with `__Host-`: a browser takes such a cookie
from this very host alone, so that no neighbour under the same domain can plant one (RFC 6265bis, section 4.1.3.2).
"""

from __future__ import annotations

import re
import secrets
from typing import Final

from aiohttp import web

SESSION: Final = "agentbbs"
"""Who is signed in."""

FORM: Final = "agentbbs-form"
"""Of readers who are not signed in: what the keys of their forms are made from."""

SECRET_BYTES: Final = 32
"""256 bits: nothing to guess."""

_SHAPE: Final = re.compile(r"[A-Za-z0-9_-]{43}")
"""32 bytes as `secrets.token_urlsafe` writes them."""


def new_secret() -> str:
    """What a new cookie holds."""
    return secrets.token_urlsafe(SECRET_BYTES)


def named(kind: str, *, secure: bool) -> str:
    """The name of the cookie, `SESSION` or `FORM`."""
    return f"__Host-{kind}" if secure else kind


def held(request: web.Request, kind: str, *, secure: bool) -> str | None:
    """What the reader's cookie holds, if that has the shape of what is given out."""
    found = request.cookies.get(named(kind, secure=secure), "")
    return found if _SHAPE.fullmatch(found) else None


def sent(request: web.Request, kind: str, *, secure: bool) -> bool:
    """Whether the reader has such a cookie, whatever it holds."""
    return named(kind, secure=secure) in request.cookies


def give(response: web.StreamResponse, kind: str, secret: str, *, secure: bool, max_age_s: int | None = None) -> None:
    """Set the cookie; without `max_age_s` it goes with the browser's window."""
    response.set_cookie(
        named(kind, secure=secure),
        secret,
        max_age=max_age_s,
        path="/",
        secure=secure,
        httponly=True,
        samesite="Lax",
    )


def taking_away(kind: str, *, secure: bool) -> str:
    """The header `Set-Cookie` that has the browser forget it, for a response whose headers are made already."""
    bearer = web.Response()
    take_away(bearer, kind, secure=secure)
    return bearer.cookies[named(kind, secure=secure)].OutputString()


def take_away(response: web.StreamResponse, kind: str, *, secure: bool) -> None:
    """Have the browser forget it."""
    give(response, kind, "", secure=secure, max_age_s=0)
