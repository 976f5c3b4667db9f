"""A finished match, position by position, for pages, scripts and the API: one value for all of them.

It names nobody: what it says of a match never changes, whatever becomes of an account, so anybody may keep it for
ever. Its texts are inert.
"""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from agentbbs.games.game import NOBODY, Position
from agentbbs.play import replay
from agentbbs.play.frames import MARKS
from agentbbs.play.replay import SavedMatch, SavedStrike
from agentbbs.play.scene import Scene, Style, scene
from agentbbs.protocol.agentgames import Termination
from tty_agent.terminal.inert import inert

VERSION: Final = 1
"""Raised with every change of the fields or of what they say: part of the address under which browsers keep frames."""

MAX_FRAMES: Final = 1_000
"""More are not sent at once: a match of 10,000 plies on a large board would be 10 MB."""

_Seat = Annotated[int, Meta(ge=NOBODY, le=1)]


class _Part(msgspec.Struct, frozen=True, omit_defaults=True):
    """One object of the answer."""


class FrameStrike(_Part, frozen=True, kw_only=True):
    """One failed answer, and whose it was."""

    seat: _Seat
    """-1 where the rules that would tell are not installed."""
    mark: str = ""
    kind: str
    """As in the strike table, such as `timeout`."""
    ms: int
    """The time that it took."""
    offered: str | None = None
    """The move that was offered, if there was one."""
    detail: str | None = None
    """What was wrong with it."""
    reason: str | None = None
    """What the agent said with it."""
    asked_ms: int | None = None
    """When the request went out, in ms since the match began."""


class ReplayFrame(_Part, frozen=True, kw_only=True):
    """The position after `ply` moves, and how it came about. Frame 0 has no move."""

    ply: int
    said: str
    """How it came about in a sentence; that of the last frame says how the match ended, too."""
    seat: _Seat = NOBODY
    """Who moved."""
    mark: str = ""
    """X or O, of the seat that moved."""
    move: str | None = None
    ms: int = 0
    """The time of the move on its seat's clock."""
    left_ms: int | None = None
    """What was left on that clock."""
    reason: str | None = None
    """What the agent said with its move."""
    asked_ms: int | None = None
    """When the request went out, in ms since the match began."""
    strikes: tuple[FrameStrike, ...] = ()
    """The failed answers before the move, in their order."""
    to_move: _Seat = NOBODY
    cells: tuple[str, ...] = ()
    """The board, row by row from the top; "" for nothing."""
    fresh: tuple[int, ...] = ()
    """The cells that the move changed."""
    won: tuple[int, ...] = ()
    """The cells that won the game."""
    text: str | None = None
    """The board as text, where it is no grid."""


class BoardShape(_Part, frozen=True, kw_only=True):
    """What is the same in every frame's board."""

    columns: int
    rows: int
    column_labels: tuple[str, ...] = ()
    row_labels: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """What moves call each cell."""
    style: Style = "grid"


class RatingChange(_Part, frozen=True, kw_only=True):
    """What the match did to a seat's rating."""

    before: float
    after: float


class ReplayEnd(_Part, frozen=True, kw_only=True):
    """How the match ended."""

    winner: _Seat
    termination: str
    reason: str | None
    said: str
    """In a sentence."""
    strikes: tuple[FrameStrike, ...] = ()
    """The failed answers after the last move."""
    ratings: tuple[RatingChange | None, RatingChange | None] = (None, None)
    """One a seat; null for a house bot."""


class ReplayFrames(_Part, frozen=True, kw_only=True):
    """The frames of a match."""

    match: str
    game: str
    plies: int
    """The number of moves: that of the last frame there is."""
    board: BoardShape | None = None
    """Null where boards are texts, or can't be shown."""
    undrawn: str | None = None
    """Why no frame has a board, if so: the rules of that match are not installed here, or don't allow its moves."""
    frames: tuple[ReplayFrame, ...]
    end: ReplayEnd

    def scene(self, frame: ReplayFrame) -> Scene | None:
        """How to draw a frame."""
        shape = self.board
        if shape is None or not frame.cells:
            return None
        return Scene(
            shape.columns,
            shape.rows,
            frame.cells,
            column_labels=shape.column_labels,
            row_labels=shape.row_labels,
            names=shape.names,
            fresh=frame.fresh,
            won=frame.won,
            style=shape.style,
        )


def replay_frames(saved: SavedMatch, *, frames: range | None = None, drawn: range | None = None) -> ReplayFrames:
    """The positions of a match: those of `frames` (all of them if None), with boards for those of `drawn` (all if
    None). Numbers that the match has not are left out."""
    every = range(len(saved.plies) + 1)
    wanted = [at for at in every if frames is None or at in frames]
    try:
        positions: tuple[Position, ...] = replay.positions(saved)
        undrawn = None
    except replay.NotAReplay as fault:
        positions, undrawn = (), inert(str(fault))
    scenes: dict[int, Scene | None] = {
        at: scene(positions[at], positions[at - 1] if at else None)
        for at in wanted
        if positions and (drawn is None or at in drawn)
    }
    shape = _shape(scenes)
    end = _end(saved, positions)
    return ReplayFrames(
        match=saved.match,
        game=inert(saved.game),
        plies=len(saved.plies),
        board=shape,
        undrawn=undrawn,
        frames=tuple(_with_board(_frame(saved, at, positions, end), at, positions, scenes, shape) for at in wanted),
        end=end,
    )


def _shape(scenes: dict[int, Scene | None]) -> BoardShape | None:
    """The shape that all the scenes have; None if any has another, or none."""
    shapes = {
        None if one is None else (one.columns, one.rows, one.column_labels, one.row_labels, one.names, one.style)
        for one in scenes.values()
    }
    found = shapes.pop() if len(shapes) == 1 else None
    if found is None:
        return None
    columns, rows, column_labels, row_labels, names, style = found
    return BoardShape(
        columns=columns, rows=rows, column_labels=column_labels, row_labels=row_labels, names=names, style=style
    )


def _with_board(
    frame: ReplayFrame,
    at: int,
    positions: tuple[Position, ...],
    scenes: dict[int, Scene | None],
    shape: BoardShape | None,
) -> ReplayFrame:
    if at not in scenes:
        return frame
    board = scenes[at]
    if board is None or shape is None:
        text = "\n".join(inert(line) for line in positions[at].text().split("\n"))
        return msgspec.structs.replace(frame, text=text)
    return msgspec.structs.replace(frame, cells=board.cells, fresh=board.fresh, won=board.won)


def _frame(saved: SavedMatch, at: int, positions: tuple[Position, ...], end: ReplayEnd) -> ReplayFrame:
    """A frame but for its board."""
    last = len(saved.plies)
    to_move = positions[at].to_move if positions else saved.plies[at].player if at < last else NOBODY
    finish = f" {end.said}" if at == last else ""
    if at == 0:
        begins = f"The start: {MARKS[to_move]} is to move." if last else f"No move was played.{finish}"
        return ReplayFrame(ply=0, said=begins, to_move=to_move)
    ply = saved.plies[at - 1]
    mark, move = MARKS[ply.player], inert(ply.move)
    return ReplayFrame(
        ply=at,
        said=f"Ply {at} of {last}: {mark} played {move} after {_time(ply.ms)}.{finish}",
        seat=ply.player,
        mark=mark,
        move=move,
        ms=ply.ms,
        left_ms=max(replay.clocks(saved)[ply.player] - ply.ms, 0),
        reason=_inert(ply.reason),
        asked_ms=ply.asked_ms,
        strikes=_strikes(ply.player, ply.strikes),
        to_move=to_move,
    )


def how_it_ended(saved: SavedMatch, *, named: bool = False) -> str:
    """The end in a sentence; with the name of the winner, too, if `named`."""
    outcome = saved.outcome
    if outcome.winner != NOBODY:
        name = f" {inert(saved.players[outcome.winner].name)}" if named else ""
        said = f"{MARKS[outcome.winner]}{name} wins"
    else:
        said = "The match is void" if outcome.termination is Termination.SERVER else "A draw"
    return f"{said}." if outcome.reason is None else f"{said} ({inert(outcome.reason)})."


def _end(saved: SavedMatch, positions: tuple[Position, ...]) -> ReplayEnd:
    outcome = saved.outcome
    first, second = (
        None
        if player.rating_before is None or player.rating_after is None
        else RatingChange(before=player.rating_before, after=player.rating_after)
        for player in saved.players
    )
    return ReplayEnd(
        winner=outcome.winner,
        termination=outcome.termination.value,
        reason=_inert(outcome.reason),
        said=how_it_ended(saved),
        strikes=_strikes(positions[-1].to_move if positions else NOBODY, saved.unplayed),
        ratings=(first, second),
    )


def _strikes(seat: int, strikes: tuple[SavedStrike, ...]) -> tuple[FrameStrike, ...]:
    mark = "" if seat == NOBODY else MARKS[seat]
    return tuple(
        FrameStrike(
            seat=seat,
            mark=mark,
            kind=inert(strike.kind),
            ms=strike.ms,
            offered=_inert(strike.offered),
            detail=_inert(strike.detail),
            reason=_inert(strike.reason),
            asked_ms=strike.asked_ms,
        )
        for strike in strikes
    )


def _time(ms: int) -> str:
    return f"{ms} ms" if ms < 1000 else f"{ms / 1000:.1f} s"


def _inert(text: str | None) -> str | None:
    return None if text is None else inert(text)
