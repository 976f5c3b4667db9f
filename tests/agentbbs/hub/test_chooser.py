"""One of many."""

from __future__ import annotations

import asyncio

import pytest
from tests.agentbbs.hub.lines import ScriptedLine, called, settled

from agentbbs.calls.line import Size
from agentbbs.hub.text import Span, Style, Text

ITEMS: list[Text] = [(Span(f"item-{number}", Style.NAME), " of the list") for number in range(1, 51)]
CURSOR_ATTRIBUTE_ROW = 1


def barred(line: ScriptedLine) -> list[str]:
    """The rows that the bar is on: their first cell is unlike the prompt's."""
    plain = line.screen.row_attributes(line.screen.rows - 1)[-1]
    return [
        line.screen.line(row)
        for row in range(line.screen.rows)
        if line.screen.row_attributes(row)[70] != plain and "item-" in line.screen.line(row)
    ]


@pytest.mark.parametrize("answers", [True, False])
async def test_a_number_and_enter_choose_on_every_terminal(*, answers: bool) -> None:
    line = ScriptedLine(answers=answers)
    caller = await called(line)
    line.type("3", "enter")
    assert await caller.choose("Which?", ITEMS[:5]) == 2
    line.type("x9", "enter")
    line.type("2", "enter")
    assert await caller.choose("Which?", ITEMS[:5]) == 1
    line.type("q", "enter")
    assert await caller.choose("Which?", ITEMS[:5]) is None


async def test_the_bar_moves_with_the_arrows() -> None:
    line = ScriptedLine()
    caller = await called(line)
    choosing = asyncio.create_task(caller.choose("Which?", ITEMS[:5]))
    await line.until("item-5")
    assert barred(line) == ["1 item-1 of the list"]
    line.press("down", "down", "up", "down")
    await settled()
    assert barred(line) == ["3 item-3 of the list"]
    line.press("end", "down")
    await settled()
    assert barred(line) == ["5 item-5 of the list"]
    line.press("enter")
    assert await choosing == 4


async def test_a_number_that_no_item_has_chooses_nothing() -> None:
    line = ScriptedLine()
    caller = await called(line)
    choosing = asyncio.create_task(caller.choose("Which?", ITEMS[:5]))
    line.type("9", "enter")
    await settled()
    assert not choosing.done()
    line.press("escape")
    assert await choosing is None


async def test_a_long_list_has_pages_under_a_bar() -> None:
    line = ScriptedLine()
    caller = await called(line)
    choosing = asyncio.create_task(caller.choose("Which?", ITEMS))
    await line.until("1-20 of 50")
    line.press("page_down")
    await line.until("21-40 of 50")
    assert barred(line) == ["21 item-21 of the list"]
    assert "item-20 " not in line.text
    line.type("50")
    await line.until("41-50 of 50")
    line.press("up")
    await settled()
    assert barred(line) == ["49 item-49 of the list"]
    line.press("home", "enter")
    assert await choosing == 0


async def test_a_long_list_has_pages_on_a_plain_terminal() -> None:
    line = ScriptedLine(answers=False)
    caller = await called(line)
    choosing = asyncio.create_task(caller.choose("Which?", ITEMS))
    await line.until("N: next, Q: quit")
    assert "item-20" in line.text
    assert "item-21" not in line.text
    line.type("n", "enter")
    await line.until("P: previous")
    assert "item-40" in line.text
    line.type("p", "enter")
    await settled()
    line.type("33", "enter")
    assert await choosing == 32
    assert b"\x1b" not in line.sent


async def test_a_notice_comes_above_the_list() -> None:
    line = ScriptedLine()
    caller = await called(line)
    choosing = asyncio.create_task(caller.choose("Which?", ITEMS[:3]))
    await line.until("item-3")
    line.press("down")
    await settled()
    caller.post("bob logged on")
    await line.until("bob logged on\nWhich?\n1 item-1")
    line.press("enter")
    assert await choosing == 1


async def test_an_item_takes_one_row() -> None:
    line = ScriptedLine(size=Size(40, 12))
    caller = await called(line)
    caller.clear()
    line.type("q")
    await caller.choose("Which?", ["long " * 30, "two\nlines", "three"])
    assert [row[:7] for row in line.text.split("\n")[1:4]] == ["1 long ", "2 two", "3 three"]
    assert len(line.text.split("\n")[1]) <= 39


async def test_there_may_be_nothing_to_choose() -> None:
    line = ScriptedLine()
    caller = await called(line)
    assert await caller.choose("Which?", []) is None
    assert "(nothing)" in line.text
