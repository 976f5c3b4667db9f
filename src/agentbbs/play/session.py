"""One agent's conversation, whatever carries it: bytes in, bytes out, a seat in between.

A server makes a `Session` for each connection that proved who it is, hands it every message that comes in
(`receive`) and tells it when the connection is gone (`lost`). The session answers by the rules of
`protocol.conversation`, asks the lobby for a match, and is the seat in that match. It never waits.
"""

from __future__ import annotations

from typing import Final, Protocol

import structlog

from agentbbs.games.catalog import UnknownGame, find
from agentbbs.games.game import Game
from agentbbs.play.alarms import Alarms
from agentbbs.play.match import FORFEIT, Policy
from agentbbs.play.ports import Player
from agentbbs.play.seat import Chair
from agentbbs.play.tally import Tally
from agentbbs.protocol.agentgames import (
    IDLE_TIMEOUT_S,
    MAX_BAD_MESSAGES,
    ClientMessage,
    CloseCode,
    Error,
    Hello,
    Join,
    Move,
    Ping,
    Pong,
    Queued,
    Resign,
    Result,
    ServerMessage,
    State,
)
from agentbbs.protocol.codec import Malformed, decode, encode
from agentbbs.protocol.conversation import CLIENT_RULES, Stage
from agentbbs.protocol.errors import Code

_log = structlog.get_logger(__name__)
_PONG: Final = encode(Pong())


class Wire(Protocol):
    """What a transport does for a session. Neither method waits, raises or calls the session back."""

    def write(self, *messages: bytes) -> None:
        """Send messages, at once. A peer that does not read what was sent is cut off, not waited for."""
        ...

    def close(self, code: int, reason: str) -> None:
        """Send what was written, then close; nothing that comes in after this is handed over."""
        ...


class Desk(Protocol):
    """Where a session asks for a match: the lobby."""

    def join(self, session: Session, game: Game, practice: str | None, *, humans: bool = False) -> None:
        """Find an opponent for `session`; it hears `queued`, then is seated or turned away. With `humans`, a person
        may challenge it meanwhile."""
        ...

    def leave(self, session: Session) -> None:
        """`session` does not wait any longer."""
        ...

    def resume(self, session: Session, token: str) -> str | None:
        """Give `session` the seat that `token` stands for, or say why not."""
        ...


class UnknownBot(ValueError):
    """A join for practice names no house bot; the text lists those there are."""


class Session:
    """One connection of one account. Implements `play.seat.Seat`."""

    policy: Policy = FORFEIT

    def __init__(self, account: int, player: Player, wire: Wire, desk: Desk, alarms: Alarms, tally: Tally) -> None:
        self.account = account
        self.player = player
        self.stage = Stage.IDLE
        self.frames = 0
        self.closed = False
        self.key = alarms.add(self._idle)
        """The key of its idle alarm: unique among all sessions of this process."""
        self._wire = wire
        self._desk = desk
        self._alarms = alarms
        self._tally = tally
        self._bad_messages = 0
        self._game: Game | None = None
        self._chair: Chair | None = None
        self._held: list[bytes] = []
        self._returned = False
        self._expelled: str | None = None
        tally.connections += 1
        tally.connections_total += 1
        self._rest()

    # What the server calls

    def opened(self, game: str | None, practice: str | None) -> None:
        """The connection is there; `game` and `practice` were named out of band (URL, command), if at all."""
        if game is not None or practice is not None:
            self._join(Join(game, practice))

    def receive(self, message: bytes) -> None:
        """One message came in: answer it."""
        if self.closed:
            return
        self.frames += 1
        try:
            said = decode(message)
        except Malformed as fault:
            self.bad_message(Code.BAD_MESSAGE, str(fault))
            return
        if isinstance(said, Join) and self._is_needless(said):
            return
        rule = CLIENT_RULES[self.stage, type(said)]
        if rule.refusal is Code.BAD_MESSAGE:
            self.bad_message(Code.BAD_MESSAGE, rule.why)
        elif rule.refusal is not None:
            if rule.refusal is Code.GAME_OVER and isinstance(said, Move):
                self._tally.late_moves += 1
                _log.debug("late_move", account=self.account)
            self.refuse(rule.refusal, rule.why)
        else:
            self._take(said)

    def _take(self, said: ClientMessage) -> None:
        """Do what a message asks for that has its place here."""
        if isinstance(said, Move):
            if self._chair is not None:
                self._chair.move(said.move, said.ply)
        elif isinstance(said, Ping):
            self._wire.write(_PONG)
        elif isinstance(said, Join):
            self._join(said)
        elif isinstance(said, Resign) and self._chair is not None:
            self._chair.resign()

    def bad_message(self, code: Code, why: str) -> None:
        """Answer a message that is none, or has no place here; the 20th closes the connection."""
        self._bad_messages += 1
        self.refuse(code, why)
        if self._bad_messages >= MAX_BAD_MESSAGES:
            self.close(CloseCode.POLICY, f"{MAX_BAD_MESSAGES} bad messages")

    def lost(self) -> None:
        """The connection is gone: leave the queue, or forfeit."""
        self.closed = True
        self._tally.connections -= 1
        self._alarms.drop(self.key)
        self._depart()

    # What the lobby calls

    def queued(self, game: Game, waiting: int) -> None:
        """The session waits in the lobby."""
        self.stage = Stage.QUEUED
        self._alarms.clear(self.key)
        self._hold(Queued(game.id, waiting))

    def returned(self, game: Game, waiting: int) -> None:
        """The session waits again by the join it once sent: a match with a person was in between."""
        self.queued(game, waiting)
        self._returned = True
        self._write()

    def no_opponent(self, waited_s: float) -> None:
        """Nobody came; the session may join again."""
        self.stage = Stage.DONE
        self.refuse(Code.NO_OPPONENT, f"nobody came to play within {waited_s:g} s: join again, or practise")
        self._rest()

    def turned_away(self, code: Code, why: str) -> None:
        """The join came to nothing by no fault of the agent."""
        self.stage = Stage.DONE
        self.refuse(code, why)
        self._rest()

    def expel(self, why: str) -> None:
        """The account may not be here any more: close, at once or after the match that is on."""
        self._expelled = why
        if self._chair is None:
            self.refuse(Code.UNAUTHORIZED, why)
            self.close(CloseCode.POLICY, Code.UNAUTHORIZED)

    def superseded(self) -> None:
        """Another connection took this one's seat: say so and close."""
        self._chair = None
        self.refuse(Code.SUPERSEDED, "another connection took this seat with its resume token")
        self.close(CloseCode.SUPERSEDED, Code.SUPERSEDED)

    def shut_down(self) -> None:
        """The venue stops: say so and close."""
        self.refuse(Code.SERVER_SHUTDOWN, "the venue is stopping: connect again in a minute")
        self.close(CloseCode.GOING_AWAY, "server shutdown")

    def close(self, code: int, reason: str) -> None:
        """Leave the queue or the match and close; the server calls `lost` when the connection is gone."""
        if not self.closed:
            self.closed = True
            self._wire.close(code, reason)
            self._depart()

    # What the runner calls: the seat

    def seated(self, chair: Chair, hello: Hello) -> None:
        self._chair = chair
        self._game = self._game or find(hello.game)  # a seat that was taken back: this connection named no game
        self.stage = Stage.PLAYING
        self._alarms.clear(self.key)
        self._hold(hello)

    def ask(self, state: State, strikes: int) -> bool:  # noqa: ARG002 - one fault forfeits here: always 0
        self._send(state)
        return True

    def show(self, state: State, *, over: bool) -> None:
        if over:
            self.stage = Stage.SETTLING
        self._send(state)

    def refuse(self, code: Code, why: str) -> None:
        if not self.closed:
            self._tally.errors[code] += 1
            self._send(Error(code, why))

    def finished(self, result: Result) -> None:
        self._over()
        self._send(result)
        self._go_if_expelled()

    def unsettled(self, match_id: str) -> None:
        self._over()
        self.refuse(
            Code.INTERNAL,
            f"the result of match {match_id} could not be stored yet; it is kept and retried: see the ladder",
        )
        self._go_if_expelled()

    def _go_if_expelled(self) -> None:
        if self._expelled is not None:
            self.expel(self._expelled)

    def _depart(self) -> None:
        self._desk.leave(self)
        chair, self._chair = self._chair, None
        if chair is not None:
            chair.leave()

    def _over(self) -> None:
        self._chair = None
        if not self.closed:
            self.stage = Stage.DONE
            self._rest()

    def _is_needless(self, join: Join) -> bool:
        """Whether this is the one join that may come from an agent that was put back into the queue and joins all the
        same: it may have met the venue's `queued`, or even `hello`, on the way."""
        returned, self._returned = self._returned, False
        waits_on = returned and self.stage in (Stage.QUEUED, Stage.PLAYING)
        if not waits_on or not join.humans or join.practice is not None or join.resume is not None:
            return False
        try:
            return join.game is None or find(join.game) == self._game
        except UnknownGame:
            return False

    def _join(self, join: Join) -> None:
        if join.resume is not None:
            why_not = self._desk.resume(self, join.resume)
            if why_not is not None:
                self.refuse(Code.GAME_OVER, why_not)
            return
        try:
            game = find(join.game) if join.game is not None else self._game
        except UnknownGame as fault:
            self._tally.errors[Code.UNKNOWN_GAME] += 1
            self._send(Error(Code.UNKNOWN_GAME, str(fault), games=fault.ids))
            self.close(CloseCode.POLICY, Code.UNKNOWN_GAME)
            return
        if game is None:
            self.bad_message(Code.BAD_MESSAGE, 'join which game? {"type":"join","game":"ttt"}')
            return
        self._game = game
        try:
            self._desk.join(self, game, join.practice, humans=join.humans)
        except UnknownBot as fault:
            self.bad_message(Code.BAD_MESSAGE, str(fault))
        if self._held:  # nobody is there yet: `queued` stands alone
            self._write()

    def _rest(self) -> None:
        """Neither waiting nor playing: the idle time starts."""
        self._alarms.set(self.key, self._alarms.now() + IDLE_TIMEOUT_S)

    def _idle(self) -> None:
        self.close(CloseCode.NORMAL, "idle")

    def _hold(self, message: ServerMessage) -> None:
        """Keep a message that another one follows at once: one write for both is half the work."""
        self._held.append(encode(message))

    def _send(self, message: ServerMessage) -> None:
        if self._held:
            self._write(encode(message))
        elif not self.closed:
            self._wire.write(encode(message))

    def _write(self, *messages: bytes) -> None:
        held, self._held = self._held, []
        if not self.closed:
            self._wire.write(*held, *messages)
