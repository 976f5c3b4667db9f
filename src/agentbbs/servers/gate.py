"""Who may pass: a token out of a request, checked, with tries limited per address.

The token is taken from `Authorization: Bearer` or else from `?token=`; cookies are ignored, so that no
page a browser is on can play for its reader. Failures are JSON, before any upgrade.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, Protocol

import structlog
from aiohttp import web

from agentbbs.calls.address import client_address
from agentbbs.play.tally import Tally
from agentbbs.protocol.agentgames import Error, RateLimit
from agentbbs.protocol.codec import encode
from agentbbs.protocol.errors import CODES, Code

FAILED_LOGINS: Final = 20
"""Wrong tokens that one address may try in a burst: a fleet with one stale token, not a search."""

FAILED_LOGINS_PER_S: Final = 0.5
"""How fast further tries are given back."""

MAX_ADDRESSES: Final = 10_000
"""Addresses remembered (about 200 bytes each); beyond that the one whose last failure is oldest is forgotten."""

MAX_TOKEN_CHARS: Final = 200
"""No token of ours is nearly as long."""

_log = structlog.get_logger(__name__)


class Principal(Protocol):
    """The account that a token stands for."""

    @property
    def account(self) -> int: ...

    @property
    def name(self) -> str: ...


class TokenHolder(Principal, Protocol):
    """An account, and by which of its tokens."""

    @property
    def token_id(self) -> int: ...


class Tokens(Protocol):
    """Where tokens are looked up."""

    async def check(self, token: str) -> TokenHolder | None:
        """The account of a token that is valid at this moment."""
        ...


class Tries:
    """A leaky bucket of failures per address. Pure: times are handed in (s, monotonic)."""

    def __init__(self, burst: int = FAILED_LOGINS, per_s: float = FAILED_LOGINS_PER_S) -> None:
        self._burst = burst
        self._per_s = per_s
        self._spent: dict[str, tuple[float, float]] = {}

    def wait_s(self, address: str, now: float) -> int:
        """0 if `address` may try now, else the whole seconds until it may."""
        level = self._level(address, now)
        return 0 if level <= self._burst - 1 else math.ceil((level - self._burst + 1) / self._per_s)

    def failed(self, address: str, now: float) -> None:
        """Note a failure."""
        level = self._level(address, now)
        self._spent.pop(address, None)
        self._spent[address] = (level + 1, now)
        if len(self._spent) > MAX_ADDRESSES:
            del self._spent[next(iter(self._spent))]

    def _level(self, address: str, now: float) -> float:
        level, at = self._spent.get(address, (0.0, now))
        return max(0.0, level - (now - at) * self._per_s)


class Gate:
    """Admits requests that carry a valid token."""

    def __init__(
        self,
        tokens: Tokens,
        now: Callable[[], float],
        stopping: Callable[[], bool],
        trusted_proxies: tuple[str, ...],
        tally: Tally,
    ) -> None:
        self.tokens = tokens
        self._now = now
        self._stopping = stopping
        self._trusted = trusted_proxies
        self._tally = tally
        self._tries = Tries()

    async def admit(self, request: web.Request) -> tuple[str, Principal]:
        """The token of `request`, and the account that it stands for. Raises the HTTP answer (401, 429, 503)
        that refuses it. A valid token always passes: the limit is on wrong ones."""
        token = _token(request) or ""
        address = client_address(
            request.remote or "", ",".join(request.headers.getall("X-Forwarded-For", ())), self._trusted
        )
        return token, await self.check(token, address)

    async def check(self, token: str, address: str) -> TokenHolder:
        """The account of a token that came from `address`, as `client_address` tells it. Raises the HTTP answer that
        refuses it, as `admit` does."""
        if self._stopping():
            raise self._refused(web.HTTPServiceUnavailable, Code.SERVER_SHUTDOWN)
        if token and len(token) <= MAX_TOKEN_CHARS:
            principal = await self.tokens.check(token)
            if principal is not None:
                return principal
        wait_s = self._tries.wait_s(address, self._now())
        if wait_s:
            raise self._refused(web.HTTPTooManyRequests, Code.RATE_LIMITED, wait_s)
        self._tries.failed(address, self._now())
        _log.info("login_refused", address=address, token_sent=bool(token))
        raise self._refused(web.HTTPUnauthorized, Code.UNAUTHORIZED)

    def _refused(self, kind: Callable[..., web.HTTPException], code: Code, wait_s: int = 0) -> web.HTTPException:
        self._tally.errors[code] += 1
        return refusal(kind, code, wait_s)


def _token(request: web.Request) -> str | None:
    scheme, _, credentials = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer" and credentials.strip():
        return credentials.strip()
    return request.query.get("token")


def refusal(kind: Callable[..., web.HTTPException], code: Code, wait_s: int = 0) -> web.HTTPException:
    """The HTTP answer that carries the error `code` as JSON."""
    explained = CODES[code]
    limit = RateLimit("failed_logins", wait_s) if wait_s else None
    body = encode(Error(code, f"{explained.meaning} {explained.remedy}", ratelimit=limit))
    headers = {"WWW-Authenticate": "Bearer"} if code is Code.UNAUTHORIZED else {}
    if wait_s:
        headers["Retry-After"] = str(wait_s)
    return kind(text=body.decode(), content_type="application/json", headers=headers)
