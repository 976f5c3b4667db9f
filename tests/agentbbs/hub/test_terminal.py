"""Output, notices, idleness, and finding out what the terminal is."""

from __future__ import annotations

import asyncio

import pytest
from tests.agentbbs.hub.lines import ScriptedLine, VirtualClock, called, settled

from agentbbs.calls.line import LineGone, Size
from agentbbs.hub.caller import Caller
from agentbbs.hub.keys import Key
from agentbbs.hub.probe import FIRST_ANSWER_S, PROBE_S
from agentbbs.hub.terminal import IDLE_GOODBYE, IDLE_QUESTION, LATE_ANSWER_S, MAX_NOTICES
from agentbbs.hub.text import Span, Style
from tty_agent.terminal.dialect import Encoding


async def test_a_terminal_that_answers_is_known_before_the_first_prompt() -> None:
    for name, encoding in (("ansi", Encoding.CP437), ("xterm", Encoding.UTF_8)):
        line = ScriptedLine(terminal=name, size=Size(100, 30), size_known=False)
        line.size = Size()
        caller = await called(line, clock=VirtualClock())
        assert caller.ansi
        assert caller.encoding is encoding
        assert caller.size == Size(100, 30)


async def test_a_size_that_was_told_is_not_asked_for() -> None:
    line = ScriptedLine(size=Size(132, 43))
    caller = await called(line)
    assert b"999" not in line.sent
    assert caller.size == Size(132, 43)
    line.resize(90, 28)
    assert caller.size == Size(90, 28)


async def test_a_terminal_that_answers_nothing_is_plain_and_gets_its_prompt_soon() -> None:
    line = ScriptedLine(terminal="", answers=False)
    clock = VirtualClock()
    caller = Caller(line, clock=clock)
    detecting = asyncio.create_task(caller.detect())
    await settled()
    await clock.advance(FIRST_ANSWER_S)
    assert detecting.done()
    assert FIRST_ANSWER_S < 0.3
    start = line.mark()
    asking = asyncio.create_task(caller.ask("Näme: "))
    await line.until("Name: ")
    line.type("ann", "enter")
    assert await asking == "ann"
    assert b"\x1b" not in line.sent[start:]


async def test_an_answer_within_a_second_still_counts_while_a_prompt_waits() -> None:
    line = ScriptedLine(terminal="", answers=False)
    clock = VirtualClock()
    caller = Caller(line, clock=clock)
    detecting = asyncio.create_task(caller.detect())
    await settled()
    await clock.advance(FIRST_ANSWER_S)
    await detecting
    asking = asyncio.create_task(caller.ask("Name: "))
    line.type("an")
    await settled()
    line.feed(b"\x1b[5;4R")
    line.type("n", "enter")
    assert await asking == "ann"
    assert caller.ansi
    assert caller.encoding is Encoding.CP437


async def test_a_late_answer_changes_nothing_and_is_not_typed() -> None:
    line = ScriptedLine(terminal="", answers=False)
    clock = VirtualClock()
    caller = Caller(line, clock=clock)
    detecting = asyncio.create_task(caller.detect())
    await settled()
    await clock.advance(PROBE_S + 0.1)
    await detecting
    asking = asyncio.create_task(caller.ask("Name: "))
    line.feed(b"a\x1b[24;80Rn\x1b[5;4Rn\r")
    assert await asking == "ann"
    assert not caller.ansi


async def test_an_escape_is_quick_again_once_no_answer_can_come() -> None:
    line = ScriptedLine(terminal="", answers=False)
    clock = VirtualClock()
    caller = Caller(line, clock=clock)
    detecting = asyncio.create_task(caller.detect())
    await settled()
    await clock.advance(PROBE_S + LATE_ANSWER_S + 0.1)
    await detecting
    waiting = asyncio.create_task(caller.key())
    await settled()
    line.press("escape")
    await settled()
    await clock.advance(0.1)
    assert await waiting == Key("escape")


async def test_a_dumb_terminal_is_asked_nothing() -> None:
    line = ScriptedLine(terminal="dumb")
    caller = await called(line)
    assert not caller.ansi
    assert line.sent == b""


async def test_what_is_typed_during_the_probe_is_kept() -> None:
    line = ScriptedLine()
    line.type("bob", "enter")
    caller = await called(line)
    assert await caller.ask("Name: ") == "bob"


async def test_say_wraps_to_the_width_and_counts_what_stands_in_the_line() -> None:
    line = ScriptedLine(size=Size(40, 12))
    caller = await called(line)
    caller.clear()
    caller.write("Note: ")
    caller.say(Span("one two three four five six seven eight nine", Style.NAME))
    caller.say()
    caller.say("x" * 50)
    assert line.text.split("\n")[:5] == [
        "Note: one two three four five six seven",
        "eight nine",
        "",
        "x" * 39,
        "x" * 11,
    ]


async def test_a_line_feed_only_text_does_not_step_down_the_screen() -> None:
    line = ScriptedLine()
    caller = await called(line)
    caller.clear()
    caller.write("one\ntwo\nthree")
    assert line.text.startswith("one\ntwo\nthree")
    assert line.sent.endswith(b"one\r\ntwo\r\nthree")


async def test_encoding_and_colour_can_be_changed() -> None:
    line = ScriptedLine(terminal="", answers=False)
    caller = await called(line)
    caller.write("é")
    caller.encoding = Encoding.CP437
    caller.write("é")
    caller.encoding = Encoding.UTF_8
    caller.ansi = True
    caller.write(Span("é", Style.GOOD))
    assert bytes(line.sent) == b"e\x82\x1b[0;32m\xc3\xa9\x1b[0m"
    line.feed("ü".encode())
    assert await caller.key() == Key("ü")


async def test_a_key_times_out_and_can_be_nudged() -> None:
    clock = VirtualClock()
    line = ScriptedLine()
    caller = await called(line, clock=clock)
    waiting = asyncio.create_task(caller.key(2))
    await settled()
    await clock.advance(2)
    assert await waiting is None
    waiting = asyncio.create_task(caller.key())
    await settled()
    caller.nudge()
    assert await waiting is None


async def test_a_nudge_during_a_prompt_is_for_the_next_key() -> None:
    line = ScriptedLine()
    caller = await called(line)
    asking = asyncio.create_task(caller.ask("? "))
    await line.until("?")
    caller.nudge()
    await settled()
    line.type("", "enter")
    await asking
    assert await caller.key() is None


async def test_a_typed_key_comes_before_a_nudge() -> None:
    line = ScriptedLine()
    caller = await called(line)
    line.type("ab")
    assert await caller.key() == Key("a")
    caller.nudge()
    assert await caller.key() == Key("b")
    assert await caller.key() is None


@pytest.mark.parametrize("answers", [True, False])
async def test_a_notice_comes_above_what_is_being_typed(*, answers: bool) -> None:
    line = ScriptedLine(answers=answers)
    caller = await called(line)
    caller.say("Welcome")
    asking = asyncio.create_task(caller.ask(Span("Name: ", Style.LABEL)))
    line.type("alie", "left")
    await line.until("alie")
    caller.post(Span("bob", Style.NAME), " logged on \x1b[2J")
    caller.post("carol logged on")
    await line.until("carol")
    line.type("c", "enter")
    assert await asking == "alice"
    rows = [row for row in line.text.split("\n") if row]
    assert rows == ["Welcome", r"bob logged on \x1b[2J", "carol logged on", "Name: alice"]


async def test_notices_wait_for_a_plain_key_but_not_if_it_lets_them() -> None:
    line = ScriptedLine()
    caller = await called(line)
    caller.post("one")
    waiting = asyncio.create_task(caller.key())
    await settled()
    assert "one" not in line.text
    line.type("x")
    await waiting
    caller.write("Main: ")
    waiting = asyncio.create_task(caller.key(notices=True))
    await line.until("one\nMain:")
    caller.post("two")
    await line.until("one\ntwo\nMain:")
    line.type("y")
    assert await waiting == Key("y")


async def test_too_many_notices_are_counted() -> None:
    line = ScriptedLine()
    caller = await called(line)
    for number in range(MAX_NOTICES + 7):
        caller.post(f"notice {number}")
    waiting = asyncio.create_task(caller.pause())
    await line.until(f"notice {MAX_NOTICES + 6}")
    assert "(7 earlier notices" in line.since(0)
    assert "notice 6\r" not in line.since(0)
    line.type("x")
    await waiting


async def test_an_idle_caller_is_warned_and_the_key_that_answers_is_swallowed() -> None:
    clock = VirtualClock()
    line = ScriptedLine()
    caller = await called(line, clock=clock, idle_limit_s=100)
    asking = asyncio.create_task(caller.ask("Name: "))
    line.type("ali")
    await line.until("ali")
    await clock.advance(75)
    await line.until(IDLE_QUESTION.strip())
    assert line.screen.bells == 1
    assert "Name" not in line.text
    line.type("x")
    await line.until("Name: ali")
    assert IDLE_QUESTION.strip() not in line.text
    line.type("ce", "enter")
    assert await asking == "alice"


async def test_an_idle_caller_is_hung_up() -> None:
    clock = VirtualClock()
    line = ScriptedLine()
    caller = await called(line, clock=clock, idle_limit_s=100)
    asking = asyncio.create_task(caller.ask("Name: "))
    await line.until("Name:")
    await clock.advance(75)
    caller.post("nobody reads this")
    await clock.advance(24)
    assert not line.gone
    await clock.advance(1)
    with pytest.raises(LineGone, match="inactive"):
        await asking
    assert line.hung_up
    assert IDLE_GOODBYE in line.text


async def test_what_a_terminal_says_by_itself_does_not_keep_a_caller() -> None:
    clock = VirtualClock()
    line = ScriptedLine()
    caller = await called(line, clock=clock, idle_limit_s=100)
    waiting = asyncio.create_task(caller.key())
    await settled()
    await clock.advance(70)
    line.feed(b"\0" * 1000 + b"\x1b[1;1R")
    await settled()
    await clock.advance(5)
    await line.until(IDLE_QUESTION.strip())
    assert line.text.split("\n")[-1] == IDLE_QUESTION.strip()
    line.type("x")
    await settled()
    assert IDLE_QUESTION.strip() not in line.text
    line.type("y")
    assert await waiting == Key("y")


async def test_timeouts_do_not_keep_a_caller_either() -> None:
    clock = VirtualClock()
    line = ScriptedLine()
    caller = await called(line, clock=clock, idle_limit_s=10)

    async def watching() -> None:
        while True:
            await caller.key(1)

    task = asyncio.create_task(watching())
    await settled()
    for _ in range(10):
        await clock.advance(1)
    with pytest.raises(LineGone):
        await task


async def test_a_door_gets_the_bytes_and_the_clock_stands_still() -> None:
    clock = VirtualClock()
    line = ScriptedLine()
    caller = await called(line, clock=clock, idle_limit_s=100)
    line.feed(b"x\x00\x1b[")
    async with caller.raw() as raw:
        assert await raw.read() == b"x\x00\x1b["
        raw.write(b"\x1b[5mraw")
        await raw.drain()
        caller.post("later")
        await clock.advance(1000)
    assert b"\x1b[5mraw" in line.sent
    line.type("k")
    assert await caller.key() == Key("k")


async def test_a_lost_line_is_told_everywhere() -> None:
    line = ScriptedLine()
    caller = await called(line)
    asking = asyncio.create_task(caller.ask("Name: "))
    await settled()
    line.drop()
    with pytest.raises(LineGone):
        await asking
    with pytest.raises(LineGone):
        await caller.flush()
    with pytest.raises(LineGone):
        await caller.key()
    caller.say("nobody hears this")


async def test_a_prompt_that_wrapped_is_left_standing() -> None:
    line = ScriptedLine(size=Size(40, 12))
    caller = await called(line)
    caller.clear()
    caller.write("a prompt that is wider than the screen of this caller: ")
    waiting = asyncio.create_task(caller.hotkey("Q"))
    await settled()
    caller.post("bob logged on")
    await line.until("bob logged on\na prompt that")
    assert line.text.startswith("a prompt that")
    line.type("q")
    await waiting
