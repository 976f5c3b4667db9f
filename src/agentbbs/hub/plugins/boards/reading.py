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
    return await _Reading(room, await sheaf.of_new(room, area)).run()


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
                self._posts.drop()
                continue
            commands = self._commands(opened)
            await self._show(opened, commands)
            await self._mark(opened)
            key = await command(self._room.caller, commands)
            if key == QUIT.key:
                return ""
            try:
                if not await self._do(str(key), opened):
                    return self._said
            except FAULTS as fault:
                self._said = sentence(fault)
        return _AT_END[self._posts.kind]

    async def _open(self) -> _Open:
        room = self._room
        database, reader = room.database, room.reader
        post = await database.read(boards.post, reader, self._posts.current)
        thread = await database.read(boards.thread, reader, post.thread)
        area = await database.read(boards.area, reader, post.area)
        answers = ""
        if post.reply_to is not None:
            answers = (await database.read(boards.post, reader, post.reply_to)).author
        return _Open(post, thread, area, answers)

    def _commands(self, opened: _Open) -> list[Command]:
        room, post = self._room, opened.post
        stands = post.deleted_ms is None
        may_reply = room.may_write(opened.area) and (room.sysop or not opened.thread.locked)
        own = room.member and post.account == room.reader.account
        return [
            NEXT,
            PREVIOUS,
            *[UNREAD] * room.member,
            *[REPLY] * may_reply,
            *[WHOLE] * (self._posts.kind != "post"),
            *[DELETE] * (stands and (own or room.sysop)),
            *moderating.commands(opened.thread) * room.sysop,
            QUIT,
        ]

    async def _show(self, opened: _Open, commands: Sequence[Command]) -> None:
        caller, post, posts = self._room.caller, opened.post, self._posts
        self._room.doing(f"reading in {opened.area.name}")
        where = f"{posts.kind} {posts.at + 1} of {len(posts.ids)}"
        heading(caller, f"{opened.area.name}: {post.subject}", commands, right=where)
        caller.say(
            Span("From ", Style.LABEL),
            Span(post.author, Style.NAME),
            Span("  on ", Style.LABEL),
            f"{moments.stamp(post.created_ms)} UTC",
            (Span("  in answer to ", Style.LABEL), Span(opened.answers, Style.NAME)) if opened.answers else "",
            Span("  (the thread is locked)", Style.DIM) if opened.thread.locked else "",
        )
        caller.say()
        if post.deleted_ms is None:
            await caller.show(in_styles(post.body))
        else:
            caller.say(Span(f"(This post was deleted on {moments.stamp(post.deleted_ms)} UTC.)", Style.DIM))
        caller.say()
        if self._said:
            caller.say(self._said)
            self._said = ""

    async def _mark(self, opened: _Open) -> None:
        """The post is read now: if it is the first new one of its thread. One that was skipped stays new."""
        account, post = self._room.reader.account, opened.post
        if account is None or not opened.thread.new:
            return
        first = await self._room.database.read(boards.new_posts, self._room.reader, thread_id=post.thread, limit=1)
        if first and first[0].id == post.id:
            await self._room.database.write(read_marks.mark_thread, account, post.thread, post.id)

    async def _do(self, key: str, opened: _Open) -> bool:
        """Do what a hotkey says. False: the reading is over."""
        room, posts = self._room, self._posts
        if key == NEXT.key:
            if not await posts.next():
                self._said = _AT_END[posts.kind]
                return False
        elif key == PREVIOUS.key:
            self._said = "" if posts.previous() else Span("That is the first.", Style.DIM)
        elif key == UNREAD.key:
            return await self._go_unread(opened)
        elif key == REPLY.key:
            await self._reply(opened)
        elif key == WHOLE.key:
            self._said = await read_thread(room, opened.post.thread, opened.post.id)
        elif key == DELETE.key:
            self._said = await moderating.delete(room, opened.post)
        else:
            self._said = await moderating.moderate(room, key, opened.thread)
        return True

    async def _go_unread(self, opened: _Open) -> bool:
        """To the next new post: of this thread, else of this area, else of any."""
        room = self._room
        for place in ({"thread_id": opened.thread.id}, {"area_id": opened.area.id}, {}):
            found = await room.database.read(boards.new_posts, room.reader, limit=1, **place)
            if found:
                break
        else:
            self._said = Span("Nothing more is new.", Style.DIM)
            return True
        if found[0].id in self._posts.ids:
            self._posts.at = self._posts.ids.index(found[0].id)
        else:
            self._posts = await sheaf.of_thread(room, found[0].thread, found[0].id)
        return True

    async def _reply(self, opened: _Open) -> None:
        room, post = self._room, opened.post
        initial = ""
        if post.body and await room.caller.yes_no(("Quote ", Span(post.author, Style.NAME), "?"), default=False):
            initial = quoting.quote(post.author, post.body, width=min(quoting.WIDTH, room.caller.columns)).rstrip("\n")

        async def store(body: str) -> Post:
            return await room.database.write(
                boards.reply, room.reader, post.thread, body, reply_to=post.id, now_ms=room.now_ms
            )

        room.doing(f"writing in {opened.area.name}")
        written = await write_and_store(
            room.caller,
            f"Re: {post.subject}",
            store,
            initial=initial,
            max_lines=boards.MAX_BODY_LINES,
            max_chars=boards.MAX_BODY_CHARS,
            faults=FAULTS,
        )
        self._said = Span("Nothing was written.", Style.DIM)
        if written is not None:
            self._said = Span("Your answer is posted.", Style.GOOD)
            if self._posts.kind == "post":
                await self._posts.fetch()


_AT_END: Final = {
    "post": Span("That was the end of the thread.", Style.DIM),
    "new post": Span("Nothing more is new.", Style.DIM),
    "found": Span("That was the last that was found.", Style.DIM),
}
