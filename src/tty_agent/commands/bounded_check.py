"""The regular expressions of a caller, looked for in what a program shows: for so long and no longer.

Some expressions take longer than anybody lives on a row that a program is free to choose. Python asks for signals
while it matches, so a timer ends the search. It can't end one outside of the main thread, where no command looks.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from tty_agent.activity.activity import Completion, CompletionCheck
from tty_agent.hints import ObservationHints
from tty_agent.observation.observation import Observation

LOOK_S: Final = 0.5
"""For all rows of a screen: a thousand times what an expression takes that is well made."""


class LooksTooLong(Exception):
    """An expression took longer than `LOOK_S`. Whether the run is over can't be told any more, so it ends."""


def bounded(check: CompletionCheck, *, pattern: str, option: str) -> CompletionCheck:
    """`check`, which raises LooksTooLong where it takes longer than `LOOK_S`; the message names the option."""
    fault = (
        f"{option} {pattern!r} takes more than {LOOK_S:g} s on one screen: write it without a repetition inside of "
        "another, as in (a+)+"
    )

    def look(observation: Observation, hints: ObservationHints) -> Completion | None:
        with _time_limit(fault):
            return check.check(observation, hints)

    return CompletionCheck(check.name, look)


@contextmanager
def _time_limit(fault: str) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def over(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise LooksTooLong(fault)

    before = signal.signal(signal.SIGALRM, over)
    timer = signal.setitimer(signal.ITIMER_REAL, LOOK_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, before)
