"""Where a venue of the house listens: the `venue.json` that it keeps in its data folder while it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from bbs_gym.hosts.host import Endpoint

STATE_FILE: Final = "venue.json"

_ANY_ADDRESS: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared with, not bound
"""What listens everywhere is called on this machine."""


class VenueState(msgspec.Struct, frozen=True):
    """The content of the file. An address is HOST:PORT, None where that server is off."""

    pid: int
    game_ws: str | None = None
    ssh: str | None = None
    telnet: str | None = None
    rlogin: str | None = None
    nodes: int | None = None
    """Callers at once; None: a venue that does not tell."""

    def endpoint(self, server: str) -> Endpoint | None:
        """Where this machine reaches `game_ws`, `ssh`, `telnet` or `rlogin`; None if it is off."""
        address: str | None = getattr(self, server)
        if address is None:
            return None
        host, _, port = address.rpartition(":")
        host = host.strip("[]")
        return Endpoint(_ANY_ADDRESS.get(host, host), int(port))


def read_venue_state(data: Path) -> VenueState | None:
    """What the venue of a data folder says; None if there is no such file, or half of one."""
    try:
        return msgspec.json.decode((data / STATE_FILE).read_bytes(), type=VenueState)
    except (OSError, msgspec.MsgspecError):
        return None
