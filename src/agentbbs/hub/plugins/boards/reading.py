"""Reading post by post."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from agentbbs.hub import moments
from agentbbs.hub.plugins.boards import moderating, sheaf
from agentbbs.hub.plugins.boards.reading_room import FAULTS, ReadingRoom
from agentbbs.hub.plugins.boards.sheaf import Sheaf
from agentbbs.hub.quotations import in_styles
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import QUIT, Command, command, heading
from agentbbs.hub.writing import sentence, write_and_store
from agentbbs.store import boards, quoting, read_marks
from agentbbs.store.boards import Area, NoSuchPost, Post, Thread

NEXT: Final = Command("N", "next", ("enter", "right", "page_down"))
PREVIOUS: Final = Command("P", "previous", ("left", "page_up"))
UNREAD: Final = Command("U", "next unread")
REPLY: Final = Command("R", "reply")
WHOLE: Final = Command("T", "the whole thread")
DELETE: Final = Command("D", "delete")


async def read_thread(room: ReadingRoom, thread_id: int, post_id: int | None = None) -> Text:
    """Read a thread, from a post on or from what is new. What there is to say after it. Raises BoardFault."""
    return await _Reading(room, await sheaf.of_thread(room, thread_id, post_id)).run()


async def read_new(room: ReadingRoom, area: Area | None = None) -> Text:
    """Read what is new, thread by thread."""
    return await _Reading(room, await sheaf.of_new(room, area)).run() or Span("Nothing more is new.", Style.GOOD)


async def read_found(room: ReadingRoom, found: Sequence[Post], at: int) -> Text:
    """Read what a search found, from one of it on."""
    return await _Reading(room, sheaf.of_found(found, at)).run()


class _Open(msgspec.Struct, frozen=True):
    """The post on the screen, and where it stands."""

    post: Post
    thread: Thread
    area: Area
    answers: str
    """Whose post it answers; "" if none."""
    new: bool


class _Reading:
    def __init__(self, room: ReadingRoom, posts: Sheaf) -> None:
        self._room = room
        self._posts = posts
        self._said: Text = ""

    async def run(self) -> Text:
        """Until the reader wants back, or all is read: then what to say. Raises BoardFault if the thread is gone."""
        while self._posts.ids:
            try:
                opened = await self._open()
            except NoSuchPost:
                if not self._posts.drop():
                    break
                continue
            commands = self._commands(opened)
            await self._show(opened, commands)
            await self._mark(opened)
            key = await command(self._room.caller, commands)
            if key == QUIT.key:
                return Span("", Style.DIM) if self._posts.kind == "new post" else ""
            if key == NEXT.key:
                if not await self._posts.next():
                    return self._end()
                continue
            try:
                if not await self._do(str(key), opened):
                    return self._said
            except FAULTS as fault:
                self._said = sentence(fault)
        return ""
