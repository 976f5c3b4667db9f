"""A word to everybody who is on the board."""

from __future__ import annotations

from typing import Final

from agentbbs.hub.text import Span, Style
from agentbbs.hub.view import one_line
from agentbbs.hub.visit import Visit
from agentbbs.store import audit
from agentbbs.store.audit import Action

MAX_CHARS: Final = 300
"""Four lines of a screen."""


async def run(visit: Visit, sysop: int) -> None:
    """Ask for it, and tell it."""
    caller, board = visit.caller, visit.board
    caller.say()
    word = await caller.ask("To everybody: ", max_chars=MAX_CHARS)
    if not word:
        return
    told = board.presence.broadcast(Span(" From the sysop: ", Style.NOTICE), " ", one_line(word), but=visit.node)
    await board.database.write(audit.note, sysop, Action.BROADCAST, "everybody", word, now_ms=board.now_ms())
    caller.say(Span(f"Told to {told} caller{'s' * (told != 1)}.", Style.GOOD))
    await caller.pause()
