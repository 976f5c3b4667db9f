"""Input over time."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine

import pytest
from tests.agentbbs.hub.lines import ScriptedLine, VirtualClock, settled

from agentbbs.calls.line import MAX_UNREAD_BYTES, READ_BYTES, LineGone
from agentbbs.hub.keyboard import TURN_KEYS, TURN_STEPS, Keyboard
from agentbbs.hub.keys import ESCAPE_PATIENCE_S, CursorReport, Key
from tty_agent.terminal.dialect import Encoding


class Typist:
    """A keyboard, its line and its clock."""

    def __init__(self) -> None:
        self.line = ScriptedLine()
        self.clock = VirtualClock()
        self.keyboard = Keyboard(self.line, Encoding.CP437, self.clock)


@pytest.fixture
async def typist() -> Typist:
    return Typist()


async def test_keys_come_in_order_and_a_wait_ends_at_its_time(typist: Typist) -> None:
    typist.line.type("ab")
    assert await typist.keyboard.press(None) == Key("a")
    assert await typist.keyboard.press(None) == Key("b")
    waiting = asyncio.create_task(typist.keyboard.press(typist.clock.time() + 5))
    await settled()
    await typist.clock.advance(4)
    assert not waiting.done()
    await typist.clock.advance(1)
    assert await waiting is None
    typist.line.drop()


async def test_an_escape_is_a_key_after_its_patience_and_an_arrow_in_two_pieces_is_one(typist: Typist) -> None:
    typist.line.feed(b"\x1b")
    waiting = asyncio.create_task(typist.keyboard.press(None))
    await settled()
    assert not waiting.done()
    await typist.clock.advance(ESCAPE_PATIENCE_S)
    assert await waiting == Key("escape")
    typist.line.feed(b"\x1b")
    waiting = asyncio.create_task(typist.keyboard.press(None))
    await settled()
    typist.line.feed(b"[A")
    assert await waiting == Key("up")
    typist.line.drop()


async def test_a_ring_ends_a_wait_once(typist: Typist) -> None:
    waiting = asyncio.create_task(typist.keyboard.press(None))
    await settled()
    typist.keyboard.ring()
    assert await waiting is None
    typist.line.type("x")
    assert await typist.keyboard.press(None) == Key("x")
    typist.line.drop()


async def test_what_was_typed_before_a_hang_up_is_read_first(typist: Typist) -> None:
    typist.line.type("x")
    typist.line.drop()
    assert await typist.keyboard.press(None) == Key("x")
    with pytest.raises(LineGone, match="the caller hung up"):
        await typist.keyboard.press(None)
    with pytest.raises(LineGone):
        await typist.keyboard.raw()


async def test_a_report_is_found_behind_what_was_typed(typist: Typist) -> None:
    typist.line.feed(b"ab\x1b[24;80Rc")
    assert await typist.keyboard.report(typist.clock.time() + 1) == CursorReport(24, 80)
    assert [await typist.keyboard.press(None) for _ in "abc"] == [Key("a"), Key("b"), Key("c")]
    waiting = asyncio.create_task(typist.keyboard.report(typist.clock.time() + 1))
    await settled()
    typist.line.type("d")
    await typist.clock.advance(1)
    assert await waiting is None
    assert await typist.keyboard.press(None) == Key("d")
    typist.line.drop()


async def test_raw_input_begins_with_what_was_typed_ahead(typist: Typist) -> None:
    typist.line.feed(b"x\x1b[24;80R22\r\xff")
    await typist.keyboard.report(typist.clock.time() + 1)
    assert await typist.keyboard.raw() == b"x22\r\xff"
    waiting = asyncio.create_task(typist.keyboard.raw())
    await settled()
    typist.line.feed(b"\x1b[A\0")
    assert await waiting == b"\x1b[A\0"
    typist.line.drop()


async def test_a_flood_waits_on_the_line(typist: Typist) -> None:
    typist.line.feed(b"x" * (3 * MAX_UNREAD_BYTES))
    assert await typist.keyboard.press(None) == Key("x")
    await settled()
    first = await typist.keyboard.raw()
    assert len(first) <= MAX_UNREAD_BYTES + READ_BYTES
    rest = 1 + len(first)
    while rest < 3 * MAX_UNREAD_BYTES:
        rest += len(await typist.keyboard.raw())
    assert rest == 3 * MAX_UNREAD_BYTES
    typist.line.drop()


async def test_what_was_typed_can_be_forgotten(typist: Typist) -> None:
    typist.line.type("abc")
    assert await typist.keyboard.press(None) == Key("a")
    typist.keyboard.forget()
    typist.line.type("d")
    assert await typist.keyboard.press(None) == Key("d")
    typist.line.drop()


async def test_close_ends_the_wait(typist: Typist) -> None:
    waiting = asyncio.create_task(typist.keyboard.press(None))
    await settled()
    typist.keyboard.close()
    with pytest.raises(LineGone, match="over"):
        await waiting


async def test_a_fault_of_the_line_is_raised_where_a_key_is_waited_for(typist: Typist) -> None:
    async def broken() -> bytes:
        raise OSError("the cable")

    typist.line.read = broken  # type: ignore[method-assign]  # a line that breaks its contract
    with pytest.raises(OSError, match="the cable"):
        await typist.keyboard.press(None)


async def turns_during(work: Coroutine[object, object, object]) -> int:
    """How many turns of the loop somebody else got."""
    working = asyncio.ensure_future(work)
    turns = 0
    while not working.done():
        turns += 1
        await asyncio.sleep(0)
    await working
    return turns


async def test_a_paste_lets_others_go_on(typist: Typist) -> None:
    paste = b"paste paste " * 11000

    async def take() -> None:
        for byte in paste:
            assert await typist.keyboard.press(None) == Key(chr(byte))

    typist.line.feed(paste)
    assert await turns_during(take()) >= len(paste) // TURN_KEYS
    typist.line.drop()


async def test_what_makes_no_keys_lets_others_go_on(typist: Typist) -> None:
    junk = b"\x1b[<0;1;1M" * 10000
    typist.line.feed(junk + b"x")
    assert await turns_during(typist.keyboard.press(None)) >= len(junk) // TURN_STEPS
    typist.line.drop()


async def test_text_typed_ahead_comes_at_once_up_to_another_key(typist: Typist) -> None:
    typist.line.feed(b"abc\rd")
    assert await typist.keyboard.press(None) == Key("a")
    assert typist.keyboard.text_ahead() == "bc"
    assert typist.keyboard.text_ahead() == ""
    assert await typist.keyboard.press(None) == Key("enter")
    typist.line.feed(b"x" * 1000)
    assert await typist.keyboard.press(None) == Key("d")
    await settled()
    assert len(typist.keyboard.text_ahead()) < TURN_KEYS
    typist.line.drop()
