"""Who is on the board now, where and what they do; and a line to one of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from agentbbs.hub import moments
from agentbbs.hub.caller import Caller
from agentbbs.hub.listing import Column, Listing
from agentbbs.hub.plugin import Access
from agentbbs.hub.presence import Present
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import Command, one_line
from agentbbs.hub.visit import Visit
from agentbbs.store.names import MAX_CHARS as MAX_NAME_CHARS
from agentbbs.store.throttle import Throttle

MAX_PAGE_CHARS: Final = 160
"""Two lines of a screen: what is longer is mail."""

BURST: Final = 6
"""Pages of one account at once."""

REFILL_S: Final = 10.0
"""Then one each so often: nobody's screen is filled by one caller."""

_PAGE: Final = Command("P", "page somebody")
_AGAIN: Final = Command("R", "look again")

_TABLE: Final = (
    Column("Node", 4, right=True),
    Column("Name", MAX_NAME_CHARS),
    Column("By", 6),
    Column("For", 7, right=True),
    Column("What", None),
)


class Online:
    """The plugin."""

    id = "online"
    title = "Who's online"
    key = "W"
    access = Access.GUEST

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._pages = Throttle(burst=BURST, refill_s=REFILL_S, clock=clock)

    async def run(self, visit: Visit) -> None:
        """Look, and page, until the caller wants back."""
        caller, board = visit.caller, visit.board
        board.presence.set_doing(visit.node, "looking who is here")
        listing = Listing(caller)
        said: Text = ""
        while True:
            everyone = board.presence.everyone()
            rows = [_row(present, board.now_ms()) for present in everyone]
            commands = [_AGAIN] if visit.visitor.guest else [_PAGE, _AGAIN]
            right = f"{len(everyone)} of {board.nodes.count} nodes"
            chosen = await listing.pick(self.title, _TABLE, rows, commands, right=right, said=said)
            said = ""
            if chosen == "Q":
                return
            if visit.visitor.guest:
                continue
            if chosen == _PAGE.key:
                chosen = await self._ask(caller, everyone)
            if isinstance(chosen, int):
                said = await self._page(visit, everyone[chosen])

    async def _ask(self, caller: Caller, everyone: tuple[Present, ...]) -> int | str:
        name = await caller.ask("Page whom (name or node)? ", max_chars=MAX_NAME_CHARS)
        wanted = (name or "").lower()
        for index, present in enumerate(everyone):
            if wanted in {str(present.node), present.name.lower()}:
                return index
        if wanted:
            caller.say(Span("Nobody of that name is here.", Style.BAD))
            await caller.pause()
        return ""

    async def _page(self, visit: Visit, to: Present) -> Text:
        """How it went."""
        if to.node == visit.node:
            return Span("That is you.", Style.DIM)
        text = await visit.caller.ask(("To ", Span(to.name, Style.NAME), ": "), max_chars=MAX_PAGE_CHARS)
        if not text:
            return Span("Nothing was sent.", Style.DIM)
        if self._pages.take(str(visit.visitor.account)) > 0:
            return Span("You page too fast: wait a little.", Style.BAD)
        there = visit.board.presence.on_node(to.node)
        if there is None or there.account != to.account:
            return Span(f"{to.name} has just left.", Style.BAD)
        sender = visit.visitor.name
        visit.board.presence.tell(
            to.node,
            Span(f" Page from {sender} (node {visit.node}): ", Style.NOTICE),
            " ",
            one_line(text),
        )
        return ("Sent to ", Span(to.name, Style.NAME), ".")


PLUGIN: Final = Online()


def _row(present: Present, now_ms: int) -> tuple[Span, ...]:
    return (
        Span(str(present.node), Style.NUMBER),
        Span(present.name, Style.NAME),
        Span(present.transport),
        Span(moments.span(now_ms - present.since_ms)),
        Span(present.doing),
    )
