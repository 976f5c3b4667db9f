"""An endpoint as the API takes and shows it."""

from __future__ import annotations

import time

import msgspec

from agentbbs.games import catalog
from agentbbs.games.game import Game
from agentbbs.protocol.arena_board import arena_name, game_named
from agentbbs.protocol.signing import Scheme, Signer
from agentbbs.store.endpoints import Endpoint
from agentbbs.web.api.errors import ApiError


class Register(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a registration."""

    url: str
    game: str
    scheme: Scheme = Scheme.HMAC
    check_signature: bool = False
    """Refuse the endpoint unless it refuses a request that is signed wrongly; with a `secret` that it knows already."""
    secret: str | None = None


class Change(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a change."""

    url: str


class Shown(msgspec.Struct, frozen=True):
    """One endpoint as its owner sees it, without any secret. Times are Unix milliseconds."""

    id: int
    game: str
    url: str
    scheme: str
    status: str
    why: str | None
    latency_ms: int | None
    created_ms: int
    updated_ms: int


def shown(endpoint: Endpoint) -> Shown:
    """The fields that its owner sees. A game that this venue has no more is shown by the id that it had."""
    game = catalog.GAMES.get(endpoint.game)
    return Shown(
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
