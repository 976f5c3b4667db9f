"""Alpha-beta search with iterative deepening and a transposition table, over any game.

It knows nothing but the contract of a game: a position without a result is worth 0 at the horizon, so
it plays for wins and against losses that it can see, and for the centre where it sees none. Source of the
search: Knuth and Moore, An Analysis of Alpha-Beta Pruning (1975), in its fail-soft form.
"""

from __future__ import annotations

import time
from enum import IntEnum
from functools import lru_cache
from typing import Final

import msgspec

from agentbbs.games.game import NOBODY, Position

_WIN: Final = 1_000_000
"""The value of a win at ply 0; each ply that it takes costs one, so that the quickest win is worth most."""

_DECIDED: Final = _WIN // 2
"""A value beyond this is a win or a loss that no deeper search takes back."""

_MAX_ENTRIES: Final = 200_000
"""Of the transposition table: about 50 MB, and as much as ten seconds of search fill."""

_MAX_DEPTH_PLIES: Final = 200
"""Two frames a ply stay well within Python's stack; only a game with hardly a choice is searched so deep."""

_TO_THE_END: Final = 1_000_000
"""The depth of a value below which nothing was cut off at the horizon: it holds for any depth."""


class _Bound(IntEnum):
    """What a stored value says of the true one."""

    EXACT = 0
    AT_LEAST = 1
    AT_MOST = 2


class _Entry(msgspec.Struct, frozen=True, gc=False):
    """What is known of a position from a search `depth` plies deep; `move` is the best, or the one that refuted."""

    depth: int
    value: int
    bound: _Bound
    move: str


class _OutOfTime(Exception):
    """The deadline passed in the middle of a search."""


def best(position: Position, moves: list[str], deadline: float) -> str:
    """The best of `moves`, the legal ones in the order in which to try them, by the deepest search until `deadline`.

    `deadline` is on the clock of time.monotonic. Of moves with equal values the first is taken; a win
    is taken on the quickest way, a loss on the slowest. After the deadline it returns the first move.
    """
    return _Search(position, moves, deadline).best()


class _Search:
    """One search; values are seen from the seat to move."""

    def __init__(self, position: Position, moves: list[str], deadline: float) -> None:
        self._position = position
        self._moves = moves
        self._deadline = deadline
        self._table: dict[str, _Entry] = {}
        self._cut_off = False
        """Whether the horizon cut off anything since this was last set to False."""

    def best(self) -> str:
        """The best move by the deepest search that the time allowed."""
        try:
            for depth in range(1, _MAX_DEPTH_PLIES + 1):
                self._cut_off = False
                value = self._deepen(depth)
                if not self._cut_off or abs(value) > _DECIDED:
                    break
        except _OutOfTime:
            pass  # the deepest search so far has put its best move in front
        return self._moves[0]

    def _deepen(self, depth: int) -> int:
        """Search `depth` plies, and put the best move in front as soon as it is found; its value."""
        best = -_WIN
        for move in list(self._moves):
            value = self._value_after(self._position, move, depth, best, _WIN)
            if value > best:
                best = value
                self._moves.remove(move)
                self._moves.insert(0, move)
        return best

    def _value_after(self, position: Position, move: str, depth: int, alpha: int, beta: int) -> int:
        """The value of a move for the seat that plays it."""
        after = position.play(move)
        outcome = after.outcome
        if outcome is not None:
            if outcome.winner == NOBODY:
                return 0
            return _WIN - after.ply if outcome.winner == position.to_move else after.ply - _WIN
        if after.to_move == position.to_move:
            return self._value(after, depth - 1, alpha, beta)
        return -self._value(after, depth - 1, -beta, -alpha)

    def _value(self, position: Position, depth: int, alpha: int, beta: int) -> int:
        """The value of a position that is not over, or a bound of it outside `alpha` to `beta`. Raises _OutOfTime."""
        if time.monotonic() >= self._deadline:
            raise _OutOfTime
        if depth == 0:
            self._cut_off = True
            return 0
        key = position.serialise()
        known = self._table.get(key)
        if known is not None and known.depth >= depth and _settles(known, alpha, beta):
            self._cut_off |= known.depth != _TO_THE_END
            return known.value
        cut_off_before, self._cut_off = self._cut_off, False
        best, best_move, low = -_WIN, "", alpha
        for move in _ordered(position.legal, known.move if known is not None else ""):
            value = self._value_after(position, move, depth, low, beta)
            if value > best:
                best, best_move = value, move
                low = max(low, value)
                if low >= beta:
                    break
        if len(self._table) < _MAX_ENTRIES or known is not None:
            bound = _Bound.AT_LEAST if best >= beta else _Bound.AT_MOST if best <= alpha else _Bound.EXACT
            self._table[key] = _Entry(depth if self._cut_off else _TO_THE_END, best, bound, best_move)
        self._cut_off |= cut_off_before
        return best


def _settles(known: _Entry, alpha: int, beta: int) -> bool:
    """Whether a stored value answers a search between `alpha` and `beta`."""
    if known.bound is _Bound.AT_LEAST:
        return known.value >= beta
    return known.bound is _Bound.EXACT or known.value <= alpha


@lru_cache(maxsize=4096)
def _ordered(legal: tuple[str, ...], first: str) -> tuple[str, ...]:
    """The moves in the order to try: the one that was best last time, then from the middle of the list outwards."""
    middle = (len(legal) - 1) / 2
    ranked = sorted(range(len(legal)), key=lambda place: (legal[place] != first, abs(place - middle)))
    return tuple(legal[place] for place in ranked)
