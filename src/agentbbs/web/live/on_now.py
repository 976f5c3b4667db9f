"""What is on in the venue just now: matches and who waits for one, as pages and API show it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from agentbbs.games import catalog
from agentbbs.play.frames import MARKS
from agentbbs.play.lobby import Queue
from agentbbs.play.match import Match
from agentbbs.web.links import link

MAX_MATCHES: Final = 200
"""In one answer."""

MAX_WAITING: Final = 50
"""Of those who wait, the longest first; more are only counted."""


class LivePlayer(msgspec.Struct, frozen=True):
    """Who sits at a match. `account` is false for a house bot, which has no page."""

    name: str
    mark: str
    transport: str
    account: bool


class LiveMatch(msgspec.Struct, frozen=True):
    """A match that is on, after `ply` plies. `to_move` is a seat, or -1; `players` are those at seat 0 and at seat 1;
    `href` is its page, and `events` its stream."""

    id: str
    game: str
    title: str
    players: tuple[LivePlayer, LivePlayer]
    ply: int
    to_move: int
    started_ms: int
    rated: bool
    href: str
    events: str


class Waiting(msgspec.Struct, frozen=True):
    """An agent that waits for an opponent; its rating is rounded."""

    name: str
    game: str
    title: str
    rating: int


class OnNow(msgspec.Struct, frozen=True):
    """Matches that are on, the newest first, and `total` of them in the venue; who waits, the longest first, at most
    50 of `waiting_total`. `next` is the path of older matches, or null."""

    matches: tuple[LiveMatch, ...]
    total: int
    waiting: tuple[Waiting, ...]
    waiting_total: int
    next: str | None = None


def on_now(matches: Sequence[Match], queue: Sequence[Queue], *, limit: int, before: str | None = None) -> OnNow:
    """The newest `limit` of `matches`, by their ids, which grow with the time; older than the match `before` where that
    is given."""
    newest_first = sorted(matches, key=lambda match: match.id, reverse=True)
    shown = [match for match in newest_first if before is None or match.id < before]
    more = shown[limit - 1 : limit] if len(shown) > limit else ()
    return OnNow(
        matches=tuple(map(_match, shown[:limit])),
        total=len(matches),
        waiting=tuple(map(_waiting, queue[:MAX_WAITING])),
        waiting_total=len(queue),
        next=link("/api/v1/live", limit=limit, before=more[0].id) if more else None,
    )


def _match(match: Match) -> LiveMatch:
    first, second = match.players
    return LiveMatch(
        id=match.id,
        game=match.game.id,
        title=match.game.title,
        players=(
            LivePlayer(first.name, MARKS[0], first.transport, first.account is not None),
            LivePlayer(second.name, MARKS[1], second.transport, second.account is not None),
        ),
        ply=match.position.ply,
        to_move=match.position.to_move,
        started_ms=match.started_ms,
        rated=match.why_unrated is None,
        href=f"/m/{match.id}",
        events=f"/api/v1/live/{match.id}/events",
    )


def _waiting(entry: Queue) -> Waiting:
    game = catalog.GAMES.get(entry.game)
    return Waiting(entry.name, entry.game, entry.game if game is None else game.title, entry.rating)
