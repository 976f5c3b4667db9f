"""Who is signed in: a cookie against the store, for pages alone.

A cookie never authorises a call of the API, and is not even looked at there, nor for what is the same to everybody:
static files, saved matches, streams, and pages that others may put into a frame. The store is asked only for requests
that carry the cookie; one that stands for nothing (any more) is taken away. The cookie is another after each sign-in,
so that nobody can hand a reader a session and wait until it is worth something.
"""

from __future__ import annotations

import time
from typing import Final

import msgspec
from aiohttp import web
from aiohttp.typedefs import Handler

from agentbbs.calls.address import client_address
from agentbbs.store import sessions
from agentbbs.store.throttle import Throttle
from agentbbs.web import frame
from agentbbs.web.entry import cookies, forms
from agentbbs.web.venue_view import VenueView

BURST: Final = 20
"""Times that one account may sign in at once: each is a write to the disk."""

REFILL_S: Final = 30.0
"""How soon it may once more."""

_NOBODYS: Final = ("/api/", "/static/")
_OF_A_MATCH: Final = (".json", "/events", "/embed")


class SignedIn(msgspec.Struct, frozen=True):
    """The account of a reader, and what it signed in with: one of its tokens, or one of its keys."""

    account: int
    name: str
    token_id: int | None = None
    key_id: int | None = None


SIGNED_IN: Final = web.RequestKey("signed_in", SignedIn)
"""Absent for readers who are not."""


_STALE: Final = web.RequestKey("stale", bool)
"""Whether the reader has a cookie that stands for nothing; absent where no cookie was looked at."""


class TooManySessions(Exception):
    """The account signed in too often just now; in `wait_s` seconds it may again."""

    def __init__(self, wait_s: int) -> None:
        super().__init__(f"this account signed in very often just now: wait {wait_s} s")
        self.wait_s = wait_s


class Sessions:
    """One for the whole site: its `middleware` stands before every page."""

    def __init__(self, view: VenueView) -> None:
        self._database = view.database
        self._secure = view.settings.secure
        self._public_url = view.settings.public_url
        self._throttle = Throttle(burst=BURST, refill_s=REFILL_S, clock=time.monotonic)

    def install(self, app: web.Application) -> None:
        """Make `READER`, `SIGNED_IN` and `FORM_KEY` known to the pages of `app`."""
        app[forms.PUBLIC_URL] = self._public_url
        app[SESSIONS] = self
        app.middlewares.append(self.middleware)
        app.on_response_prepare.append(self._finish)

    @web.middleware
    async def middleware(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """The middleware."""
        if for_nobody(request):
            return await handler(request)
        request[_STALE] = await self._recognise(request)
        return await handler(request)

    async def begin(
        self, request: web.Request, response: web.StreamResponse, who: SignedIn, *, now_ms: int | None = None
    ) -> None:
        """Sign the reader in: `response` brings the cookie. The session that it had before ends. Raises
        TooManySessions."""
        wait_s = self._throttle.take(str(who.account))
        if wait_s > 0:
            raise TooManySessions(max(1, round(wait_s)))
        before = self._cookie(request)
        cookie = await self._database.write(
            sessions.begin,
            who.account,
            token_id=who.token_id,
            key_id=who.key_id,
            instead_of=before,
            now_ms=_now_ms() if now_ms is None else now_ms,
        )
        lasts_s = sessions.LASTS_MS // 1000
        cookies.give(response, cookies.SESSION, cookie, secure=self._secure, max_age_s=lasts_s)

    async def end(self, request: web.Request, response: web.StreamResponse) -> None:
        """Sign the reader out."""
        cookie = self._cookie(request)
        if cookie is not None:
            await self._database.write(sessions.end, cookie)
        cookies.take_away(response, cookies.SESSION, secure=self._secure)

    async def end_all(self, request: web.Request, response: web.StreamResponse) -> None:
        """Sign the reader's account out wherever it is signed in."""
        await self._database.write(sessions.end_all, request[SIGNED_IN].account)
        cookies.take_away(response, cookies.SESSION, secure=self._secure)

    async def _recognise(self, request: web.Request) -> bool:
        """Set what is known of the reader; returns whether it has a cookie that stands for nothing."""
        cookie = self._cookie(request)
        found = None
        if cookie is not None:
            found = await self._database.look_up(sessions.look, cookie, now_ms=_now_ms())
        if found is not None and cookie is not None:
            request[frame.READER] = found.name
            request[SIGNED_IN] = SignedIn(found.account, found.name, found.token_id, found.key_id)
            forms.remember(request, cookie)
            return False
        secret = cookies.held(request, cookies.FORM, secure=self._secure)
        if secret is not None:
            forms.remember(request, secret)
        return cookies.sent(request, cookies.SESSION, secure=self._secure)

    def _cookie(self, request: web.Request) -> str | None:
        return cookies.held(request, cookies.SESSION, secure=self._secure)

    async def _finish(self, request: web.Request, response: web.StreamResponse) -> None:
        """Also for failures, which become pages further out."""
        if _STALE not in request:
            return
        name = cookies.named(cookies.SESSION, secure=self._secure)
        if request[_STALE] and name not in response.cookies:
            # aiohttp has made headers of its cookies by now
            response.headers.add("Set-Cookie", cookies.taking_away(cookies.SESSION, secure=self._secure))
        if response.content_type != "text/html" and response.status != web.HTTPNotModified.status_code:
            return
        response.headers.setdefault("Vary", "Cookie")
        kept = response.headers.get("Cache-Control", "no-cache")
        if SIGNED_IN in request and "no-store" not in kept and "private" not in kept:
            response.headers["Cache-Control"] = "private, no-cache"


SESSIONS: Final = web.AppKey("sessions", Sessions)
"""For the pages that sign readers in and out."""


def for_nobody(request: web.Request) -> bool:
    """Whether the answer is the same whoever reads it, so that no cookie is looked at."""
    path = request.path
    return path.startswith(_NOBODYS) or (path.startswith("/m/") and path.endswith(_OF_A_MATCH))


def address_of(request: web.Request, trusted_proxies: tuple[str, ...]) -> str:
    """The address to which the limits on this reader apply."""
    forwarded = ",".join(request.headers.getall("X-Forwarded-For", ()))
    return client_address(request.remote or "", forwarded, trusted_proxies)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
