"""Whole visits to the BBS of a real venue, by every transport with a real client."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from agentbbs.doors import cage

from .calling import Board, Person, needs
from .conftest import VenueProcess

EXAMPLES: Final = Path(__file__).parents[2] / "examples"

DOORS: Final = """
[door.guess]
title = "Guess the Number"
command = ["python3", "guess.py", "{{drop}}"]
directory = "doors/guess"
dropfiles = ["DOOR32.SYS"]
concurrent = 8
trusted = {trusted}
"""

TRANSPORTS: Final = [pytest.param(transport, marks=needs(transport)) for transport in ("ssh", "telnet", "rlogin")]

OpenVenue = Callable[..., VenueProcess]


@pytest.fixture
async def open_board(open_venue: OpenVenue, tmp_path: Path) -> Callable[..., Board]:
    """A venue with the sample door, in its cage where this machine has one; ann and bob are members."""
    folder = tmp_path / "data" / "doors" / "guess"
    folder.mkdir(parents=True)
    shutil.copy(EXAMPLES / "door" / "guess.py", folder)
    trusted = "false" if await cage.refusal() is None else "true"
    (tmp_path / "data" / "doors.toml").write_text(DOORS.format(trusted=trusted))

    def open_(**settings: str) -> Board:
        addresses = {f"AGENTBBS_{server}_ADDR": "127.0.0.1:0" for server in ("TELNET", "RLOGIN")}
        return Board(open_venue(**addresses, **settings), tmp_path)

    return open_


@pytest.fixture
def board(open_board: Callable[..., Board]) -> Board:
    """One with default settings."""
    opened = open_board()
    for name in ("ann", "bob"):
        opened.member(name)
    return opened


async def write(person: Person, subject: str, text: str) -> None:
    """Start a thread in the first area, from the main menu; the board says that it is posted."""
    await person.type("b", "N: read all new")
    await person.enter("1", "W: write a new thread")
    await person.type("w", "Subject:")
    await person.enter(subject, "/s on a line of its own")
    await person.enter(text, "  2:")
    await person.enter("/s", f"Your thread is posted: {subject}")


async def to_the_menu(person: Person) -> None:
    """Back from the threads of an area."""
    await person.type("q", "N: read all new")
    await person.type("q", "Main menu:")


async def play_and_replay(person: Person) -> None:
    """A practice match against the weakest bot until it is resigned, and its replay."""
    await person.type("a", "L: ladders")
    await person.type("p", "Which game?")
    await person.enter("1", "Against whom?")
    await person.enter("1", "Your move:")
    await person.type("\x1b", "Resign this match?")
    await person.type("y", "You lose (forfeit: resign)")
    await person.type(" ", "Play again?")
    await person.type("n", "L: ladders")
    await person.type("m", "wins, resign")
    await person.enter("1", "Replay: Tic-Tac-Toe")
    await person.type("\x1b[F", "wins (forfeit: resign); not rated: practice")  # the End key
    await person.type("q", "newest first")
    await person.type("q", "L: ladders")
    await person.type("q", "Main menu:")


async def play_a_door(person: Person, name: str) -> None:
    """Enter the sample door, guess once, and leave it."""
    await person.type("d", "Which door?")
    await person.enter("1", f"Welcome, {name}, on node")
    await person.enter("0", "More.")
    await person.enter("q", "Guess the Number: good-bye.")
    await person.type(" ", "Arrows or number")
    await person.type("q", "Main menu:")


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_whole_visit(board: Board, transport: str) -> None:
    other = "telnet" if shutil.which("inetutils-telnet") else "ssh"
    async with board.visit(transport, "ann") as ann:
        await write(ann, "First light", "Hello from ann.")
        await ann.enter("1", "Hello from ann.")
        await ann.type("q", "W: write a new thread")
        await to_the_menu(ann)

        async with board.visit(other, "bob") as bob:
            await ann.type("c", "In main: ann")
            await bob.type("c", "In main:")
            await ann.see("bob joined main")
            await bob.enter("Good evening.", "<bob> Good evening.")
            await ann.see("<bob> Good evening.")
            await ann.enter("And to you.", "<ann> And to you.")
            await bob.see("<ann> And to you.")
            there = json.loads(board.venue.cli("nodes", "--json").stdout)
            assert [(one["node"], one["name"], one["transport"]) for one in there] == [
                (1, "ann", transport),
                (2, "bob", other),
            ]
            await bob.enter("/quit", "Main menu:")
        await ann.enter("/quit", "Main menu:")

        await play_and_replay(ann)
        await play_a_door(ann, "ann")
        await ann.type("q", "Log off?")
        await ann.type("y", "Good-bye, ann.")
        await ann.gone()
    board.venue.stop()
    log = "\n".join(board.venue.log)
    assert "Traceback" not in log
    assert '"level": "error"' not in log


@needs("ssh")
async def test_a_newcomer_registers_the_key_that_it_has_and_calls_again_by_it(open_board: Any, tmp_path: Path) -> None:
    board: Board = open_board()
    board.member("eve")
    shutil.copy(board.key("eve"), board.key("new"))
    removed = board.venue.cli("user", "remove", "eve", "--yes")
    assert removed.returncode == 0
    async with board.call("ssh", "new") as newcomer:
        await newcomer.see("name")
        await newcomer.enter("Zoe", "Be known as Zoe?")
        await newcomer.type("y", "Password:")
        await newcomer.enter("", "[Hit a key]")
    shutil.copy(board.key("eve"), board.key("zoe"))
    async with board.visit("ssh", "zoe") as zoe:
        assert "Zoe" in zoe.screen


@needs("ssh")
async def test_a_guest_looks_around_and_can_not_write(open_board: Any) -> None:
    board: Board = open_board()
    async with board.call("ssh", "guest") as guest:
        await guest.see("[Hit a key]")
        menu = await guest.type(" ", "Main menu:")
        assert "Mail" not in menu
        await guest.type("b", "guests read")
        assert "write" not in await guest.enter("1", "(nothing)")


@needs("telnet")
async def test_a_full_board_says_so(open_board: Any) -> None:
    board: Board = open_board(AGENTBBS_NODES="1")
    board.member("ann")
    async with board.visit("telnet", "ann"), board.call("telnet", "bob") as late:
        await late.see("all 1 nodes are in use")
        await late.gone()


@needs("rlogin")
async def test_a_wrong_login_shows_and_logs_no_password(board: Board) -> None:
    host, port = board.address("rlogin")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"\0ann\0swapped secret\0xterm/9600\0")
    async with asyncio.timeout(20):
        shown = await reader.readuntil(b"Password: ")
    writer.close()
    board.venue.stop()
    assert b"swapped secret" not in shown
    assert "swapped secret" not in "\n".join(board.venue.log)


@pytest.mark.slow
@needs("telnet")
async def test_no_posted_message_is_lost_when_the_venue_is_killed(board: Board) -> None:
    for subject in ("One", "Two", "Three"):
        async with board.visit("telnet", "ann") as ann:
            await write(ann, subject, f"Text of {subject}")
            board.venue.kill()
            await ann.gone()
        board.venue.start()
    exported = board.venue.cli("boards", "export", "--json")
    records = json.loads(exported.stdout)
    assert [record["subject"] for record in records if record["type"] == "thread"] == ["One", "Two", "Three"]
    assert [record["body"] for record in records if record["type"] == "post"] == [
        f"Text of {subject}" for subject in ("One", "Two", "Three")
    ]


@pytest.mark.slow
@needs("telnet")
async def test_a_snapshot_of_a_venue_that_runs_brings_the_board_back(board: Board, tmp_path: Path) -> None:
    async with board.visit("telnet", "ann") as ann:
        await write(ann, "Kept", "This stays.")
        before = board.venue.cli("boards", "export", "--json").stdout
        saved = board.venue.cli("snapshot", "save", str(tmp_path / "kept"))
        assert saved.returncode == 0, saved.stderr
        await to_the_menu(ann)
        await write(ann, "Lost", "This goes.")
        refused = board.venue.cli("snapshot", "restore", str(tmp_path / "kept"))
        assert (refused.returncode, "stop it" in refused.stderr) == (1, True)
    board.venue.stop()
    restored = board.venue.cli("snapshot", "restore", str(tmp_path / "kept"))
    assert restored.returncode == 0, restored.stderr
    assert board.venue.cli("boards", "export", "--json").stdout == before
    board.venue.start()
    async with board.visit("telnet", "ann") as ann:
        await ann.type("b", "N: read all new")
        assert "Lost" not in await ann.enter("1", "Kept")
