"""The sysop's desk: accounts, nodes, bans, invites, a word to everybody, the audit log. Over SSH only."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from agentbbs.hub import moments
from agentbbs.hub.plugin import Access
from agentbbs.hub.sysop import accounts, audit_log, bans, broadcast, invites, nodes
from agentbbs.hub.text import Span, Style
from agentbbs.hub.view import QUIT, Command, command, heading
from agentbbs.hub.visit import Visit

Page = Callable[[Visit, int], Awaitable[None]]
"""Takes the visit and the sysop's account."""

_PAGES: Final[dict[Command, Page]] = {
    Command("A", "accounts"): accounts.run,
    Command("N", "nodes"): nodes.run,
    Command("B", "bans"): bans.run,
    Command("I", "invites"): invites.run,
    Command("W", "word to everybody"): broadcast.run,
    Command("L", "audit log"): audit_log.run,
}


class Sysop:
    """The plugin."""

    id = "sysop"
    title = "Sysop"
    key = "S"
    access = Access.SYSOP

    async def run(self, visit: Visit) -> None:
        """The page of pages."""
        account = visit.visitor.account
        if account is None or not visit.visitor.sysop:
            return
        board, caller = visit.board, visit.caller
        board.presence.set_doing(visit.node, "at the sysop's desk")
        pages = {one.key: page for one, page in _PAGES.items()}
        while True:
            heading(caller, self.title, [*_PAGES, QUIT], right=moments.clock(board.now_ms()))
            caller.say(f"{board.nodes.count - board.nodes.free} of {board.nodes.count} nodes are taken.")
            for broken in board.broken:
                caller.say(Span(f"The plugin {broken.id} is out of order: {broken.fault}", Style.BAD))
            chosen = await command(caller, [*_PAGES, QUIT])
            if chosen == QUIT.key:
                return
            await pages[str(chosen)](visit, account)


PLUGIN: Final = Sysop()
