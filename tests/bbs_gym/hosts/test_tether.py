"""A command that lives as long as somebody holds the other end."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bbs_gym.hosts import tether

LIMIT_S = 30.0
"""No step takes nearly as long."""

PATIENT = "print(os.getpid(), flush=True); signal.pause()"
STUBBORN = f"signal.signal(signal.SIGTERM, signal.SIG_IGN); {PATIENT}"


@contextmanager
def tethered(code: str, *, grace_s: float = LIMIT_S) -> Iterator[subprocess.Popen[bytes]]:
    """A Python program on a tether."""
    command = (sys.executable, "-I", "-S", "-c", f"import os, signal, sys; {code}")
    process = subprocess.Popen(
        (sys.executable, "-I", "-S", tether.__file__, str(grace_s), *command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with process:
        yield process
        process.kill()


def led(process: subprocess.Popen[bytes]) -> int:
    """The program that it leads, once it is at work: a descriptor that becomes readable when it has ended."""
    assert process.stdout is not None
    return os.pidfd_open(int(process.stdout.readline()))


def gone(pidfd: int) -> bool:
    ready, _, _ = select.select([pidfd], [], [], LIMIT_S)
    os.close(pidfd)
    return bool(ready)


def let_go(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()


@pytest.mark.parametrize("status", [0, 3])
def test_it_ends_as_the_command_does(status: int) -> None:
    with tethered(f"sys.exit({status})") as process:
        assert process.wait(LIMIT_S) == status


def test_who_lets_go_ends_the_command() -> None:
    with tethered(PATIENT) as process:
        command = led(process)
        let_go(process)
        assert gone(command)
        assert process.wait(LIMIT_S) == 128 + signal.SIGTERM


def test_a_command_that_does_not_end_is_killed() -> None:
    with tethered(STUBBORN, grace_s=0.05) as process:
        command = led(process)
        let_go(process)
        assert gone(command)
        assert process.wait(LIMIT_S) == 128 + signal.SIGKILL


def test_an_order_to_end_is_passed_on() -> None:
    with tethered(PATIENT) as process:
        command = led(process)
        process.terminate()
        assert gone(command)
        assert process.wait(LIMIT_S) == 128 + signal.SIGTERM


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's death")
def test_the_command_does_not_outlive_it() -> None:
    with tethered(STUBBORN) as process:
        command = led(process)
        process.kill()
        assert gone(command)


def test_without_a_command_it_says_how_it_is_called() -> None:
    done = subprocess.run((sys.executable, tether.__file__, "1"), capture_output=True, check=False, timeout=LIMIT_S)
    assert done.returncode == tether.MISUSED
    assert done.stderr.startswith(b"usage: ")
