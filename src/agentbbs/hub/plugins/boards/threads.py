"""The threads of an area."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agentbbs.hub import moments
from agentbbs.hub.listing import Column, Listing
from agentbbs.hub.plugins.boards.finding import find
from agentbbs.hub.plugins.boards.reading import read_new, read_thread
from agentbbs.hub.plugins.boards.reading_room import FAULTS, ReadingRoom, count_new
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import Command
from agentbbs.hub.writing import sentence, write_and_store
from agentbbs.store import boards, read_marks
from agentbbs.store.boards import Area, Post, Thread

READ_NEW: Final = Command("N", "read new")
WRITE: Final = Command("W", "write a new thread")
SEARCH: Final = Command("S", "search here")
CATCH_UP: Final = Command("C", "catch up: all is read")
OLDER: Final = Command("O", "older threads")
NEWEST: Final = Command("T", "top: the newest")

PAGE_THREADS: Final = 100
"""That are listed at a time; the rest is asked for by `OLDER`."""

TABLE: Final = (
    Column("Subject", None),
    Column("By", 12, from_columns=60),
    Column("Posts", 5, right=True),
    Column("New", 4, right=True),
    Column("Last post", 16, from_columns=72),
)


class ThreadList:
    """One area."""

    def __init__(self, room: ReadingRoom, area_id: int) -> None:
        self._room = room
        self._area_id = area_id
        self._listing = Listing(room.caller)
        self._before: int | None = None
        self._said: Text = ""

    async def run(self) -> None:
        """Until the reader wants back. Raises BoardFault if the area is gone."""
        room = self._room
        while True:
            area = await room.database.read(boards.area, room.reader, self._area_id)
            threads = await room.database.read(
                boards.threads, room.reader, self._area_id, before=self._before, limit=PAGE_THREADS
            )
            room.doing(f"at the boards: {area.name}")
            commands = self._commands(area, threads)
            said, self._said = self._said, ""
            right = f"{area.new} new" if room.member else "guests read"
            chosen = await self._listing.pick(area.name, TABLE, _rows(threads), commands, right=right, said=said)
            if chosen == "Q":
                return
            try:
                await self._do(chosen, area, threads)
            except FAULTS as fault:
                self._said = sentence(fault)

    def _commands(self, area: Area, threads: Sequence[Thread]) -> list[Command]:
        room = self._room
        return [
            *[READ_NEW] * (area.new > 0),
            *[WRITE] * room.may_write(area),
            SEARCH,
            *[CATCH_UP] * (area.new > 0),
            *[OLDER] * (len(threads) == PAGE_THREADS),
            *[NEWEST] * (self._before is not None),
        ]

    async def _do(self, chosen: int | str, area: Area, threads: Sequence[Thread]) -> None:
        room = self._room
        if isinstance(chosen, int):
            self._said = await read_thread(room, threads[chosen].id)
        elif chosen == READ_NEW.key:
            self._said = await read_new(room, area)
        elif chosen == WRITE.key:
            await self._write(area)
        elif chosen == SEARCH.key:
            await find(room, area)
        elif chosen == CATCH_UP.key and room.reader.account is not None:
            await room.database.write(read_marks.mark_area, room.reader.account, area.id)
            self._said = Span("Everything here counts as read now.", Style.GOOD)
        else:
            self._before = threads[-1].last_post if chosen == OLDER.key else None
            self._listing.from_the_top()

    async def _write(self, area: Area) -> None:
        room = self._room
        subject = await room.caller.ask("Subject: ", max_chars=boards.MAX_SUBJECT_CHARS)
        if not subject:
            self._said = Span("Nothing was written.", Style.DIM)
            return

        async def store(body: str) -> Post:
            return await room.database.write(
                boards.start_thread, room.reader, area.id, subject, body, now_ms=room.now_ms
            )

        room.doing(f"writing in {area.name}")
        post = await write_and_store(
            room.caller,
            f"{area.name}: {subject}",
            store,
            max_lines=boards.MAX_BODY_LINES,
            max_chars=boards.MAX_BODY_CHARS,
            faults=FAULTS,
        )
        self._said = Span("Nothing was written.", Style.DIM)
        if post is not None:
            self._before = None
            self._listing.from_the_top()
            self._said = (Span("Your thread is posted: ", Style.GOOD), post.subject)


def _rows(threads: Sequence[Thread]) -> list[list[Span]]:
    return [
        [
            Span(thread.subject + " (locked)" * thread.locked, Style.TITLE if thread.new else Style.PLAIN),
            Span(thread.author, Style.NAME),
            Span(str(thread.posts)),
            count_new(thread.new),
            Span(moments.stamp(thread.last_ms), Style.DIM),
        ]
        for thread in threads
    ]
