"""A program that runs another one for as long as somebody holds the other end of its standard input.

    python -I -S tether.py SECONDS COMMAND ARGUMENT…

When standard input ends, because it was closed or because who held it was killed, the command is told to end (SIGTERM),
and is killed where it has not done so after SECONDS. A SIGTERM is passed on. Whoever kills this program itself has
killed the command too, on Linux. The exit status is that of the command, 128 and the number if a signal ended it.

It is a program of its own, of the standard library alone, and is started by its path: a parent's death must end the
command at once even where that parent has many threads, of which the one that started it may be long gone.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Final

PR_SET_PDEATHSIG: Final = 1
"""linux/prctl.h: the signal that a process gets when its parent dies."""

READ_BYTES: Final = 1024
"""Nobody writes anything; what comes all the same is skipped."""

MISUSED: Final = 2


def main(words: Sequence[str]) -> int:
    """Run the command; returns the exit status."""
    if len(words) < 2:
        sys.stderr.write("usage: tether.py SECONDS COMMAND ARGUMENT...\n")
        return MISUSED
    grace_s, command = float(words[0]), words[1:]
    die_too = _die_with_parent(os.getpid()) if sys.platform == "linux" else None
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=die_too)  # noqa: PLW1509, S603 - one thread
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    ended = threading.Event()
    threading.Thread(target=_end_with_input, args=(child, ended, grace_s), daemon=True).start()
    status = child.wait()
    ended.set()
    return status if status >= 0 else 128 - status


def _end_with_input(child: subprocess.Popen[bytes], ended: threading.Event, grace_s: float) -> None:
    while os.read(0, READ_BYTES):
        pass
    child.terminate()
    if not ended.wait(grace_s):
        child.kill()


def _die_with_parent(parent: int) -> Callable[[], None]:
    """For the child, between fork and exec: be killed when `parent` dies."""
    import ctypes  # noqa: PLC0415 - for Linux alone

    prctl = ctypes.CDLL(None).prctl

    def ask() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before
            os._exit(1)

    return ask


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
