"""A text of many lines."""

from __future__ import annotations

import asyncio

import pytest
from tests.agentbbs.hub.lines import ScriptedLine, called, settled

from agentbbs.calls.line import Size


async def composed(
    *typed: str, initial: str = "", answers: bool = True, max_lines: int = 50, max_chars: int = 5000
) -> tuple[str | None, ScriptedLine]:
    """What comes of these lines, each with Enter, and the line with all that it showed."""
    line = ScriptedLine(answers=answers)
    caller = await called(line)
    for text in typed:
        line.type(text, "enter")
    return await caller.compose("A post", initial=initial, max_lines=max_lines, max_chars=max_chars), line


@pytest.mark.parametrize("answers", [True, False])
async def test_lines_are_typed_and_saved(*, answers: bool) -> None:
    text, line = await composed("Hello", "", "  world", "", "/s", answers=answers)
    assert text == "Hello\n\n  world"
    assert answers or b"\x1b" not in line.sent


async def test_a_paragraph_goes_on_at_a_word_and_is_one_in_the_text() -> None:
    words = " ".join(f"word{number}" for number in range(40))
    text, line = await composed(words, "next", "/s")
    assert text == f"{words}\nnext"
    assert all(len(row) < 80 for row in line.text.split("\n"))


async def test_a_word_wider_than_the_screen_stays_one_word() -> None:
    text, _ = await composed("x" * 300, "/s")
    assert text == "x" * 300


async def test_lines_are_edited_deleted_and_listed() -> None:
    text, line = await composed("one", "two", "three", "/e 2", "!", "/d1", "/l", "/d 9", "/h", "/S")
    assert text == "two!\nthree"
    assert "There is no line 9" in line.since(0)
    assert "edit line N" in line.since(0)


async def test_a_deleted_line_of_a_paragraph_takes_its_end_with_it() -> None:
    words = " ".join(f"word{number}" for number in range(20))
    text, _ = await composed(words, "next", "/d 2", "/s")
    assert text is not None
    assert text.split("\n")[1] == "next"


async def test_what_looks_like_a_command_can_be_written() -> None:
    text, _ = await composed("//s", "/me waves", "/sure", "/ s", "/s")
    assert text == "/s\n/me waves\n/sure\n/ s"


async def test_it_can_be_given_up() -> None:
    assert (await composed("/a"))[0] is None
    assert (await composed("some", "/a", "", "/s"))[0] == "some"
    line = ScriptedLine()
    caller = await called(line)
    line.type("some\r/a\ry")
    assert await caller.compose("A post") is None
    line.type("some\rmo", "ctrl-c", "n")
    line.type("/s", "enter")
    assert await caller.compose("A post") == "some"
    line.type("some\r", "ctrl-c", "y")
    assert await caller.compose("A post") is None


async def test_nothing_saved_is_nothing_written() -> None:
    assert (await composed("", "  ", "/s"))[0] is None


async def test_a_text_can_be_begun_with() -> None:
    text, line = await composed("/d 1", "mine", "/s", initial="> one\n> two")
    assert text == "> two\nmine"
    assert "  1: > one" in line.since(0)


async def test_lines_and_characters_are_bounded() -> None:
    text, line = await composed("one", "two", "three", "/s", max_lines=2)
    assert text == "one\ntwo"
    assert "2 lines are the most" in line.text
    text, line = await composed("1234", "5678", "/e 1", "9" * 50, "/s", max_chars=8)
    assert text == "1234"
    assert "8 characters are the most" in line.text


async def test_a_notice_comes_above_the_line_that_is_typed() -> None:
    line = ScriptedLine(size=Size(60, 20))
    caller = await called(line)
    caller.clear()
    composing = asyncio.create_task(caller.compose("A post"))
    line.type("one", "enter")
    line.type("tw")
    await line.until("2: tw")
    caller.post("bob logged on")
    await line.until("  1: one\nbob logged on\n  2: tw")
    line.type("o", "enter")
    await settled()
    line.type("/s", "enter")
    assert await composing == "one\ntwo"
