"""A real venue as its own process, driven the way its users drive it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

START_LIMIT_S = 30
STOP_LIMIT_S = 30


class VenueProcess:
    """`agentbbs serve` on a free port, in a data folder of its own."""

    def __init__(self, data: Path, **settings: str) -> None:
        self.data = data
        self.env = {key: value for key, value in os.environ.items() if not key.startswith("AGENTBBS_")} | {
            "AGENTBBS_DATA": str(data),
            "AGENTBBS_GAME_WS_ADDR": "127.0.0.1:0",
            "AGENTBBS_SSH_ADDR": "127.0.0.1:0",
            "AGENTBBS_TELNET_ADDR": "127.0.0.1:0",
            "AGENTBBS_RLOGIN_ADDR": "127.0.0.1:0",
            "AGENTBBS_WEB_ADDR": "127.0.0.1:0",
            "AGENTBBS_LOG_FORMAT": "json",
            "PYTHONUNBUFFERED": "1",
            **settings,
        }
        self.log: list[str] = []
        self.process: subprocess.Popen[str] | None = None
        self.url = ""
        self.http = ""

    def start(self) -> VenueProcess:
        """Start, and wait until the venue says that it is open."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "agentbbs", "serve"],
            env=self.env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        opened = threading.Event()
        threading.Thread(target=self._read_log, args=(opened,), daemon=True).start()
        if not opened.wait(START_LIMIT_S):
            self.kill()
            raise TimeoutError("the venue did not open:\n" + "\n".join(self.log))
        return self

    def _read_log(self, opened: threading.Event) -> None:
        assert self.process is not None
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.log.append(line.rstrip())
            if '"venue_open"' in line:
                address = re.search(r"127\.0\.0\.1:\d+", json.loads(line)["game_ws"])
                assert address is not None
                self.http = f"http://{address[0]}"
                self.url = f"ws://{address[0]}/play"
                opened.set()
        self.process.stderr.close()

    def stop(self) -> int:
        """SIGTERM, and the exit code after the drain."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_LIMIT_S)

    def kill(self) -> None:
        """SIGKILL."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait(STOP_LIMIT_S)

    def cli(self, *args: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run `agentbbs ARGS` against this venue's data folder."""
        return subprocess.run(
            [sys.executable, "-m", "agentbbs", *args],
            env=self.env,
            input=text,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def mint(self, name: str) -> str:
        """A token for an account of that name, made if need be."""
        return self.mint_all(name)[name]

    def mint_all(self, *names: str) -> dict[str, str]:
        """A token each."""
        done = self.cli("mint-token", "--create", *names)
        assert done.returncode == 0, done.stderr
        if len(names) == 1:
            return {names[0]: done.stdout.strip()}
        return dict(line.split() for line in done.stdout.splitlines())


@pytest.fixture
def open_venue(tmp_path: Path) -> Iterator[Callable[..., VenueProcess]]:
    """Start venues with settings of one's own; they end with the test."""
    started: list[VenueProcess] = []

    def start(**settings: str) -> VenueProcess:
        venue = VenueProcess(tmp_path / "data", **settings)
        started.append(venue)
        return venue.start()

    yield start
    for venue in started:
        venue.kill()


@pytest.fixture
def venue(open_venue: Callable[..., VenueProcess]) -> VenueProcess:
    """A venue with the default settings, on a free port."""
    return open_venue()
