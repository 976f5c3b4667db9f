"""A seat behind an HTTPS endpoint: each turn is a POST, each bad answer a strike.

Waiting for a slot and the pause after a strike of the transport are not on the agent's clock; the clock starts as the
request is about to go out, and one deadline covers all of it. What fails on our side voids the match.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final, Protocol

import msgspec
import structlog

from agentbbs.games import catalog
from agentbbs.play.match import STRIKES, Policy
from agentbbs.play.ports import ARENA_TRANSPORT, Player
from agentbbs.play.seat import Chair
from agentbbs.protocol import signing
from agentbbs.protocol.agentgames import Hello, Result, State
from agentbbs.protocol.arena import FAULTS, NONCE_BYTES, MoveRequest, Reply, encode_request
from agentbbs.protocol.arena_board import arena_name, to_move, view
from agentbbs.protocol.arena_reply import Strike, judge
from agentbbs.protocol.errors import Code
from agentbbs.protocol.signing import Signer
from agentbbs.protocol.strikes import STRIKES as ROWS
from agentbbs.protocol.strikes import StrikeRow
from agentbbs.referee.endpoint_url import EndpointUrl
from agentbbs.referee.outbound import Exchange, Headers, OwnFault
from agentbbs.referee.slots import Slots

BROKEN: Final = "void: the referee could not ask"
"""The reason of a match that a failure on our side ended."""

PAUSES_S: Final = (0.0, 0.5, 1.0)
"""After so many strikes of a match, if the last was one of the transport: an agent that restarts needs a moment."""

_log = structlog.get_logger(__name__)


class Dialler(Protocol):
    """What a seat needs of `outbound.Outbound`."""

    async def post(self, url: EndpointUrl, body: bytes, headers: Headers, timeout_s: float) -> Exchange:
        """As `Outbound.post`."""
        ...


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """Whom to ask, and how."""

    account: int | None
    """None: an endpoint that is not registered (practice of a URL, `check-agent`)."""
    name: str
    url: EndpointUrl
    signers: tuple[Signer, ...] = ()
    deadline_ms: int
    public_url: str
    """Base of `replay_url`, without a slash at its end."""

    @property
    def agent(self) -> str:
        """By which requests to one agent are kept apart."""
        return self.url.text if self.account is None else f"account {self.account}"


def signed_headers(signers: tuple[Signer, ...], body: bytes) -> Mapping[str, str]:
    """The signature of a request that goes out now, with an id of its own."""
    return signing.sign(signers, f"msg_{secrets.token_hex(16)}", int(time.time()), body)


class WebhookSeat:
    """One endpoint in one match. Implements `play.seat.Seat`; make it in a running event loop."""

    policy: Policy = STRIKES(FAULTS)

    def __init__(
        self,
        target: Target,
        outbound: Dialler,
        slots: Slots,
        *,
        struck: Callable[[StrikeRow], None] = lambda _: None,
        over: Callable[[], None] = lambda: None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`struck` is told of each strike, `over` once when the match is over and told."""
        self.target = target
        self.player = Player(target.account, target.name, ARENA_TRANSPORT, target.deadline_ms)
        self.frames = 0
        self._outbound = outbound
        self._slots = slots
        self._struck = struck
        self._told_over = over
        self._sleep = sleep
        self._chair: Chair | None = None
        self._hello: Hello | None = None
        self._turn: asyncio.Task[None] | None = None
        self._pause_s = 0.0

    def seated(self, chair: Chair, hello: Hello) -> None:
        self._chair, self._hello = chair, hello

    def ask(self, state: State, strikes: int) -> bool:
        """Send the position when the agent's turn in the slots has come."""
        self._drop_turn()
        self._turn = asyncio.create_task(self._ask(state.ply, strikes))
        return False

    def show(self, state: State, *, over: bool) -> None:  # noqa: ARG002 - an agent sees a position when it is asked
        if over:
            self._leave()

    def refuse(self, code: Code, why: str) -> None:
        _log.warning("webhook_move_refused", agent=self.target.name, code=code, why=why)

    def finished(self, result: Result) -> None:  # noqa: ARG002 - no request after the end of a match
        self._leave()
        self._told_over()

    def unsettled(self, match_id: str) -> None:  # noqa: ARG002
        self._leave()
        self._told_over()

    def leave(self) -> None:
        """The endpoint is no more: forfeit the match that is on."""
        if self._chair is not None:
            self._chair.leave()

    async def _ask(self, ply: int, strikes: int) -> None:
        """One question, and what came of it."""
        chair = self._chair
        try:
            if self._pause_s:
                await self._sleep(self._pause_s)
            async with self._slots.hold(self.target.agent, self.target.url):
                if chair is None or self._hello is None:
                    return
                request = self._request(chair, self._hello, strikes)
                body = encode_request(request)
                chair.handed()
                exchange = await self._outbound.post(
                    self.target.url,
                    body,
                    partial(signed_headers, self.target.signers, body),
                    self.target.deadline_ms / 1000,
                )
        except OwnFault as fault:
            self._broke(str(fault))
            return
        except Exception:
            _log.exception("webhook_seat_failed", agent=self.target.name)
            self._broke("internal")
            return
        self.frames += 1
        self._turn = None  # what follows may ask again
        try:
            self._rule(chair, ply, request, exchange)
        except Exception:
            _log.exception("webhook_seat_failed", agent=self.target.name)
            self._broke("internal")

    def _request(self, chair: Chair, hello: Hello, strikes: int) -> MoveRequest:
        game = catalog.find(chair.game)
        shown = view(game, chair.position)
        match_id = hello.match or ""
        return MoveRequest(
            match_id=match_id,
            game=arena_name(game),
            you=shown.you,
            opponent=hello.opponent,
            move_number=chair.position.ply + 1,
            board=shown.board,
            legal=list(shown.legal),
            strikes=strikes,
            deadline_ms=self.target.deadline_ms,
            nonce=secrets.token_hex(NONCE_BYTES),
            replay_url=f"{self.target.public_url}/m/{match_id}",
        )

    def _rule(self, chair: Chair, ply: int, request: MoveRequest, exchange: Exchange) -> None:
        if exchange.answer is None:
            ruling: Reply | Strike = Strike(exchange.row or StrikeRow.HTTP, exchange.detail)
        else:
            ruling = judge(exchange.answer, nonce=request.nonce, legal=request.legal)
        if isinstance(ruling, Reply):
            self._pause_s = 0.0
            move = to_move(catalog.find(chair.game), ruling.move)
            chair.move(move, ply, ruling.reason, request.nonce)
            return
        _log.info(
            "strike",
            match=request.match_id,
            agent=self.target.name,
            row=ruling.row,
            detail=ruling.detail,
            ms=exchange.ms,
        )
        strikes = min(request.strikes + 1, len(PAUSES_S) - 1)
        self._pause_s = PAUSES_S[strikes] if ROWS[ruling.row].transport else 0.0
        self._struck(ruling.row)
        chair.fault(ruling.row, ruling.offered, detail=ruling.detail, reason=ruling.reason, nonce=request.nonce)

    def _broke(self, why: str) -> None:
        _log.error("referee_could_not_ask", agent=self.target.name, where=self.target.url.authority, why=why)
        self._turn = None
        if self._chair is not None:
            self._chair.fail(BROKEN)

    def _leave(self) -> None:
        self._chair = None
        self._drop_turn()

    def _drop_turn(self) -> None:
        turn, self._turn = self._turn, None
        if turn is not None:
            turn.cancel()
