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
_EVEN_ROWS: Final = _BOARD & ~_ODD_ROWS
"""Rows are counted from 1 at the bottom."""

_COLUMN: Final = sum(1 << ROW_STEP * row for row in range(ROWS))
_COLUMNS: Final = tuple(_COLUMN << column for column in (3, 2, 4, 1, 5, 0, 6))
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
"""Nodes between looks at the clock: about a millisecond."""

_EXACT: Final = 0
_AT_LEAST: Final = 1
_AT_MOST: Final = 2
"""What a stored value says of the true one."""

_KEY_MASK: Final = (1 << 48) - 1
"""A position's key is the discs of the player to move, shifted by 48, and those of the opponent."""


class _OutOfTime(Exception):
    """The deadline passed in the middle of a search."""


def best(position: ConnectFourPosition, moves: list[str], deadline: float) -> str:
    """The best of `moves`, the legal ones in the order in which to try them, by the deepest search until `deadline`.

    `deadline` is on the clock of time.monotonic. Whatever the time, it takes a four, blocks one, and
    fills no cell under one where it has another move. A win is taken on the quickest way, a loss on the slowest.
    """
    own, opponent = (position.x, position.o) if position.to_move == 0 else (position.o, position.x)
    free = drops(own | opponent)
    threats = winning_cells(opponent, own)
    wins = free & winning_cells(own, opponent)
    safe = _not_losing(free, threats)
    candidates = wins or safe or free & threats or free
    cells = [cell for move in moves if (cell := candidates & _COLUMN << int(move))]
    if wins or not safe or len(cells) == 1:
        return _column(cells[0])
    return _column(_Search(own, opponent, position.ply, cells, deadline).best())


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
        for place, cell in enumerate(list(self._candidates)):
            value = self._value_after(self._own, self._opponent, cell, self._ply, depth, best, _WIN, scout=place > 0)
            if value > best:
                best = value
                self._candidates.remove(cell)
                self._candidates.insert(0, cell)
        return best

    def _value_after(
        self, own: int, opponent: int, cell: int, ply: int, depth: int, alpha: int, beta: int, *, scout: bool
    ) -> int:
        """The value of a move for the player who makes it.

        A `scout` first asks only whether the move beats `alpha`, for which a window of one is enough.
        """
        own |= cell
        if scout and beta - alpha > 1:
            value = -self._value(opponent, own, ply + 1, depth - 1, -alpha - 1, -alpha)
            if not alpha < value < beta:
                return value
        return -self._value(opponent, own, ply + 1, depth - 1, -beta, -alpha)

    def _value(self, own: int, opponent: int, ply: int, depth: int, alpha: int, beta: int) -> int:
        """The value of a position in which the player to move can't win at once, or a bound of it outside
        `alpha` to `beta`. Raises _OutOfTime."""
        self._nodes += 1
        if self._nodes % _NODES_A_LOOK == 0 and time.monotonic() >= self._deadline:
            raise _OutOfTime
        threats = winning_cells(opponent, own)
        moves = _not_losing(drops(own | opponent), threats)
        if not moves:
            return ply + 2 - _WIN
        if ply >= CELLS - 2:
            return 0
        if moves & threats:
            depth += 1  # the one move that blocks
        elif depth == 0:
            return _worth(own, opponent, threats, ply)
        key = own << 48 | opponent
        known = self._table.get(key)
        if known is None:
            return self._branch(key, ply, depth, alpha, beta, moves, 0)
        if known[0] >= depth and _settles(known[1], known[2], alpha, beta):
            return known[1]
        return self._branch(key, ply, depth, alpha, beta, moves, known[3])

    def _branch(self, key: int, ply: int, depth: int, alpha: int, beta: int, moves: int, first: int) -> int:
        """The value of the position `key`, from that of each of `moves`, the cell `first` first; stored."""
        own, opponent = key >> 48, key & _KEY_MASK
        best, best_cell, low = -_WIN, 0, alpha
        for place, cell in enumerate(_in_order(moves, first)):
            value = self._value_after(own, opponent, cell, ply, depth, low, beta, scout=place > 0)
            if value > best:
                best, best_cell = value, cell
                low = max(low, value)
                if low >= beta:
                    break
        if len(self._table) < _MAX_ENTRIES or key in self._table:
            bound = _AT_LEAST if best >= beta else _AT_MOST if best <= alpha else _EXACT
            self._table[key] = (depth, best, bound, best_cell)
        return best


def _settles(value: int, bound: int, alpha: int, beta: int) -> bool:
    """Whether a stored value answers a search between `alpha` and `beta`."""
    if bound == _AT_LEAST:
        return value >= beta
    return bound == _EXACT or value <= alpha


def _in_order(moves: int, first: int) -> list[int]:
    """The cells of `moves`: the one that was best last time, then from the centre outwards."""
    cells = [cell for column in _COLUMNS if (cell := moves & column & ~first)]
    return [first, *cells] if first else cells


def _worth(own: int, opponent: int, threats: int, ply: int) -> int:
    """What a position at the horizon is worth to the player to move; `threats` are the opponent's winning cells."""
    wins = winning_cells(own, opponent)
    suits = _EVEN_ROWS if ply & 1 else _ODD_ROWS
    return (
        _THREAT * (wins.bit_count() + (wins & suits).bit_count())
        - _THREAT * (threats.bit_count() + (threats & ~suits).bit_count())
        + _CENTRE_DISC * ((own & _CENTRE).bit_count() - (opponent & _CENTRE).bit_count())
        + _INNER_DISC * ((own & _INNER).bit_count() - (opponent & _INNER).bit_count())
    )
