"""The doors of a board from its menu: the list, a stay, the ways back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
import structlog
from tests.agentbbs.doors.playing import door_of, until
from tests.agentbbs.hub.lines import ScriptedLine, called

from agentbbs.calls.line import LineGone
from agentbbs.doors.config import Door
from agentbbs.doors.runner import DoorRunner
from agentbbs.hub.door_visit import find_door
from agentbbs.hub.plugin import Access
from agentbbs.hub.plugins.doors import PLUGIN
from agentbbs.hub.visit import Visit, Visitor


class Doing(dict[int, list[str]]):
    """What the others see of each node, in turn."""

    def set_doing(self, node: int, doing: str) -> None:
        self.setdefault(node, []).append(doing)


class Guest:
    """Somebody at the list of doors; `task` is the stay in the plugin."""

    def __init__(self, line: ScriptedLine, task: asyncio.Task[None], doing: Doing) -> None:
        self.line = line
        self.task = task
        self.doing = doing


@asynccontextmanager
async def at_the_doors(
    runner: DoorRunner, name: str = "alice", *, node: int = 1, sysop: bool = False, terminal: str = "ansi-bbs"
) -> AsyncIterator[Guest]:
    line = ScriptedLine(terminal=terminal)
    caller = await called(line)
    board: Any = SimpleNamespace(doors=runner, presence=Doing())
    visitor = Visitor(node, name, sysop)
    visit = Visit(board=board, caller=caller, visitor=visitor, node=node, line=line, began_ms=1_700_000_000_000)
    task = asyncio.create_task(PLUGIN.run(visit))
    try:
        yield Guest(line, task, board.presence)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        caller.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "game").mkdir()
    return tmp_path / "game"


def runner_of(tmp_path: Path, *doors: Door) -> DoorRunner:
    return DoorRunner(tmp_path / "data", doors, board="House of Agents", sysop="Ada")


def test_who_may_enter() -> None:
    assert PLUGIN.access is Access.MEMBER


async def test_a_board_without_doors(tmp_path: Path) -> None:
    async with at_the_doors(runner_of(tmp_path)) as guest:
        await guest.line.until("This board has no doors yet.")
        await guest.task


@pytest.mark.parametrize("terminal", ["ansi-bbs", "xterm"])
async def test_in_and_back(tmp_path: Path, folder: Path, terminal: str) -> None:
    door = door_of(folder, 'cat $BBS_DROP/DORINFO1.DEF; read x; echo "<$x>"', dropfiles=("DORINFO1.DEF",))
    async with at_the_doors(runner_of(tmp_path, door), sysop=True, terminal=terminal) as guest:
        await guest.line.until("Which door?")
        await guest.line.until("Game")
        guest.line.type("1", "enter")
        screen = await guest.line.until("255")
        assert "House of Agents" in screen
        assert "Ada" in screen
        assert "Which door?" not in screen
        guest.line.type("a word", "enter")
        screen = await guest.line.until("Game: good-bye.")
        assert "<a word>" in screen
        guest.line.press("enter")
        await guest.line.until("Which door?")
        guest.line.type("q")
        await guest.task
    assert guest.doing[1] == ["in Game", "at the doors"]


async def test_others_are_seen_in_a_door_and_a_full_one_says_so(tmp_path: Path, folder: Path) -> None:
    runner = runner_of(tmp_path, door_of(folder, "echo playing; read x"))
    async with at_the_doors(runner, "alice", node=1) as alice:
        await alice.line.until("Game")
        alice.line.type("1", "enter")
        await alice.line.until("playing")
        async with at_the_doors(runner, "bob", node=2) as bob:
            await bob.line.until("full: alice (node 1)")
            bob.line.type("1", "enter")
            await bob.line.until("Game is not free: it is full: alice on node 1.")


@pytest.mark.parametrize(("sysop", "told"), [(False, "The sysop finds the reason in the log."), (True, "(SIGSEGV)")])
async def test_a_crash_is_reported(tmp_path: Path, folder: Path, sysop: bool, told: str) -> None:
    runner = runner_of(tmp_path, door_of(folder, "kill -SEGV $$"))
    with structlog.testing.capture_logs() as logs:
        async with at_the_doors(runner, sysop=sysop) as guest:
            await guest.line.until("Game")
            guest.line.type("1", "enter")
            screen = await guest.line.until("Game crashed.")
            assert told in screen
            guest.line.press("enter")
            await guest.line.until("Which door?")
    (entry,) = [entry for entry in logs if entry["event"] == "door_ended"]
    assert (entry["log_level"], entry["kind"], entry["door"], entry["node"]) == ("warning", "door_crashed", "game", 1)


async def test_a_hang_up_in_a_door_ends_the_visit(tmp_path: Path, folder: Path) -> None:
    runner = runner_of(tmp_path, door_of(folder, "echo playing; read x"))
    async with at_the_doors(runner) as guest:
        await guest.line.until("Game")
        guest.line.type("1", "enter")
        await guest.line.until("playing")
        guest.line.drop()
        with pytest.raises(LineGone):
            await guest.task
    assert not runner.busy


async def test_a_resize_reaches_the_door_and_the_menu(tmp_path: Path, folder: Path) -> None:
    script = "trap 'stty size; exit' WINCH; echo playing; while :; do sleep 0.05; done"
    async with at_the_doors(runner_of(tmp_path, door_of(folder, script)), terminal="xterm") as guest:
        await guest.line.until("Game")
        guest.line.type("1", "enter")
        await guest.line.until("playing")
        guest.line.resize(100, 40)
        await guest.line.until("40 100")
        await guest.line.until("good-bye")
        guest.line.resize(90, 30)
        guest.line.press("enter")
        await until(lambda: "Which door?" in guest.line.text)


def test_a_door_is_found_by_its_id_in_any_case(tmp_path: Path, folder: Path) -> None:
    door = msgspec.structs.replace(door_of(folder, "true"), id="tw2")
    runner = runner_of(tmp_path, door)
    assert find_door(runner, " TW2 ") is door
    assert find_door(runner, "bre") is None
