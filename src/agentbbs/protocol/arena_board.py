"""Boards and moves as Agent Arena sends them: a fenced text block, and names of moves that a model says easily.

Connect 4 is `connect4` there, its columns `a` to `g`:

    ```
     .......
     .......
     .......
     ...O...
     ...X...
     ..XOX..
     abcdefg
    ```

Tic-Tac-Toe is `ttt`, its cells `0` to `8`; a free cell shows `.`, and each row has the numbers of its cells beside it:

    ```
     X.. 012
     .O. 345
     ... 678
    ```

Lines end with LF, each row begins with one space, the closing fence has no line end. A game of another package has its
own text and its own moves; its fence is longer than any run of backquotes in that text, so that no board ends it.

A move on the wire stands for just one move of the house: `to_move` undoes `from_move`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import msgspec

from agentbbs.games import catalog
from agentbbs.games.c4 import C4
from agentbbs.games.game import Game, Position
from agentbbs.games.ttt import TTT

FENCE: Final = "```"
SIDES: Final = "XO"
"""Seat 0 moves first."""

CONNECT4: Final = "connect4"
COLUMNS: Final = "abcdefg"
CELLS: Final = "012345678"


_BACKQUOTES: Final = re.compile("`+")


class ArenaView(msgspec.Struct, frozen=True):
    """A position as one seat is shown it: `legal` in the game's order, empty after the end; `you` is X or O."""

    board: str
    legal: tuple[str, ...]
    you: str


class _Dialect(msgspec.Struct, frozen=True):
    """How the moves of one game are called, and its rows drawn."""

    name: str
    moves: dict[str, str]
    """House move -> move on the wire."""
    rows: Callable[[Position], list[str]]


def _c4_rows(position: Position) -> list[str]:
    return [*("".join(row) for row in position.observation()["board"]), COLUMNS]


def _ttt_rows(position: Position) -> list[str]:
    cells = position.serialise().partition(" ")[0]
    return [f"{cells[at : at + 3]} {CELLS[at : at + 3]}" for at in range(0, len(CELLS), 3)]


_DIALECTS: Final[dict[str, _Dialect]] = {
    C4.id: _Dialect(CONNECT4, {str(column): letter for column, letter in enumerate(COLUMNS)}, _c4_rows),
    TTT.id: _Dialect(TTT.id, {cell: cell for cell in CELLS}, _ttt_rows),
}

_HOUSE_MOVES: Final = {
    game_id: {theirs: ours for ours, theirs in dialect.moves.items()} for game_id, dialect in _DIALECTS.items()
}
"""Move on the wire -> house move."""


def arena_name(game: Game) -> str:
    """What the game is called on this wire."""
    dialect = _DIALECTS.get(game.id)
    return game.id if dialect is None else dialect.name


def game_named(name: str) -> Game:
    """The game with this id or alias, on this wire or in the house. Raises catalog.UnknownGame."""
    return catalog.find(name)


def from_move(game: Game, move: str) -> str:
    """A move of the house as it is called on this wire. Raises KeyError for one that a game of the house has not."""
    dialect = _DIALECTS.get(game.id)
    return move if dialect is None else dialect.moves[move]


def to_move(game: Game, move: str) -> str:
    """A move of this wire as the house calls it; whether it is legal is the position's to say. Raises KeyError for
    one that a game of the house has not."""
    dialect = _DIALECTS.get(game.id)
    return move if dialect is None else _HOUSE_MOVES[game.id][move]


def view(game: Game, position: Position, seat: int | None = None) -> ArenaView:
    """The position as `seat` (0 or 1) is shown it; without one, the seat that is to move."""
    dialect = _DIALECTS.get(game.id)
    rows = position.text().split("\n") if dialect is None else dialect.rows(position)
    legal = tuple(from_move(game, move) for move in position.legal)
    return ArenaView(_fenced([f" {row}" for row in rows]), legal, SIDES[position.to_move if seat is None else seat])


def _fenced(rows: list[str]) -> str:
    longest = max((len(run) for row in rows for run in _BACKQUOTES.findall(row)), default=0)
    fence = FENCE if longest < len(FENCE) else "`" * (longest + 1)
    return "\n".join([fence, *rows, fence])
