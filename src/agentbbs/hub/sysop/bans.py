"""The bans: listed, made and lifted."""

from __future__ import annotations

from typing import Final

from agentbbs.hub import moments
from agentbbs.hub.listing import Column, Listing
from agentbbs.hub.sysop.asking import ask_ban_length, ask_reason
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import QUIT, Command
from agentbbs.hub.visit import Visit
from agentbbs.hub.writing import sentence
from agentbbs.store import bans
from agentbbs.store.bans import Ban, BanFault, NoSuchBan
from agentbbs.store.wording import TextFault

_BAN: Final = Command("B", "ban an address")

_TABLE: Final = (Column("Whom", 26), Column("Until (UTC)", 16), Column("Why", None))


async def run(visit: Visit, sysop: int) -> None:
    """The list; a ban is lifted by choosing it."""
    caller, board = visit.caller, visit.board
    listing = Listing(caller)
    said: Text = "Choose a ban by its number to lift it. Accounts are banned from their own page."
    while True:
        every = await board.database.read(bans.in_force, now_ms=board.now_ms())
        rows = [
            (
                Span(ban.name or ban.network or "", Style.NAME),
                Span("for good" if ban.until_ms is None else moments.stamp(ban.until_ms)),
                Span(ban.reason),
            )
            for ban in every
        ]
        chosen = await listing.pick("Bans", _TABLE, rows, [_BAN], said=said)
        if chosen == QUIT.key:
            return
        if chosen == _BAN.key:
            network = await caller.ask("Address or network (such as 192.0.2.0/24): ")
            said = await ban_network(visit, sysop, network) if network else "Nobody was banned."
        else:
            said = await _lift(visit, sysop, every[int(chosen)])


async def ban_network(visit: Visit, sysop: int, network: str) -> Text:
    """Ban an address or a network and end the visits from there; how it went."""
    caller, board = visit.caller, visit.board
    until = await ask_ban_length(caller, board.now_ms())
    reason = None if until is None else await ask_reason(caller)
    if until is None or not reason:
        return "Nobody was banned."
    try:
        ban = await board.database.write(
            bans.ban_network, sysop, network, reason=reason, until_ms=until.at_ms, now_ms=board.now_ms()
        )
    except (BanFault, TextFault) as fault:
        return sentence(fault)
    await board.recheck()
    return Span(f"{ban.network} is banned.", Style.GOOD)


async def _lift(visit: Visit, sysop: int, ban: Ban) -> Text:
    caller, board = visit.caller, visit.board
    if not await caller.yes_no(f"Lift the ban of {ban.name or ban.network}?", default=False):
        return "Nothing was changed."
    try:
        await board.database.write(bans.lift, sysop, ban.id, now_ms=board.now_ms())
    except NoSuchBan as fault:
        return sentence(fault)
    return Span("The ban is lifted.", Style.GOOD)
