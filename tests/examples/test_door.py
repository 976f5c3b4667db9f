"""The sample door, entered as its own `doors.toml` says."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import msgspec
import pytest
from tests.agentbbs.doors.playing import Caller, entered, facts_of, needs_cage

from agentbbs.doors.config import Door, load_doors
from agentbbs.doors.ending import EndKind
from agentbbs.doors.runner import DoorRunner

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "door"


@pytest.fixture
def door(tmp_path: Path) -> Door:
    shutil.copytree(EXAMPLE, tmp_path / "doors" / "guess", ignore=shutil.ignore_patterns("scores.txt"))
    shutil.copy(EXAMPLE / "doors.toml", tmp_path)
    (door,) = load_doors(tmp_path / "doors.toml")
    return door


async def guess(caller: Caller) -> int:
    """Halve the range until the number is found; the tries it took."""
    tries = 0
    while True:
        mark = caller.line.mark()
        low, high = map(int, re.findall(r"\[(\d+)\.\.(\d+)\] Your guess", caller.line.text)[-1])
        caller.line.type(str((low + high) // 2), "enter")
        tries += 1
        await caller.line.until("\n", since=mark)
        await caller.line.until("\r\n", since=mark + len(str(high)) + 2)
        if "it is, " in caller.line.text:
            return tries
        await caller.line.until("quits", since=mark)


@needs_cage
@pytest.mark.parametrize("terminal", ["ansi-bbs", "xterm"])
async def test_a_round_in_the_cage(door: Door, tmp_path: Path, terminal: str) -> None:
    runner = DoorRunner(tmp_path / "data", [door], home=tmp_path / "home")
    async with entered(runner, door, facts_of("J\u00fcrgen", node=2), terminal=terminal) as caller:
        screen = await caller.until("quits")
        assert "░▒▓█ GUESS THE NUMBER █▓▒░" in screen
        assert "Welcome, J\u00fcrgen, on node 2." in screen
        tries = await guess(caller)
        end = await caller.end()
        assert "╔═ The best" in caller.line.text
        assert f"{tries}  J\u00fcrgen" in caller.line.text
    assert end.kind is EndKind.EXITED
    assert end.code == 0
    assert (door.directory / "scores.txt").read_text() == f"{tries} J\u00fcrgen\n"


async def test_without_ansi_and_with_a_quitter(door: Door, tmp_path: Path) -> None:
    trusted = msgspec.structs.replace(door, trusted=True)
    runner = DoorRunner(tmp_path / "data", [trusted])
    async with entered(runner, trusted, facts_of(ansi=False), terminal="ansi-bbs") as caller:
        await caller.until("quits")
        caller.line.type("what?", "enter")
        await caller.until("A whole number, please.")
        caller.line.type("q", "enter")
        assert (await caller.end()).code == 0
        assert "Good-bye, alice." in caller.line.text
        assert b"\x1b" not in caller.line.sent
