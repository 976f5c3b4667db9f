"""A match driven by hand: a clock that only the test moves, and a seat's transport that takes a state at once."""

from __future__ import annotations

from typing import Any, Final, TypeVar

import msgspec

from agentbbs.games.game import Game
from agentbbs.games.ttt import TTT
from agentbbs.play.match import (
    FORFEIT,
    Ask,
    Begun,
    DeadlinePassed,
    Effect,
    Event,
    Finished,
    Handed,
    Match,
    Moved,
    Policy,
    Refuse,
    SetDeadline,
    Show,
)
from agentbbs.play.ports import FinishedMatch, Player
from agentbbs.protocol.agentgames import State

ALICE: Final = Player(1, "alice", "ws")
BOB: Final = Player(2, "bob", "ssh")
BEGUN_AT: Final = 100.0
STARTED_MS: Final = 1_700_000_000_000
TIMEOUT_MS: Final = 15_000

E = TypeVar("E", bound=Effect)


def new_match(
    game: Game = TTT,
    policies: tuple[Policy, Policy] = (FORFEIT, FORFEIT),
    *,
    players: tuple[Player, Player] = (ALICE, BOB),
    timeout_ms: int = TIMEOUT_MS,
    why_unrated: str | None = None,
) -> Match:
    """A match that has not begun."""
    return Match(
        "m1",
        game,
        players,
        policies,
        move_timeout_ms=timeout_ms,
        started_ms=STARTED_MS,
        why_unrated=why_unrated,
    )


def seen(state: State) -> dict[str, Any]:
    """A state as it stands on the wire."""
    message: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(state))
    return message


class Table:
    """A match, its clock and its newest deadline."""

    def __init__(self, match: Match | None = None, *, begun: bool = True) -> None:
        self.match = match or new_match()
        self.now = BEGUN_AT
        self.deadline: SetDeadline | None = None
        self.effects: list[Effect] = []
        """All effects so far."""
        if begun:
            self.feed(Begun(self.now))

    def feed(self, event: Event) -> list[Effect]:
        """The effects of `event`; a state that is asked for is handed over at the same moment."""
        effects: list[Effect] = []
        for effect in self.match.handle(event):
            effects.append(effect)
            if isinstance(effect, Ask):
                effects.extend(self.match.handle(Handed(event.at, effect.seat)))
        for effect in effects:
            if isinstance(effect, SetDeadline):
                self.deadline = effect
            elif isinstance(effect, Finished):
                self.deadline = None
        self.effects.extend(effects)
        return effects

    def move(self, move: str, *, after_s: float = 0.0, seat: int | None = None, ply: int | None = None) -> list[Effect]:
        """The seat to move (or `seat`) offers a move, `after_s` seconds after the last event."""
        self.now += after_s
        return self.feed(Moved(self.now, self.match.position.to_move if seat is None else seat, move, ply))

    def play(self, moves: str) -> None:
        """Play moves, one character each."""
        for move in moves:
            self.move(move)

    def run_out(self) -> list[Effect]:
        """The time of the newest deadline comes."""
        assert self.deadline is not None
        self.now = self.deadline.at
        return self.feed(DeadlinePassed(self.now, self.deadline.seat, self.deadline.ply))

    @property
    def finished(self) -> FinishedMatch:
        """The match, which has ended."""
        assert self.match.finished is not None
        return self.match.finished


def only(kind: type[E], effects: list[Effect]) -> E:
    """The one effect of that kind."""
    found = [effect for effect in effects if isinstance(effect, kind)]
    assert len(found) == 1, f"not one {kind.__name__}: {effects}"
    return found[0]


def shown(effects: list[Effect], seat: int) -> dict[str, Any]:
    """What `seat` is shown, asked or not."""
    states = [effect.state for effect in effects if isinstance(effect, Ask | Show) and effect.seat == seat]
    assert len(states) == 1
    return seen(states[0])


def refused(effects: list[Effect]) -> tuple[int, str]:
    """Seat and code of the refusal that is all there is."""
    assert len(effects) == 1
    refusal = only(Refuse, effects)
    return refusal.seat, refusal.code
