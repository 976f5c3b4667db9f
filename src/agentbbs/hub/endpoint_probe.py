"""What the board needs of the referee to take an endpoint of Agent Arena: somebody who calls it, and says how it went.

`serve.py` wires it in; without one the venue calls no endpoints, and none can be registered at the board.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from agentbbs.games.game import Game
from agentbbs.protocol.signing import Signer


class ProbeRefused(Exception):
    """No request went out: too many in too short a time, or another one is on its way there. The text is for the
    caller and says when to try again."""


class ProbeWanted(msgspec.Struct, frozen=True):
    """A URL to be tried, as its owner gave it, for an account and a game. `check_signature`: a request with a wrong
    signature must be refused, too."""

    account: int
    name: str
    url: str
    game: Game
    signers: tuple[Signer, ...]
    check_signature: bool = False


class Probed(Protocol):
    """How it went. `referee.probe.ProbeResult` is one."""

    @property
    def ok(self) -> bool:
        """Whether the endpoint answered with a legal move."""
        ...

    @property
    def says(self) -> str:
        """What was wrong, for its owner; nothing of what the endpoint sent."""
        ...

    @property
    def bucket(self) -> str:
        """Roughly how long it took."""
        ...

    @property
    def latency_ms(self) -> int | None:
        """Exactly that, kept with the endpoint."""
        ...


class EndpointProbe(Protocol):
    """Checks a URL by every rule of the venue, and calls it."""

    async def __call__(self, wanted: ProbeWanted) -> Probed:
        """At most a few requests, each within the venue's deadline. Raises `referee.endpoint_url.UrlRefused` for a URL
        that is never called, and ProbeRefused."""
        ...
