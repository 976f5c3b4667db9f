"""Long texts."""

from __future__ import annotations

import asyncio

import pytest
from tests.agentbbs.hub.lines import ScriptedLine, called

from agentbbs.calls.line import Size
from agentbbs.hub.text import Text

LINES: list[Text] = [f"line {number}" for number in range(50)]


async def test_a_short_text_has_no_prompt() -> None:
    line = ScriptedLine()
    caller = await called(line)
    assert await caller.show(LINES[:20])
    assert "More" not in line.since(0)


@pytest.mark.parametrize("answers", [True, False])
async def test_pages_follow_without_a_gap(*, answers: bool) -> None:
    line = ScriptedLine(answers=answers)
    caller = await called(line)
    caller.clear()
    showing = asyncio.create_task(caller.show(LINES))
    await line.until("More")
    assert "line 22" in line.text
    assert "line 0" in line.text.split("\n")
    mark = line.mark()
    line.press("enter")
    await line.until("More", since=mark)
    assert [row for row in line.text.split("\n") if row][:-1] == LINES[23:46]
    line.press(" ")
    assert await showing
    assert line.text.rstrip().endswith("line 48\nline 49")


async def test_the_reader_may_quit_or_take_all() -> None:
    line = ScriptedLine()
    caller = await called(line)
    line.type("q")
    assert not await caller.show(LINES)
    mark = line.mark()
    line.type("c")
    assert await caller.show(LINES * 10)
    assert line.since(mark).count("More") == 1


async def test_rows_count_as_they_are_wrapped_and_with_what_stood_there() -> None:
    line = ScriptedLine(size=Size(40, 12))
    caller = await called(line)
    caller.clear()
    for _ in range(6):
        caller.say("already there")
    showing = asyncio.create_task(caller.show(["word " * 20] * 3))
    await line.until("More")
    assert line.text.startswith("already there")
    assert line.text.count("word word") > 4
    line.press("q")
    assert not await showing
