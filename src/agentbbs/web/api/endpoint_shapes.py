"""An endpoint as the API takes and shows it."""

from __future__ import annotations

import time

import msgspec

from agentbbs.games import catalog
from agentbbs.games.game import Game
from agentbbs.protocol.arena_board import arena_name, game_named
from agentbbs.protocol.signing import Scheme, Signer
from agentbbs.referee.probe import ProbeResult
from agentbbs.store.endpoints import Endpoint
from agentbbs.web.api.errors import ApiError


class EndpointWanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a registration."""

    url: str
    """Where requests go: HTTPS, at a public address."""
    game: str
    """Its id or alias."""
    scheme: Scheme = Scheme.HMAC
    """How requests are signed."""
    check_signature: bool = False
    """Refuse the endpoint unless it refuses a request that is signed wrongly; with a `secret` that it knows already."""
    secret: str | None = None
    """Where the endpoint has one already, in the form of its scheme (`whsec_…`, `whsk_…`); otherwise one is made."""


class EndpointChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a change."""

    url: str
    """Where requests go from now on."""


class EndpointShown(msgspec.Struct, frozen=True):
    """One endpoint as its owner sees it, without any secret. Times are Unix milliseconds."""

    id: int
    game: str
    url: str
    scheme: str
    status: str
    """`active` or `paused`."""
    why: str | None
    """Why it is paused."""
    latency_ms: int | None
    """How long its last probe took."""
    created_ms: int
    updated_ms: int


class Endpoints(msgspec.Struct, frozen=True):
    """The endpoints of an account."""

    endpoints: list[EndpointShown]


class OneEndpoint(msgspec.Struct, frozen=True):
    """One of them."""

    endpoint: EndpointShown


class EndpointProbed(msgspec.Struct, frozen=True):
    """What a probe found."""

    probe: ProbeResult


class EndpointChanged(msgspec.Struct, frozen=True):
    """An endpoint that was probed, as it is now."""

    endpoint: EndpointShown
    probe: ProbeResult


class EndpointRegistered(msgspec.Struct, frozen=True):
    """A new endpoint."""

    endpoint: EndpointShown
    key: str
    """What its requests are verified with. It is told this once."""
    probe: ProbeResult


class EndpointRotated(msgspec.Struct, frozen=True):
    """An endpoint with another key."""

    endpoint: EndpointShown
    key: str
    """What requests are verified with from now on. It is told this once."""
    old_key_until_ms: int
    """Until then the former key signs too."""


def shown(endpoint: Endpoint) -> EndpointShown:
    """The fields that its owner sees. A game that this venue has no more is shown by the id that it had."""
    game = catalog.GAMES.get(endpoint.game)
    return EndpointShown(
        id=endpoint.id,
        game=endpoint.game if game is None else arena_name(game),
        url=endpoint.url,
        scheme=endpoint.scheme,
        status=endpoint.status,
        why=endpoint.why,
        latency_ms=endpoint.latency_ms,
        created_ms=endpoint.created_ms,
        updated_ms=endpoint.updated_ms,
    )


def named(name: str) -> Game:
    """The game of that name. Raises ApiError."""
    try:
        return game_named(name)
    except catalog.UnknownGame as fault:
        games = [arena_name(catalog.find(one)) for one in fault.ids]
        raise ApiError("unknown_game", str(fault), games=games) from fault


def signers(endpoint: Endpoint) -> tuple[Signer, ...]:
    """What requests to this endpoint are signed with now."""
    return tuple(Signer(Scheme(endpoint.scheme), secret) for secret in endpoint.secrets(now_ms()))


def now_ms() -> int:
    """Unix milliseconds."""
    return time.time_ns() // 1_000_000
