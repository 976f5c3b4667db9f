"""The invites that are open: listed, minted and revoked."""

from __future__ import annotations

from typing import Final

from agentbbs.hub import moments
from agentbbs.hub.listing import Column, Listing
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import QUIT, Command
from agentbbs.hub.visit import Visit
from agentbbs.hub.writing import sentence
from agentbbs.store import invites
from agentbbs.store.invites import InviteFault

_MINT: Final = Command("M", "mint one")

_TABLE: Final = (Column("Begins with", 11), Column("Minted (UTC)", 16), Column("Good until", None))


async def run(visit: Visit, sysop: int) -> None:
    """The list; an invite is revoked by choosing it."""
    caller, board = visit.caller, visit.board
    listing = Listing(caller)
    said: Text = "Each lets one newcomer register. Choose one by its number to revoke it."
    while True:
        every = await board.database.read(invites.open_invites, now_ms=board.now_ms())
        rows = [
            (Span(one.prefix), Span(moments.stamp(one.minted_ms)), Span(moments.stamp(one.expires_ms))) for one in every
        ]
        chosen = await listing.pick("Invites", _TABLE, rows, [_MINT], said=said)
        if chosen == QUIT.key:
            return
        try:
            if chosen == _MINT.key:
                code = await board.database.write(invites.mint, sysop, now_ms=board.now_ms())
                said = ("The invite, shown this once: ", Span(code, Style.TITLE))
            elif await caller.yes_no(f"Revoke {every[int(chosen)].prefix}?", default=False):
                await board.database.write(invites.revoke, sysop, every[int(chosen)].id, now_ms=board.now_ms())
                said = Span("The invite is revoked.", Style.GOOD)
            else:
                said = "Nothing was changed."
        except InviteFault as fault:
            said = sentence(fault)
