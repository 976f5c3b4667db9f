"""Tic-Tac-Toe on three by three cells.

A move is a cell, `0` to `8`, row by row from the top left. Seat 0 is X and moves first; three in a
row, column or diagonal wins, a full board without one is a draw. `board[cell]` is `X`, `O` or `.`.

Serialised form: the nine cells, the seat to move and the seat that moved last, each -1 where there
is none: `X...O.... 0 1`. There is no other spelling of a position.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from agentbbs.games.game import NOBODY, IllegalMove, MalformedPosition, Outcome

_CELLS: Final = 9
_MARKS: Final = "XO"
_LINES: Final = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)
"""The eight lines as sets of cells; bit n is cell n."""

_MOVES: Final = tuple(map(str, range(_CELLS)))
_WON: Final = (Outcome(0), Outcome(1))
_DRAWN: Final = Outcome(NOBODY)
_SERIALISED: Final = re.compile(r"([XO.]{9}) (-1|0|1) (-1|0|1)")
_MAX_SHOWN_CHARS: Final = 40
"""How much of a malformed text an error repeats: enough to recognise it, and one line."""


class TicTacToePosition(msgspec.Struct, frozen=True, gc=False):
    """A position; made by `initial`, `play` and `restore` only, so that its fields agree.

    `cells` is the board, one of `X`, `O`, `.` a cell.
    """

    cells: str
    ply: int
    to_move: int
    legal: tuple[str, ...]
    outcome: Outcome | None

    def play(self, move: str) -> TicTacToePosition:
        """The position after `move`. Raises IllegalMove if `move` is not in `legal`."""
        after = _AFTER.get((self.cells, move))
        return _first_time(self, move) if after is None else after

    def observation(self) -> dict[str, Any]:
        """`{"board": nine cells, "toMove": seat, "legal": moves}`."""
        return {"board": list(self.cells), "toMove": self.to_move, "legal": list(self.legal)}

    def text(self) -> str:
        """The board, an empty cell shown as its move."""
        shown = [move if mark == "." else mark for move, mark in zip(_MOVES, self.cells, strict=True)]
        return "\n---+---+---\n".join(f" {' | '.join(shown[row : row + 3])}" for row in (0, 3, 6))

    def serialise(self) -> str:
        """The one-line form that the module describes."""
        return f"{self.cells} {self.to_move} {(self.ply - 1) & 1 if self.ply else NOBODY}"


_AFTER: Final[dict[tuple[str, str], TicTacToePosition]] = {}
"""What each move leads to, by the cells and the move. Filled as positions turn up, at most 16167 entries:
a match then costs a look-up a move."""


def _first_time(position: TicTacToePosition, move: str) -> TicTacToePosition:
    """Play a move that nobody has played yet from these cells."""
    if move not in position.legal:
        raise IllegalMove(move, position.legal)
    cells, cell = position.cells, int(move)
    after = _position(cells[:cell] + _MARKS[position.to_move] + cells[cell + 1 :])
    _AFTER[cells, move] = after
    return after


class TicTacToe:
    """The rules of Tic-Tac-Toe."""

    __slots__ = ()

    id: Final = "ttt"
    title: Final = "Tic-Tac-Toe"
    aliases: Final = ("tictactoe", "tic-tac-toe", "noughts-and-crosses")
    version: Final = 1
    max_plies: Final = _CELLS

    def initial(self) -> TicTacToePosition:
        """The empty board, X to move."""
        return _INITIAL

    def restore(self, text: str) -> TicTacToePosition:
        """The position that `serialise` wrote.

        Raises MalformedPosition for everything else: a wrong count of marks, two winners, a mark
        that was set after the end, a wrong seat.
        """
        match = _SERIALISED.fullmatch(text)
        if match is None:
            raise MalformedPosition(
                f"not a position of ttt, as {_INITIAL.serialise()!r} is: {text[:_MAX_SHOWN_CHARS]!r}"
            )
        position = _position(match[1])
        if position.serialise() != text:
            raise MalformedPosition(f"wrong seats in {text!r}: that board is {position.serialise()!r}")
        return position


def _position(cells: str) -> TicTacToePosition:
    """The position with these cells. Raises MalformedPosition if no game leads to it."""
    x, o = (sum(1 << cell for cell, mark in enumerate(cells) if mark == side) for side in _MARKS)
    ply = (x | o).bit_count()
    if x.bit_count() != (ply + 1) // 2:
        raise MalformedPosition(f"X and O take turns and X begins, so {cells!r} has a wrong count of marks")
    mover = (ply - 1) & 1
    last, other = (x, o) if mover == 0 else (o, x)
    if _has_line(other):
        raise MalformedPosition(f"{cells!r} went on after {_MARKS[1 - mover]} had won")
    # Five marks can't hold two lines without a common cell, so one move can always have made all of them.
    if _has_line(last):
        return TicTacToePosition(cells, ply, NOBODY, (), _WON[mover])
    if ply == _CELLS:
        return TicTacToePosition(cells, ply, NOBODY, (), _DRAWN)
    legal = tuple(move for move, mark in zip(_MOVES, cells, strict=True) if mark == ".")
    return TicTacToePosition(cells, ply, ply & 1, legal, None)


def _has_line(marks: int) -> bool:
    return any(marks & line == line for line in _LINES)


_INITIAL: Final = _position("." * _CELLS)

TTT: Final = TicTacToe()
"""The one value of these rules."""
