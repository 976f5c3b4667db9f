"""What the tests of commands share: a data folder of their own, and the command line as a user calls it."""

from __future__ import annotations

import os
import pty
import random
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.random_matches import play
from typer.testing import CliRunner, Result
from websockets.sync.client import ClientConnection, connect

from agentbbs.cli import app
from agentbbs.commands import running
from agentbbs.play.ports import FinishedMatch
from agentbbs.store import accounts
from agentbbs.store.database import Database
from agentbbs.store.ledger import Ledger

Run = Callable[..., Result]
"""`run("user", "add", "ada", input="…")`: a command in the data folder of the test."""


def command_line(data: Path, patch: pytest.MonkeyPatch) -> Run:
    """The command line, with no setting but the data folder and ports that nobody has."""
    for name in [name for name in os.environ if name.startswith("AGENTBBS_")]:
        patch.delenv(name)
    patch.setenv("AGENTBBS_DATA", str(data))
    for server in ("GAME_WS", "SSH", "TELNET", "RLOGIN", "WEB"):
        patch.setenv(f"AGENTBBS_{server}_ADDR", "127.0.0.1:0")

    def invoke(*args: str, **options: Any) -> Result:
        result = CliRunner().invoke(app, [str(arg) for arg in args], catch_exceptions=False, **options)
        assert "Traceback" not in result.stderr
        return result

    return invoke


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder that is not there yet."""
    return tmp_path / "data"


@pytest.fixture
def run(data: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command line in that folder."""
    return command_line(data, monkeypatch)


LIMIT_S = 60.0
"""No step of a test takes nearly as long."""


IN_A_TERMINAL = """
import fcntl, termios
from agentbbs.cli import main
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
main()
"""
"""`agentbbs` whose stdin is its controlling terminal, so that Ctrl-C reaches it."""


class Terminal:
    """A command in a terminal of its own: read what it shows, type."""

    def __init__(self, args: tuple[str, ...], data: Path) -> None:
        mine, theirs = pty.openpty()
        self._fd = mine
        self.shown = ""
        self.process = subprocess.Popen(
            [sys.executable, "-c", IN_A_TERMINAL, *args],
            env=os.environ | {"AGENTBBS_DATA": str(data), "TERM": "xterm"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)

    def expect(self, text: str) -> str:
        """Read until `text` was shown since the last call; returns all that was shown since then."""
        until = time.monotonic() + LIMIT_S
        while text not in self.shown:
            ready, _, _ = select.select([self._fd], [], [], max(0.0, until - time.monotonic()))
            data = self._read() if ready else b""
            if not data:
                raise AssertionError(f"{text!r} was not shown, but {self.shown!r}")
            self.shown += data.decode()
        before, _, self.shown = self.shown.partition(text)
        return before + text

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._fd, keys.encode())

    def end(self) -> int:
        """Read to the end; the exit code."""
        while data := self._read():
            self.shown += data.decode()
        return self.process.wait(LIMIT_S)

    def close(self) -> None:
        """Hang up."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(LIMIT_S)
        os.close(self._fd)

    def _read(self) -> bytes:
        try:
            return os.read(self._fd, 65536)
        except OSError:  # Linux's way to say that the other end was closed
            return b""


@pytest.fixture
def terminal(data: Path) -> Iterator[Callable[..., Terminal]]:
    """`terminal("replay", ID)`: a command in a terminal, in the data folder of the test."""
    opened: list[Terminal] = []

    def start(*args: str) -> Terminal:
        opened.append(Terminal(args, data))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def store_matches(data: Path, matches: list[FinishedMatch]) -> None:
    """Put matches into the database as a venue does; accounts 1 and 2 are ada and bob."""
    with Database.in_folder(data) as database:
        database.open()
        with database.begin() as conn:
            if not accounts.all_accounts(conn):
                for name in ("ada", "bob"):
                    accounts.add(conn, name, now_ms=0)
        with database.writing_connection() as conn:
            Ledger().commit(conn, matches)


@pytest.fixture
def played(data: Path) -> list[FinishedMatch]:
    """Twelve matches in the database, of both games and every ending, oldest first."""
    rng = random.Random(7)
    matches = [
        play(rng, game, rate, strikes=(False, True), why=why)
        for why in (None, "practice")
        for game in ("ttt", "c4")
        for rate in (0.0, 0.1, 1.0)
    ]
    store_matches(data, matches)
    return matches


@pytest.fixture
def struck(data: Path) -> FinishedMatch:
    """A match of two endpoints in the database, with strikes at plies and at the end."""
    rng = random.Random(7)
    while True:
        match = play(rng, "c4", 0.3, strikes=(False, False), why=None, endpoints=(True, True))
        if match.unplayed and sum(len(ply.strikes) for ply in match.plies) > 1:
            store_matches(data, [match])
            return match


class LiveVenue:
    """`agentbbs serve` as a process of its own, and agents at it whose every move the test makes."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.address = ""
        self.process: subprocess.Popen[bytes] | None = None
        self._agents = ExitStack()

    def start(self) -> None:
        """Start (again), and wait until it says where it listens."""
        self.close()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "agentbbs", "serve"],
            env=os.environ | {"AGENTBBS_LOG_FORMAT": "json"},
            stderr=subprocess.PIPE,
        )
        assert self.process.stderr is not None
        log = []
        for line in self.process.stderr:
            log.append(line.decode())
            if b"venue_open" in line:
                self.address = msgspec.json.decode(line)["game_ws"]
                running.health(f"http://{self.address}")  # its loop turns: it hears signals too
                return
        raise AssertionError("the venue did not start:\n" + "".join(log))

    def join(self, token: str, game: str = "ttt") -> ClientConnection:
        """An agent that waits for an opponent."""
        headers = {"Authorization": f"Bearer {token}"}
        agent = self._agents.enter_context(connect(f"ws://{self.address}/play?game={game}", additional_headers=headers))
        said = msgspec.json.decode(agent.recv(timeout=LIMIT_S))
        assert said["type"] == "queued", said
        return agent

    def match(self, one: str, other: str) -> tuple[str, ClientConnection, ClientConnection]:
        """A match between two tokens: its id, who moves first, who moves second."""
        agents = (self.join(one), self.join(other))
        hellos = [msgspec.json.decode(agent.recv(timeout=LIMIT_S)) for agent in agents]
        first = hellos[1]["player"] == 0
        return hellos[0]["match"], agents[first], agents[not first]

    def hang_up(self) -> None:
        """All agents leave; wait until the venue has seen it."""
        self._agents.close()
        until = time.monotonic() + LIMIT_S
        while (health := running.health(f"http://{self.address}")).live or health.waiting:
            assert time.monotonic() < until, health

    def stop(self) -> int:
        """SIGTERM; the exit code."""
        assert self.process is not None
        self.process.terminate()
        return self.process.wait(LIMIT_S)

    def close(self) -> None:
        """End whatever is still there."""
        self._agents.close()
        if self.process is not None:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait(LIMIT_S)
            if self.process.stderr is not None:
                self.process.stderr.close()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveVenue]:
    """A venue that runs for all tests of a module, and the environment that leads commands to it."""
    data = tmp_path_factory.mktemp("house")
    with pytest.MonkeyPatch.context() as patch:
        command_line(data, patch)
        live = LiveVenue(data)
        try:
            live.start()
            yield live
        finally:
            live.close()


@pytest.fixture
def venue(house: LiveVenue, monkeypatch: pytest.MonkeyPatch) -> Iterator[LiveVenue]:
    """That venue, with nobody in it at the start; `at_venue` is the command line beside it."""
    monkeypatch.setenv("AGENTBBS_DATA", str(house.data))
    yield house
    if house.process is not None and house.process.poll() is None:
        house.hang_up()


@pytest.fixture
def at_venue(venue: LiveVenue, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command line in the data folder of the venue that runs."""
    return command_line(venue.data, monkeypatch)


@pytest.fixture
def tokens(at_venue: Run) -> list[str]:
    """Two tokens, of ada and of bob."""
    minted = at_venue("mint-token", "ada", "bob", "--create")
    return [line.split()[1] for line in minted.stdout.splitlines()]
