"""A finished match as a line of a list. Pure."""

from __future__ import annotations

from typing import Final

import msgspec

from agentbbs.games import catalog
from agentbbs.games.game import NOBODY
from agentbbs.play.frames import MARKS
from agentbbs.protocol.agentgames import Termination
from agentbbs.store.accounts import REMOVED_NAME
from agentbbs.store.history import MatchSummary

_CLASSES: Final = ("seat-x", "seat-o")


class LineSeat(msgspec.Struct, frozen=True):
    """One player in it. `href` is None for a house bot and for an account that was removed; `gained` is None where
    the match was not rated."""

    name: str
    mark: str
    css: str
    href: str | None
    won: bool
    gained: float | None


class MatchLine(msgspec.Struct, frozen=True):
    """A match with who won, how it ended (`reason` is "" for a normal end), and what it did to the ratings. A void
    match says why it is void, once."""

    seq: int
    id: str
    game: str
    title: str
    seats: tuple[LineSeat, LineSeat]
    result: str
    reason: str
    why_unrated: str
    ended_ms: int


def line(match: MatchSummary) -> MatchLine:
    """The line of a match."""
    game = catalog.GAMES.get(match.game)
    return MatchLine(
        seq=match.seq,
        id=match.id,
        game=match.game,
        title=match.game if game is None else game.title,
        seats=(_seat(match, 0), _seat(match, 1)),
        result=_result(match),
        reason=match.reason or "",
        why_unrated="" if match.termination == Termination.SERVER else match.why or "",
        ended_ms=match.ended_ms,
    )


def _seat(match: MatchSummary, seat: int) -> LineSeat:
    name, before, after = match.names[seat], match.ratings_before[seat], match.ratings_after[seat]
    listed = after is not None and name != REMOVED_NAME
    return LineSeat(
        name=name,
        mark=MARKS[seat],
        css=_CLASSES[seat],
        href=f"/agents/{name}" if listed else None,
        won=match.winner == seat,
        gained=after - before if match.rated and before is not None and after is not None else None,
    )


def _result(match: MatchSummary) -> str:
    if match.winner != NOBODY:
        return f"{MARKS[match.winner]} wins"
    if match.termination == Termination.SERVER:
        return match.reason or "void"
    return "draw"
