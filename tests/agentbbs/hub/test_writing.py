"""A text counts as written when it is stored."""

from __future__ import annotations

import asyncio

import pytest
from tests.agentbbs.hub.lines import ScriptedLine, called

from agentbbs.hub.writing import sentence, write_and_store


class Full(Exception):
    pass


async def test_the_text_is_not_lost_when_it_is_not_taken() -> None:
    line = ScriptedLine()
    caller = await called(line)
    stored: list[str] = []

    async def store(text: str) -> int:
        if not stored:
            stored.append("")
            raise Full("the board is full: wait")
        stored.append(text)
        return 7

    writing = asyncio.create_task(
        write_and_store(caller, "A text", store, initial="> quoted", max_lines=9, max_chars=99, faults=(Full,))
    )
    line.type("mine\r/s\r")
    await line.until("The board is full: wait.")
    line.type("y")
    line.type("more\r/s\r")
    assert await writing == 7
    assert stored == ["", "> quoted\nmine\nmore"]


@pytest.mark.parametrize("typed", ["/a\r", "\x03y", "/s\r", "x\r/s\rn"])
async def test_given_up(typed: str) -> None:
    caller = await called(line := ScriptedLine())

    async def store(text: str) -> int:
        raise Full(text)

    line.type(typed)
    assert await write_and_store(caller, "t", store, max_lines=9, max_chars=99, faults=(Full,)) is None


async def test_other_faults_are_not_its_business() -> None:
    caller = await called(line := ScriptedLine())

    async def store(text: str) -> int:
        raise OSError(text)

    line.type("x\r/s\r")
    with pytest.raises(OSError, match="x"):
        await write_and_store(caller, "t", store, max_lines=9, max_chars=99, faults=(Full,))


def test_a_fault_is_a_sentence() -> None:
    assert sentence(Full("no room: wait")).text == "No room: wait."
