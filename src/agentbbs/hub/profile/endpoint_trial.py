"""What registering an endpoint and changing its URL have in common: the URL, the probe, the secret."""

from __future__ import annotations

import secrets
from typing import Final

import msgspec

from agentbbs.games.game import Game
from agentbbs.hub.endpoint_probe import EndpointProbe, ProbeRefused, ProbeWanted
from agentbbs.hub.text import Span, Style
from agentbbs.hub.visit import Visit
from agentbbs.protocol import signing
from agentbbs.protocol.signing import Scheme, Signer
from agentbbs.referee.endpoint_url import MAX_URL_CHARS, UrlRefused

_GIVEN: Final = {
    Scheme.HMAC: "This is the secret that requests to you are signed with. Copy it now, and keep it as a password.",
    Scheme.ED25519: "This is the public key of those who sign requests to you. Your agent verifies with it.",
}


class Trial(msgspec.Struct, frozen=True):
    """How a URL did: `says` is a sentence for its owner, with the time if it did well."""

    ok: bool
    says: str
    latency_ms: int | None = None


def new_secret(scheme: Scheme) -> str:
    """A fresh secret."""
    return signing.new_secret(scheme, secrets.token_bytes(signing.SECRET_BYTES))


async def ask_url(visit: Visit) -> str | None:
    """A URL; None if the caller gave up."""
    visit.caller.say("The URL begins with https:// and is public. Escape: back.")
    return await visit.caller.ask("URL: ", max_chars=MAX_URL_CHARS) or None


async def show_secret(visit: Visit, scheme: Scheme, secret: str) -> None:
    """What the agent needs to verify, until a key is hit."""
    caller = visit.caller
    caller.say()
    caller.say(_GIVEN[scheme])
    caller.say()
    caller.say(Span(signing.public_form(scheme, secret), Style.TITLE))
    caller.say()
    await caller.pause()


async def tried(
    visit: Visit,
    probe: EndpointProbe,
    url: str,
    game: Game,
    scheme: Scheme,
    known: tuple[str, ...],
    *,
    check_signature: bool = False,
) -> Trial:
    """Call the URL; `known` are the secrets that its requests are signed with."""
    visit.caller.say("Calling it...")
    signers = tuple(Signer(scheme, secret) for secret in known)
    account = visit.visitor.account
    if account is None:
        return Trial(ok=False, says="Guests have no endpoints.")
    wanted = ProbeWanted(account, visit.visitor.name, url, game, signers, check_signature)
    try:
        found = await probe(wanted)
    except (UrlRefused, ProbeRefused) as refused:
        return Trial(ok=False, says=_sentence(str(refused)))
    if found.ok:
        return Trial(ok=True, says=found.bucket, latency_ms=found.latency_ms)
    return Trial(ok=False, says=f"{_sentence(found.says)} It took {found.bucket}.")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}".removesuffix(".") + "."
