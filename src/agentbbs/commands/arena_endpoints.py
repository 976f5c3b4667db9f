"""Stored endpoints as `agentbbs arena` names, chooses and shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from agentbbs.commands import output
from agentbbs.commands.failure import Failed
from agentbbs.commands.opened import store
from agentbbs.games import catalog
from agentbbs.games.game import Game
from agentbbs.protocol.arena_board import arena_name, game_named
from agentbbs.protocol.signing import Scheme, Signer
from agentbbs.store import accounts, endpoints
from agentbbs.store.endpoints import Endpoint, EndpointTaken, NoSuchEndpoint

if TYPE_CHECKING:
    from sqlalchemy import Connection


def chosen(conn: Connection, name: str, games: Sequence[str] | None) -> list[Endpoint]:
    """The endpoints of an account for these games; without one, its only endpoint. Raises Failed, NoSuchAccount."""
    account = accounts.find(conn, name)
    with refusals():
        if games:
            return [endpoints.find(conn, account.id, _game(game).id) for game in dict.fromkeys(games)]
    found = endpoints.of_account(conn, account.id)
    if not found:
        raise Failed(f"{account.name} has no endpoint: `agentbbs arena register` makes one")
    if len(found) > 1:
        names = ", ".join(name_of(one.game) for one in found)
        raise Failed(f"{account.name} has several endpoints ({names}): say which with --game")
    return list(found)


def read_chosen(name: str, games: Sequence[str] | None) -> list[Endpoint]:
    """As `chosen`, for who has other things to do before anything is written."""
    with store() as database, database.connect() as conn:
        return chosen(conn, name, games)


@contextmanager
def refusals() -> Iterator[None]:
    """What the table of endpoints refuses, as Failed."""
    try:
        yield
    except (EndpointTaken, NoSuchEndpoint) as fault:
        raise Failed(str(fault)) from fault


def shown(endpoint: Endpoint) -> dict[str, Any]:
    """An endpoint for programs: no secret, and nothing of its URL that may be one."""
    return {
        "endpoint": endpoint.id,
        "name": endpoint.name,
        "game": name_of(endpoint.game),
        "url": without_query(endpoint.url),
        "scheme": endpoint.scheme,
        "status": endpoint.status,
        "why": endpoint.why,
        "forfeits": endpoint.forfeits,
        "latencyMs": endpoint.latency_ms,
        "oldSecretUntil": endpoint.old_secret_until_ms if len(endpoint.secrets(output.now_ms())) > 1 else None,
        "created": endpoint.created_ms,
        "updated": endpoint.updated_ms,
    }


def shown_as(endpoint: Endpoint) -> str:
    """An endpoint in a sentence."""
    return f"the {name_of(endpoint.game)} endpoint of {endpoint.name}"


def name_of(game_id: str) -> str:
    """What a stored game is called on the wire of endpoints; its id, where its package is gone."""
    try:
        return arena_name(game_named(game_id))
    except catalog.UnknownGame:
        return game_id


def without_query(url: str) -> str:
    """A URL without what follows its `?`, which may be a key."""
    path, mark, _ = url.partition("?")
    return f"{path}?..." if mark else path


def game_of(endpoint: Endpoint) -> Game:
    """The game that an endpoint plays. Raises UnknownGame, where its package is gone."""
    return catalog.find(endpoint.game)


def signers_of(endpoint: Endpoint) -> tuple[Signer, ...]:
    """What a request to it is signed with now."""
    return tuple(Signer(Scheme(endpoint.scheme), secret) for secret in endpoint.secrets(output.now_ms()))


def _game(name: str) -> Game:
    try:
        return game_named(name)
    except catalog.UnknownGame as fault:
        raise Failed(str(fault)) from fault
