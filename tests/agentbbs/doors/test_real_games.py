"""Programs of Debian as doors, in the cage, played by their keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.agentbbs.doors.playing import door_of, entered, facts_of, needs, needs_cage

from agentbbs.doors.config import Share
from agentbbs.doors.ending import EndKind
from agentbbs.doors.runner import DoorRunner


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "game").mkdir()
    return tmp_path / "game"


@pytest.fixture
def runner(tmp_path: Path) -> DoorRunner:
    return DoorRunner(tmp_path / "data", home=tmp_path / "home")


@needs_cage
@needs("robots")
@pytest.mark.parametrize("terminal", ["xterm-256color", "ansi-bbs"])
async def test_robots(runner: DoorRunner, folder: Path, terminal: str) -> None:
    (folder / "state").mkdir()
    (folder / "state" / "robots_roll").touch()
    share = Share(folder / "state", "/var/games/bsdgames")
    door = door_of(folder, "/usr/games/robots", trusted=False, writable=(share,))
    async with entered(runner, door, terminal=terminal) as caller:
        screen = await caller.until("Score: 0")
        assert "@" in screen
        caller.line.type("q")
        await caller.until("Really quit?")
        caller.line.type("y")
        end = await caller.end()
    assert (end.kind, end.code) == (EndKind.EXITED, 0)


@needs_cage
@needs("hangman")
async def test_hangman_is_won_and_left(runner: DoorRunner, folder: Path) -> None:
    (folder / "words").write_text("sysops\n" * 2000)  # it takes a word from anywhere in a long list
    async with entered(runner, door_of(folder, "/usr/games/hangman", "-d", "/door/words", trusted=False)) as caller:
        await caller.until("Guess:")
        for letter in "syop":
            caller.line.type(letter)
        await caller.until("You got it!")
        caller.line.type("n")
        end = await caller.end()
    assert (end.kind, end.code) == (EndKind.EXITED, 0)


def dungeon(folder: Path) -> Share:
    """A playground of its own, as NetHack wants it."""
    state = folder / "state"
    (state / "save").mkdir(parents=True)
    (state / "dumps").mkdir()
    for name in ("perm", "record", "logfile", "xlogfile"):
        (state / name).touch()
    return Share(state, "/var/games/nethack")


@needs_cage
@needs("nethack")
async def test_nethack_saves_on_a_hang_up_and_goes_on_at_the_next_call(runner: DoorRunner, folder: Path) -> None:
    door = door_of(
        folder, "/usr/games/nethack", "-u", "{login}",
        trusted=False, writable=(dungeon(folder),),
        environment={"NETHACKOPTIONS": "!legacy,!splash_screen,role:Valkyrie,race:human,gender:female,align:lawful"},
    )  # fmt: skip
    async with entered(runner, door, facts_of("agent-001", record=1)) as caller:
        await caller.until("St:")
        caller.line.drop()
        end = await caller.end()
    assert (end.kind, end.code) == (EndKind.HUNG_UP, 0)
    assert [save.name for save in (folder / "state" / "save").iterdir()] == ["1000agent001_1.gz"]
    async with entered(runner, door, facts_of("agent-001", record=1), terminal="ansi-bbs") as caller:
        await caller.until("Restoring save file")
