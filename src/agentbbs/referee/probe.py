"""Asks an endpoint for one move in a dummy position, before it is registered.

Until the endpoint has echoed a fresh nonce it has not shown that it wants to be asked at all: so at most two requests
go out. What is told of a failure is the row, and how long it took in steps; never the body, headers or address.
"""

from __future__ import annotations

import secrets
from functools import partial
from typing import Final

import msgspec

from agentbbs.games.game import Game
from agentbbs.protocol import signing
from agentbbs.protocol.arena import NONCE_BYTES, MoveRequest, Reply, encode_request
from agentbbs.protocol.arena_board import arena_name, view
from agentbbs.protocol.arena_reply import Strike, judge
from agentbbs.protocol.strikes import STRIKES, StrikeRow
from agentbbs.referee.outbound import Exchange, Headers, OwnFault
from agentbbs.referee.webhook_seat import Dialler, Target, signed_headers

MAX_REQUESTS: Final = 2
"""To somebody who has not answered yet."""

REFUSALS: Final = frozenset({400, 401, 403})
"""How an agent may say that a signature is wrong."""

ACCEPTS_BAD_SIGNATURE: Final = "accepts_bad_signature"
OUR_FAULT: Final = "referee"

BUCKETS: Final = ((100, "under 100 ms"), (500, "100 to 500 ms"), (2000, "0.5 to 2 s"))
"""Upper ends in ms; beyond them `over 2 s`."""

_WRONG: Final = {"v1": "A" * 43 + "=", "v1a": "A" * 86 + "=="}
"""A signature of the right length and form, by version."""

OPPONENT: Final = "PROBE"


class ProbeResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a probe found. `row` is None if all is well."""

    ok: bool
    row: str | None
    says: str
    bucket: str
    latency_ms: int


async def probe(outbound: Dialler, target: Target, game: Game, *, signature: bool = False) -> ProbeResult:
    """Ask `target` for its first move in `game`; with `signature`, then see that it refuses a request that is signed
    wrongly. Raises nothing."""
    try:
        exchange, ruling = await _until_echoed(outbound, target, game)
        if isinstance(ruling, Strike):
            info = STRIKES[ruling.row]
            return _told(ruling.row, f"{info.says} ({ruling.detail}): {info.remedy}", exchange)
        if signature:
            refused = await _wrongly_signed(outbound, target, game)
            if refused.answer is None or refused.answer.status not in REFUSALS:
                says = "a request with a wrong signature was not refused: answer it with status 401"
                return _told(ACCEPTS_BAD_SIGNATURE, says, refused)
    except OwnFault:
        says = "this venue could not ask just now; nothing is wrong with the endpoint: try again in a minute"
        return ProbeResult(ok=False, row=OUR_FAULT, says=says, bucket=bucket(0), latency_ms=0)
    return ProbeResult(
        ok=True, row=None, says="it answered with a legal move", bucket=bucket(exchange.ms), latency_ms=exchange.ms
    )


def bucket(ms: int) -> str:
    """How long something took, in steps that tell little of a network."""
    return next((name for most, name in BUCKETS if ms < most), "over 2 s")


async def _until_echoed(outbound: Dialler, target: Target, game: Game) -> tuple[Exchange, Reply | Strike]:
    for number in range(MAX_REQUESTS):
        request = _request(target, game, strikes=number)
        body = encode_request(request)
        exchange = await _post(outbound, target, body, partial(signed_headers, target.signers, body))
        ruling = _ruling(exchange, request)
        if isinstance(ruling, Reply):
            break
    return exchange, ruling


async def _wrongly_signed(outbound: Dialler, target: Target, game: Game) -> Exchange:
    body = encode_request(_request(target, game, strikes=0))
    headers = dict(signed_headers(target.signers, body))
    versions = [one.partition(",")[0] for one in headers.get(signing.SIGNATURE, "v1,").split(" ")]
    headers[signing.SIGNATURE] = " ".join(f"{version},{_WRONG[version]}" for version in versions)
    return await _post(outbound, target, body, headers)


async def _post(outbound: Dialler, target: Target, body: bytes, headers: Headers) -> Exchange:
    return await outbound.post(target.url, body, headers, target.deadline_ms / 1000)


def _ruling(exchange: Exchange, request: MoveRequest) -> Reply | Strike:
    if exchange.answer is None:
        return Strike(exchange.row or StrikeRow.HTTP, exchange.detail)
    return judge(exchange.answer, nonce=request.nonce, legal=request.legal)


def _request(target: Target, game: Game, *, strikes: int) -> MoveRequest:
    shown = view(game, game.initial())
    match_id = f"probe-{secrets.token_hex(8)}"
    return MoveRequest(
        match_id=match_id,
        game=arena_name(game),
        you=shown.you,
        opponent=OPPONENT,
        move_number=1,
        board=shown.board,
        legal=list(shown.legal),
        strikes=strikes,
        deadline_ms=target.deadline_ms,
        nonce=secrets.token_hex(NONCE_BYTES),
        replay_url=f"{target.public_url}/m/{match_id}",
    )


def _told(row: str, says: str, exchange: Exchange) -> ProbeResult:
    return ProbeResult(ok=False, row=str(row), says=says, bucket=bucket(exchange.ms), latency_ms=exchange.ms)
