"""A position as something to draw: a grid of cells with their marks. Pure.

The games of the house are known by their positions, and get labels, and their winning lines. A game of another package
is drawn wherever its observation has a `board` that is rows of short texts, or one list of as many as a square has.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final, Literal

import msgspec

from agentbbs.games import c4, ttt
from agentbbs.games.game import NOBODY, Position
from tty_agent.terminal.inert import inert

MAX_SIDE: Final = 26
"""A cell of a larger board would be too small to read; such a board is shown as text."""

MAX_MARK_CHARS: Final = 3
"""More does not fit a cell."""

EMPTY: Final = frozenset({"", " ", ".", "-", "_"})
"""How games write a cell with nothing in it."""

Style = Literal["grid", "discs"]
"""Marks in squares, or discs in a rack."""

_DIRECTIONS: Final = ((0, 1), (1, 0), (1, 1), (1, -1))


class Scene(msgspec.Struct, frozen=True):
    """A board, row by row from the top. Its texts are inert."""

    columns: int
    rows: int
    cells: tuple[str, ...]
    """What stands in each cell, as the game writes it; "" for nothing."""
    column_labels: tuple[str, ...] = ()
    """One a column, or none."""
    row_labels: tuple[str, ...] = ()
    """One a row, or none."""
    names: tuple[str, ...] = ()
    """What moves call each cell, or none."""
    fresh: tuple[int, ...] = ()
    """The cells that the last move changed."""
    won: tuple[int, ...] = ()
    """The cells that won the game, of games whose lines are known."""
    style: Style = "grid"


class _Look(msgspec.Struct, frozen=True):
    """What is known of a game of the house."""

    line: int
    """So many equal marks in a row win."""
    style: Style = "grid"
    column_labels: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


_LOOKS: Final[dict[type, _Look]] = {
    ttt.TicTacToePosition: _Look(3, names=ttt.TTT.initial().legal),
    c4.ConnectFourPosition: _Look(4, "discs", column_labels=c4.C4.initial().legal),
}


def scene(position: Position, before: Position | None = None) -> Scene | None:
    """How to draw `position`, and what changed since `before`. None where its board is no grid: show its `text()`."""
    found = _grid(position)
    if found is None:
        return None
    columns, cells = found
    earlier = None if before is None else _grid(before)
    fresh: tuple[int, ...] = ()
    if earlier is not None and earlier[0] == columns and len(earlier[1]) == len(cells):
        fresh = tuple(at for at, mark in enumerate(cells) if mark != earlier[1][at])
    rows = len(cells) // columns
    look = _LOOKS.get(type(position))
    if look is None:
        return Scene(columns, rows, cells, fresh=fresh)
    return Scene(
        columns,
        rows,
        cells,
        column_labels=look.column_labels,
        names=look.names,
        fresh=fresh,
        won=_won(position, columns, cells, look.line),
        style=look.style,
    )


def _grid(position: Position) -> tuple[int, tuple[str, ...]] | None:
    """The count of columns and the cells of a board, if it is a grid."""
    board = position.observation().get("board")
    if not isinstance(board, list | tuple) or not board:
        return None
    if all(isinstance(row, list | tuple) for row in board):
        columns = len(board[0])
        if any(len(row) != columns for row in board):
            return None
        flat: Sequence[object] = [cell for row in board for cell in row]
    else:
        columns = math.isqrt(len(board))
        if columns * columns != len(board):
            return None
        flat = board
    if not 1 <= columns <= MAX_SIDE or len(flat) > columns * MAX_SIDE:
        return None
    cells = tuple(_mark(cell) for cell in flat)
    return None if None in cells else (columns, tuple(cell or "" for cell in cells))


def _mark(cell: object) -> str | None:
    """What stands in a cell: "" for nothing, None if it is no mark."""
    if cell is None or (isinstance(cell, str) and cell in EMPTY):
        return ""
    mark = inert(cell) if isinstance(cell, str) else None
    return mark if mark is not None and len(mark) <= MAX_MARK_CHARS else None


def _won(position: Position, columns: int, cells: tuple[str, ...], line: int) -> tuple[int, ...]:
    """Every cell of every line of so many equal marks, once the game is won."""
    if position.outcome is None or position.outcome.winner == NOBODY:
        return ()
    lines = _lines(columns, len(cells) // columns, line)
    full = (found for found in lines if cells[found[0]] and len({cells[at] for at in found}) == 1)
    return tuple(sorted({at for found in full for at in found}))


def _lines(columns: int, rows: int, length: int) -> Iterator[list[int]]:
    for row in range(rows):
        for column in range(columns):
            for down, right in _DIRECTIONS:
                last_row, last_column = row + down * (length - 1), column + right * (length - 1)
                if last_row < rows and 0 <= last_column < columns:
                    yield [(row + down * step) * columns + column + right * step for step in range(length)]
