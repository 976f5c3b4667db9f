"""A real venue for the benchmark: `agentbbs serve` as a process of its own, in a data folder of its own.

Everything goes by the venue's public faces: its command line, its settings, its port; and, for the count of
what was stored, by the database file, which is read after the venue has stopped.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Final, Self

START_LIMIT_S: Final = 60.0
"""The longest time from the start of the process to a healthy answer."""
STOP_LIMIT_S: Final = 60.0
"""The longest time from SIGTERM to the end; after it the process is killed, and its exit code tells."""
COMMAND_LIMIT_S: Final = 300.0
"""The longest time for one command; to rebuild the ratings of a long run takes a while."""
LOG_LINES: Final = 20
"""How much of the end of the log is shown when the venue fails."""

SETTINGS: Final = {
    "AGENTBBS_GAME_WS_ADDR": "127.0.0.1:0",
    "AGENTBBS_SSH_ADDR": "",
    "AGENTBBS_TELNET_ADDR": "",
    "AGENTBBS_RLOGIN_ADDR": "",
    "AGENTBBS_WEB_ADDR": "",
    "AGENTBBS_GAME_QUEUE_WAIT": "600",
    "AGENTBBS_LOG_FORMAT": "json",
}
"""A free port, no other server, and a wait for opponents that no load outlasts; all else is as by default."""


class VenueError(Exception):
    """The venue did not do what the benchmark needs; the text says what."""


class VenueProcess:
    """A venue that runs while the `with` lasts, in the data folder `folder`, which may hold an earlier one's data.

    Raises VenueError when it does not start.
    """

    def __init__(self, folder: Path, *, start_limit_s: float = START_LIMIT_S, **settings: str) -> None:
        """`settings` are environment variables beside, or instead of, `SETTINGS`."""
        self.folder = folder
        self._start_limit_s = start_limit_s
        self.host = ""
        self.port = 0
        self._process: subprocess.Popen[bytes] | None = None
        plain = {name: value for name, value in os.environ.items() if not name.startswith("AGENTBBS_")}
        self._environment = plain | SETTINGS | {"AGENTBBS_DATA": str(folder)} | settings

    @property
    def pid(self) -> int:
        """The process of the venue."""
        assert self._process is not None
        return self._process.pid

    def __enter__(self) -> Self:
        with self._log_file.open("ab") as log:
            self._process = subprocess.Popen(self._serve(), env=self._environment, stdout=log, stderr=log)
        try:
            self._wait_until_healthy()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> int:
        """Ask the venue to stop (SIGTERM) and wait for it; kill it if it takes too long. Returns its exit code."""
        process = self._process
        assert process is not None
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        try:
            return process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def check_alive(self) -> None:
        """Raises VenueError when the venue has ended by itself."""
        assert self._process is not None
        code = self._process.poll()
        if code is not None:
            raise VenueError(f"the venue ended under the load with exit code {code}; its log:\n{self._log_end()}")

    def _serve(self) -> list[str]:
        """The command that is the venue."""
        return _command("serve")

    def mint(self, names: list[str]) -> tuple[str, ...]:
        """Make the accounts and a token for each, in the order of `names` (at least two)."""
        lines = self._run("mint-token", "--create", *names).stdout.splitlines()
        tokens = dict(line.split() for line in lines)
        if list(tokens) != names:
            raise VenueError(f"mint-token printed {len(lines)} lines for {len(names)} names")
        return tuple(tokens.values())

    def stored(self) -> set[str]:
        """The ids of all matches in the database. Call it after `stop`."""
        with closing(sqlite3.connect(f"{(self.folder / 'agentbbs.db').as_uri()}?mode=ro", uri=True)) as database:
            return {row[0] for row in database.execute("SELECT id FROM game_matches")}

    def rebuild_check(self) -> int:
        """The exit code of `agentbbs ratings rebuild --check`: 0 when the ladders follow from the log."""
        return self._run("ratings", "rebuild", "--check", check=False).returncode

    @property
    def _log_file(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}.log")

    def _log_end(self) -> str:
        return "\n".join(self._log_file.read_text(errors="replace").splitlines()[-LOG_LINES:])

    def _run(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            _command(*arguments),
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=COMMAND_LIMIT_S,
            check=False,
        )
        if check and done.returncode:
            raise VenueError(f"agentbbs {arguments[0]} ended with {done.returncode}: {done.stderr.strip()}")
        return done

    def _wait_until_healthy(self) -> None:
        process, deadline = self._process, time.monotonic() + self._start_limit_s
        assert process is not None
        while not self._healthy():
            if process.poll() is not None or time.monotonic() > deadline:
                raise VenueError(f"the venue did not start; its log:\n{self._log_end()}")
            time.sleep(0.05)

    def _healthy(self) -> bool:
        try:
            state = json.loads((self.folder / "venue.json").read_bytes())
        except (OSError, ValueError):
            return False
        if state["pid"] != self.pid or not state["game_ws"]:
            return False
        self.host, _, port = state["game_ws"].rpartition(":")
        self.port = int(port)
        with closing(http.client.HTTPConnection(self.host, self.port, timeout=START_LIMIT_S)) as connection:
            try:
                connection.request("GET", "/healthz")
                return connection.getresponse().status == http.HTTPStatus.OK
            except OSError:
                return False


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "agentbbs", *arguments]
