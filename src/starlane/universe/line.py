"""A line of processes before an open file: one is served, the others wait in the order of their coming.

The kernel keeps the line, so that a killed process is out of it at once. On Linux the first byte of the file, locked,
is to be served, and a place in line is another one whose number is the time of coming: who waits asks for all bytes up
to its own, and gets them when nobody is served and nobody earlier waits. With `flock` alone, the means of other
systems, those who have to be woken are overtaken over and over, and with 64 callers some of them wait for seconds.
"""

from __future__ import annotations

import fcntl
import os
import struct
import sys
import time
from pathlib import Path
from typing import Final

if sys.platform == "linux":
    _LOCK: Final = "hhqqi"
    """`struct flock`: kind, whence, start, length, process. The locks are those of the open file (OFD), not of the
    process, so that one process can stand in line twice."""

    def take_at_once(file: int) -> bool:
        """Be served if nobody is; who waits in line may be overtaken so, while it is being woken."""
        return _locked(file, fcntl.F_OFD_SETLK, 0, 1)

    def wait(file: int) -> None:
        """Stand in line until served. No time limit, no signal that does not raise ends it."""
        place = time.monotonic_ns()
        _locked(file, fcntl.F_OFD_SETLKW, place, 1)
        _locked(file, fcntl.F_OFD_SETLKW, 0, place + 1)

    def leave(file: int) -> None:
        """Let the next one be served. To close the file does the same."""
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack(_LOCK, fcntl.F_UNLCK, os.SEEK_SET, 0, 0, 0))

    def _locked(file: int, command: int, start: int, length: int) -> bool:
        try:
            fcntl.fcntl(file, command, struct.pack(_LOCK, fcntl.F_WRLCK, os.SEEK_SET, start, length, 0))
        except BlockingIOError:
            return False
        return True

else:

    def take_at_once(file: int) -> bool:
        """Be served if nobody is."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def wait(file: int) -> None:
        """Wait until served. No time limit, no signal that does not raise ends it."""
        fcntl.flock(file, fcntl.LOCK_EX)

    def leave(file: int) -> None:
        """Let another one be served. To close the file does the same."""
        fcntl.flock(file, fcntl.LOCK_UN)


def opened(path: Path) -> int:
    """The file to stand in line before, made if it is missing."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
