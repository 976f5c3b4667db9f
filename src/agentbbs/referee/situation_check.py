"""Puts an agent into the situations of `situations.py`, and reports each: passed, passed with a remark, or failed.

Requests go out one at a time, over the same `Outbound`, and answers are judged by the same rules as at a venue.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from functools import partial
from typing import Final, Self

import msgspec

from agentbbs.games.game import Game, Position
from agentbbs.protocol import signing
from agentbbs.protocol.arena import NONCE_BYTES, MoveRequest, Reply, encode_request
from agentbbs.protocol.arena_board import arena_name, to_move, view
from agentbbs.protocol.arena_reply import Answer, Strike, judge
from agentbbs.protocol.strikes import STRIKES, StrikeRow
from agentbbs.referee.endpoint_url import EndpointUrl
from agentbbs.referee.opening import Opening
from agentbbs.referee.outbound import Exchange, Headers, OwnFault
from agentbbs.referee.rehearsal import Rehearsal
from agentbbs.referee.scripted_seat import ScriptedSeat, wins
from agentbbs.referee.situations import (
    EXTRA,
    OPPONENT,
    PLACES,
    Ask,
    Opponent,
    Place,
    Play,
    Remark,
    Signature,
    Situation,
)
from agentbbs.referee.slots import Slots
from agentbbs.referee.webhook_seat import Dialler, Target, signed_headers

PAUSE_S: Final = 1.0
"""Between a match and the next one, as an endpoint has it in the lobby of a venue."""

LEAVE_S: Final = 0.05
"""How long the agent may think before an opponent leaves: most agents are still at it."""

REFUSALS: Final = frozenset({400, 401, 403})
"""How an agent may say that a signature is wrong."""

MISHEARD: Final = "(misheard)"
"""The move that the referee understands where an answer counts as illegal: legal in no game."""


class Verdict(StrEnum):
    """SKIPPED: the game has no such position."""

    PASS = "pass"  # noqa: S105 - no password
    NOTE = "note"
    FAIL = "fail"
    SKIPPED = "skipped"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the report. `row` is that of the strike table, `ms` the slowest answer, if one came."""

    name: str
    says: str
    verdict: Verdict
    row: str | None = None
    detail: str | None = None
    remedy: str | None = None
    remark: str | None = None
    ms: int | None = None


class Broken(Exception):
    """This machine could not ask; nothing is known of the agent."""


class SituationCheck:
    """Checks one endpoint in one game. Close it, or use it as an async context manager."""

    def __init__(
        self,
        outbound: Dialler,
        target: Target,
        game: Game,
        *,
        pause_s: float = PAUSE_S,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._outbound = outbound
        self._target = target
        self._game = game
        self._pause_s = pause_s
        self._sleep = sleep
        self._slots = Slots()
        self._rehearsal = Rehearsal(outbound, slots=self._slots)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End what is still on; a second call does nothing."""
        await self._rehearsal.close()

    async def run(self, situation: Situation) -> Finding:
        """Go through the script until an answer is a strike. Raises Broken."""
        if not all(place_moves(self._game, place) is not None for place in situation.places):
            return Finding(name=situation.name, says=situation.says, verdict=Verdict.SKIPPED)
        ids = {step.match: _match_id() for step in situation.steps if isinstance(step, Ask)}
        heard = _Heard()
        try:
            for step in situation.steps:
                struck = await (self._ask(step, ids, heard) if isinstance(step, Ask) else self._play(step, heard))
                if struck is not None:
                    return _struck(situation, struck, heard)
        except OwnFault as fault:
            raise Broken(str(fault)) from fault
        return Finding(
            name=situation.name,
            says=situation.says,
            verdict=Verdict.PASS,
            remark=_remark(situation.remark, heard),
            ms=heard.slowest_ms,
        )

    async def _ask(self, step: Ask, ids: Mapping[str, str], heard: _Heard) -> Strike | None:
        position = place(self._game, step.place)
        request = self._request(step, position, ids[step.match])
        body = encode_request(request)
        if step.extra:
            body = msgspec.json.encode(msgspec.to_builtins(request) | EXTRA)
        wrong = step.signature is Signature.WRONG
        headers: Headers = wrong_headers(self._target, body) if wrong else partial(_signed, self._target, body)
        async with self._slots.hold(self._target.agent, self._target.url):
            exchange = await self._outbound.post(self._target.url, body, headers, request.deadline_ms / 1000)
        heard.ms.append(exchange.ms)
        if wrong and exchange.answer is not None:
            heard.refused = exchange.answer.status
            if exchange.answer.status in REFUSALS:
                return None
        ruling = ruling_on(exchange, request)
        if isinstance(ruling, Strike):
            return ruling
        heard.moves.append((position, to_move(self._game, ruling.move)))
        return None

    async def _play(self, step: Play, heard: _Heard) -> Strike | None:
        ears = Ears(self._outbound, step.misheard)
        opening = Opening(self._game, place_moves(self._game, step.place) or ())
        matches = [
            self._rehearsal.meet(
                self._target,
                opening,
                _opponent(step),
                agent_first=opening.initial().to_move == 0,
                outbound=ears,
            )
            for _ in range(step.at_once)
        ]
        ended = await asyncio.gather(*matches)
        if any(match.void for match in ended):
            raise Broken("a match broke off on this side")
        for match in ended:
            heard.ms.extend(match.answers_ms)
            for struck in match.strikes:
                if struck.strike.offered != MISHEARD:
                    kind = StrikeRow(struck.strike.kind)
                    heard.ms.append(struck.strike.ms)
                    return Strike(
                        kind, f"move {struck.move_number}: {struck.strike.detail or ''}", struck.strike.offered
                    )
        await self._sleep(self._pause_s)
        return None

    def _request(self, step: Ask, position: Position, match_id: str) -> MoveRequest:
        shown = view(self._game, position)
        return MoveRequest(
            match_id=match_id,
            game=arena_name(self._game),
            you=shown.you,
            opponent=step.opponent,
            move_number=position.ply + 1,
            board=shown.board,
            legal=list(shown.legal),
            strikes=step.strikes,
            deadline_ms=max(1, round(self._target.deadline_ms * step.time_share)),
            nonce=secrets.token_hex(NONCE_BYTES),
            replay_url=f"{self._target.public_url}/m/{match_id}",
        )


class _Heard:
    """What an agent answered in one situation: times, legal moves (the house's) with their positions, a refusal."""

    def __init__(self) -> None:
        self.ms: list[int] = []
        self.moves: list[tuple[Position, str]] = []
        self.refused: int | None = None

    @property
    def slowest_ms(self) -> int | None:
        return max(self.ms, default=None)


class Ears:
    """Takes the good answers to the requests with these numbers (from 1) for illegal moves. Implements `Dialler`."""

    def __init__(self, outbound: Dialler, misheard: tuple[int, ...]) -> None:
        self._outbound = outbound
        self._misheard = misheard
        self._asked = 0

    async def post(self, url: EndpointUrl, body: bytes, headers: Headers, timeout_s: float) -> Exchange:
        """As `Outbound.post`."""
        self._asked += 1
        number = self._asked
        exchange = await self._outbound.post(url, body, headers, timeout_s)
        request = msgspec.json.decode(body, type=MoveRequest)
        if number not in self._misheard or isinstance(ruling_on(exchange, request), Strike):
            return exchange
        other = msgspec.json.encode({"move": MISHEARD, "nonce": request.nonce})
        return Exchange(Answer(200, other), None, "", exchange.ms)


def place_moves(game: Game, where: Place) -> str | tuple[str, ...] | None:
    """The moves that lead to a place, None if the game has no such place."""
    if where is Place.START:
        return ()
    if where is Place.REPLY:
        return game.initial().legal[:1]
    return PLACES.get(game.id, {}).get(where)


def place(game: Game, where: Place) -> Position:
    """The position at a place that the game has."""
    return Opening(game, place_moves(game, where) or ()).initial()


def ruling_on(exchange: Exchange, request: MoveRequest) -> Reply | Strike:
    """The ruling on what came back."""
    if exchange.answer is None:
        return Strike(exchange.row or StrikeRow.HTTP, exchange.detail)
    return judge(exchange.answer, nonce=request.nonce, legal=request.legal)


def wrong_headers(target: Target, body: bytes) -> dict[str, str]:
    """The headers of a signed request, with signatures that fit nothing, be there a secret or not."""
    signers = target.signers or (signing.Signer(signing.Scheme.HMAC, _some_secret()),)
    headers = dict(signed_headers(signers, body))
    versions = [one.partition(",")[0] for one in headers[signing.SIGNATURE].split(" ")]
    headers[signing.SIGNATURE] = " ".join(f"{version},{'A' * 43}=" for version in versions)
    return headers


def _some_secret() -> str:
    return signing.new_secret(signing.Scheme.HMAC, secrets.token_bytes(signing.SECRET_BYTES))


def _signed(target: Target, body: bytes) -> Mapping[str, str]:
    return signed_headers(target.signers, body)


def _match_id() -> str:
    return f"check-{secrets.token_hex(8)}"


def _opponent(step: Play) -> ScriptedSeat:
    if step.opponent is Opponent.LEAVES:
        return ScriptedSeat(OPPONENT, rounds=0, leave_after_s=LEAVE_S)
    return ScriptedSeat(OPPONENT, rounds=step.rounds)


def _struck(situation: Situation, strike: Strike, heard: _Heard) -> Finding:
    info = STRIKES[strike.row]
    offered = "" if strike.offered is None else f" (offered {strike.offered!r})"
    return Finding(
        name=situation.name,
        says=situation.says,
        verdict=Verdict.NOTE if strike.row in situation.tolerated else Verdict.FAIL,
        row=strike.row,
        detail=f"{info.says}: {strike.detail}{offered}",
        remedy=f"{info.remedy}; {situation.remedy}",
        ms=heard.slowest_ms,
    )


def _remark(kind: Remark | None, heard: _Heard) -> str | None:
    if kind is None:
        return None
    if kind is Remark.REFUSES:
        refused = heard.refused in REFUSALS
        return f"refused with {heard.refused}" if refused else "the wrong signature was taken: it is not checked"
    if kind is Remark.REPEATS:
        return "the same move each time" if len({move for _, move in heard.moves}) == 1 else "different moves"
    position, move = heard.moves[-1]
    if kind is Remark.WINS:
        return "it wins" if move in wins(position) else "it does not take the win"
    return "it blocks" if not wins(position.play(move)) else "it does not stop the loss"
