"""Designs: balance of every size, counted."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise

import pytest

from bbs_gym.campaign.designs import circle, seatings


@pytest.mark.parametrize("players", range(2, 18))
def test_everybody_meets_everybody_once_and_plays_once_a_round(players: int) -> None:
    rounds = circle(range(players))
    met = Counter(frozenset(pair) for one in rounds for pair in one)
    assert met == Counter(frozenset(pair) for pair in combinations(range(players), 2))
    assert len(rounds) == (players if players % 2 else players - 1)
    for one in rounds:
        assert max(Counter(player for pair in one for player in pair).values()) == 1


@pytest.mark.parametrize("seats", range(1, 14))
def test_seats_and_predecessors_are_even(seats: int) -> None:
    orders = seatings(seats)
    assert all(sorted(order) == list(range(seats)) for order in orders)
    each = len(orders) // seats
    assert set(Counter((one, place) for order in orders for place, one in enumerate(order)).values()) == {each}
    behind = Counter(pair for order in orders for pair in pairwise(order))
    assert len(set(behind.values())) <= 1
    assert len(behind) == seats * (seats - 1)


def test_two_sit_in_both_orders() -> None:
    assert seatings(2) == ((0, 1), (1, 0))
