"""Lists with hotkeys."""

from __future__ import annotations

import asyncio

import pytest
from tests.agentbbs.hub.lines import ScriptedLine, called

from agentbbs.calls.line import Size
from agentbbs.hub.listing import Column, Listing
from agentbbs.hub.text import Span
from agentbbs.hub.view import Command

TABLE = (Column("Name", 8), Column("Count", 5, right=True), Column("About", None, from_columns=60))
ADD = Command("A", "add")


def rows(count: int) -> list[list[Span]]:
    return [[Span(f"n{number}"), Span(str(number)), Span("words " * 30)] for number in range(1, count + 1)]


@pytest.mark.parametrize("answers", [True, False])
async def test_a_list_fits_and_pages(*, answers: bool) -> None:
    line = ScriptedLine(answers=answers)
    caller = await called(line)
    listing = Listing(caller)
    picking = asyncio.create_task(listing.pick("Things", TABLE, rows(40), [ADD], right="40", said="Added."))
    screen = await line.until("Number or key (A > Q ?):")
    assert "Added." in screen
    assert " 1  n1            1  words words" in screen
    assert "17  n17" in screen
    assert "18  n18" not in screen
    assert all(len(row) < 80 for row in screen.split("\n"))
    line.type("\x1b[6~")
    await line.until("Number or key (A > < Q ?):")
    line.type(">")
    await line.until("40  n40")
    line.type("<")
    await line.until("18  n18")
    line.type("1\r")
    assert await picking == 0
    picking = asyncio.create_task(listing.pick("Things", TABLE, rows(20), [ADD]))
    await line.until("20  n20")
    line.type("a")
    assert await picking == "A", "it came back to its page"
    listing.from_the_top()
    line.type("q")
    assert await listing.pick("Things", TABLE, rows(40), [ADD]) == "Q"
    assert " 1  n1" in line.text


async def test_a_narrow_screen_leaves_a_column_out() -> None:
    line = ScriptedLine(size=Size(40, 12))
    caller = await called(line)
    picking = asyncio.create_task(Listing(caller).pick("Things", TABLE, rows(9), []))
    screen = await line.until("Number or key")
    assert "About" not in screen
    assert "Count" in screen
    line.type("9\r")
    assert await picking == 8


async def test_an_empty_list_takes_no_number() -> None:
    line = ScriptedLine()
    caller = await called(line)
    line.type("1\ra")
    assert await Listing(caller).pick("Things", TABLE, [], [ADD]) == "A"
    assert "(nothing)" in line.text
