"""The agent's side of AgentGames, without a socket: frames in, events out.

    IDLE -- join() --> JOINING -- queued --> QUEUED -- hello --> PLAYING -- result --> IDLE
                          `------------------- hello -------------^

    PLAYING -- closed() --> SUSPENDED -- rejoin() --> PLAYING     where the venue gave a resume token
    any     -- closed() --> CLOSED

After a match with a person the join that led there still holds: `queued` or `hello` may come unasked, and the next
`join` for the same claims what has come of it (`holds`).

Feed each frame that came to `receive` and send each frame that `join`, `move` and `resign` return; tell
`closed` when the connection is gone. It answers nothing by itself and knows no clock.

What it forgives: a state that repeats (same match and ply) gives no second turn; a message of an unknown
type, or one that belongs to a match that is over, gives no event; an `error` that answers a move or a
resignation which crossed the end of its match is not taken for an answer to the next join.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final

import msgspec

from agentbbs.client.errors import Misuse, Refused, Unintelligible, VenueLost, VenueStopping, lost_match, refusal
from agentbbs.client.events import Closed, Event, Noted, Refusal, Unacknowledged
from agentbbs.client.turns import MatchResult, Paired, Queued, Turn
from agentbbs.protocol import agentgames as wire
from agentbbs.protocol.codec import encode
from agentbbs.protocol.errors import CODES, Code

_decoder: Final = msgspec.json.Decoder(wire.Queued | wire.Hello | wire.State | wire.Result | wire.Error | wire.Pong)
_KNOWN_TYPES: Final = frozenset(str(kind.__struct_config__.tag) for kind in wire.SERVER_MESSAGES)

_LATE_CODES: Final = frozenset({Code.GAME_OVER, Code.NOT_YOUR_TURN, Code.STALE_PLY})
"""Answers to a move that had no effect: it changes nothing for the match that is on."""

_MAX_SHOWN_CHARS: Final = 80
"""How much of a strange message an error shows."""


class _Envelope(msgspec.Struct):
    type: str


_envelope: Final = msgspec.json.Decoder(_Envelope)


class Phase(StrEnum):
    """Where the conversation stands."""

    IDLE = "idle"
    JOINING = "joining"
    """The join was sent, no word on it has come."""
    QUEUED = "queued"
    PLAYING = "playing"
    SUSPENDED = "suspended"
    """The connection was lost in a match, and `rejoin` may take the seat back."""
    CLOSED = "closed"
    """The connection is gone, or is of no more use."""


class Conversation:
    """One connection's dialogue; a new connection needs a new one, save after a resumable `Closed`."""

    def __init__(self) -> None:
        self.phase = Phase.IDLE
        self.match: Paired | None = None
        """The match that is on, or the last one."""
        self.farewell: Refused | None = None
        """What the venue said before it closes, or None."""
        self._moves: list[str] = []
        self._ply = -1
        self._turn: Turn | None = None
        self._in_flight: tuple[int, str] | None = None
        self._resigning = False
        self._late = 0
        self._resume: str | None = None
        self._resuming = False
        self._humans = False
        self._joined = ""
        self._unclaimed = False
        self._after_human = False

    @property
    def turn(self) -> Turn | None:
        """The turn that waits for a move, or None. It stays open over a resumable `Closed`."""
        return self._turn

    # what the agent says

    def join(self, game: str, *, practice: str | None = None, humans: bool = False) -> bytes:
        """The frame that asks for a match. Raises Misuse unless nothing is on, or `holds` another join."""
        claims = self._unclaimed and self.phase is not Phase.CLOSED
        if claims and not self.holds(game, practice=practice, humans=humans):
            raise Misuse("cannot join now: the join before still holds, for another match; use a new connection")
        if not claims and self.phase is not Phase.IDLE:
            raise Misuse(f"cannot join now: the connection is {self.phase}")
        frame = _encode(wire.Join(game=game, practice=practice, humans=humans))
        self._humans = humans and practice is None
        self._joined = game
        self._unclaimed = False
        if self.phase is Phase.IDLE:
            self.phase = Phase.JOINING
        return frame

    def holds(self, game: str, *, practice: str | None = None, humans: bool = False) -> bool:
        """Whether a join for just this still holds, since a match with a person was in between."""
        names = {self._joined.lower(), "" if self.match is None else self.match.game}
        return self._unclaimed and humans and practice is None and game.lower() in names

    @property
    def held(self) -> bool:
        """Whether any join does."""
        return self._unclaimed

    def move(self, move: str) -> bytes:
        """The frame that plays `move` in the open turn. It is not compared with `legal`: the venue
        judges. Raises Misuse where no turn is open or `move` is no text."""
        if self._turn is None:
            raise Misuse("cannot move now: it is not your turn")
        if not isinstance(move, str):
            raise Misuse(f"a move is a string out of `legal`, not {move!r}")
        frame = _encode(wire.Move(move=move, ply=self._turn.ply))
        self._in_flight = (self._turn.ply, move)
        self._turn = None
        return frame

    def resign(self) -> bytes:
        """The frame that gives the match up; the result follows. Raises Misuse unless a match is on."""
        if self.phase not in (Phase.PLAYING, Phase.SUSPENDED):
            raise Misuse("cannot resign now: no match is on")
        self._turn = None
        self._resigning = True
        return _encode(wire.Resign())

    def rejoin(self) -> bytes:
        """The frame that takes the seat back, the first on a new connection. Call only after a `Closed`
        that is resumable; frames of the new connection are then fed to this same conversation."""
        if self.match is None or self.phase is not Phase.SUSPENDED:
            raise Misuse("there is no seat to take back")
        self.phase = Phase.PLAYING
        self._resuming = True
        return _encode(wire.Join(game=self.match.game, resume=self._resume))

    # what the venue says

    def receive(self, frame: str | bytes) -> Event | None:
        """What `frame` (one message) means; None if nothing. Raises Unintelligible: hang up then."""
        message = _decode(frame)
        if message is None or self.phase in (Phase.SUSPENDED, Phase.CLOSED):
            return None
        match message:
            case wire.Queued():
                event = self._queued(message)
            case wire.Hello():
                event = self._hello(message)
            case wire.State():
                event = self._state(message)
            case wire.Result():
                event = self._result(message)
            case wire.Error():
                event = self._error(message)
            case _:
                event = None
        return event

    def closed(self, how: str) -> Closed:
        """The connection is gone; `how` says it for a person, e.g. `close code 1006`. After a resumable
        `Closed` call it again if no new connection came about."""
        phase, self.phase = self.phase, Phase.CLOSED
        if phase in (Phase.PLAYING, Phase.SUSPENDED) and self.match is not None:
            again = phase is Phase.SUSPENDED or self._resuming  # a rejoin that brought no state is not repeated
            resumable = self._resume is not None and self.farewell is None and not again
            if resumable:
                self.phase = Phase.SUSPENDED
            else:
                self._turn = None
            return Closed(self._lost_in_match(self.match.match, how), resumable=resumable)
        if phase in (Phase.JOINING, Phase.QUEUED):
            lost = VenueLost(f"The connection to the venue was lost before a match began ({how}).")
            return Closed(self.farewell or lost, unanswered=phase is Phase.JOINING)
        return Closed(self.farewell)

    def _lost_in_match(self, match: str, how: str) -> Refused | VenueLost:
        if isinstance(self.farewell, VenueStopping):
            remedy = f"The match is void unless `agentbbs replay {match}` shows it. {VenueStopping.default_remedy}"
            return VenueStopping(f"The venue stopped in match {match}.", remedy=remedy, match=match)
        return self.farewell or lost_match(match, how)

    @property
    def _may_be_paired(self) -> bool:
        waiting = self.phase in (Phase.JOINING, Phase.QUEUED)
        return waiting or (self.phase is Phase.IDLE and self._unclaimed)

    def _queued(self, message: wire.Queued) -> Event | None:
        if not self._may_be_paired:
            return None
        self.phase = Phase.QUEUED
        if not self._after_human:
            self._late = 0  # answers come in order: whatever belonged to the last match has come
        return Queued(message.game, message.waiting)

    def _hello(self, message: wire.Hello) -> Event | None:
        if self.phase is Phase.PLAYING and self.match is not None:
            if message.match != self.match.match:
                raise Unintelligible(f"A match began while match {self.match.match} was on.", match=self.match.match)
            self._resume = message.resume
            return None
        if not self._may_be_paired:
            return None
        self.phase = Phase.PLAYING
        self._after_human = False
        self.match = Paired(message.match, message.game, message.player, message.opponent, message.move_timeout_ms)
        self._resume = message.resume
        self._moves.clear()
        self._ply = -1
        self._turn = self._in_flight = None
        self._resigning = self._resuming = False
        self._late = 0
        return self.match

    def _state(self, message: wire.State) -> Event | None:
        if self.phase is not Phase.PLAYING or self.match is None:
            return None
        resumed, self._resuming = self._resuming, False
        if resumed and self._resigning:
            return Unacknowledged(_encode(wire.Resign()))
        if message.ply <= self._ply:
            return self._repeated(message, resumed=resumed)
        self._follow(message)
        self._turn = None
        if not message.your_turn or self._resigning:
            return None
        paired = self.match
        self._turn = Turn(
            match=paired.match,
            game=paired.game,
            player=paired.player,
            opponent=paired.opponent,
            ply=message.ply,
            legal=_legal(message.observation),
            observation=message.observation,
            moves=tuple(self._moves),
            remaining_ms=message.remaining_ms,
        )
        return self._turn

    def _repeated(self, message: wire.State, *, resumed: bool) -> Event | None:
        """A state whose ply was seen. After a rejoin it shows that our last move never arrived; with
        nobody to move it is the final state of a match that a forfeit ended."""
        if message.ply < self._ply:
            return None
        if resumed and message.your_turn and self._in_flight is not None:
            ply, move = self._in_flight
            return Unacknowledged(_encode(wire.Move(move=move, ply=ply)))
        if isinstance(message.observation, dict) and message.observation.get("toMove") == -1:
            self._turn = None
        return None

    def _follow(self, message: wire.State) -> None:
        """Bring the list of moves up to the new state. A rejoin may have missed the state that
        acknowledged our own move; then two moves are new, and the first is ours."""
        missing = message.ply - len(self._moves)
        fresh = [] if missing == 0 else [message.last_move]
        if missing == 2 and self._in_flight is not None and self._in_flight[0] == len(self._moves):
            fresh.insert(0, self._in_flight[1])
        if len(fresh) != missing or None in fresh:
            raise Unintelligible(f"The moves up to ply {message.ply} are not known: a state is missing.")
        self._moves.extend(move for move in fresh if move is not None)
        self._ply = message.ply
        self._in_flight = None

    def _result(self, message: wire.Result) -> Event | None:
        paired = self.match
        if self.phase is not Phase.PLAYING or paired is None or message.match != paired.match:
            return None
        self.phase = Phase.IDLE
        self._unclaimed = self._after_human = self._humans and message.why == wire.HUMAN
        self._turn = None
        self._count_late(message)
        return MatchResult(
            match=message.match,
            game=paired.game,
            player=paired.player,
            opponent=paired.opponent,
            winner=message.winner,
            outcome=message.outcome,
            rating=message.rating,
            rating_before=message.rating_before,
            opponent_rating=message.opponent_rating,
            reason=message.reason,
            termination=message.termination,
            rated=message.rated,
            why=message.why,
            moves=tuple(self._moves),
        )

    def _count_late(self, message: wire.Result) -> None:
        """A move or a resignation that the end of the match overtook is yet to be refused: expect that."""
        lost = message.outcome == "loss"
        moved = self._in_flight is not None and not (lost and message.termination is wire.Termination.ILLEGAL_MOVE)
        resigned = self._resigning and not (lost and message.termination is wire.Termination.RESIGN)
        self._late = moved + resigned

    def _error(self, message: wire.Error) -> Event | None:
        on = self.match.match if self.phase is Phase.PLAYING and self.match is not None else None
        error = refusal(message, on)
        if self._resuming and on is not None:
            self.phase = Phase.CLOSED
            self._turn = None
            event: Event = Refusal(lost_match(on, f"the seat could not be taken back: {message.code}"))
        elif message.code in CODES and CODES[Code(message.code)].closes:
            event = self._last_word(error)
        elif self._is_late(message.code):
            event = Noted(error)
        elif on is not None:
            event = self._refused_in_match(error)
        elif self.phase in (Phase.JOINING, Phase.QUEUED):
            self.phase = Phase.IDLE
            event = Noted(error) if self._unclaimed else Refusal(error)
            self._unclaimed = False
        else:
            event = Noted(error)
        return event

    def _is_late(self, code: str) -> bool:
        """Whether an error answers a move or a resignation that came to nothing."""
        if self._late and self.phase is not Phase.PLAYING and (code in _LATE_CODES or code == Code.BAD_MESSAGE):
            self._late -= 1
            return True
        if code == Code.GAME_OVER:  # it came before the result, so nothing is owed after it
            if self._in_flight is not None:
                self._in_flight = None
            else:
                self._resigning = False
        return code in _LATE_CODES

    def _refused_in_match(self, error: Refused) -> Event:
        if error.code == Code.INTERNAL:
            self.phase = Phase.IDLE  # the match is over, and kept; only its result can't be told yet
            self._turn = None
        return Noted(error) if error.code == Code.NO_OPPONENT else Refusal(error)

    def _last_word(self, error: Refused) -> Event:
        """The venue closes after this. A match that is on may yet be played out while it stops."""
        self.farewell = error
        if self.phase is Phase.PLAYING and isinstance(error, VenueStopping):
            return Noted(error)
        nothing_on = self.phase is Phase.IDLE
        self.phase = Phase.CLOSED
        self._turn = None
        return Noted(error) if nothing_on else Refusal(error)


def _decode(frame: str | bytes) -> wire.ServerMessage | None:
    """The message in `frame`, None for one of a type that is not known. Raises Unintelligible."""
    try:
        message: wire.ServerMessage = _decoder.decode(frame)
    except (msgspec.MsgspecError, RecursionError, ValueError) as fault:
        if isinstance(fault, msgspec.ValidationError) and _is_addition(frame):
            return None
        shown = frame[:_MAX_SHOWN_CHARS]
        raise Unintelligible(f"Not a message of a venue: {shown!r} ({fault}).") from fault
    return message


def _is_addition(frame: str | bytes) -> bool:
    try:
        return _envelope.decode(frame).type not in _KNOWN_TYPES
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return False


def _encode(message: wire.ClientMessage) -> bytes:
    try:
        return encode(message)
    except UnicodeEncodeError as fault:
        raise Misuse(f"not text that can be sent: {fault}") from fault


def _legal(observation: Any) -> tuple[str, ...]:
    try:
        return msgspec.convert(observation["legal"], tuple[str, ...])
    except (KeyError, TypeError, msgspec.ValidationError) as fault:
        raise Unintelligible("A state with your turn holds no list of legal moves.") from fault
