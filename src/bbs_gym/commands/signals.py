"""Signals that end what a command runs: the first cancels it, so that it ends in order; a second ends the process."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Iterator

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def cancelled_by_signals(stopped: list[int]) -> Iterator[None]:
    """The task that runs this is cancelled by any of `ENDING`; its number is added to `stopped`."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None

    def stop(number: int) -> None:
        if stopped:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        stopped.append(number)
        task.cancel()

    caught = []
    for number in ENDING:
        if number == signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN:
            continue  # as nohup wants it
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):  # not the main thread
            loop.add_signal_handler(number, stop, number)
            caught.append(number)
    try:
        yield
    finally:
        for number in caught:
            loop.remove_signal_handler(number)
