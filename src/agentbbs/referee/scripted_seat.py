"""A seat that plays by a script, for matches that are about what the other seat does."""

from __future__ import annotations

import asyncio
from typing import Final

from agentbbs.games.game import Position
from agentbbs.play.match import FORFEIT, Policy
from agentbbs.play.ports import Player
from agentbbs.play.seat import Chair
from agentbbs.protocol.agentgames import Hello, Result, State
from agentbbs.protocol.errors import Code

TRANSPORT: Final = "script"


class ScriptedSeat:
    """Takes a win if there is one, else the first legal move. Implements `play.seat.Seat`."""

    policy: Policy = FORFEIT

    def __init__(self, name: str, *, rounds: int | None = None, leave_after_s: float | None = None) -> None:
        """`rounds`: moves after which it gives up when it is asked; `leave_after_s`: it gives up so long after the
        other seat was asked. None: never."""
        self.player = Player(None, name, TRANSPORT)
        self.frames = 0
        self._rounds = rounds
        self._leave_after_s = leave_after_s
        self._chair: Chair | None = None
        self._timer: asyncio.TimerHandle | None = None

    def seated(self, chair: Chair, hello: Hello) -> None:  # noqa: ARG002 - the script is the same for all
        self._chair = chair

    def ask(self, state: State, strikes: int) -> bool:  # noqa: ARG002 - it sees the position itself
        asyncio.get_running_loop().call_soon(self._answer, state.ply)
        return False

    def show(self, state: State, *, over: bool) -> None:  # noqa: ARG002
        if self._leave_after_s is not None and not over and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._leave_after_s, self._resign)

    def refuse(self, code: Code, why: str) -> None:
        raise AssertionError(f"a scripted move was refused ({code}): {why}")

    def finished(self, result: Result) -> None:  # noqa: ARG002
        self._leave()

    def unsettled(self, match_id: str) -> None:  # noqa: ARG002
        self._leave()

    def _answer(self, ply: int) -> None:
        if self._chair is None:
            return
        if self._rounds == 0:
            self._resign()
            return
        if self._rounds is not None:
            self._rounds -= 1
        self.frames += 1
        self._chair.move(best_of(self._chair.position), ply)

    def _resign(self) -> None:
        if self._chair is not None:
            self._chair.resign()

    def _leave(self) -> None:
        self._chair = None
        if self._timer is not None:
            self._timer.cancel()


def wins(position: Position) -> tuple[str, ...]:
    """The legal moves that win at once for the seat to move."""
    return tuple(move for move in position.legal if _winner(position.play(move)) == position.to_move)


def best_of(position: Position) -> str:
    """A move that wins at once, else the first legal one; the game is not over."""
    return (*wins(position), *position.legal)[0]


def _winner(position: Position) -> int | None:
    return None if position.outcome is None else position.outcome.winner
