"""Seats that outlive their connection, where the venue allows a time of grace.

With a grace time set, a match is not played by a `Session` itself but by a `KeptSeat`, to which the session
is attached. When its connection drops, the seat stays for the time of grace: the clock runs on, the match
goes on, and whoever joins with the token of `hello` takes the seat back and is shown where the match
stands, up to its result. A token that is used while the former connection still seems alive wins: that one
is told `superseded` and closed. Without grace none of this exists, and a disconnect forfeits at once.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Final

import msgspec

from agentbbs.games.game import Position
from agentbbs.play.alarms import Alarms
from agentbbs.play.match import Policy
from agentbbs.play.ports import Player
from agentbbs.play.seat import Chair
from agentbbs.play.session import Session
from agentbbs.protocol.agentgames import Hello, Result, State
from agentbbs.protocol.errors import Code

TOKEN_BYTES: Final = 16
"""128 random bits, good for one match of one account."""


class _Line:
    """The chair of one attached session: it speaks for the seat until another session takes over."""

    __slots__ = ("_seat", "session")

    def __init__(self, seat: KeptSeat, session: Session) -> None:
        self._seat = seat
        self.session = session

    @property
    def game(self) -> str:
        return self._seat.chair.game

    @property
    def position(self) -> Position:
        return self._seat.chair.position

    def state(self) -> State:
        return self._seat.chair.state()

    def handed(self) -> None:
        """A session hands at once; nothing waits."""

    def move(self, move: str, ply: int | None = None, reason: str | None = None, nonce: str | None = None) -> None:
        if self._seat.line is self:
            self._seat.chair.move(move, ply, reason, nonce)

    def fault(
        self,
        kind: str,
        offered: str | None = None,
        *,
        detail: str | None = None,
        reason: str | None = None,
        nonce: str | None = None,
    ) -> None:
        if self._seat.line is self:
            self._seat.chair.fault(kind, offered, detail=detail, reason=reason, nonce=nonce)

    def resign(self) -> None:
        if self._seat.line is self:
            self._seat.chair.resign()

    def leave(self) -> None:
        if self._seat.line is self:
            self._seat.detach()

    def fail(self, reason: str) -> None:
        if self._seat.line is self:
            self._seat.chair.fail(reason)


class KeptSeat:
    """One side of one match, attached to a session or waiting for one. Implements `play.seat.Seat`."""

    chair: Chair

    def __init__(self, session: Session, alarms: Alarms, grace_s: float, forget: Callable[[KeptSeat], None]) -> None:
        self.token = secrets.token_urlsafe(TOKEN_BYTES)
        self.account = session.account
        self.player: Player = session.player
        self.policy: Policy = session.policy
        self.line: _Line | None = _Line(self, session)
        self._alarms = alarms
        self._grace_s = grace_s
        self._forget = forget
        self._alarm = alarms.add(self._expire)
        self._frames_before = -session.frames
        self._hello: Hello | None = None
        self._over = False
        self._result: Result | None = None
        self._lost: str | None = None
        self.told: Session | None = None
        """The session that was told the result as soon as there was one."""

    @property
    def frames(self) -> int:
        """Messages that came in on any of its connections."""
        return self._frames_before + (self.line.session.frames if self.line else 0)

    def attach(self, session: Session) -> None:
        """`session` takes the seat: the one that had it is superseded, the new one is shown all."""
        if self._hello is None:
            return
        former, self.line = self.line, None
        if former is not None:
            self._frames_before += former.session.frames
            former.session.superseded()
        self._frames_before -= session.frames
        self.line = _Line(self, session)
        self._alarms.clear(self._alarm)
        session.seated(self.line, self._hello)
        session.show(self.chair.state(), over=self._over)
        if self._result is not None or self._lost is not None:
            self._tell_end()

    def detach(self) -> None:
        """Its connection is gone: the time of grace begins."""
        if self.line is not None:
            self._frames_before += self.line.session.frames
            self.line = None
            self._wait()

    def seated(self, chair: Chair, hello: Hello) -> None:
        self.chair = chair
        self._hello = msgspec.structs.replace(hello, resume=self.token)
        if self.line is not None:
            self.line.session.seated(self.line, self._hello)

    def ask(self, state: State, strikes: int) -> bool:
        """Always handed: the clock of a seat whose agent is away runs on."""
        if self.line is not None:
            self.line.session.ask(state, strikes)
        return True

    def show(self, state: State, *, over: bool) -> None:
        self._over = over
        if self.line is not None:
            self.line.session.show(state, over=over)

    def refuse(self, code: Code, why: str) -> None:
        if self.line is not None:
            self.line.session.refuse(code, why)

    def finished(self, result: Result) -> None:
        self._result = result
        self._tell_end()

    def unsettled(self, match_id: str) -> None:
        self._lost = match_id
        self._tell_end()

    def _tell_end(self) -> None:
        """The last word to the session, which is then free for another match."""
        line, self.line = self.line, None
        if line is not None and self._result is not None:
            self.told = line.session
            line.session.finished(self._result)
        elif line is not None and self._lost is not None:
            line.session.unsettled(self._lost)
        self._wait()

    def _wait(self) -> None:
        """Keep the seat for the time of grace: for an agent that is away, or for the result's sake, which
        may be lost on a connection that was dying when it was sent."""
        self._alarms.set(self._alarm, self._alarms.now() + self._grace_s)

    def _expire(self) -> None:
        self._alarms.drop(self._alarm)
        self._forget(self)
        if not self._over:
            self.chair.leave()


class Resumptions:
    """The seats that can be taken back, by token. A grace of 0 keeps none."""

    def __init__(self, alarms: Alarms, grace_s: float) -> None:
        self._alarms = alarms
        self._grace_s = grace_s
        self._seats: dict[str, KeptSeat] = {}

    def __len__(self) -> int:
        return len(self._seats)

    @property
    def allowed(self) -> bool:
        """Whether this venue keeps seats at all."""
        return self._grace_s > 0

    def keep(self, session: Session) -> Session | KeptSeat:
        """What sits down in a match for `session`."""
        if not self.allowed:
            return session
        seat = KeptSeat(session, self._alarms, self._grace_s, self._forget)
        self._seats[seat.token] = seat
        return seat

    def take_back(self, session: Session, token: str) -> bool:
        """Attach `session` to the seat of its own account that `token` stands for; False if there is none."""
        seat = self._seats.get(token)
        if seat is None or seat.account != session.account:
            return False
        seat.attach(session)
        return True

    def _forget(self, seat: KeptSeat) -> None:
        self._seats.pop(seat.token, None)
