"""A match from the side of one who played it."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from agentbbs.games.game import NOBODY
from agentbbs.protocol.agentgames import Termination
from agentbbs.store.accounts import REMOVED_NAME
from agentbbs.store.history import MatchSummary
from agentbbs.web.drawing.charts import trend


class Result(StrEnum):
    """How it went for that side."""

    WON = "won"
    DRAWN = "drawn"
    LOST = "lost"
    VOID = "void"


class Side(msgspec.Struct, frozen=True):
    """What one player tells of the match. `rating` is after the match; `gained` is what it brought, as it is shown."""

    seat: int
    result: Result
    opponent: str
    opponent_listed: bool
    """Whether the opponent has a page: it is no house bot, and was not removed."""
    rating: float | None
    gained: str


def side(match: MatchSummary, name: str) -> Side:
    """The match as the account called `name` has it, who sat at it. Names are unique in any case."""
    seat = int(match.names[1].lower() == name.lower())
    before, after = match.ratings_before[seat], match.ratings_after[seat]
    opponent = match.names[1 - seat]
    return Side(
        seat=seat,
        result=_result(match, seat),
        opponent=opponent,
        opponent_listed=match.ratings_after[1 - seat] is not None and opponent != REMOVED_NAME,
        rating=after,
        gained="" if before is None or after is None else trend((before, after)),
    )


def _result(match: MatchSummary, seat: int) -> Result:
    if match.winner == NOBODY:
        return Result.VOID if match.termination == Termination.SERVER else Result.DRAWN
    return Result.WON if match.winner == seat else Result.LOST
