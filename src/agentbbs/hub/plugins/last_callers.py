"""The last callers."""

from __future__ import annotations

from typing import Final

from agentbbs.hub import moments
from agentbbs.hub.listing import Listing
from agentbbs.hub.plugin import Access
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import cell
from agentbbs.hub.visit import Visit
from agentbbs.store import visits
from agentbbs.store.visits import PastVisit

SHOWN: Final = 100
"""A day or two of a lively board."""


class LastCallers:
    """The plugin."""

    id = "last_callers"
    title = "Last callers"
    key = "L"
    access = Access.GUEST

    async def run(self, visit: Visit) -> None:
        """The list."""
        caller, board = visit.caller, visit.board
        head = Span(f"{'Came':<16} {'Name':<24} {'By':<7} {'Node':<4} Stayed", Style.LABEL)
        past = await board.database.read(visits.last_callers, limit=SHOWN)
        here = {(present.node, present.since_ms) for present in board.presence.everyone()}

        def row(one: PastVisit) -> Text:
            stayed = "" if one.ended_ms is None else moments.span(one.ended_ms - one.began_ms)
            return (
                moments.stamp(one.began_ms),
                " ",
                cell(caller, one.name, 24, Style.NAME),
                " ",
                cell(caller, one.transport, 7),
                " ",
                cell(caller, str(one.node), 4, Style.NUMBER),
                " ",
                Span("here", Style.GOOD) if (one.node, one.began_ms) in here else stayed,
            )

        listing = Listing(caller)
        while await listing.pick(self.title, head, [row(one) for one in past], (), right="times are UTC") != "Q":
            pass


PLUGIN: Final = LastCallers()
