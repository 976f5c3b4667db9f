"""`/api/v1/live`: the matches that are on, and each of them as it is played."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from aiohttp import web

from agentbbs.web.api.errors import ApiError
from agentbbs.web.api.operation import Call, Operation
from agentbbs.web.live.broadcast import TooManyReaders
from agentbbs.web.live.event_stream import MAX_ID_CHARS, STREAMS, NotHere
from agentbbs.web.live.on_now import MAX_MATCHES, OnNow, on_now
from agentbbs.web.live.telling import MAX_PLY
from agentbbs.web.venue_view import VenueView

WAIT_S: Final = 30
"""After which somebody who found no place may try again."""

_Id = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_ID_CHARS)]


class LiveQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many matches, and from which on: `before` is the id of the last one of the page before."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=MAX_MATCHES)] = 50
    before: _Id | None = None


class EventsQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`after` is the last ply that is known already: what came since is told, as far as the venue keeps it. The header
    `Last-Event-ID`, which browsers send by themselves, counts before it."""

    after: Annotated[int, msgspec.Meta(ge=0, le=MAX_PLY)] | None = None


class LiveApi:
    """The handlers."""

    def __init__(self, view: VenueView) -> None:
        self._live = view.live
        self._waiting = view.waiting

    def operations(self) -> tuple[Operation, ...]:
        return (
            Operation(
                method="GET",
                path="/live",
                summary="List the matches that are on, and who waits for one",
                handler=self.on_now,
                query=LiveQuery,
                answer=OnNow,
                tag="live",
            ),
            Operation(
                method="GET",
                path="/live/{id}/events",
                summary="Follow a match that is on",
                handler=self.events,
                query=EventsQuery,
                answer=str,
                media_type="text/event-stream",
                errors=("not_found", "rate_limited"),
                tag="live",
                anchors={"id": "[^/]+"},
                examples={"id": "01a2b3c4-5d6e-7f80-9a1b-2c3d4e5f6071"},
            ),
        )

    async def on_now(self, call: Call) -> OnNow:
        """The newest come first. A page that is asked for again and again should send `If-None-Match`."""
        query: LiveQuery = call.query
        return on_now(self._live.live, self._waiting(), limit=query.limit, before=query.before)

    async def events(self, call: Call) -> web.StreamResponse:
        """Server-sent events. `state`, whose id is the ply, comes for the position as it stands, for each one after
        it, and again where the seat to move has a strike; its data is
        `{"ply", "move", "seat", "mark", "ms", "reason", "scene", "text", "to_move", "clock_ms", "remaining_ms",
        "strikes"}`. `over` comes last, at once if the match has ended already: `{"match", "winner", "termination",
        "reason", "outcome", "rated", "plies", "href"}`. A reader who is too slow misses positions, and never slows a
        match."""
        return await follow(call.request, call.path["id"])


async def follow(request: web.Request, match_id: str) -> web.StreamResponse:
    """The events of a match, for whoever asks. Raises ApiError."""
    try:
        return await request.app[STREAMS].serve(request, match_id)
    except NotHere as fault:
        why = "no match with that id is on or kept: /api/v1/live lists those that are on"
        raise ApiError("not_found", why) from fault
    except TooManyReaders as fault:
        why = "as many people follow matches as the venue can take: load the page again to see how it stands"
        raise ApiError("rate_limited", why, key="readers", retry_after_s=WAIT_S) from fault
