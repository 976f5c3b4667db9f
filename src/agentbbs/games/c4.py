"""Connect 4 on seven columns and six rows.

A move is a column, `0` to `6` from the left; the disc falls to the lowest free cell. Seat 0 is X and
moves first; four in a row, column or diagonal win, a full board without them is a draw. `board[row][column]`
is `X`, `O` or `.`; row 0 is the top.

Serialised form: the six rows from the top, the seat to move and the seat that moved last, each -1
where there is none: `......./......./......./......./......./...X... 1 0`. There is no other spelling.

A set of cells is an int: bit `8 * row + column`, row 0 at the bottom. The eighth bit of a row is
always clear, so that no line runs round the edge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from agentbbs.games.game import NOBODY, IllegalMove, MalformedPosition, Outcome

COLUMNS: Final = 7
ROWS: Final = 6
CELLS: Final = COLUMNS * ROWS
ROW_STEP: Final = 8
"""The distance in bits from a cell to the one above it."""

_TOP_ROW_SHIFT: Final = ROW_STEP * (ROWS - 1)
_SHORTEST_WIN_PLIES: Final = 7
_MARKS: Final = "XO"

_COLUMN: Final = {str(column): sum(1 << ROW_STEP * row + column for row in range(ROWS)) for column in range(COLUMNS)}
"""The cells of the column that a move names."""

_OPEN: Final = tuple(
    tuple(move for column, move in enumerate(_COLUMN) if not full >> column & 1) for full in range(1 << COLUMNS)
)
"""The moves that are left, by the cells that are taken in the top row."""

_WON: Final = (Outcome(0), Outcome(1))
_DRAWN: Final = Outcome(NOBODY)
_SERIALISED: Final = re.compile(r"([XO.]{7}(?:/[XO.]{7}){5}) (-1|0|1) (-1|0|1)")
_MAX_SHOWN_CHARS: Final = 60
"""How much of a malformed text an error repeats: enough to recognise it, and one line."""


class _Rows(dict[tuple[int, int], list[str]]):
    """The cells of a row by its X and O bits; filled as rows turn up, 2187 at most."""

    def __missing__(self, bits: tuple[int, int]) -> list[str]:
        x, o = bits
        row = ["X" if x >> column & 1 else "O" if o >> column & 1 else "." for column in range(COLUMNS)]
        self[bits] = row
        return row


_row: Final = _Rows().__getitem__


def has_four(discs: int) -> bool:
    """Whether a set of cells holds four in a line."""
    pairs = discs & discs >> 1
    if pairs & pairs >> 2:
        return True
    pairs = discs & discs >> 8
    if pairs & pairs >> 16:
        return True
    pairs = discs & discs >> 7
    if pairs & pairs >> 14:
        return True
    pairs = discs & discs >> 9
    return pairs & pairs >> 18 != 0


class ConnectFourPosition(msgspec.Struct, frozen=True, gc=False):
    """A position; made by `initial`, `play` and `restore` only, so that its fields agree.

    `x` and `o` are the discs of the two seats as sets of cells (see the module).
    """

    x: int
    o: int
    ply: int
    to_move: int
    legal: tuple[str, ...]
    outcome: Outcome | None

    def play(self, move: str) -> ConnectFourPosition:
        """The position after `move`. Raises IllegalMove if `move` is not in `legal`."""
        legal = self.legal
        if move not in legal:
            raise IllegalMove(move, legal)
        x, o, mover = self.x, self.o, self.to_move
        taken = x | o
        free = _COLUMN[move] & ~taken
        disc = free & -free
        if mover == 0:
            own = x = x | disc
        else:
            own = o = o | disc
        ply = self.ply + 1
        if ply >= _SHORTEST_WIN_PLIES and has_four(own):
            return ConnectFourPosition(x, o, ply, NOBODY, (), _WON[mover])
        if ply == CELLS:
            return ConnectFourPosition(x, o, ply, NOBODY, (), _DRAWN)
        return ConnectFourPosition(x, o, ply, 1 - mover, _OPEN[(taken | disc) >> _TOP_ROW_SHIFT], None)

    def observation(self) -> dict[str, Any]:
        """`{"board": six rows of seven cells, the top row first, "toMove": seat, "legal": moves}`."""
        rows = zip(self.x.to_bytes(ROWS, "big"), self.o.to_bytes(ROWS, "big"), strict=True)
        return {
            "board": list(map(list.copy, map(_row, rows))),
            "toMove": self.to_move,
            "legal": list(self.legal),
        }

    def text(self) -> str:
        """The board, the bottom row last, over the numbers of the columns."""
        rows = [" ".join(row) for row in self.observation()["board"]]
        return "\n".join([*rows, " ".join(_COLUMN)])

    def serialise(self) -> str:
        """The one-line form that the module describes."""
        rows = "/".join("".join(row) for row in self.observation()["board"])
        return f"{rows} {self.to_move} {(self.ply - 1) & 1 if self.ply else NOBODY}"


class ConnectFour:
    """The rules of Connect 4."""

    __slots__ = ()

    id: Final = "c4"
    title: Final = "Connect 4"
    aliases: Final = ("connect4", "connect-4", "connectfour", "connect-four", "four-in-a-row")
    version: Final = 1
    max_plies: Final = CELLS

    def initial(self) -> ConnectFourPosition:
        """The empty board, X to move."""
        return _INITIAL

    def restore(self, text: str) -> ConnectFourPosition:
        """The position that `serialise` wrote.

        Raises MalformedPosition for everything else: a wrong count of discs, one that floats, two
        winners, a disc that fell after the end, discs that no order of turns could have stacked, a wrong seat.
        """
        match = _SERIALISED.fullmatch(text)
        if match is None:
            raise MalformedPosition(
                f"not a position of c4, as {_INITIAL.serialise()!r} is: {text[:_MAX_SHOWN_CHARS]!r}"
            )
        position = _position(match[1].split("/"))
        if position.serialise() != text:
            raise MalformedPosition(f"wrong seats in {text!r}: that board is {position.serialise()!r}")
        return position


def _position(rows: list[str]) -> ConnectFourPosition:
    """The position with these rows, the top row first. Raises MalformedPosition if no game leads to it."""
    x, o = (
        sum(
            1 << ROW_STEP * height + column
            for height, row in enumerate(reversed(rows))
            for column in _places(row, mark)
        )
        for mark in _MARKS
    )
    taken = x | o
    if taken >> ROW_STEP & ~taken:
        raise MalformedPosition("a disc floats: below each disc there is another or the bottom")
    ply = taken.bit_count()
    if x.bit_count() != (ply + 1) // 2:
        raise MalformedPosition("X and O take turns and X begins: the counts of their discs are wrong")
    mover = (ply - 1) & 1
    last, other = (x, o) if mover == 0 else (o, x)
    if has_four(other):
        raise MalformedPosition(f"a disc fell after {_MARKS[1 - mover]} had won")
    won = has_four(last)
    if not _can_be_stacked(x, o, last):
        raise MalformedPosition("no order of turns stacks these discs, with no four before the last of them")
    if won:
        return ConnectFourPosition(x, o, ply, NOBODY, (), _WON[mover])
    if ply == CELLS:
        return ConnectFourPosition(x, o, ply, NOBODY, (), _DRAWN)
    return ConnectFourPosition(x, o, ply, ply & 1, _OPEN[taken >> _TOP_ROW_SHIFT], None)


def _places(row: str, mark: str) -> list[int]:
    return [column for column, disc in enumerate(row) if disc == mark]


def _can_be_stacked(x: int, o: int, last: int) -> bool:
    """Whether taking discs off the tops in turn empties the board, beginning with `last`, the discs of the last mover.

    If they hold a four, the first disc taken must break it; what is left holds none, so any order will do after that.
    """
    taken = x | o
    opened = [taken ^ disc for disc in _each(_tops(taken) & last) if not has_four(last ^ disc)] if taken else [0]
    seen = set(opened)
    while opened:
        taken = opened.pop()
        if not taken:
            return True
        for disc in _each(_tops(taken) & (x if taken.bit_count() & 1 else o)):
            fewer = taken ^ disc
            if fewer not in seen:
                seen.add(fewer)
                opened.append(fewer)
    return False


def _tops(taken: int) -> int:
    """The highest disc of each column."""
    return taken & ~(taken >> ROW_STEP)


def _each(cells: int) -> Iterator[int]:
    """The cells of a set, one by one, each as a set of its own."""
    while cells:
        cell = cells & -cells
        yield cell
        cells ^= cell


_INITIAL: Final = ConnectFourPosition(0, 0, 0, 0, _OPEN[0], None)

C4: Final = ConnectFour()
"""The one value of these rules."""
