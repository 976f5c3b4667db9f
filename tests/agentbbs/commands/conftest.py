"""What the tests of commands share: a data folder of their own, and the command line as a user calls it."""

from __future__ import annotations

import fcntl
import os
import pty
import random
import select
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from agentbbs.cli import app
from agentbbs.play.ports import FinishedMatch
from agentbbs.store import accounts
from agentbbs.store.database import Database
from agentbbs.store.ledger import Ledger
from random_matches import play

Run = Callable[..., Result]
"""`run("user", "add", "ada", input="…")`: a command in the data folder of the test."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder that is not there yet."""
    return tmp_path / "data"


@pytest.fixture
def run(data: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """The command line, with no setting but the data folder and a game port that nobody has."""
    for name in [name for name in os.environ if name.startswith("AGENTBBS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AGENTBBS_DATA", str(data))
    monkeypatch.setenv("AGENTBBS_GAME_WS_ADDR", "127.0.0.1:0")

    def invoke(*args: str, **options: Any) -> Result:
        result = CliRunner().invoke(app, [str(arg) for arg in args], catch_exceptions=False, **options)
        assert "Traceback" not in result.stderr
        return result

    yield invoke


LIMIT_S = 60.0
"""No step of a test takes nearly as long."""


class Terminal:
    """A command in a terminal of its own: read what it shows, type."""

    def __init__(self, args: tuple[str, ...], data: Path) -> None:
        mine, theirs = pty.openpty()
        self._fd = mine
        self.shown = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "agentbbs", *args],
            env=os.environ | {"AGENTBBS_DATA": str(data), "TERM": "xterm"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # so that Ctrl-C reaches it
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
