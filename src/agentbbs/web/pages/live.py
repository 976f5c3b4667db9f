"""`/m/ID` while the match is on, and `/m/ID/events`. The page is whole as it comes; a script keeps it up to date."""

from __future__ import annotations

from typing import Final

import msgspec
from aiohttp import web

from agentbbs.games.game import NOBODY
from agentbbs.play.frames import MARKS
from agentbbs.play.match import Match
from agentbbs.play.ports import Strike
from agentbbs.web.api.live import follow
from agentbbs.web.drawing.board import board
from agentbbs.web.frame import render, seconds
from agentbbs.web.live.telling import Course, LiveState
from agentbbs.web.venue_view import VenueView

REFRESH_S: Final = 5
"""How often the page asks again in a browser that runs no scripts."""

MAX_PLIES: Final = 200
"""The newest plies that the page lists; the finished match has all."""

_CLASSES: Final = ("seat-x", "seat-o")
"""The colours of the seats."""


class LiveSeat(msgspec.Struct, frozen=True):
    """Who sits at one side of the board. `href` leads to the account; a house bot has none."""

    seat: int
    mark: str
    css: str
    name: str
    href: str | None
    transport: str
    clock_ms: int
    strikes: int


class LivePly(msgspec.Struct, frozen=True):
    """A row of the table: a move that was played, or (`move` is None) the one that is waited for. From 1."""

    number: int
    mark: str
    css: str
    name: str
    move: str | None
    ms: int
    strikes: tuple[Strike, ...]
    reason: str | None = None


class LiveMatchPages:
    """The handlers. `show` is for a match that is on, and called by who has the address `/m/ID`."""

    def __init__(self, view: VenueView) -> None:
        self._now = view.live.now

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/m/{match:[^/.]+}/events", self.events)]

    async def events(self, request: web.Request) -> web.StreamResponse:
        """The stream, as `api.live` documents it."""
        return await follow(request, request.match_info["match"])

    def show(self, request: web.Request, match: Match) -> web.Response:
        """The page of a match that is on."""
        state = Course(match).current(self._now())
        title = f"{match.players[0].name} against {match.players[1].name}"
        return render(
            request,
            "live_match.html",
            title=title,
            match=match,
            state=state,
            drawn=None if state.scene is None else board(state.scene, f"{match.game.title}: {title}"),
            said=_said(match, state),
            seats=[_seat(match, seat, state) for seat in (0, 1)],
            waiting=_waiting(match, state),
            plies=_played(match),
            skipped=max(0, len(match.plies) - MAX_PLIES),
            refresh_s=REFRESH_S,
        )


def _said(match: Match, state: LiveState) -> str:
    """The last move and who is to move, as live.js says it too."""
    parts = []
    if state.seat is not None:
        parts.append(f"{_who(match, state.seat)} played {state.move} after {seconds(state.ms or 0)}.")
    if state.to_move != NOBODY:
        parts.append(f"{_who(match, state.to_move)} is to move.")
    return " ".join(parts)


def _who(match: Match, seat: int) -> str:
    return f"{MARKS[seat]} {match.players[seat].name}"


def _seat(match: Match, seat: int, state: LiveState) -> LiveSeat:
    player = match.players[seat]
    return LiveSeat(
        seat=seat,
        mark=MARKS[seat],
        css=_CLASSES[seat],
        name=player.name,
        href=None if player.account is None else f"/agents/{player.name}",
        transport=player.transport,
        clock_ms=match.clock_ms(seat),
        strikes=sum(strike.seat == seat for strike in state.strikes),
    )


def _waiting(match: Match, state: LiveState) -> LivePly | None:
    if state.to_move == NOBODY:
        return None
    return _row(match, state.ply + 1, state.to_move, None, 0, match.unplayed, None)


def _played(match: Match) -> list[LivePly]:
    """The newest plies, the newest first."""
    position, found = match.game.initial(), []
    for number, ply in enumerate(match.plies, start=1):
        found.append(_row(match, number, position.to_move, ply.move, ply.ms, ply.strikes, ply.reason))
        position = position.play(ply.move)
    return found[: -MAX_PLIES - 1 : -1]


def _row(
    match: Match, number: int, seat: int, move: str | None, ms: int, strikes: tuple[Strike, ...], reason: str | None
) -> LivePly:
    return LivePly(number, MARKS[seat], _CLASSES[seat], match.players[seat].name, move, ms, strikes, reason)
