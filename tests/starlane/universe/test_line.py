"""Who waits is served in the order of coming."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from starlane.universe import line


def test_one_is_served_at_a_time(tmp_path: Path) -> None:
    first, second = line.opened(tmp_path / "line"), line.opened(tmp_path / "line")
    assert line.take_at_once(first)
    assert not line.take_at_once(second)
    line.leave(first)
    assert line.take_at_once(second)
    os.close(second)
    assert line.take_at_once(first)
    os.close(first)


@pytest.mark.skipif(sys.platform != "linux", reason="flock knows no order")
def test_nobody_is_overtaken(tmp_path: Path) -> None:
    path = tmp_path / "line"
    served = line.opened(path)
    assert line.take_at_once(served)
    if not _locks(path):
        pytest.skip("this kernel does not list locks")
    order: list[int] = []
    threads = []
    for number in range(5):
        file = line.opened(path)

        def stand(number: int = number, file: int = file) -> None:
            line.wait(file)
            order.append(number)
            assert not line.take_at_once(served)  # a late comer
            os.close(file)

        threads.append(threading.Thread(target=stand))
        threads[-1].start()
        while _waiting(path) < number + 1:  # bounded by the test's own time limit
            pass
    line.leave(served)
    for thread in threads:
        thread.join()
    assert order == [0, 1, 2, 3, 4]
    assert line.take_at_once(served)
    os.close(served)


def _waiting(path: Path) -> int:
    """How many wait to be served."""
    return sum("->" in lock for lock in _locks(path))


def _locks(path: Path) -> list[str]:
    """The kernel's list: `1: OFDLCK ADVISORY WRITE -1 MAJOR:MINOR:INODE ...`, with `->` for who waits."""
    inode = f":{path.stat().st_ino} "
    return [lock for lock in Path("/proc/locks").read_text().splitlines() if inode in lock]
