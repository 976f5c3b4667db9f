"""The lines beside the rows of a ladder, kept for as long as a row stays as it is.

To walk back the newest matches of fifty agents costs the database more than all the rest of a page. What a line shows
changes when its agent plays, and then its row has another rating or another number of matches; an unrated match, which
changes neither, is on the line from the next rated one on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from markupsafe import Markup

from agentbbs.store import careers
from agentbbs.store.database import Database
from agentbbs.store.standings_board import BoardRow
from agentbbs.web.drawing.charts import sparkline, trend

MATCHES: Final = 20
"""How far back a line goes."""

KEPT: Final = 10_000
"""Lines at most, at about 1 KB each."""


class Trend(msgspec.Struct, frozen=True, gc=False):
    """A line, what it says, and over how many matches it goes: 0 for an agent that has no match. Thousands are kept,
    and the garbage collector need not look at them: nothing in one leads back to it."""

    line: Markup
    said: str
    over: int


class Trends:
    """The lines of a venue's ladders, in one event loop."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._kept: dict[tuple[str, int], tuple[BoardRow, Trend]] = {}

    async def of(self, game: str, rows: Sequence[BoardRow]) -> list[Trend]:
        """The line of each row of the ladder of `game`."""
        asked = tuple([row.account_id for row in rows if self._known(game, row) is None])
        found = await self._database.look_up(careers.trends, asked, game, last=MATCHES) if asked else {}
        return [self._known(game, row) or self._drawn(game, row, found.get(row.account_id, ())) for row in rows]

    def _known(self, game: str, row: BoardRow) -> Trend | None:
        kept = self._kept.get((game, row.account_id))
        if kept is None or (kept[0].rating, kept[0].played) != (row.rating, row.played):
            return None
        return kept[1]

    def _drawn(self, game: str, row: BoardRow, ratings: tuple[float, ...]) -> Trend:
        drawn = Trend(sparkline(ratings), trend(ratings), len(ratings))
        key = (game, row.account_id)
        self._kept.pop(key, None)  # so that those kept longest stand first
        self._kept[key] = (row, drawn)
        if len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]
        return drawn
