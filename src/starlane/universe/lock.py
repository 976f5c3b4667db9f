"""The right to write: all processes that change a universe stand in line before one lock file.

SQLite lets its writers sleep in steps of growing length and wakes nobody, so that with many of them a few wait for
seconds. The lock is for order in the line alone: should somebody delete its file, SQLite's own lock still lets no two
write at once. Who reads needs no lock.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

from starlane.universe import line
from starlane.universe.faults import UniverseBusy

LOCK_WAIT_S: Final = 10.0
"""An order takes milliseconds, the making of a large world seconds: who waits longer waits for a stuck one."""

_NAPS_S: Final = (0.0002, 0.0004, 0.0008)
"""Tries before standing in line: an order is mostly done by then, and who is in line has to be woken twice: with all
of them in it, the line moves half as fast on a busy machine."""


class WriteLock:
    """A lock that one process holds at a time; a killed holder's is free at once."""

    def __init__(self, path: Path) -> None:
        """`path` is made if it is missing; it stays empty, and others may wait on it for as long as there are any."""
        self._path: Final = path
        self._file: Final = line.opened(path)
        self._held: int | None = None

    def acquire(self, wait_s: float = LOCK_WAIT_S) -> None:
        """Wait for the lock and take it. Raises UniverseBusy after `wait_s`."""
        for nap_s in _NAPS_S:
            if line.take_at_once(self._file):
                self._held = self._file
                return
            time.sleep(nap_s)
        self._held = _Waiter(self._path).wait(wait_s)

    def release(self) -> None:
        """Let the next one in. Without the lock it does nothing."""
        held, self._held = self._held, None
        if held is None:
            return
        line.leave(held)
        if held != self._file:
            os.close(held)

    def close(self) -> None:
        """Give the file back, and the lock with it."""
        self.release()
        os.close(self._file)


class _Waiter:
    """Stands in line on a thread, for the kernel's waits have no time limit, and the alarm signal is others' business.

    The thread has the file open for itself: given up, it still waits, and what it gets in the end must not be what a
    later try of the same process holds.
    """

    def __init__(self, path: Path) -> None:
        import threading  # noqa: PLC0415 - who never waits does not pay for it

        self._path = path
        self._guard = threading.Lock()
        self._done = threading.Event()
        self._file = line.opened(path)
        self._got = False
        self._given_up = False
        threading.Thread(target=self._stand_in_line, daemon=True).start()

    def wait(self, wait_s: float) -> int:
        """The open file that holds the lock; the caller closes it."""
        try:
            self._done.wait(wait_s)
        except BaseException:  # a signal's: its program goes on without the lock
            if self._give_up():
                os.close(self._file)
            raise
        if not self._give_up():
            raise UniverseBusy(
                f"{self._path} has been held by another process for {wait_s:g} s: end that process, or try again later"
            )
        return self._file

    def _give_up(self) -> bool:
        """Wait no more; True if the lock has come."""
        with self._guard:
            self._given_up = not self._got
            return self._got

    def _stand_in_line(self) -> None:
        line.wait(self._file)
        with self._guard:
            if self._given_up:
                os.close(self._file)
            else:
                self._got = True
        self._done.set()
