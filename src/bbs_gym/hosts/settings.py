"""Which BBS, as configurations and commands say it."""

from __future__ import annotations

from pathlib import Path

import msgspec


class HostSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which BBS."""

    kind: str = "house"
    data: Path | None = None
    """House: the data folder of a venue that runs; None: a private one is started. Synchronet: its folder."""
    address: str | None = None
    """HOST of a running BBS; the ports are those of the kind unless given below."""
    ports: dict[str, int] = {}
    """By transport."""
