"""The frame of the house's views."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agentbbs.hub.lines import ScriptedLine, called, settled

from agentbbs.calls.line import Size
from agentbbs.hub.text import Style
from agentbbs.hub.view import QUIT, Command, cell, command, heading
from agentbbs.hub.wrapping import width

NEXT = Command("N", "next", ("enter", "right"))
REPLY = Command("R", "reply")
ALL = (NEXT, REPLY, QUIT)


@pytest.mark.parametrize("answers", [True, False])
async def test_a_heading(*, answers: bool) -> None:
    line = ScriptedLine(answers=answers, size=Size(40, 12))
    caller = await called(line)
    heading(caller, "A very long title " * 3, ALL, right="post 1 of 2")
    bar, keys, *_ = [row for row in line.text.split("\n") if row]
    assert len(bar.rstrip()) == 38
    assert bar.endswith("post 1 of 2")
    assert keys == "Enter/N: next  R: reply  Q: quit"


async def test_a_hotkey_is_never_torn_apart() -> None:
    line = ScriptedLine(size=Size(40, 12))
    caller = await called(line)
    heading(caller, "t", [Command(letter, "two words") for letter in "ABCDEFG"])
    rows = [row for row in line.text.split("\n") if row][1:]
    assert [row.count("two words") for row in rows] == [2, 2, 2, 1]


@pytest.mark.parametrize(
    ("typed", "chosen"),
    [
        ("r", "R"), ("R", "R"), ("\r", "N"), ("\x1b[C", "N"), ("\x03", "Q"), ("xyz!q", "Q"),
        ("7\r", 7), ("12\r", 12), ("13\x7f2\r", 12), ("1\x7f\r", "N"), ("3r", "R"), ("99\r5\r", 5), ("0\r5\r", 5),
    ],
)  # fmt: skip
async def test_a_key_or_a_number(typed: str, chosen: str | int) -> None:
    line = ScriptedLine()
    caller = await called(line)
    line.type(typed)
    async with asyncio.timeout(5):
        assert await command(caller, ALL, numbers=12) == chosen
    assert caller.column == 0


async def test_without_numbers_a_digit_is_no_key() -> None:
    line = ScriptedLine()
    caller = await called(line)
    line.type("5\r")
    assert await command(caller, ALL) == "N"


async def test_the_hotkeys_are_told_again() -> None:
    line = ScriptedLine()
    caller = await called(line)
    choosing = asyncio.create_task(command(caller, ALL, numbers=3))
    await line.until("Number or key (N R Q ?):")
    line.type("2?")
    await line.until("Enter/N: next  R: reply  Q: quit\nNumber or key (N R Q ?): 2")
    caller.post("a notice")
    await line.until("a notice\nNumber or key (N R Q ?): 2")
    line.press("enter")
    assert await choosing == 2


@given(st.text(max_size=30), st.integers(0, 30), st.booleans())
def test_a_cell_has_its_width(text: str, columns: int, right: bool) -> None:
    async def run() -> None:
        caller = await called(ScriptedLine(terminal="xterm", answers=False))
        span = cell(caller, text, columns, Style.NAME, right=right)
        assert width(span.text) == columns
        assert "\n" not in span.text
        await settled()

    asyncio.run(run())
