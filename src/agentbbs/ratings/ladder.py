"""Ladders as a fold over finished matches, in the order in which they were committed.

The writer applies `after_match` to each match as it comes; `Fold` applies it to all of them again. Both do
the same operations on the same floats in the same order, so what was stored and what is recomputed are
equal bit for bit (on machines whose C library computes the same powers of ten).

What a record is, is the caller's: any immutable value with the fields of `Record`, in that order.
"""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

from agentbbs.ratings import elo


class Record(Protocol):
    """An account on one ladder. `firsts` counts the rated matches in which it moved first."""

    def __init__(self, rating: float, played: int, wins: int, draws: int, losses: int, firsts: int) -> None: ...

    @property
    def rating(self) -> float: ...
    @property
    def played(self) -> int: ...
    @property
    def wins(self) -> int: ...
    @property
    def draws(self) -> int: ...
    @property
    def losses(self) -> int: ...
    @property
    def firsts(self) -> int: ...


R = TypeVar("R", bound=Record)


def after_match(first: R, second: R, winner: int) -> tuple[R, R]:
    """Both records after one rated match: `winner` is the seat that won (0 moved first), -1 for a draw."""
    won, lost = winner == 0, winner == 1
    drawn = not (won or lost)
    make = type(first)
    rating, other = elo.updated(first.rating, second.rating, 1.0 if won else 0.0 if lost else 0.5)
    return (
        make(rating, first.played + 1, first.wins + won, first.draws + drawn, first.losses + lost, first.firsts + 1),
        make(other, second.played + 1, second.wins + lost, second.draws + drawn, second.losses + won, second.firsts),
    )


class Fold(Generic[R]):
    """All ladders, computed from the log: give it every match in order, then read `records`.

    `new` is the record of an account that has played no rated match of a game.
    """

    def __init__(self, new: R) -> None:
        self._new = new
        self.records: dict[tuple[str, int], R] = {}
        """By game and account; accounts without a rated match are not in it."""

    def of(self, game: str, account: int) -> R:
        """The record as it stands."""
        return self.records.get((game, account), self._new)

    def apply(self, game: str, first: int, second: int, winner: int) -> tuple[R, R]:
        """Take in the next rated match between two accounts; returns both records after it. Raises ValueError
        if the accounts are one."""
        if first == second:
            raise ValueError(f"a rated match needs two accounts, not {first} twice")
        after = after_match(self.of(game, first), self.of(game, second), winner)
        self.records[game, first], self.records[game, second] = after
        return after
