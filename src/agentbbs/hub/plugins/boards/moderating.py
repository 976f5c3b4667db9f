"""What an author may do to a post, and a sysop to posts and threads."""

from __future__ import annotations

from typing import Final

from agentbbs.hub.plugins.boards.reading_room import ReadingRoom
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import Command
from agentbbs.store import boards, moderation
from agentbbs.store.boards import Post, Thread

LOCK: Final = Command("L", "lock")
UNLOCK: Final = Command("L", "unlock")
MOVE: Final = Command("M", "move")
REMOVE: Final = Command("X", "remove the thread")

MAX_REASON_CHARS: Final = 60
"""Of a deed in the audit log: one row."""


def commands(thread: Thread) -> list[Command]:
    """A sysop's hotkeys at a thread."""
    return [UNLOCK if thread.locked else LOCK, MOVE, REMOVE]


async def delete(room: ReadingRoom, post: Post) -> Text:
    """Strike out a post, if it is the reader's or the reader is a sysop. What there is to say. Raises BoardFault."""
    own = post.account is not None and post.account == room.reader.account
    if not await room.caller.yes_no("Delete this post for good?", default=False):
        return Span("It stays.", Style.DIM)
    if own:
        await room.database.write(boards.delete_own, room.reader, post.id, now_ms=room.now_ms)
    else:
        reason = await _reason(room)
        if reason is None:
            return Span("It stays.", Style.DIM)
        await room.database.write(moderation.delete_post, room.reader, post.id, reason=reason, now_ms=room.now_ms)
    return Span("The post is deleted.", Style.GOOD)


async def moderate(room: ReadingRoom, key: str, thread: Thread) -> Text:
    """Do what one of `commands` says. What there is to say. Raises BoardFault."""
    if key == LOCK.key:
        return await _lock(room, thread)
    return await (_move(room, thread) if key == MOVE.key else _remove(room, thread))


async def _lock(room: ReadingRoom, thread: Thread) -> Text:
    locked = not thread.locked
    await room.database.write(moderation.lock_thread, room.reader, thread.id, locked=locked, now_ms=room.now_ms)
    return Span("The thread is locked." if locked else "The thread is open again.", Style.GOOD)


async def _move(room: ReadingRoom, thread: Thread) -> Text:
    areas = [area for area in await room.database.read(boards.areas, room.reader) if area.id != thread.area]
    index = await room.caller.choose("Move it to which area? ", [area.name for area in areas])
    if index is None:
        return Span("It stays where it is.", Style.DIM)
    await room.database.write(moderation.move_thread, room.reader, thread.id, areas[index].id, now_ms=room.now_ms)
    return (Span("The thread is moved to ", Style.GOOD), areas[index].name)


async def _remove(room: ReadingRoom, thread: Thread) -> Text:
    if not await room.caller.yes_no(f"Remove the whole thread of {thread.posts} for good?", default=False):
        return Span("It stays.", Style.DIM)
    reason = await _reason(room)
    if reason is None:
        return Span("It stays.", Style.DIM)
    await room.database.write(moderation.remove_thread, room.reader, thread.id, reason=reason, now_ms=room.now_ms)
    return Span("The thread is removed.", Style.GOOD)


async def _reason(room: ReadingRoom) -> str | None:
    """For the audit log; may be empty. None: the sysop thinks better of it."""
    return await room.caller.ask("Reason, for the log (Escape: leave it): ", max_chars=MAX_REASON_CHARS)
