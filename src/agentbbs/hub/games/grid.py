"""A cursor over the moves of a board. Pure.

A game that is known here has a grid whose places are its moves, by rows from the top left. For any other the legal
moves stand in one row.
"""

from __future__ import annotations

from typing import Final

import msgspec

from agentbbs.games.game import Position


class Grid(msgspec.Struct, frozen=True):
    """Places for the cursor: `move n` is in column `n % columns` of row `n // columns`."""

    columns: int
    rows: int


class Place(msgspec.Struct, frozen=True):
    """Where the cursor is, from the top left."""

    column: int
    row: int


GRIDS: Final = {"ttt": Grid(3, 3), "c4": Grid(7, 1)}
"""By the game's id: the cells of Tic-Tac-Toe, the columns of Connect 4."""

_STEPS: Final = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}


def grid(game: str, position: Position) -> Grid:
    """Where the cursor may be."""
    return GRIDS.get(game) or Grid(max(len(position.legal), 1), 1)


def middle(grid: Grid) -> Place:
    """Where a cursor begins."""
    return Place(grid.columns // 2, grid.rows // 2)


def stepped(place: Place, key: str, grid: Grid) -> Place:
    """Where a key leads; another key than the arrows, Home and End leads nowhere. The edges hold."""
    if key in {"home", "end"}:
        return Place(0 if key == "home" else grid.columns - 1, place.row)
    right, down = _STEPS.get(key, (0, 0))
    return Place(
        min(max(place.column + right, 0), grid.columns - 1),
        min(max(place.row + down, 0), grid.rows - 1),
    )


def move_at(game: str, position: Position, place: Place) -> str | None:
    """The move that a place stands for, legal or not; None if there is none."""
    known = GRIDS.get(game)
    if known is not None:
        return str(place.row * known.columns + place.column)
    return position.legal[place.column] if place.column < len(position.legal) else None
