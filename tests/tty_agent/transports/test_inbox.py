"""Bytes that wait to be read, and the end behind them."""

from __future__ import annotations

import asyncio

import pytest

from tty_agent.transports.inbox import MAX_WAITING_BYTES, Inbox
from tty_agent.transports.transport import MAX_DETAIL_CHARS, READ_BYTES, End, EndKind

GONE = End(EndKind.LOST, "gone")


async def test_what_came_is_read_before_the_end_is_seen() -> None:
    inbox = Inbox()
    inbox.feed(b"last words")
    inbox.finish(GONE)
    assert [inbox.end] == [None]
    assert await inbox.take() == b"last words"
    assert inbox.end == GONE
    assert await inbox.take() == b""
    assert await inbox.take() == b""


async def test_the_first_end_counts() -> None:
    inbox = Inbox()
    inbox.finish(GONE)
    inbox.finish(End(EndKind.HUNG_UP, "later"))
    assert inbox.end == GONE


async def test_our_own_hang_up_is_the_end_at_once() -> None:
    inbox = Inbox()
    inbox.feed(b"unread")
    inbox.finish(End(EndKind.EOF, "the other side closed"))
    inbox.finish(End(EndKind.HUNG_UP, "we"))
    inbox.feed(b"too late")
    assert inbox.end == End(EndKind.HUNG_UP, "we")
    assert await inbox.take() == b""


def test_what_the_other_side_says_of_the_end_is_inert_and_bounded() -> None:
    end = End(EndKind.LOST, "\x1b]0;owned\x07" + "x" * 100_000)
    assert end.detail.startswith("\\x1b]0;owned\\x07xxx")
    assert len(end.detail) == MAX_DETAIL_CHARS


@pytest.mark.parametrize("event", ["bytes", "end"])
async def test_a_reader_is_woken(event: str) -> None:
    inbox = Inbox()
    reading = asyncio.create_task(inbox.take())
    await asyncio.sleep(0)
    if event == "bytes":
        inbox.feed(b"x")
    else:
        inbox.finish(GONE)
    async with asyncio.timeout(5):
        assert await reading == (b"x" if event == "bytes" else b"")


async def test_a_line_is_paused_while_nobody_reads() -> None:
    events: list[str] = []
    inbox = Inbox(lambda: events.append("pause"), lambda: events.append("resume"))
    while not events:
        inbox.feed(b"x" * 10_000)
    inbox.feed(b"x" * 10_000)
    assert events == ["pause"]
    total = 0
    while events == ["pause"]:
        piece = await inbox.take()
        assert len(piece) == READ_BYTES
        total += len(piece)
    assert events == ["pause", "resume"]
    assert total > MAX_WAITING_BYTES - READ_BYTES
