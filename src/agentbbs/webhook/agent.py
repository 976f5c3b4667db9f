"""An agent of Agent Arena, whatever serves it: headers and body in, a response out.

What can go wrong here, and what is done about it: a request that is none of the referee's is refused (400, 401, 413). A
choice that fails, is too late or is no legal move is logged, and a legal move goes back in its place, because to the
referee silence is a strike. Whatever `choose` raises stays here.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import msgspec

from agentbbs.protocol.arena import CONTENT_TYPE, MAX_REASON_CHARS
from agentbbs.protocol.signing import BadSignature, Verifier
from agentbbs.webhook.turn import NotATurn, Turn, decode

MAX_BODY_BYTES: Final = 64 * 1024
"""Of a request; a position takes less than 1 KiB."""

REMEMBERED: Final = 1000
"""Answers that are kept (less than 1 KiB each), to answer a repeated question in the same way."""

MAX_THOUGHTS: Final = 64
"""At once; the referee asks an agent one thing at a time, so that many come from somebody else."""

_JSON: Final = MappingProxyType({"content-type": CONTENT_TYPE})

_log = logging.getLogger("agentbbs.webhook")


class Move(msgspec.Struct, frozen=True):
    """A move, and a few words for those who watch (cut to 280 characters)."""

    move: str
    reason: str | None = None


Choice = str | Move
Choose = Callable[[Turn], Choice | Awaitable[Choice]]
"""The agent itself: one of `turn.legal`. A plain function runs in a thread, so that it may take its time."""


class NoMove(Exception):
    """What `choose` did instead of choosing a legal move; the text may be shown to whoever asked."""


class Response(msgspec.Struct, frozen=True):
    """What to send back."""

    status: int
    body: bytes
    headers: Mapping[str, str] = _JSON


class Agent:
    """Answers the referee. Give it `choose`; it echoes nonces, checks signatures and moves, and keeps to the time.

    All its requests belong to one event loop.
    """

    def __init__(self, choose: Choose, *, keys: Sequence[str] = (), fallback: bool = True) -> None:
        """`keys` are those that the venue showed at registration (`whsec_…` or `whpk_…`); without any, signatures are
        not checked. With `fallback` an agent that fails, is too slow or chooses no legal move plays the legal move in
        the middle of the list; without it that is status 500. Raises protocol.signing.WrongKey."""
        self._choose = choose
        self._verifier = Verifier((keys,) if isinstance(keys, str) else keys) if keys else None
        self._fallback = fallback
        self._answers: OrderedDict[_Question, Move] = OrderedDict()
        self._thoughts: dict[_Question, asyncio.Task[Move]] = {}

    async def handle(self, headers: Mapping[str, str], body: bytes) -> Response:
        """The response to a POST with exactly these bytes; names of headers in any case. Raises nothing."""
        if len(body) > MAX_BODY_BYTES:
            return refusal(413, f"the request is longer than {MAX_BODY_BYTES} bytes")
        if self._verifier is not None:
            try:
                self._verifier.verify(headers, body, time.time())
            except BadSignature as fault:
                _log.warning("request refused: %s", fault)
                return refusal(401, str(fault))
        try:
            turn = decode(body)
        except NotATurn as fault:
            return refusal(400, str(fault))
        try:
            move = await self._move(turn)
        except NoMove as fault:
            return refusal(500, f"the agent has no move: {fault}")
        told = {"move": move.move, "nonce": turn.nonce}
        if move.reason:
            told["reason"] = move.reason
        return Response(200, msgspec.json.encode(told))

    async def _move(self, turn: Turn) -> Move:
        """The move for this position; the same again for the same question. Raises NoMove."""
        asked = _Question(turn.match_id, turn.move_number, turn.strikes)
        known = self._answers.get(asked)
        if known is not None and known.move in turn.legal:
            return known
        thought = self._thoughts.get(asked)
        if thought is None:
            thought = self._thoughts[asked] = asyncio.create_task(self._answer(turn))
            thought.add_done_callback(lambda done: self._thought(asked, done))
        # whoever asked may hang up: the thought goes on, for when the same is asked again
        return await asyncio.shield(thought)

    async def _answer(self, turn: Turn) -> Move:
        """What was chosen, or what is played in its place. Raises NoMove if nothing is."""
        try:
            return _legal(await self._in_time(turn), turn)
        except NoMove:
            _log.exception("no move for match %a, move %d", turn.match_id, turn.move_number)
            if not self._fallback:
                raise
            return Move(turn.legal[len(turn.legal) // 2])

    async def _in_time(self, turn: Turn) -> object:
        """What `choose` returned within `turn.think_s`. Raises NoMove."""
        if len(self._thoughts) > MAX_THOUGHTS:
            raise NoMove(f"{MAX_THOUGHTS} questions are being thought about")
        choosing = asyncio.create_task(self._chosen(turn))
        # `asyncio.timeout` would wait on for a coroutine that doesn't let itself be cancelled
        done, _ = await asyncio.wait({choosing}, timeout=turn.think_s)
        if not done:
            choosing.cancel()
            raise NoMove(f"it took more than {turn.think_s:g} s")
        if choosing.cancelled():
            raise NoMove("it was cancelled")
        return choosing.result()

    async def _chosen(self, turn: Turn) -> object:
        """What `choose` returned. Raises NoMove from what it raised."""
        try:
            if inspect.iscoroutinefunction(self._choose):
                return await self._choose(turn)
            found = await asyncio.to_thread(self._called, turn)
            return await found if inspect.isawaitable(found) else found
        except NoMove:
            raise
        except (Exception, SystemExit) as fault:
            raise NoMove(type(fault).__name__) from fault

    def _called(self, turn: Turn) -> object:
        """In a thread. StopIteration can't leave one, and SystemExit would end the server."""
        try:
            return self._choose(turn)
        except (StopIteration, SystemExit) as fault:
            raise NoMove(type(fault).__name__) from fault

    def _thought(self, asked: _Question, done: asyncio.Task[Move]) -> None:
        self._thoughts.pop(asked, None)
        if done.cancelled() or done.exception() is not None:
            return
        self._answers[asked] = done.result()
        if len(self._answers) > REMEMBERED:
            self._answers.popitem(last=False)


class _Question(msgspec.Struct, frozen=True):
    """What makes two requests the same. After a strike it is another one, since the answer to the last was refused."""

    match_id: str
    move_number: int
    strikes: int


def refusal(status: int, why: str) -> Response:
    """A response that is no move."""
    return Response(status, msgspec.json.encode({"error": why}))


def _legal(found: object, turn: Turn) -> Move:
    """What was chosen as a move that can be sent. Raises NoMove. What types promise is looked at all the same: many
    agents are written without a type checker."""
    move, reason = (found.move, found.reason) if isinstance(found, Move) else (found, None)
    if not isinstance(move, str):
        raise NoMove(f"it chose no move but a value of type {type(move).__name__}")
    if move not in turn.legal:
        raise NoMove(f"it chose {move[:40]!a}, and the legal moves are {', '.join(turn.legal):.200}")
    # plain strings, also where they were of a class of their own
    sent = turn.legal[turn.legal.index(move)]
    if not isinstance(reason, str):
        return Move(sent)
    return Move(sent, reason[:MAX_REASON_CHARS].encode(errors="replace").decode())
