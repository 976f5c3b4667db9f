"""The nodes: who is where, from which address; told something, kicked, banned."""

from __future__ import annotations

from typing import Final

from agentbbs.hub import moments
from agentbbs.hub.listing import Column, Listing
from agentbbs.hub.presence import Present
from agentbbs.hub.sysop.accounts import ban
from agentbbs.hub.sysop.asking import ask_reason
from agentbbs.hub.sysop.bans import ban_network
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import QUIT, Command, command, heading, one_line
from agentbbs.hub.visit import Visit
from agentbbs.store import audit
from agentbbs.store.audit import Action

MAX_WORD_CHARS: Final = 160
"""Two lines of a screen."""

_LOOK: Final = Command("R", "look again")
_TELL: Final = Command("T", "tell")
_KICK: Final = Command("K", "kick")
_BAN: Final = Command("B", "ban the account")
_BAN_ADDRESS: Final = Command("A", "ban the address")

_TABLE: Final = (
    Column("Node", 4, right=True),
    Column("Name", 20),
    Column("By", 6),
    Column("Address", 18),
    Column("For", 6, right=True),
    Column("What", None),
)


async def run(visit: Visit, sysop: int) -> None:
    """The list; one is chosen by its number."""
    caller, board = visit.caller, visit.board
    listing = Listing(caller)
    while True:
        everyone = sorted((*board.presence.everyone(), *board.presence.logging_in()), key=lambda present: present.node)
        right = f"{board.nodes.count - board.nodes.free} of {board.nodes.count} taken"
        rows = [_row(visit, present) for present in everyone]
        chosen = await listing.pick("Nodes", _TABLE, rows, [_LOOK], right=right)
        if chosen == QUIT.key:
            return
        if isinstance(chosen, int):
            await _one(visit, sysop, everyone[chosen])


def _row(visit: Visit, present: Present) -> tuple[Span, ...]:
    return (
        Span(str(present.node), Style.NUMBER),
        Span(present.name, Style.NAME),
        Span(present.transport),
        Span(present.address),
        Span(moments.span(visit.board.now_ms() - present.since_ms)),
        Span(present.doing),
    )


async def _one(visit: Visit, sysop: int, present: Present) -> None:
    caller, board = visit.caller, visit.board
    commands = (
        [_TELL, _KICK, _BAN_ADDRESS, QUIT] if present.account is None else [_TELL, _KICK, _BAN, _BAN_ADDRESS, QUIT]
    )
    heading(caller, f"Node {present.node}", commands, right=present.name)
    key = await command(caller, commands)
    if key == QUIT.key:
        return
    said: Text
    if key == _BAN.key:
        said = await ban(visit, sysop, present.name)
    elif key == _BAN_ADDRESS.key:
        said = await ban_network(visit, sysop, present.address)
    elif key == _KICK.key:
        said = await _kick(visit, sysop, present)
    else:
        word = await caller.ask("Tell: ", max_chars=MAX_WORD_CHARS)
        told = (
            bool(word)
            and _same(visit, present)
            and board.presence.tell(present.node, Span(" From the sysop: ", Style.NOTICE), " ", one_line(word or ""))
        )
        said = "Told." if told else "Nobody was told."
    caller.say(said)
    await caller.pause()


async def _kick(visit: Visit, sysop: int, present: Present) -> Text:
    board = visit.board
    reason = await ask_reason(visit.caller)
    if not reason:
        return "Nobody was kicked."
    if present.node == visit.node:
        return Span("That is you: log off instead.", Style.BAD)
    if not _same(visit, present):
        return Span(f"{present.name} is not on node {present.node} any more.", Style.BAD)
    board.presence.kick(present.node, f"The sysop ends your visit: {one_line(reason)}")
    detail = f"node {present.node}: {reason}"
    await board.database.write(audit.note, sysop, Action.KICKED, present.name, detail, now_ms=board.now_ms())
    return Span(f"{present.name} is kicked.", Style.GOOD)


def _same(visit: Visit, present: Present) -> bool:
    """Whether it is still the same caller on that node: what is asked takes time."""
    return visit.board.presence.is_there(present)
