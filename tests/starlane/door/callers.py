"""Callers of a door in a process of its own: on a real pseudo-terminal, with a bound on every wait."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from starlane.door.wire import COMMON_SIZE, Size

WAIT_S: Final = 20.0
"""For anything: a machine under load starts a process in a second or two."""
QUIET_S: Final = 0.5
"""Longer than the door ever thinks between two lines of an answer."""
_PROMPT: Final = re.compile(rb"(\? |\] )(\x1b\[0m)?\Z")
ROOT: Final = Path(__file__).parents[3]


def surroundings(**more: str) -> dict[str, str]:
    """An environment with nothing of the tester's own."""
    told = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src"), "LANG": "C.UTF-8", "TERM": "xterm"}
    return told | {"PYTHONWARNINGS": "error", "LEFT": os.environ.get("LEFT", os.devnull)} | more


class Caller:
    """A terminal with a program on it. Leaving the block hangs up and ends the program."""

    def __init__(
        self, command: Sequence[str], *, size: Size | None = COMMON_SIZE, environment: Mapping[str, str] | None = None
    ) -> None:
        self._master, self._slave = pty.openpty()
        if size is not None:
            fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", size.rows, size.columns, 0, 0))
        self.mode = termios.tcgetattr(self._slave)
        slave = self._slave
        self.process = subprocess.Popen(
            [sys.executable, *command],
            stdin=slave, stdout=slave, stderr=slave,
            env=surroundings() if environment is None else environment,
            preexec_fn=lambda: os.login_tty(slave),  # noqa: PLW1509 - these tests have no threads
        )  # fmt: skip
        self.seen = b""
        self._read = 0
        self._open = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.hang_up()
        os.close(self._slave)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def send(self, keys: bytes) -> None:
        """Type."""
        os.write(self._master, keys)

    def until(self, text: str | bytes) -> bytes:
        """Wait for `text` behind what was waited for before; returns all up to its end."""
        return self._match(re.compile(re.escape(text.encode() if isinstance(text, str) else text)))

    def until_prompt(self) -> bytes:
        """Wait for a prompt with which the door waits for a key; returns all up to its end."""
        return self._match(_PROMPT)

    def until_quiet(self) -> bytes:
        """Wait until nothing more comes for QUIET_S; returns all of it. Slow, and no proof: where nothing is known."""
        start = self._read
        while select.select([self._master], [], [], QUIET_S if self._read < len(self.seen) else WAIT_S)[0]:
            if not self._take():
                break
        assert self._read < len(self.seen), "nothing came"
        self._read = len(self.seen)
        return self.seen[start:]

    def _match(self, pattern: re.Pattern[bytes]) -> bytes:
        deadline = time.monotonic() + WAIT_S
        while (found := pattern.search(self.seen, self._read)) is None:
            ended = self.process.poll() is not None
            come = select.select([self._master], [], [], 0.1)[0] and self._take()
            assert come or not ended, f"the door ended without {pattern.pattern!r} in {self.seen[self._read :]!r}"
            assert time.monotonic() < deadline, f"no {pattern.pattern!r} in {self.seen[self._read :]!r}"
        start, self._read = self._read, found.end()
        return self.seen[start : self._read]

    def ended(self) -> int:
        """Wait for the end of the program, reading on; its exit status."""
        deadline = time.monotonic() + WAIT_S
        while self.process.poll() is None:
            assert time.monotonic() < deadline, "the door does not end"
            if self._open and select.select([self._master], [], [], 0.05)[0]:
                self._take()
            elif not self._open:
                self.process.wait(deadline - time.monotonic())
        while self._open and select.select([self._master], [], [], 0)[0] and self._take():
            pass
        status: int = self.process.returncode
        return status

    def _take(self) -> bool:
        try:
            data = os.read(self._master, 65536)
        except OSError:
            return False
        self.seen += data
        return bool(data)

    def hang_up(self) -> None:
        """The line is gone."""
        if self._open:
            self._open = False
            os.close(self._master)

    def mode_now(self) -> list[Any]:
        """The terminal's mode."""
        return termios.tcgetattr(self._slave)
