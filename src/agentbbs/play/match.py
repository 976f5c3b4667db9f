"""One match, pure: events in, effects out. It never waits, sends, reads a clock or draws a number.

The runner feeds it what happened (`Event`) with the time at which it happened, in seconds of one
monotonic clock, and performs what it asks for (`Effect`), in order. Failure rules are per seat: a `Policy`
says how many faults forfeit. `TRANSITIONS` is the machine as data: `handle` looks every event up in it,
and the protocol page is made from it.

Two faults need no policy: a seat that disconnects or resigns forfeits at once. A fault of the venue
(`Aborted`) never costs a player: the match is void.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, ClassVar, Final

import msgspec

from agentbbs.games.game import NOBODY, Game, Position
from agentbbs.play.ports import FinishedMatch, Player, Ply, Strike, StrikeKind
from agentbbs.protocol.agentgames import REASONS, State, Termination
from agentbbs.protocol.codec import raw
from agentbbs.protocol.errors import Code

MAX_OFFERED_CHARS: Final = 64
"""How much of an illegal move is kept: enough to see what it was, no room for an essay."""

MAX_REASON_CHARS: Final = 280
"""The free text that an agent may give with a move, in code points."""

MAX_DETAIL_CHARS: Final = 200
"""What was wrong in one answer: a sentence of the referee's."""

MAX_NONCE_CHARS: Final = 64
"""The nonce of a request, which the venue draws: 128 bits in hexadecimal, with room to grow."""


class Policy(msgspec.Struct, frozen=True):
    """How many faults (illegal move, no answer in time) a seat may make: the last of them forfeits."""

    faults: int


FORFEIT: Final = Policy(1)
"""AgentGames: the first fault forfeits, and is the termination."""


def STRIKES(count: int) -> Policy:  # noqa: N802 - the policies read as constants of one family
    """Agent Arena: each fault is a strike, the same position is asked again, the last one forfeits."""
    return Policy(count)


class Phase(StrEnum):
    """READY: made, not begun. TURN: a seat is to move. OVER: ended, `finished` is set."""

    READY = "ready"
    TURN = "turn"
    OVER = "over"


class Event(msgspec.Struct, frozen=True):
    """What happened, and when: `at` in seconds of the runner's monotonic clock."""

    at: float


class Begun(Event, frozen=True):
    """Both seats are there."""


class Handed(Event, frozen=True):
    """The seat's turn was handed to its transport: its clock starts."""

    seat: int


class Moved(Event, frozen=True):
    """A seat offers a move; `ply` is the position it answers, if it said so."""

    seat: int
    move: str
    ply: int | None = None
    reason: str | None = None
    nonce: str | None = None


class Faulted(Event, frozen=True):
    """A seat's answer was none, in a way that only its transport can see (`kind`); the rest as in `ports.Strike`."""

    seat: int
    kind: str
    offered: str | None = None
    detail: str | None = None
    reason: str | None = None
    nonce: str | None = None


class DeadlinePassed(Event, frozen=True):
    """The time for the answer at `ply` is over and nothing of the seat lies unread."""

    seat: int
    ply: int


class Resigned(Event, frozen=True):
    """A seat gives up."""

    seat: int


class Disconnected(Event, frozen=True):
    """A seat is gone for good."""

    seat: int


class Aborted(Event, frozen=True):
    """The venue can't go on; `reason` is the text form, `void: …`."""

    reason: str


class Effect(msgspec.Struct, frozen=True):
    """What the runner has to do."""


class Ask(Effect, frozen=True):
    """Show `state` to the seat that is to move, and report `Handed` when its transport has it.
    `strikes` counts the faults so far at this and earlier positions."""

    seat: int
    state: State
    strikes: int


class Show(Effect, frozen=True):
    """Show `state` to a seat that is not to move."""

    seat: int
    state: State


class Refuse(Effect, frozen=True):
    """Tell the seat that its message had no effect."""

    seat: int
    code: Code
    why: str


class SetDeadline(Effect, frozen=True):
    """The answer of `seat` at `ply` is due `at`; replaces any deadline of this match."""

    seat: int
    ply: int
    at: float


class Finished(Effect, frozen=True):
    """The match has ended; there is no deadline any more. Store it, then tell the result."""

    match: FinishedMatch


class Transition(msgspec.Struct, frozen=True):
    """One row: what `event` does in `phase`. `effects` lists all kinds it can ask for."""

    to: tuple[Phase, ...]
    effects: tuple[type[Effect], ...]
    note: str


NO_EFFECTS: Final[tuple[Effect, ...]] = ()

_ENDS: Final = (Show, Finished)
TRANSITIONS: Final[dict[tuple[Phase, type[Event]], Transition]] = {
    (Phase.READY, Begun): Transition((Phase.TURN,), (Ask, Show), "both seats see the first position"),
    (Phase.READY, Disconnected): Transition((Phase.OVER,), _ENDS, "forfeit: disconnect"),
    (Phase.READY, Aborted): Transition((Phase.OVER,), _ENDS, "void"),
    (Phase.TURN, Handed): Transition((Phase.TURN,), (SetDeadline,), "the clock of the seat to move starts"),
    (Phase.TURN, Moved): Transition(
        (Phase.TURN, Phase.OVER),
        (Ask, Show, Refuse, Finished),
        "a legal move of the seat to move is played and shown to both; an illegal one is a fault; "
        "a move out of turn or for another ply is refused and changes nothing",
    ),
    (Phase.TURN, Faulted): Transition((Phase.TURN, Phase.OVER), (Ask, Show, Finished), "a fault by the policy"),
    (Phase.TURN, DeadlinePassed): Transition(
        (Phase.TURN, Phase.OVER), (Ask, Show, Finished), "a fault; one for an earlier ply means nothing"
    ),
    (Phase.TURN, Resigned): Transition((Phase.OVER,), _ENDS, "forfeit: resign, whoever is to move"),
    (Phase.TURN, Disconnected): Transition((Phase.OVER,), _ENDS, "forfeit: disconnect, whoever is to move"),
    (Phase.TURN, Aborted): Transition((Phase.OVER,), _ENDS, "void: nobody loses by a fault of the venue"),
    (Phase.OVER, Moved): Transition((Phase.OVER,), (Refuse,), "game_over, without effect"),
}
"""A pair that is not here changes nothing and asks for nothing: the event came too late or too early."""


_FIRST_FAULTS: Final[dict[str, Termination]] = {
    StrikeKind.ILLEGAL_MOVE: Termination.ILLEGAL_MOVE,
    StrikeKind.TIMEOUT: Termination.TIMEOUT,
}
"""What a match is said to have ended by where one fault forfeits."""

Step = Callable[["Match", Any], tuple[Effect, ...]]


def _table(steps: dict[type[Event], Step], after_the_end: Step) -> dict[tuple[Phase, type[Event]], Step]:
    """The method that serves each row of TRANSITIONS."""
    return {(phase, event): after_the_end if phase is Phase.OVER else steps[event] for phase, event in TRANSITIONS}


class Match:
    """The state of one match. Make it, `handle(Begun(now))`, then hand over whatever happens."""

    __slots__ = (
        "_asked_at",
        "_begun_at",
        "_clocks_ms",
        "_players",
        "_plies",
        "_policies",
        "_strikes",
        "_strikes_here",
        "finished",
        "game",
        "id",
        "move_timeout_ms",
        "phase",
        "position",
        "started_ms",
        "why_unrated",
    )

    def __init__(
        self,
        match_id: str,
        game: Game,
        players: tuple[Player, Player],
        policies: tuple[Policy, Policy],
        *,
        move_timeout_ms: int,
        started_ms: int,
        why_unrated: str | None = None,
    ) -> None:
        """`move_timeout_ms` is the clock of each player that has none of its own. `started_ms` is the wall clock
        (Unix ms) at which `Begun` will be handed over; the match adds the monotonic time that passes.
        `why_unrated` is None for a rated match."""
        self.id = match_id
        self.game = game
        self.position: Position = game.initial()
        self.phase = Phase.READY
        self.finished: FinishedMatch | None = None
        self.move_timeout_ms = move_timeout_ms
        self.started_ms = started_ms
        self.why_unrated = why_unrated
        self._players = players
        self._policies = policies
        self._clocks_ms = clocks_ms(players, move_timeout_ms)
        self._begun_at: float | None = None
        self._asked_at: float | None = None
        self._plies: list[Ply] = []
        self._strikes = [0, 0]
        self._strikes_here: list[Strike] = []

    @property
    def plies(self) -> tuple[Ply, ...]:
        """The moves played so far."""
        return tuple(self._plies)

    @property
    def unplayed(self) -> tuple[Strike, ...]:
        """The strikes at the position as it stands."""
        return tuple(self._strikes_here)

    @property
    def last_ms(self) -> int:
        """The time that the last accepted move took; 0 before the first."""
        return self._plies[-1].ms if self._plies else 0

    def clock_ms(self, seat: int) -> int:
        """The time that `seat` has for each answer."""
        return self._clocks_ms[seat]

    @property
    def players(self) -> tuple[Player, Player]:
        """Who sits at seat 0 and at seat 1."""
        return self._players

    def handle(self, event: Event) -> tuple[Effect, ...]:
        """What `event` asks for. Raises nothing: an event that does not fit has no effect."""
        step = self._STEPS.get((self.phase, type(event)))
        return NO_EFFECTS if step is None else step(self, event)

    def state(self, seat: int, at: float) -> State:
        """The position as `seat` is shown it at time `at`; -1 for a spectator."""
        return State(
            observation=raw(self._observation()),
            your_turn=self.phase is Phase.TURN and seat == self.position.to_move,
            ply=self.position.ply,
            last_move=self._plies[-1].move if self._plies else None,
            remaining_ms=self.remaining_ms(at),
        )

    def remaining_ms(self, at: float) -> int:
        """The time that the seat to move has left; all of it until its clock starts, 0 after the end."""
        if self.phase is not Phase.TURN:
            return 0
        used = 0.0 if self._asked_at is None else max(0.0, at - self._asked_at)
        return max(0, round(self._clocks_ms[self.position.to_move] - used * 1000))

    def _observation(self) -> dict[str, Any]:
        seen = self.position.observation()
        if self.phase is Phase.OVER:
            seen["toMove"] = NOBODY
            seen["legal"] = []
        return seen

    def _show_turn(self) -> tuple[Effect, ...]:
        """Both seats see the position; the seat to move is asked first, since its time runs."""
        mover = self.position.to_move
        observation = raw(self.position.observation())
        ply = self.position.ply
        last = self._plies[-1].move if self._plies else None
        self._asked_at = None
        left = self._clocks_ms[mover]
        mine = State(observation=observation, your_turn=True, ply=ply, last_move=last, remaining_ms=left)
        theirs = State(observation=observation, your_turn=False, ply=ply, last_move=last, remaining_ms=left)
        return (Ask(mover, mine, self._strikes[mover]), Show(1 - mover, theirs))

    def _begin(self, event: Begun) -> tuple[Effect, ...]:
        self._begun_at = event.at
        self.phase = Phase.TURN
        return self._show_turn()

    def _handed(self, event: Handed) -> tuple[Effect, ...]:
        if event.seat != self.position.to_move or self._asked_at is not None:
            return NO_EFFECTS
        self._asked_at = event.at
        return (SetDeadline(event.seat, self.position.ply, event.at + self._clocks_ms[event.seat] / 1000),)

    def _moved(self, event: Moved) -> tuple[Effect, ...]:
        position = self.position
        if event.ply is not None and event.ply != position.ply:
            return (Refuse(event.seat, Code.STALE_PLY, self._stale(event)),)
        if event.seat != position.to_move:
            return (Refuse(event.seat, Code.NOT_YOUR_TURN, "the other seat is to move; the move was not kept"),)
        if event.move not in position.legal:
            kind = StrikeKind.ILLEGAL_MOVE
            return self._fault(Faulted(event.at, event.seat, kind, event.move, None, event.reason, event.nonce))
        self.position = position.play(event.move)
        ms = min(self._elapsed_ms(event.at), self._clocks_ms[event.seat])  # an answer in time that was read late
        reason = _cut(event.reason, MAX_REASON_CHARS)
        nonce = _cut(event.nonce, MAX_NONCE_CHARS)
        asked_ms = self._asked_ms(event.seat)
        self._plies.append(Ply(event.move, ms, tuple(self._strikes_here), reason, nonce, asked_ms))
        self._strikes_here.clear()
        outcome = self.position.outcome
        if outcome is None:
            return self._show_turn()
        return self._end(event.at, outcome.winner, Termination.NORMAL)

    def _stale(self, event: Moved) -> str:
        here = self.position.ply
        again = event.ply is not None and 0 <= event.ply < here and self._plies[event.ply].move == event.move
        known = "that move was already played" if again else "that ply is not the position's"
        return f"{known}: the move names ply {event.ply}, the position is at ply {here}"

    def _over(self, event: Moved) -> tuple[Effect, ...]:
        return (Refuse(event.seat, Code.GAME_OVER, "the game is over: join again for the next one"),)

    def _faulted(self, event: Faulted) -> tuple[Effect, ...]:
        if event.seat != self.position.to_move:
            return NO_EFFECTS
        return self._fault(event)

    def _deadline(self, event: DeadlinePassed) -> tuple[Effect, ...]:
        if event.seat != self.position.to_move or event.ply != self.position.ply:
            return NO_EFFECTS
        if self._asked_at is None or event.at < self._asked_at + self._clocks_ms[event.seat] / 1000:
            return NO_EFFECTS  # of an earlier question at the same ply: the newer one has all of its time
        return self._fault(Faulted(event.at, event.seat, StrikeKind.TIMEOUT))

    def _fault(self, fault: Faulted) -> tuple[Effect, ...]:
        at, seat, kind = fault.at, fault.seat, fault.kind
        strike = Strike(
            kind,
            self._elapsed_ms(at),
            _cut(fault.offered, MAX_OFFERED_CHARS),
            _cut(fault.detail, MAX_DETAIL_CHARS),
            _cut(fault.reason, MAX_REASON_CHARS),
            _cut(fault.nonce, MAX_NONCE_CHARS),
            self._asked_ms(seat),
        )
        self._strikes_here.append(strike)
        self._strikes[seat] += 1
        allowed = self._policies[seat].faults
        if self._strikes[seat] < allowed:
            self._asked_at = None
            return (Ask(seat, self.state(seat, at), self._strikes[seat]),)
        ending = _FIRST_FAULTS.get(kind) if allowed == 1 else None
        return self._end(at, 1 - seat, ending or Termination.STRIKES)

    def _resigned(self, event: Resigned) -> tuple[Effect, ...]:
        return self._end(event.at, 1 - event.seat, Termination.RESIGN)

    def _disconnected(self, event: Disconnected) -> tuple[Effect, ...]:
        return self._end(event.at, 1 - event.seat, Termination.DISCONNECT)

    def _aborted(self, event: Aborted) -> tuple[Effect, ...]:
        return self._end(event.at, NOBODY, Termination.SERVER, event.reason)

    def _end(self, at: float, winner: int, termination: Termination, reason: str | None = None) -> tuple[Effect, ...]:
        void = termination is Termination.SERVER
        reason = reason or REASONS[termination]
        self.phase = Phase.OVER
        self.finished = FinishedMatch(
            id=self.id,
            game=self.game.id,
            rules_version=self.game.version,
            players=self._players,
            plies=tuple(self._plies),
            unplayed=self.unplayed,
            winner=winner,
            termination=termination,
            reason=reason,
            rated=self.why_unrated is None and not void,
            why=reason if void else self.why_unrated,
            move_timeout_ms=self.move_timeout_ms,
            started_ms=self.started_ms,
            ended_ms=self.started_ms + round((at - (at if self._begun_at is None else self._begun_at)) * 1000),
        )
        last = self.state(NOBODY, at)
        return (Show(0, last), Show(1, last), Finished(self.finished))

    def _elapsed_ms(self, at: float) -> int:
        """Time on the clock of the seat to move; 0 when the answer came before its clock started."""
        return 0 if self._asked_at is None else max(0, round((at - self._asked_at) * 1000))

    def _asked_ms(self, seat: int) -> int | None:
        """When the seat to move was handed the position, in ms since the match began. Kept for a seat that is asked
        again after a fault; of one that is asked once at each ply, the times of the answers say it."""
        if self._asked_at is None or self._begun_at is None or self._policies[seat].faults <= FORFEIT.faults:
            return None
        return max(0, round((self._asked_at - self._begun_at) * 1000))

    _STEPS: ClassVar[dict[tuple[Phase, type[Event]], Step]] = _table(
        {
            Begun: _begin,
            Handed: _handed,
            Moved: _moved,
            Faulted: _faulted,
            DeadlinePassed: _deadline,
            Resigned: _resigned,
            Disconnected: _disconnected,
            Aborted: _aborted,
        },
        after_the_end=_over,
    )


def clocks_ms(players: tuple[Player, Player], move_timeout_ms: int) -> tuple[int, int]:
    """The time that each seat has for an answer: its own, or the match's."""
    first, second = (player.clock_ms for player in players)
    return (move_timeout_ms if first is None else first, move_timeout_ms if second is None else second)


def _cut(text: str | None, limit: int) -> str | None:
    return None if text is None else text[:limit]
