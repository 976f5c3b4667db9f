"""What pages and API see of the venue."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import msgspec

from agentbbs.play.lobby import Queue
from agentbbs.play.match import Match
from agentbbs.play.spectators import Audience
from agentbbs.store.database import Database
from agentbbs.store.registration import Registrations
from agentbbs.web.callers import Admit, CheckToken


class WebSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What pages and API tell of the venue. Addresses are `HOST:PORT` as others reach them; None: that door is off."""

    public_url: str
    deadline_ms: int
    matches_per_hour: int
    dev: bool
    move_timeout_ms: int = 15_000
    game_ws_addr: str | None = None
    ssh_addr: str | None = None
    telnet_addr: str | None = None
    trusted_proxies: tuple[str, ...] = ()
    runs: Path | None = None
    """Where finished runs of the gym are; None: this venue shows none."""
    reads_per_minute: int = 600
    """Of the API, for one address or one account."""
    writes_per_minute: int = 60
    """As `reads_per_minute`, of requests that change something."""

    @property
    def secure(self) -> bool:
        """Whether readers come over TLS."""
        return self.public_url.startswith("https:")


class Live(Protocol):
    """The matches that are on; `play.runner.Runner` has them."""

    @property
    def live(self) -> tuple[Match, ...]:
        """All of them, the oldest first."""
        ...

    def match(self, key: str) -> Match | None:
        """The match that is on under this id."""
        ...

    def settling(self, key: str) -> bool:
        """Whether that match is over and about to be stored."""
        ...

    def now(self) -> float:
        """Seconds, monotonic: the clock of matches."""
        ...


class VenueView(msgspec.Struct, frozen=True, kw_only=True):
    """Handed to every room of the site."""

    settings: WebSettings
    database: Database
    live: Live
    audience: Audience
    admit: Admit
    check_token: CheckToken
    registrations: Registrations
    status: Callable[[], str]
    """`ok`, or what hinders the venue."""
    waiting: Callable[[], tuple[Queue, ...]]
    """Who waits for which game, the longest first."""
