"""What a running venue leaves in its data folder: a lock that it holds, and where it listens."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

LOCK_FILE: Final = "venue.lock"
"""Held while a venue runs in a data folder."""

STATE_FILE: Final = "venue.json"
"""On which addresses a running venue listens, and how many it takes."""


class State(msgspec.Struct, frozen=True):
    """The content of `venue.json`; an address is None where that server is off."""

    pid: int
    game_ws: str | None
    ssh: str | None = None
    telnet: str | None = None
    rlogin: str | None = None
    nodes: int | None = None
    """Callers of the BBS at once."""
    web: str | None = None


def write_state(data: Path, state: State) -> None:
    """Say in the data folder where the venue listens."""
    (data / STATE_FILE).write_bytes(msgspec.json.encode(state) + b"\n")


def read_state(data: Path) -> State | None:
    """Where the venue of a data folder listens; None if none runs."""
    try:
        return msgspec.json.decode((data / STATE_FILE).read_bytes(), type=State)
    except (OSError, msgspec.MsgspecError):
        return None


def remove_state(data: Path) -> None:
    """The venue does not run any more."""
    (data / STATE_FILE).unlink(missing_ok=True)
