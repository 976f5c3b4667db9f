"""One endpoint of Agent Arena: why it is paused, and what its owner can do about it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from agentbbs.games import catalog
from agentbbs.hub import moments
from agentbbs.hub.endpoint_probe import EndpointProbe
from agentbbs.hub.profile.endpoint_trial import Trial, ask_url, new_secret, show_secret, tried
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import QUIT, Command, command, heading
from agentbbs.hub.visit import Visit
from agentbbs.hub.writing import sentence
from agentbbs.protocol.arena_board import arena_name
from agentbbs.protocol.signing import Scheme
from agentbbs.store import endpoints
from agentbbs.store.endpoints import Endpoint, NoSuchEndpoint, Status

PAUSED_BY_OWNER: Final = "paused by its owner"

_PAUSE: Final = Command("P", "pause")
_RESUME: Final = Command("R", "resume")
_URL: Final = Command("U", "change the URL")
_CALL: Final = Command("C", "call it now")
_ROTATE: Final = Command("N", "new secret")
_REMOVE: Final = Command("D", "remove")

_NO_REFEREE: Final = Span("This venue calls no endpoints.", Style.BAD)


async def run(visit: Visit, endpoint: Endpoint) -> Text:
    """Show and change, until the caller leaves or the endpoint is gone; what the list shall say then."""
    caller, database = visit.caller, visit.board.database
    said: Text = ""
    while True:
        try:
            endpoint = await database.look_up(endpoints.get, endpoint.id)
        except NoSuchEndpoint:
            return said or "That endpoint is gone."
        commands = [_PAUSE if endpoint.status == Status.ACTIVE else _RESUME, _CALL, _URL, _ROTATE, _REMOVE, QUIT]
        heading(caller, f"Your endpoint for {game_name(endpoint.game)}", commands)
        for line in _facts(visit, endpoint):
            caller.say(line)
        if said:
            caller.say(said)
        chosen = await command(caller, commands)
        if chosen == QUIT.key:
            return ""
        try:
            said = await _ACTIONS[str(chosen)](visit, endpoint)
        except NoSuchEndpoint as fault:
            said = sentence(fault)


def game_name(game_id: str) -> str:
    """As the game is called on the wire; its id, if this venue does not have it any more."""
    try:
        return arena_name(catalog.find(game_id))
    except catalog.UnknownGame:
        return game_id


def _facts(visit: Visit, one: Endpoint) -> list[Text]:
    active = one.status == Status.ACTIVE
    signed = "a shared secret (HMAC)" if one.scheme == Scheme.HMAC else "a key pair (ed25519)"
    facts: list[tuple[str, Text]] = [
        ("URL", one.url),
        ("Status", Span(one.status, Style.GOOD if active else Style.BAD)),
        *([("Why", Span(one.why or "not said", Style.BAD))] if not active else []),
        ("Signed", f"with {signed}"),
        ("Answered", "not tried yet" if one.latency_ms is None else f"the newest probe in {one.latency_ms} ms"),
        ("Lost", f"{one.forfeits} in a row because it did not answer in time" if one.forfeits else "none in that way"),
        ("Since", f"{moments.stamp(one.created_ms)} UTC"),
    ]
    if len(one.secrets(visit.board.now_ms())) > 1 and one.old_secret_until_ms is not None:
        facts.append(("Secrets", f"the former one signs, too, until {moments.stamp(one.old_secret_until_ms)} UTC"))
    return [(Span(f"{label + ':':<10}", Style.LABEL), value) for label, value in facts]


async def _pause(visit: Visit, one: Endpoint) -> Text:
    board = visit.board
    await board.database.write(endpoints.pause, one.id, PAUSED_BY_OWNER, board.now_ms())
    return "It is paused; a match that is on is played to its end."


async def _resume(visit: Visit, one: Endpoint) -> Text:
    board = visit.board
    if board.probe is not None:
        found = await _tried(visit, board.probe, one, one.url)
        if not found.ok:
            return Span(f"It stays paused. {found.says}", Style.BAD)
    await board.database.write(endpoints.resume, one.id, board.now_ms())
    return Span("It is active again.", Style.GOOD)


async def _call(visit: Visit, one: Endpoint) -> Text:
    board = visit.board
    if board.probe is None:
        return _NO_REFEREE
    found = await _tried(visit, board.probe, one, one.url)
    if not found.ok:
        return Span(found.says, Style.BAD)
    if found.latency_ms is not None:
        await board.database.write(endpoints.note_latency, one.id, found.latency_ms)
    return Span(f"It plays: {found.says}.", Style.GOOD)


async def _change_url(visit: Visit, one: Endpoint) -> Text:
    board = visit.board
    if board.probe is None:
        return _NO_REFEREE
    url = await ask_url(visit)
    if url is None:
        return "The URL is as it was."
    found = await _tried(visit, board.probe, one, url)
    if not found.ok:
        return Span(f"The URL is as it was. {found.says}", Style.BAD)
    await board.database.write(endpoints.change_url, one.id, url, board.now_ms())
    if found.latency_ms is not None:
        await board.database.write(endpoints.note_latency, one.id, found.latency_ms)
    still = "" if one.status == Status.ACTIVE else " It is still paused."
    return Span(f"The URL is changed: it answered in {found.says}.{still}", Style.GOOD)


async def _tried(visit: Visit, probe: EndpointProbe, one: Endpoint, url: str) -> Trial:
    """Call the endpoint at `url`, signed as it is used to."""
    secrets = one.secrets(visit.board.now_ms())
    try:
        game = catalog.find(one.game)
    except catalog.UnknownGame as fault:
        return Trial(ok=False, says=f"{fault}.")
    return await tried(visit, probe, url, game, Scheme(one.scheme), secrets)


async def _rotate(visit: Visit, one: Endpoint) -> Text:
    caller, board, scheme = visit.caller, visit.board, Scheme(one.scheme)
    if scheme is Scheme.HMAC and not visit.line.private:
        return Span("A secret can't be shown in the clear: call by ssh.", Style.BAD)
    if not await caller.yes_no("Make a new secret? The former one signs beside it for a day.", default=False):
        return "The secret is as it was."
    secret, now_ms = new_secret(scheme), board.now_ms()
    await board.database.write(endpoints.rotate, one.id, secret, now_ms + endpoints.OLD_SECRET_MS, now_ms)
    await show_secret(visit, scheme, secret)
    return Span("The secret is new; it was shown once.", Style.GOOD)


async def _remove(visit: Visit, one: Endpoint) -> Text:
    board = visit.board
    if not await visit.caller.yes_no(f"Remove the endpoint for {game_name(one.game)}?", default=False):
        return "It was not removed."
    await board.database.write(endpoints.remove, one.id, board.now_ms())
    return Span("The endpoint is removed.", Style.GOOD)


_ACTIONS: Final[dict[str, Callable[[Visit, Endpoint], Awaitable[Text]]]] = {
    _PAUSE.key: _pause,
    _RESUME.key: _resume,
    _CALL.key: _call,
    _URL.key: _change_url,
    _ROTATE.key: _rotate,
    _REMOVE.key: _remove,
}
