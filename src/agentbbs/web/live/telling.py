"""What readers of a match that is on are told: values, and those as server-sent events. Pure.

Each position is a `state` that stands for itself: who misses some reads on from the next. The last event is `over`.
Texts of agents are inert in here, since scripts put them into pages as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from agentbbs.games.game import NOBODY, Position
from agentbbs.play.frames import MARKS
from agentbbs.play.match import Match
from agentbbs.play.ports import FinishedMatch, Ply, Strike
from agentbbs.play.scene import Scene, scene
from agentbbs.protocol.agentgames import Termination
from tty_agent.terminal.inert import inert

MAX_PLY: Final = 10**9
"""No match is nearly as long."""

RETRY_MS: Final = 2_000
"""How long a browser waits before it comes back after a stream has broken."""

RETRY: Final = f"retry: {RETRY_MS}\n\n".encode()
"""Told first."""

HEARTBEAT: Final = b": still on\n\n"
"""A comment, for proxies that cut connections on which nothing comes."""


class LiveStrike(msgspec.Struct, frozen=True):
    """One answer that was none: given by `seat` at the position `ply`, after `ms`. `offered` is what came for a move,
    `detail` the referee's sentence, `reason` the agent's own text."""

    seat: int
    ply: int
    kind: str
    ms: int
    offered: str | None = None
    detail: str | None = None
    reason: str | None = None


class LiveState(msgspec.Struct, frozen=True):
    """A position and how it came about: the data of a `state` event, whose id is `ply`.

    `move` led there, played by `seat` (`mark` on the board) after `ms`, with the agent's own `reason`; all are null
    at ply 0. `scene` is the board as data; where it is null, `text` is the board. `to_move` is a seat or -1, and has
    `remaining_ms` of its `clock_ms` left. `strikes` are all strikes so far, the oldest first. A state that comes twice
    for one ply has new strikes, or another time left."""

    ply: int
    move: str | None
    seat: int | None
    mark: str | None
    ms: int | None
    reason: str | None
    scene: Scene | None
    text: str | None
    to_move: int
    clock_ms: int
    remaining_ms: int
    strikes: tuple[LiveStrike, ...]


class LiveOver(msgspec.Struct, frozen=True):
    """How the match ended: the data of an `over` event. `winner` is a seat or -1 (draw or void); `outcome` says it in
    a sentence, and `href` leads to the replay."""

    match: str
    winner: int
    termination: Termination
    reason: str | None
    outcome: str
    rated: bool
    plies: int
    href: str


class Course:
    """Follows a match from position to position. Ask for `news` whenever something may have happened."""

    def __init__(self, match: Match, *, last: int = 0) -> None:
        """The first news begin `last` positions before the one at which the match stands."""
        self._match = match
        self._position: Position = match.game.initial()
        self._before: Position | None = None
        self._ply: Ply | None = None
        self._strikes: list[LiveStrike] = []
        self._newest: LiveState | None = None
        plies = match.plies
        for ply in plies[: max(0, len(plies) - last)]:
            self._play(ply)

    def news(self, now: float) -> list[LiveState]:
        """Each position since the last time, or the last one once more where there are new strikes at it. The first
        time there is at least one. `now` is the time of the match's clock."""
        states = [] if self._newest is not None else [self._state()]
        for ply in self._match.plies[self._position.ply :]:
            self._play(ply)
            states.append(self._state())
        if not states and self._newest is not None:
            if len(self._newest.strikes) == len(self._strikes) + len(self._match.unplayed):
                return []
            states.append(self._newest)
        self._newest = self._at(states[-1], now)
        return [*states[:-1], self._newest]

    def current(self, now: float) -> LiveState:
        """The newest position of the news, with the time that is left at `now`. What the news have not told is not
        told here either."""
        newest = self._newest or self.news(now)[-1]
        return self._at(newest, now) if newest.ply == self._match.position.ply else newest

    def _play(self, ply: Ply) -> None:
        self._strikes += _struck(ply.strikes, self._position)
        self._before, self._position, self._ply = self._position, self._position.play(ply.move), ply

    def _state(self) -> LiveState:
        """The position before anything has happened at it: nobody is struck, the clock is full."""
        position, ply = self._position, self._ply
        seat = None if self._before is None else self._before.to_move
        drawn = scene(position, self._before)
        clock_ms = 0 if position.to_move == NOBODY else self._match.clock_ms(position.to_move)
        return LiveState(
            ply=position.ply,
            move=None if ply is None else inert(ply.move),
            seat=seat,
            mark=None if seat is None else MARKS[seat],
            ms=None if ply is None else ply.ms,
            reason=None if ply is None else _inert(ply.reason),
            scene=drawn,
            text=None if drawn is not None else "\n".join(map(inert, position.text().split("\n"))),
            to_move=position.to_move,
            clock_ms=clock_ms,
            remaining_ms=clock_ms,
            strikes=tuple(self._strikes),
        )

    def _at(self, state: LiveState, now: float) -> LiveState:
        """`state`, at which the match stands, with what has happened at it."""
        match = self._match
        return msgspec.structs.replace(
            state,
            to_move=NOBODY if match.finished is not None else state.to_move,
            remaining_ms=match.remaining_ms(now),
            strikes=(*self._strikes, *_struck(match.unplayed, self._position)),
        )


def live_over(match: FinishedMatch) -> LiveOver:
    """How a match ended."""
    return LiveOver(
        match=match.id,
        winner=match.winner,
        termination=match.termination,
        reason=match.reason,
        outcome=outcome(match),
        rated=match.rated,
        plies=len(match.plies),
        href=f"/m/{match.id}",
    )


def outcome(match: FinishedMatch) -> str:
    """How a match ended, in a sentence."""
    reason = "" if match.reason is None else inert(match.reason)
    if match.termination is Termination.SERVER:
        return f"{reason[:1].upper()}{reason[1:]}."
    if match.winner == NOBODY:
        return "A draw."
    said = f"{MARKS[match.winner]} {inert(match.players[match.winner].name)} wins"
    return f"{said} ({reason})." if reason else f"{said}."


def state_event(state: LiveState) -> bytes:
    """A `state` as it goes to readers."""
    return b"event: state\nid: %d\ndata: %b\n\n" % (state.ply, msgspec.json.encode(state))


def over_event(over: LiveOver) -> bytes:
    """The last event."""
    return b"event: over\ndata: %b\n\n" % msgspec.json.encode(over)


def _struck(strikes: Iterable[Strike], position: Position) -> tuple[LiveStrike, ...]:
    """The strikes at a position, which are of the seat that was to move."""
    return tuple(
        LiveStrike(
            seat=position.to_move,
            ply=position.ply,
            kind=inert(strike.kind),
            ms=strike.ms,
            offered=_inert(strike.offered),
            detail=_inert(strike.detail),
            reason=_inert(strike.reason),
        )
        for strike in strikes
    )


def _inert(text: str | None) -> str | None:
    return None if text is None else inert(text)
