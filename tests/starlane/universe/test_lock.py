"""One holder at a time; who waits too long is told; a holder's end frees the lock."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from starlane.universe.faults import UniverseBusy
from starlane.universe.lock import WriteLock

_HOLD = """
import sys
from pathlib import Path
from starlane.universe.lock import WriteLock
lock = WriteLock(Path(sys.argv[1]))
lock.acquire()
print("held", flush=True)
sys.stdin.read()
"""


def test_who_waits_too_long_is_told_and_may_try_again(tmp_path: Path) -> None:
    first, second = WriteLock(tmp_path / "lock"), WriteLock(tmp_path / "lock")
    first.acquire()
    for _ in range(2):
        with pytest.raises(UniverseBusy, match=r"has been held by another process for 0.01 s: .* try again"):
            second.acquire(0.01)
    first.release()
    second.acquire()
    with pytest.raises(UniverseBusy):
        first.acquire(0.01)
    second.close()
    first.acquire()
    first.close()


def test_who_stands_in_line_gets_it_when_it_is_free(tmp_path: Path) -> None:
    first, second = WriteLock(tmp_path / "lock"), WriteLock(tmp_path / "lock")
    first.acquire()
    got = threading.Event()

    def wait() -> None:
        second.acquire()
        got.set()

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert not got.wait(0.05)  # long enough to be in line
    first.release()
    assert got.wait(10)
    waiting.join()
    with pytest.raises(UniverseBusy):
        first.acquire(0.01)
    second.release()
    first.acquire()
    first.close()
    second.close()


def test_a_killed_holder_frees_it(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(tmp_path / "lock")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        lock = WriteLock(tmp_path / "lock")
        with pytest.raises(UniverseBusy):
            lock.acquire(0.01)
        holder.kill()
        lock.acquire()
        lock.close()
