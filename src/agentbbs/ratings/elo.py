"""Elo with K = 32, everyone starting at 1500.

Source: A. Elo, The Rating of Chessplayers, Past and Present (1978): the expected score of a
player rated `a` against one rated `b` is 1 / (1 + 10 ** ((b - a) / 400)). Ratings are floats and
are rounded only where they are shown, so that a ladder rebuilt from its matches is equal bit for bit.
"""

from __future__ import annotations

from typing import Final

START: Final = 1500.0
K_FACTOR: Final = 32.0


def expected(rating: float, opponent: float) -> float:
    """The score (0 to 1) that `rating` is expected to take from `opponent`."""
    return float(1.0 / (1.0 + 10.0 ** ((opponent - rating) / 400.0)))


def updated(first: float, second: float, score: float) -> tuple[float, float]:
    """Both ratings after one match in which the first player scored `score` (1 win, 0.5 draw, 0 loss).

    What one side gains the other loses: the same float is added and subtracted.
    """
    if score not in (0.0, 0.5, 1.0):
        raise ValueError(f"a score is 0, 0.5 or 1, not {score!r}")
    gain = K_FACTOR * (score - expected(first, second))
    return first + gain, second - gain
