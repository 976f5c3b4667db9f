"""`/m/ID/events`: a match as server-sent events, for one reader of it."""

from __future__ import annotations

import asyncio
import re
from typing import Final

from aiohttp import HttpVersion11, web

from agentbbs.play.match import Match
from agentbbs.play.ports import FinishedMatch
from agentbbs.store import history
from agentbbs.web.live.broadcast import Broadcasts
from agentbbs.web.live.telling import MAX_PLY, RETRY, live_over, over_event
from agentbbs.web.venue_view import VenueView

STALLED_S: Final = 20.0
"""How long a reader may take nothing while its connection is full; then it is cut, and may come back."""

GOODBYE_S: Final = 0.5
"""How long readers get for the end of their streams when the venue stops."""

STORED_S: Final = 2.0
"""How long an answer waits for a match that has just ended: it is stored within milliseconds."""

LOOK_S: Final = 0.05
"""How often it looks."""

MAX_ID_CHARS: Final = 64
"""No id of ours is nearly as long."""

_PLY: Final = re.compile(f"[0-9]{{1,{len(str(MAX_PLY))}}}")

_HEADERS: Final = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Accel-Buffering": "no",  # nginx would hold positions back until it has 4 KB of them
}


class NotHere(LookupError):
    """No match with that id is on or kept."""


class EventStreams:
    """The handler, one for the whole site; `close` it as the site stops."""

    def __init__(self, view: VenueView, *, broadcasts: Broadcasts | None = None, stalled_s: float = STALLED_S) -> None:
        self._database = view.database
        self._live = view.live
        self._broadcasts = broadcasts or Broadcasts(view.audience, view.live.now)
        self._stalled_s = stalled_s
        self._open: dict[asyncio.Task[object], web.Request] = {}

    async def serve(self, request: web.Request, match_id: str) -> web.StreamResponse:
        """The stream of a match that is on; the end at once, of one that is over. Raises NotHere, TooManyReaders."""
        match = self._live.match(match_id)
        if match is not None and request.method == "HEAD":
            return web.Response(headers=_HEADERS)
        if match is not None:
            return await self._follow(request, match)
        finished = await self._finished(match_id)
        told = RETRY if finished is None else over_event(live_over(finished))
        return web.Response(body=told, headers=_HEADERS)

    async def close(self, _: web.Application) -> None:
        """End every stream. A signal handler of the application."""
        await self._broadcasts.close()
        if self._open:
            await asyncio.wait(self._open, timeout=GOODBYE_S)
        for request in self._open.values():
            _cut(request)

    async def _follow(self, request: web.Request, match: Match) -> web.StreamResponse:
        reader = self._broadcasts.join(match, after=_last_id(request))
        task = asyncio.current_task()
        assert task is not None
        self._open[task] = request
        response = web.StreamResponse(headers=_HEADERS)
        try:
            await response.prepare(request)
            await response.write(RETRY)
            if request.version >= HttpVersion11 and request.transport is not None:  # so that the answer is chunked
                reader.connect(request.transport)
            async for body in reader:
                async with asyncio.timeout(self._stalled_s):
                    await response.write(body)
        except TimeoutError:
            _cut(request)
        except ConnectionResetError:
            pass  # the reader has gone
        finally:
            del self._open[task]
            self._broadcasts.leave(match.id, reader)
        return response

    async def _finished(self, match_id: str) -> FinishedMatch | None:
        """The match as it was stored; None while it is about to be. Raises NotHere."""
        patience = round(STORED_S / LOOK_S)
        while True:
            settling = self._live.settling(match_id)
            found = await self._stored(match_id)
            if found is not None:
                return found
            if not settling:
                raise NotHere(match_id)
            if not patience:
                return None
            patience -= 1
            await asyncio.sleep(LOOK_S)

    async def _stored(self, match_id: str) -> FinishedMatch | None:
        if len(match_id) > MAX_ID_CHARS:
            return None
        try:
            found = await self._database.look_up(history.match, match_id)
        except (history.NoSuchMatch, history.AmbiguousMatch):
            return None
        return found.match if found.match.id == match_id else None


STREAMS: Final = web.AppKey("streams", EventStreams)


def install(app: web.Application, view: VenueView) -> None:
    """Make `app[STREAMS]`, and let its streams end when `app` stops."""
    app[STREAMS] = streams = EventStreams(view)
    app.on_shutdown.append(streams.close)


def _last_id(request: web.Request) -> int | None:
    """The ply of the last event that this reader got, by its browser or by the page; None if it says none."""
    said = request.headers.get("Last-Event-ID") or request.query.get("after", "")
    return int(said) if _PLY.fullmatch(said) else None


def _cut(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.abort()
