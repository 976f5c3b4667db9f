"""Searching the boards, and reading what was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agentbbs.hub import moments
from agentbbs.hub.listing import Column, Listing
from agentbbs.hub.plugins.boards.reading import read_found
from agentbbs.hub.plugins.boards.reading_room import FAULTS, ReadingRoom
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import Command
from agentbbs.hub.writing import sentence
from agentbbs.store import board_search
from agentbbs.store.boards import Area, Post

OLDER: Final = Command("O", "find older ones")
AGAIN: Final = Command("S", "search for something else")

TABLE: Final = (
    Column("Subject", 24),
    Column("By", 12),
    Column("Beginning", None, from_columns=60),
    Column("Written", 16, from_columns=72),
)


async def find(room: ReadingRoom, area: Area | None = None) -> None:
    """Ask what to look for, in one area or all, and show it. Raises TextFault for what can't be looked for."""
    where = "all areas" if area is None else area.name
    words = await room.caller.ask(f"Find in {where}: ", max_chars=board_search.MAX_CHARS)
    while words:
        chosen = await _show(room, area, where, words)
        if chosen == "Q":
            return
        words = await room.caller.ask(f"Find in {where}: ", max_chars=board_search.MAX_CHARS)


async def _show(room: ReadingRoom, area: Area | None, where: str, words: str) -> str:
    """The list of what was found. The key that it was left with."""
    area_id = None if area is None else area.id
    listing = Listing(room.caller)
    before: int | None = None
    said: Text = ""
    while True:
        found = await room.database.read(board_search.search, room.reader, words, area_id=area_id, before=before)
        more = len(found) == board_search.MAX_FOUND
        title = f"“{words}” in {where}"
        chosen = await listing.pick(title, TABLE, _rows(found), [AGAIN, *[OLDER] * more], said=said)
        said = ""
        if chosen == OLDER.key:
            before = found[-1].id
            listing.from_the_top()
        elif isinstance(chosen, str):
            return chosen
        else:
            try:
                said = await read_found(room, found, chosen)
            except FAULTS as fault:
                said = sentence(fault)


def _rows(found: Sequence[Post]) -> list[list[Span]]:
    return [
        [
            Span(post.subject, Style.TITLE),
            Span(post.author, Style.NAME),
            Span(post.body[:200].strip(), Style.PLAIN),
            Span(moments.stamp(post.created_ms), Style.DIM),
        ]
        for post in found
    ]
