"""Whatever others wrote, at the boards, in letters, in the chat and as names: no terminal is controlled by it.

The texts are put into the database past every check, as an older version, a bug or an operator might have done.
"""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any, cast

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import insert, update
from tests.agentbbs.hub.lines import ScriptedLine, called, settled
from tests.agentbbs.hub.test_caller import assert_only_house_controls

from agentbbs.calls.line import Size
from agentbbs.hub.caller import Caller
from agentbbs.hub.chat_rooms import ChatLine, ChatRooms, Kind, Voice
from agentbbs.hub.plugin import Plugin
from agentbbs.hub.plugins import boards, chat, mail
from agentbbs.hub.presence import Presence, Present
from agentbbs.hub.visit import Visit, Visitor
from agentbbs.store.database import Database
from agentbbs.store.schema import accounts as account_rows
from agentbbs.store.schema import board_areas, board_posts, board_threads
from agentbbs.store.schema import mail as letters

READER, WRITER = 1, 2

hostile = st.text(
    alphabet=st.characters(codec="utf-8", exclude_characters="\0")
    | st.sampled_from("\x1b[]0;1mHJ\r\n\t\b\x07\x9b\x7f\u202e"),
    min_size=1,
    max_size=24,
) | st.sampled_from(["\x1b[2J", "\x1b]0;x\x07", "\x1b[6n", "\x9b2J", "\u009b5n", "a\r\n<bob> b", "\x1bP+q\x1b\\"])


class Stub(msgspec.Struct):
    """What these plugins use of a board."""

    database: Database
    presence: Presence
    chat: ChatRooms

    def now_ms(self) -> int:
        return 1


class Reachable:
    def __init__(self, caller: Caller) -> None:
        self.tell = caller.post

    def end(self, why: str) -> None:
        raise AssertionError(why)


def put(database: Database, name: str, subject: str, body: str) -> None:
    """One thread of two posts and one letter, all of the same texts."""
    with database.begin() as conn:
        for number, called_ in ((READER, "reader"), (WRITER, name)):
            row = {"id": number, "name": called_, "skeleton": str(number), "sysop": False, "created_ms": 1}
            conn.execute(insert(account_rows).values(row))
        conn.execute(update(board_areas).values(description=subject))
        conn.execute(update(board_areas).where(board_areas.c.id == 1).values(name=name))
        thread = {
            "id": 1, "area_id": 1, "subject": subject, "folded": "", "account_id": WRITER, "author": name,
            "created_ms": 1, "locked": False, "posts": 2, "last_post_id": 2, "last_ms": 1,
        }  # fmt: skip
        conn.execute(insert(board_threads).values(thread))
        for number in (1, 2):
            post = {
                "id": number, "thread_id": 1, "account_id": WRITER, "author": name, "reply_to": number - 1 or None,
                "body": body, "folded": "aa", "created_ms": 1,
            }  # fmt: skip
            conn.execute(insert(board_posts).values(post))
        letter = {
            "id": 1, "sender_id": WRITER, "sender": name, "recipient_id": READER, "recipient": "reader",
            "subject": subject, "body": body, "sent_ms": 1, "sender_keeps": True, "recipient_keeps": True,
        }  # fmt: skip
        conn.execute(insert(letters).values(letter))


async def look(line: ScriptedLine, database: Database, name: str, subject: str, body: str) -> int:
    """Go through all views; where the output of it begins."""
    caller = await called(line)
    stub = Stub(database, Presence(), ChatRooms())
    stub.presence.arrive(Present(1, READER, "reader", "telnet", 1, ""), Reachable(caller))
    stub.presence.arrive(Present(2, WRITER, name, "telnet", 1, subject), Reachable(caller))
    visit = Visit(cast("Any", stub), caller, Visitor(READER, "reader"), 1, line, 1)
    start = line.mark()

    async def run(plugin: Plugin, typed: str) -> None:
        line.type(typed)
        await plugin.run(visit)
        assert not line._input, "all was used: each key came to the view that it was meant for"

    # Areas, threads, both posts, a reply with a quotation that is given up, the search, all new.
    await run(boards.PLUGIN, "1\r1\rnry/a\ryqsaa\r1\rqqqnq")
    await run(mail.PLUGIN, "1\rry/a\ryqq")
    writer = Voice(2, WRITER, name)
    heard: list[ChatLine] = []
    stub.chat.enter(writer, heard.append, now_ms=1)
    stub.chat.say(2, subject, now_ms=1)
    chatting = asyncio.create_task(chat.PLUGIN.run(visit))
    await settled()
    stub.chat.say(2, body, now_ms=1)
    stub.chat.say(2, body, acted=True, now_ms=1)
    stub.chat.whisper(writer, Voice(1, READER, "reader"), body, now_ms=1)
    stub.presence.tell(1, chat.notice(ChatLine(Kind.PRIVATE, name, body, "", 1)))
    line.type("/who\r/rooms\r/msg nobody x\r/r y\r")
    await settled()
    stub.chat.leave(2, now_ms=1)
    line.type("/quit\r")
    await chatting
    caller.close()
    return start


@settings(deadline=None, max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=hostile, subject=hostile, body=hostile, terminal=st.sampled_from(["xterm", "ansi", ""]), answers=st.booleans()
)
def test_no_writer_controls_a_reader(
    migrated: Path, tmp_path: Path, name: str, subject: str, body: str, terminal: str, *, answers: bool
) -> None:
    file = shutil.copy(migrated, tmp_path / "house.db")
    line = ScriptedLine(terminal=terminal, answers=answers, size=Size(80, 60))

    async def run() -> int:
        database = Database(f"sqlite:///{file}")
        try:
            put(database, name, subject, body)
            async with asyncio.timeout(20):
                return await look(line, database, name, subject, body)
        finally:
            await database.close()

    start = asyncio.run(run())
    assert_only_house_controls(bytes(line.sent[start:]), line)
    seen = " ".join(line.since(start).split())
    for view in ("About", "Last post", "in answer to", "Quote", "found 1 of", "letter 1 of 1", "[private from"):
        assert view in seen, "the reader was there"
