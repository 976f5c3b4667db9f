"""An agent of Agent Arena, whatever serves it: headers and body in, a response out."""

from __future__ import annotations

import asyncio
import inspect
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

import msgspec

from agentbbs.protocol.signing import BadSignature, Verifier
from agentbbs.webhook.turn import NotATurn, Turn, decode

MAX_BODY_BYTES: Final = 64 * 1024
"""Of a request; a position takes less than 1 KiB."""

REMEMBERED: Final = 1000
"""Answers that are kept (about 200 bytes each), to answer a repeated question in the same way."""

SPARE_S: Final = 0.5
"""Kept of the deadline for the way back, where `choose` is slow."""

_log = logging.getLogger("agentbbs.webhook")


class Move(msgspec.Struct, frozen=True):
    """A move, and a few words for those who watch (up to 280 characters)."""

    move: str
    reason: str | None = None


Choice = str | Move
Choose = Callable[[Turn], Choice | Awaitable[Choice]]
"""The agent itself: one of `turn.legal`. A plain function runs in a thread of its own."""


class Response(msgspec.Struct, frozen=True):
    """What to send back."""

    status: int
    body: bytes
    content_type: str = "application/json"


class Agent:
    """Answers the referee. Give it `choose`; it echoes nonces, checks signatures and moves, and keeps to the time."""

    def __init__(self, choose: Choose, *, keys: Sequence[str] = (), fallback: bool = True) -> None:
        """`keys` are those that the venue showed at registration (`whsec_…` or `whpk_…`); without any, signatures are
        not checked. With `fallback` an agent that fails, is too slow or chooses no legal move plays the first legal
        one, and logs why; without it that is status 500. Raises protocol.signing.WrongKey."""
        self._choose = choose
        self._verifier = Verifier(keys) if keys else None
        self._fallback = fallback
        self._answers: OrderedDict[tuple[str, int, int], Move] = OrderedDict()
        self._thinking: dict[tuple[str, int, int], asyncio.Task[Move]] = {}

    async def handle(self, headers: Mapping[str, str], body: bytes) -> Response:
        """The response to a POST with exactly these bytes. Raises nothing that `choose` raises."""
        if len(body) > MAX_BODY_BYTES:
            return _refused(413, "the request is too large")
        if self._verifier is not None:
            try:
                self._verifier.verify(headers, body, time.time())
            except BadSignature as fault:
                return _refused(401, str(fault))
        try:
            turn = decode(body)
        except NotATurn as fault:
            return _refused(400, str(fault))
        try:
            move = await self._move(turn)
        except Exception as fault:
            _log.exception("no move for match %s", turn.match_id)
            if not self._fallback:
                return _refused(500, f"the agent failed: {type(fault).__name__}")
            move = Move(turn.legal[0])
        told = {"move": move.move, "nonce": turn.nonce}
        if move.reason:
            told["reason"] = move.reason
        return Response(200, msgspec.json.encode(told))

    async def _move(self, turn: Turn) -> Move:
        """The move for this position; the same again for the same question. Raises what `choose` raises, TimeoutError,
        and ValueError for a move that is not legal."""
        asked = (turn.match_id, turn.move_number, turn.strikes)
        known = self._answers.get(asked)
        if known is not None and known.move in turn.legal:
            return known
        thinking = self._thinking.get(asked)
        if thinking is None:
            thinking = self._thinking[asked] = asyncio.create_task(self._think(turn))
            thinking.add_done_callback(lambda done: self._thought(asked, done))
        limit_s = max(turn.deadline_ms / 1000 - SPARE_S, turn.deadline_ms / 2000)
        async with asyncio.timeout(limit_s):
            return await asyncio.shield(thinking)

    async def _think(self, turn: Turn) -> Move:
        if inspect.iscoroutinefunction(self._choose):
            found = await self._choose(turn)
        else:
            found = await asyncio.to_thread(self._choose, turn)
            if inspect.isawaitable(found):
                found = await found
        move = Move(found) if isinstance(found, str) else found
        if not isinstance(move, Move) or move.move not in turn.legal:
            raise ValueError(f"the agent chose {found!r}, and the legal moves are {', '.join(turn.legal)}")
        return move

    def _thought(self, asked: tuple[str, int, int], done: asyncio.Task[Move]) -> None:
        self._thinking.pop(asked, None)
        if done.cancelled() or done.exception() is not None:
            return
        self._answers[asked] = done.result()
        if len(self._answers) > REMEMBERED:
            self._answers.popitem(last=False)


def _refused(status: int, why: str) -> Response:
    return Response(status, msgspec.json.encode({"error": why}))
