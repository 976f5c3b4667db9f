"""URLs checked and endpoints probed for `agentbbs arena`, by the rules of the venue that the settings describe."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from agentbbs.commands import output
from agentbbs.commands.failure import Failed
from agentbbs.commands.ticker import ticking
from agentbbs.config import Settings
from agentbbs.games.game import Game
from agentbbs.protocol.arena_board import arena_name
from agentbbs.protocol.signing import Signer
from agentbbs.referee.endpoint_url import UrlRefused
from agentbbs.referee.outbound import Outbound
from agentbbs.referee.probe import ProbeResult, probe
from agentbbs.referee.venue_rules import rules_of
from agentbbs.referee.webhook_seat import Target

_UNAUTHORISED: Final = ("status 401", "status 403")


class Probed(msgspec.Struct, frozen=True):
    """What a probe of one game found."""

    game: Game
    result: ProbeResult

    @property
    def sentence(self) -> str:
        """The result for a person, with the row and the time in steps where it failed."""
        result = self.result
        if result.ok:
            return f"{arena_name(self.game)}: {result.says} in {result.latency_ms} ms"
        return f"{arena_name(self.game)}: {result.row} ({result.bucket}): {result.says}"

    def as_json(self) -> dict[str, Any]:
        """The result for programs."""
        result = self.result
        return {
            "game": arena_name(self.game),
            "ok": result.ok,
            "row": result.row,
            "says": result.says,
            "took": result.bucket,
            "latencyMs": result.latency_ms if result.ok else None,
        }


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """An endpoint, and what it is to be asked."""

    name: str
    account: int | None
    url: str
    games: tuple[Game, ...]
    signers: tuple[Signer, ...]
    check_signature: bool = False


def check_url(settings: Settings, url: str) -> None:
    """See that a venue with these settings may call `url`. Raises Failed."""
    asyncio.run(_ask(settings, url, None, quiet=True))


def probe_all(settings: Settings, question: Question, *, quiet: bool = False) -> Sequence[Probed]:
    """One result a game, up to the first that failed. Raises Failed for a URL that may not be called."""
    return asyncio.run(_ask(settings, question.url, question, quiet=quiet))


def require_sound(probed: Sequence[Probed], *, as_json: bool = False, hint: str = "") -> None:
    """Raises Failed unless all passed; with `as_json` after the failed one was told on stdout."""
    for one in probed:
        if not one.result.ok:
            if as_json:
                output.json_value(one.as_json())
            raise Failed(f"the probe failed: {one.sentence}{hint}")


def hint(failed: Probed) -> str:
    """What else to do where a new secret may be the reason of a failure; else empty."""
    if not any(text in failed.result.says for text in _UNAUTHORISED):
        return ""
    return (
        ". An agent that checks signatures does not know its new secret yet: register it with --no-probe, give it the "
        "secret, then `agentbbs arena resume`; or bring a secret that it knows with --secret-file"
    )


async def _ask(settings: Settings, url: str, question: Question | None, *, quiet: bool) -> Sequence[Probed]:
    try:
        outbound = Outbound(rules_of(settings))
    except OSError as fault:  # ssl.SSLError is one
        file = str(settings.arena.ca_file)
        raise Failed(f"AGENTBBS_ARENA_CA_FILE={file!r} is wrong: it should be a file of certificates (PEM)") from fault
    async with outbound:
        try:
            endpoint = await outbound.check(url)
        except UrlRefused as fault:
            raise Failed(fault.why) from fault
        found: list[Probed] = []
        for game in () if question is None else question.games:
            assert question is not None
            target = Target(
                account=question.account,
                name=question.name,
                url=endpoint,
                signers=question.signers,
                deadline_ms=settings.arena.deadline_ms,
                public_url=public_url(settings),
            )
            limit = f"{settings.arena.deadline_ms / 1000:g} s an answer"
            async with ticking(lambda: f"probing {arena_name(game)}, at most {limit}", quiet=quiet):  # noqa: B023 - awaited here
                found.append(Probed(game, await probe(outbound, target, game, signature=question.check_signature)))
            if not found[-1].result.ok:
                break
    return found


def public_url(settings: Settings) -> str:
    """The base of links, as the settings alone say it."""
    return settings.public_url or f"http://{settings.web_addr or 'localhost'}"
