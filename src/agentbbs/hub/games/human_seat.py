"""A person in a seat: what the runner tells is kept, and the person's view is woken to look at it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from agentbbs.games.game import Position
from agentbbs.play.match import FORFEIT, Policy
from agentbbs.play.ports import Player
from agentbbs.play.seat import Chair
from agentbbs.protocol.agentgames import Hello, Result, State
from agentbbs.protocol.errors import Code

TRANSPORT: Final = "hub"


class HumanSeat:
    """One person in one match. Implements `play.seat.Seat`.

    Give it to whoever begins the match, then look at `position`, `mine` and `ended` each time that `changed` was
    called. Call `leave` in the end, whatever happened: a match that is still on is forfeited by it."""

    policy: Policy = FORFEIT

    def __init__(self, account: int, name: str, changed: Callable[[], None]) -> None:
        """`changed` must neither wait nor raise: `Caller.nudge`."""
        self.player = Player(account, name, TRANSPORT)
        self.frames = 0
        self.hello: Hello | None = None
        self.state: State | None = None
        self.result: Result | None = None
        self.refused = ""
        """Why the last move had no effect."""
        self.over = False
        """The final position is there; the result may not be yet."""
        self.lost = False
        """The match is over, and its result could not be stored yet."""
        self._chair: Chair | None = None
        self._changed = changed

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self.result is not None or self.lost

    @property
    def position(self) -> Position | None:
        """How the match stands; None before it has begun."""
        return None if self._chair is None else self._chair.position

    @property
    def mine(self) -> bool:
        """Whether it is this person's turn."""
        return self.state is not None and self.state.your_turn and not self.over

    # What the person does

    def play(self, move: str) -> None:
        """Offer a move for the position that is shown."""
        self.frames += 1
        if self._chair is not None and self.state is not None:
            self._chair.move(move, self.state.ply)

    def resign(self) -> None:
        """Give up."""
        if self._chair is not None:
            self._chair.resign()

    def leave(self) -> None:
        """The person is gone."""
        if self._chair is not None and not self.ended:
            self._chair.leave()

    # What the runner calls

    def seated(self, chair: Chair, hello: Hello) -> None:
        self._chair = chair
        self.hello = hello

    def ask(self, state: State, strikes: int) -> bool:  # noqa: ARG002 - one fault forfeits here: always 0
        self.state = state
        self._changed()
        return True

    def show(self, state: State, *, over: bool) -> None:
        self.state = state
        self.over = over
        self._changed()

    def refuse(self, code: Code, why: str) -> None:  # noqa: ARG002 - a person reads the words
        self.refused = why
        self._changed()

    def finished(self, result: Result) -> None:
        self.result = result
        self._changed()

    def unsettled(self, match_id: str) -> None:  # noqa: ARG002 - the person has it from `hello`
        self.lost = True
        self._changed()
