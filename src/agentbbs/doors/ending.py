"""How a stay in a door ended, as a value."""

from __future__ import annotations

import signal
from enum import StrEnum

import msgspec


class EndKind(StrEnum):
    """The closed list."""

    EXITED = "exited"
    """The door ended by itself."""
    CRASHED = "door_crashed"
    """A signal ended it that nobody sent."""
    HUNG = "door_hung"
    """It did nothing although the caller typed, or was stopped, or had to be killed at a limit."""
    TIME_LIMIT = "time_limit"
    """The caller's time in it is up."""
    IDLE = "idle"
    """The caller typed nothing for too long."""
    HUNG_UP = "hung_up"
    """The caller's line is gone."""
    BUSY = "busy"
    """It was not entered: it is full, or the same account is in it."""
    REFUSED = "refused"
    """It was not entered: it can't be run here as `doors.toml` says."""


class DoorEnd(msgspec.Struct, frozen=True):
    """The end of a stay."""

    kind: EndKind
    detail: str
    """For a person who knows the board, and inert."""
    code: int | None = None
    """The exit status, negative: that signal; None if it was not entered."""
    seconds: float = 0.0
    """Spent in it."""

    @property
    def fault(self) -> bool:
        """Whether the operator should look at the door."""
        return self.kind in {EndKind.CRASHED, EndKind.HUNG, EndKind.REFUSED} or (
            self.kind is EndKind.EXITED and self.code != 0
        )


def told_status(code: int, *, caged: bool) -> int:
    """The status of the door itself: bubblewrap and shells tell of a signal as 128 and its number."""
    return 128 - code if caged and 128 < code < 128 + signal.NSIG else code


def ended_by_itself(code: int | None, seconds: float) -> DoorEnd:
    """The end of a door that nobody asked to end."""
    if code is None:
        return DoorEnd(EndKind.HUNG, "it let go of its terminal and went on", None, seconds)
    if code < 0:
        return DoorEnd(EndKind.CRASHED, f"it crashed ({_signal_name(-code)})", code, seconds)
    words = {0: "it ended", 126: "its command can't be run (status 126)", 127: "its command was not found (status 127)"}
    return DoorEnd(EndKind.EXITED, words.get(code, f"it ended with status {code}"), code, seconds)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"
