"""Starlane on a new board: callers of real clients meet in one world."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from .calling import CLIENTS, Board, Person, needs
from .conftest import VenueProcess

COMMAND = "Command (?=Help)?"


@pytest.fixture
def board(open_venue: Callable[..., VenueProcess], tmp_path: Path) -> Board:
    """A venue as it starts on an empty folder; ann and bob are members."""
    addresses = {f"AGENTBBS_{server}_ADDR": "127.0.0.1:0" for server in ("TELNET", "RLOGIN")}
    opened = Board(open_venue(**addresses), tmp_path)
    for name in ("ann", "bob"):
        opened.member(name)
    return opened


def starlane(venue: VenueProcess, *command: str) -> str:
    """What the operator's command says."""
    folder = venue.data / "doors" / "starlane"
    line = (sys.executable, "-m", "starlane", *command, "--data", str(folder))
    done = subprocess.run(line, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


@asynccontextmanager
async def aboard(board: Board, transport: str, name: str) -> AsyncIterator[Person]:
    """A member in the door, at its command prompt for the first time."""
    async with board.visit(transport, name) as person:
        await person.type("d", "Starlane")
        await person.enter("1", "Do you want instructions")
        await person.type("n", COMMAND)
        yield person


@needs("ssh")
async def test_two_callers_meet_and_the_operator_sees_them(board: Board) -> None:
    other = "telnet" if shutil.which(CLIENTS["telnet"]) else "ssh"
    async with aboard(board, "ssh", "ann") as ann, aboard(board, other, "bob") as bob:
        assert "Ship     ann, 25 fighters" in bob.screen
        await bob.type("r", "Radio:")
        await bob.type("b", "Words for every pilot")
        await bob.enter("Good hunting.", "Good hunting.")
        await ann.see("bob: Good hunting.")
        starlane(board.venue, "grant-turns", "ann", "7")
        await ann.see("given you 7 turns")
        await ann.type("q", "Leave the game")
        await ann.type("y", "Starlane: good-bye.")
        scores = json.loads(starlane(board.venue, "scores", "--json"))["scores"]
        assert {row["name"] for row in scores} == {"ann", "bob"}
        assert {row["turns"] for row in scores} == {250, 257}
    assert "sound" in starlane(board.venue, "verify", "--replay").lower()


@needs("ssh")
async def test_a_caller_who_hangs_up_comes_back_to_where_the_ship_was(board: Board) -> None:
    async with aboard(board, "ssh", "ann") as ann:
        screen = ann.screen
        lane = screen.rpartition("Lanes")[2].split(",")[0].strip("() \n>")
        await ann.enter(lane, f"Sector {lane}, ")
    async with board.visit("ssh", "ann") as ann:
        await ann.type("d", "Starlane")
        await ann.enter("1", f"Sector {lane}, ")
        await ann.see(COMMAND)
