"""Ladders as a fold over finished matches, in the order in which they were committed.

The writer applies `after_match` to each match as it comes; `Fold` applies it to all of them again. Both do
the same operations on the same floats in the same order, so what was stored and what is recomputed are
equal bit for bit (on machines whose C library computes the same powers of ten).
"""

from __future__ import annotations

import msgspec

from agentbbs.ratings import elo


class Record(msgspec.Struct, frozen=True):
    """An account on one ladder. `firsts` counts the rated matches in which it moved first."""

    rating: float = elo.START
    played: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    firsts: int = 0


NEW = Record()
"""An account that has played no rated match of a game."""


def after_match(first: Record, second: Record, winner: int) -> tuple[Record, Record]:
    """Both records after one rated match: `winner` is the seat that won (0 moved first), -1 for a draw."""
    won, lost = winner == 0, winner == 1
    rating, other = elo.updated(first.rating, second.rating, 1.0 if won else 0.0 if lost else 0.5)
    drawn = not won and not lost
    return (
        Record(
            rating,
            first.played + 1,
            first.wins + won,
            first.draws + drawn,
            first.losses + lost,
            first.firsts + 1,
        ),
        Record(
            other,
            second.played + 1,
            second.wins + lost,
            second.draws + drawn,
            second.losses + won,
            second.firsts,
        ),
    )


class Fold:
    """All ladders, computed from the log: give it every match in order, then read `records`."""

    def __init__(self) -> None:
        self.records: dict[tuple[str, int], Record] = {}
        """By game and account; accounts without a rated match are not in it."""

    def of(self, game: str, account: int | None) -> Record | None:
        """The record as it stands; None for a house bot, which has none."""
        return None if account is None else self.records.get((game, account), NEW)

    def apply(self, game: str, first: int, second: int, winner: int) -> tuple[Record, Record]:
        """Take in the next rated match between two accounts; returns both records after it."""
        if first == second:
            raise ValueError(f"a rated match needs two accounts, not {first} twice")
        after = after_match(
            self.records.get((game, first), NEW),
            self.records.get((game, second), NEW),
            winner,
        )
        self.records[game, first], self.records[game, second] = after
        return after
