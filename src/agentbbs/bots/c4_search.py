"""Connect 4 on sets of cells: negamax with a transposition table, deepened until the time is up.

Sets of cells are those of `games.c4`. The search never looks at a move that loses at once where
there is another: a node's moves are cut down to the one that blocks a four, and never fill the cell
under one that the opponent would complete. So it sees three plies beyond its depth, and a line of
forced moves costs no depth. Threats that nobody can take yet are what it values at its horizon: an
odd row suits the first player, who gets the last odd cell of a column when all else is filled, an even
row the second. Source of both ideas: V. Allis, A Knowledge-based Approach of Connect-Four (1988).
"""

from __future__ import annotations

import time
from typing import Final

from agentbbs.games.c4 import CELLS, COLUMNS, ROW_STEP, ROWS, ConnectFourPosition

_ROW: Final = (1 << COLUMNS) - 1
_BOARD: Final = sum(_ROW << ROW_STEP * row for row in range(ROWS))
_ODD_ROWS: Final = sum(_ROW << ROW_STEP * row for row in range(0, ROWS, 2))
_COLUMN: Final = sum(1 << ROW_STEP * row for row in range(ROWS))
_CENTRE: Final = _COLUMN << 3
_INNER: Final = _COLUMN << 2 | _COLUMN << 4

_WIN: Final = 10_000
"""The value of a four at ply 0; each ply that it takes costs one, so that the quickest win is worth most."""

_DECIDED: Final = _WIN - CELLS - 1
"""A value beyond this is a win or a loss that no deeper search takes back."""

_THREAT: Final = 16
"""Worth of a cell that would complete a four, with as much again where its row suits the player."""

_CENTRE_DISC: Final = 6
_INNER_DISC: Final = 3
"""Worth of a disc in the middle column and in those beside it, through which most lines run."""

_MAX_ENTRIES: Final = 400_000
"""Of the transposition table: about 80 MB, and more than ten seconds of search fill."""

_NODES_A_LOOK: Final = 128
"""Nodes between looks at the clock: under a millisecond."""

_EXACT, _AT_LEAST, _AT_MOST = range(3)


class _OutOfTime(Exception):
    """The deadline passed in the middle of a search."""


def best(position: ConnectFourPosition, moves: list[str], deadline: float) -> str:
    """The best of `moves`, the legal ones in the order in which to try them, by the deepest search until `deadline`.

    `deadline` is on the clock of time.monotonic. Whatever the time, it takes a four, blocks one, and
    fills no cell under one where it has another move. A win is taken on the quickest way, a loss on the slowest.
    """
    own, opponent = (position.x, position.o) if position.to_move == 0 else (position.o, position.x)
    free = drops(own | opponent)
    cells = [free & _COLUMN << int(move) for move in moves]
    wins = free & winning_cells(own, opponent)
    if wins:
        return _column(wins & -wins)
    blocks = free & winning_cells(opponent, own)
    safe = _not_losing(free, winning_cells(opponent, own))
    candidates = [cell for cell in cells if cell & (safe or blocks or free)]
    if len(candidates) == 1:
        return _column(candidates[0])
    return _column(_Search(own, opponent, position.ply, candidates, deadline).best())


def drops(taken: int) -> int:
    """The cells to which a disc can fall."""
    return (taken << ROW_STEP | _ROW) & ~taken & _BOARD


def winning_cells(discs: int, others: int) -> int:
    """The empty cells that would complete a four of `discs`, whether or not a disc can fall there yet."""
    cells = discs << 8 & discs << 16 & discs << 24
    for step in (1, 7, 9):
        twice = step * 2
        thrice = step * 3
        up = discs << step
        down = discs >> step
        pair = up & discs << twice
        cells |= pair & (discs << thrice | down)
        pair = down & discs >> twice
        cells |= pair & (discs >> thrice | up)
    return cells & _BOARD & ~(discs | others)


def _not_losing(free: int, threats: int) -> int:
    """Those of the `free` cells after which no cell of `threats`, the opponent's fours, can be taken; 0 if none."""
    forced = free & threats
    if forced:
        if forced & forced - 1:
            return 0
        free = forced
    return free & ~(threats >> ROW_STEP)


def _column(cell: int) -> str:
    return str((cell.bit_length() - 1) % ROW_STEP)


class _Search:
    """One search; values are seen from the player to move."""

    def __init__(self, own: int, opponent: int, ply: int, candidates: list[int], deadline: float) -> None:
        self._own = own
        self._opponent = opponent
        self._ply = ply
        self._candidates = candidates
        self._deadline = deadline
        self._table: dict[int, tuple[int, int, int, int]] = {}
        self._nodes = 0

    def best(self) -> int:
        """The best cell by the deepest search that the time allowed."""
        if time.monotonic() >= self._deadline:
            return self._candidates[0]
        try:
            for depth in range(1, CELLS - self._ply + 1):
                value = self._deepen(depth)
                # A win within depth + 2 plies is the quickest; a longer one came of forced moves, and may not be.
                if abs(value) > _DECIDED and _WIN - abs(value) <= self._ply + depth + 2:
                    break
        except _OutOfTime:
            pass  # the deepest search so far has put its best cell in front
        return self._candidates[0]

    def _deepen(self, depth: int) -> int:
        """Search `depth` plies, and put the best cell in front as soon as it is found; its value."""
        best = -_WIN
        for cell in list(self._candidates):
            value = -self._value(self._opponent, self._own | cell, self._ply + 1, depth - 1, -_WIN, -best)
            if value > best:
                best = value
                self._candidates.remove(cell)
                self._candidates.insert(0, cell)
        return best

    def _value(self, own: int, opponent: int, ply: int, depth: int, alpha: int, beta: int) -> int:
        """The value of a position in which the player to move has no four at once, or a bound of it outside
        `alpha` to `beta`. Raises _OutOfTime."""
        self._nodes += 1
        if self._nodes % _NODES_A_LOOK == 0 and time.monotonic() >= self._deadline:
            raise _OutOfTime
        threats = winning_cells(opponent, own)
        free = drops(own | opponent)
        moves = _not_losing(free, threats)
        if not moves:
            return ply + 2 - _WIN
        if ply >= CELLS - 2:
            return 0
        if not moves & threats:
            if depth == 0:
                return _worth(own, opponent, threats, ply)
            depth -= 1
        key = own << 48 | opponent
        known = self._table.get(key)
        first = 0
        if known is not None:
            known_depth, value, bound, first = known
            if known_depth > depth and (
                bound == _EXACT or (bound == _AT_LEAST and value >= beta) or (bound == _AT_MOST and value <= alpha)
            ):
                return value
        return self._branch(own, opponent, ply, depth, alpha, beta, key, _ordered(moves, first))

    def _branch(self, own, opponent, ply, depth, alpha, beta, key, moves) -> int:
        best, best_cell, low = -_WIN, 0, alpha
        for cell in moves:
            value = -self._value(opponent, own | cell, ply + 1, depth, -beta, -low)
            if value > best:
                best, best_cell = value, cell
                if value > low:
                    low = value
                    if value >= beta:
                        break
        if len(self._table) < _MAX_ENTRIES:
            bound = _AT_LEAST if best >= beta else _AT_MOST if best <= alpha else _EXACT
            self._table[key] = (depth + 1, best, bound, best_cell)
        return best


_COLUMNS = tuple(_COLUMN << c for c in (3, 2, 4, 1, 5, 0, 6))


def _ordered(moves, first):
    out = [first] if first else []
    moves &= ~first
    for column in _COLUMNS:
        cell = moves & column
        if cell:
            out.append(cell)
    return out


def _worth(own, opponent, threats, ply):
    mine = winning_cells(own, opponent)
    suits = _ODD_ROWS if ply & 1 == 0 else ~_ODD_ROWS
    return (
        _THREAT * (mine.bit_count() + (mine & suits).bit_count() - threats.bit_count() - (threats & ~suits).bit_count())
        + _CENTRE_DISC * ((own & _CENTRE).bit_count() - (opponent & _CENTRE).bit_count())
        + _INNER_DISC * ((own & _INNER).bit_count() - (opponent & _INNER).bit_count())
    )
