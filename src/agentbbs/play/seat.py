"""A seat: where the moves of one side come from. A match can't tell what kind of seat it has.

A seat is a WebSocket, an SSH channel, a webhook endpoint, a house bot or a person in the hub. The runner
talks to it through `Seat`; it talks back through the `Chair` it was given, which the runner implements.
"""

from __future__ import annotations

from typing import Protocol

from agentbbs.games.game import Position
from agentbbs.play.match import Policy
from agentbbs.play.ports import Player
from agentbbs.protocol.agentgames import Hello, Result, State
from agentbbs.protocol.errors import Code


class Chair(Protocol):
    """One seat's end of a running match. After the match has ended every call is without effect."""

    @property
    def game(self) -> str:
        """The id of the game that is played."""
        ...

    @property
    def position(self) -> Position:
        """The position as it stands."""
        ...

    def state(self) -> State:
        """The position as this seat is shown it now, with the time that is left."""
        ...

    def handed(self) -> None:
        """The state of the last `ask` was handed to the transport just now: the clock starts."""
        ...

    def move(self, move: str, ply: int | None = None, reason: str | None = None, nonce: str | None = None) -> None:
        """Offer a move, with the agent's text; `nonce` is that of the request it answers, if requests have one."""
        ...

    def fault(
        self,
        kind: str,
        offered: str | None = None,
        *,
        detail: str | None = None,
        reason: str | None = None,
        nonce: str | None = None,
    ) -> None:
        """The answer was none, in a way that the seat's transport saw; the rest as in `ports.Strike`."""
        ...

    def resign(self) -> None:
        """Give up."""
        ...

    def leave(self) -> None:
        """The seat is gone for good."""
        ...

    def fail(self, reason: str) -> None:
        """The venue's side of the seat broke: the match becomes void with `reason` (`void: …`)."""
        ...


class Seat(Protocol):
    """What a seat does for the runner. No method may wait, raise, or call the chair before it returns:
    what a seat finds out while it is told something (a broken transport), it reports later."""

    @property
    def player(self) -> Player:
        """Who sits here."""
        ...

    @property
    def policy(self) -> Policy:
        """How many faults this seat may make."""
        ...

    @property
    def frames(self) -> int:
        """Messages that came in from this seat so far: how the runner sees an answer that lay unread."""
        ...

    def seated(self, chair: Chair, hello: Hello) -> None:
        """The match begins; keep `chair` until `finished` or `unsettled`."""
        ...

    def ask(self, state: State, strikes: int) -> bool:
        """It is this seat's turn. True: the state was handed to the transport within this call. False: it
        waits for its transport, and the seat calls `chair.handed()` when it has gone."""
        ...

    def show(self, state: State, *, over: bool) -> None:
        """The position changed and it is not this seat's turn; `over` with the final position."""
        ...

    def refuse(self, code: Code, why: str) -> None:
        """The seat's last message had no effect."""
        ...

    def finished(self, result: Result) -> None:
        """The match is over and stored."""
        ...

    def unsettled(self, match_id: str) -> None:
        """The match is over, kept, and could not be stored yet: there is no rating to tell."""
        ...
