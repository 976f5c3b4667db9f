"""The last callers."""

from __future__ import annotations

from typing import Final

from agentbbs.hub import moments
from agentbbs.hub.listing import Column, Listing
from agentbbs.hub.plugin import Access
from agentbbs.hub.text import Span, Style
from agentbbs.hub.visit import Visit
from agentbbs.store import visits
from agentbbs.store.names import MAX_CHARS
from agentbbs.store.visits import PastVisit

SHOWN: Final = 100
"""A day or two of a lively board."""

_TABLE: Final = (
    Column("Came (UTC)", 16),
    Column("Name", MAX_CHARS),
    Column("By", 6),
    Column("Node", 4, right=True),
    Column("Stayed", None),
)


class LastCallers:
    """The plugin."""

    id = "last_callers"
    title = "Last callers"
    key = "L"
    access = Access.GUEST

    async def run(self, visit: Visit) -> None:
        """The list."""
        caller, board = visit.caller, visit.board
        board.presence.set_doing(visit.node, "among the last callers")
        past = await board.database.read(visits.last_callers, limit=SHOWN)
        here = {(present.node, present.since_ms) for present in board.presence.everyone()}

        def row(one: PastVisit) -> tuple[Span, ...]:
            stayed = Span("" if one.ended_ms is None else moments.span(one.ended_ms - one.began_ms))
            return (
                Span(moments.stamp(one.began_ms)),
                Span(one.name, Style.NAME),
                Span(one.transport),
                Span(str(one.node), Style.NUMBER),
                Span("here", Style.GOOD) if (one.node, one.began_ms) in here else stayed,
            )

        listing = Listing(caller)
        while await listing.pick(self.title, _TABLE, [row(one) for one in past], ()) != "Q":
            pass


PLUGIN: Final = LastCallers()
