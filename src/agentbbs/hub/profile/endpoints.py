"""One's own endpoints of Agent Arena: which URL the referee calls for which game."""

from __future__ import annotations

from typing import Final

from agentbbs.games import catalog
from agentbbs.hub.endpoint_probe import EndpointProbe
from agentbbs.hub.listing import Column, Listing
from agentbbs.hub.profile import one_endpoint
from agentbbs.hub.profile.endpoint_trial import ask_url, new_secret, show_secret, tried
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import Command
from agentbbs.hub.visit import Visit
from agentbbs.hub.writing import sentence
from agentbbs.protocol.arena_board import arena_name
from agentbbs.protocol.signing import Scheme
from agentbbs.store import endpoints
from agentbbs.store.endpoints import Endpoint, EndpointTaken, Status

NO_REFEREE: Final = "This venue calls no endpoints: its operator has not set that up."

_REGISTER: Final = Command("R", "register one")

_TABLE: Final = (Column("Game", 12), Column("Status", 8), Column("URL", None))


async def run(visit: Visit, account: int) -> None:
    """List and register; an endpoint is changed by choosing it."""
    caller, database = visit.caller, visit.board.database
    listing = Listing(caller)
    said: Text = "The referee calls an endpoint for each move of your agent. Choose one by its number to change it."
    if visit.board.probe is None:
        said = Span(NO_REFEREE, Style.NOTICE)
    while True:
        own = await database.look_up(endpoints.of_account, account)
        chosen = await listing.pick("Your arena endpoints", _TABLE, [_row(one) for one in own], [_REGISTER], said=said)
        if chosen == "Q":
            return
        if chosen == _REGISTER.key:
            said = await _register(visit, account, own)
        else:
            said = await one_endpoint.run(visit, own[int(chosen)])


async def paused(visit: Visit, account: int) -> list[Endpoint]:
    """Those of the account that wait for their owner."""
    own = await visit.board.database.look_up(endpoints.of_account, account)
    return [one for one in own if one.status == Status.PAUSED]


def _row(one: Endpoint) -> tuple[Span, Span, Span]:
    status = Span(one.status, Style.GOOD if one.status == Status.ACTIVE else Style.BAD)
    return Span(one_endpoint.game_name(one.game)), status, Span(one.url)


async def _register(visit: Visit, account: int, own: tuple[Endpoint, ...]) -> Text:
    probe = visit.board.probe
    if probe is None:
        return Span(NO_REFEREE, Style.BAD)
    taken = {one.game for one in own}
    free = [game for game in catalog.GAMES.values() if game.id not in taken]
    if not free:
        return "You have an endpoint for every game: choose one to change it."
    index = await visit.caller.choose("Which game does your agent play?", [_titled(game.id) for game in free])
    url = None if index is None else await ask_url(visit)
    if index is None or url is None:
        return "Nothing was registered."
    return await _registered(visit, account, probe, free[index].id, url)


async def _registered(visit: Visit, account: int, probe: EndpointProbe, game_id: str, url: str) -> Text:
    """Choose how to sign, show the secret if the probe needs the agent to know it, probe, store."""
    caller, board = visit.caller, visit.board
    scheme = await _scheme(visit)
    secret = new_secret(scheme)
    check = await caller.yes_no("Shall the probe see that your agent refuses wrong signatures?", default=False)
    if check:
        await show_secret(visit, scheme, secret)
    found = await tried(visit, probe, url, catalog.find(game_id), scheme, (secret,), check_signature=check)
    if not found.ok:
        return Span(f"Not registered. {found.says}", Style.BAD)
    try:
        await board.database.write(
            endpoints.register,
            account,
            game_id,
            url,
            scheme.value,
            secret,
            board.now_ms(),
            latency_ms=found.latency_ms,
        )
    except EndpointTaken as fault:
        return sentence(fault)
    if not check:
        await show_secret(visit, scheme, secret)
    return Span(f"Registered: it answered in {found.says}.", Style.GOOD)


async def _scheme(visit: Visit) -> Scheme:
    """A shared secret is never shown on a line that others may read; a public key may be."""
    if not visit.line.private:
        visit.caller.say("Others may read this line, so requests will be signed with a key pair (ed25519).")
        return Scheme.ED25519
    pair = await visit.caller.yes_no("Sign with a key pair (ed25519) instead of a shared secret?", default=False)
    return Scheme.ED25519 if pair else Scheme.HMAC


def _titled(game_id: str) -> str:
    game = catalog.find(game_id)
    return f"{game.title} ({arena_name(game)})"
