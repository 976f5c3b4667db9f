"""A program on a terminal of our own: bytes to it, text from it."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Protocol

ROWS: Final = 500
COLUMNS: Final = 500
"""Of the terminal: the most that the game takes, so that no line is broken and no list stops."""
READ_BYTES: Final = 65536
END_S: Final = 5.0
"""For a program to end by itself after the hang-up, before it is ended."""


class LineClosed(Exception):
    """The program is gone."""


class Line(Protocol):
    """What a conversation needs of a program."""

    def write(self, text: str) -> None:
        """Type. Raises LineClosed."""

    def read(self, wait_s: float) -> str:
        """What comes within `wait_s`, as soon as anything has come; nothing if nothing has. Raises LineClosed."""


class TerminalLine:
    """A `Line` to a program that it starts; close it."""

    def __init__(self, command: Sequence[str]) -> None:
        """Raises OSError if the program can't be started."""
        self._end, far = pty.openpty()
        fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        try:
            self._process = subprocess.Popen(  # noqa: S603 - what the caller has asked for
                list(command), stdin=far, stdout=far, stderr=far, start_new_session=True, close_fds=True
            )
        except OSError:
            os.close(self._end)
            raise
        finally:
            os.close(far)
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    @property
    def pid(self) -> int:
        """Of the program."""
        return self._process.pid

    def write(self, text: str) -> None:
        """See `Line`."""
        try:
            os.write(self._end, text.encode())
        except OSError as error:
            raise LineClosed("the program takes no more keys") from error

    def read(self, wait_s: float) -> str:
        """See `Line`."""
        ready, _, _ = select.select([self._end], [], [], wait_s)
        if not ready:
            return ""
        try:
            data = os.read(self._end, READ_BYTES)
        except OSError:  # so Linux says that the far end of a terminal is closed
            data = b""
        if not data:
            raise LineClosed("the program has ended")
        return self._decoder.decode(data)

    def fileno(self) -> int:
        """For `select`."""
        return self._end

    def close(self) -> int:
        """Let the program end, then hang up; its exit status, negative for a signal."""
        ends_at = time.monotonic() + END_S
        with suppress(LineClosed):
            while self._process.poll() is None and time.monotonic() < ends_at:
                self.read(0.05)
        return self.hang_up()

    def hang_up(self) -> int:
        """Hang up at once, as a line that drops; the exit status of the program."""
        os.close(self._end)
        try:
            return self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            return self._process.wait()
