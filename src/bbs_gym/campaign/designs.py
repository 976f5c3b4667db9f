"""Orders that are fair by construction: who meets whom in which round, and who sits where. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

_T = TypeVar("_T")


def circle(players: Sequence[_T]) -> tuple[tuple[tuple[_T, _T], ...], ...]:
    """Rounds in which everybody meets everybody once, and nobody plays twice in a round: n - 1 rounds for an even
    number of players, n for an odd one, each of whom has one round off.

    The circle method: one player stays, the others move on by one place a round (T. P. Kirkman, "On a Problem in
    Combinations", Cambridge and Dublin Mathematical Journal 2 (1847)).
    """
    ring: list[_T | None] = [*players, *([None] if len(players) % 2 else [])]
    rounds = []
    for _ in range(len(ring) - 1):
        pairs = zip(ring[: len(ring) // 2], reversed(ring[len(ring) // 2 :]), strict=True)
        rounds.append(tuple((one, other) for one, other in pairs if one is not None and other is not None))
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return tuple(rounds)


def seatings(seats: int) -> tuple[tuple[int, ...], ...]:
    """Orders of 0 to `seats` - 1 in which each sits in each seat equally often, and each comes right behind each other
    one equally often: `seats` orders for an even number, twice as many for an odd one (but one for one).

    E. J. Williams, "Experimental Designs Balanced for the Estimation of Residual Effects of Treatments", Australian
    Journal of Scientific Research A 2 (1949): the order 0, n-1, 1, n-2, … and its shifts; for odd n also the shifts of
    its reverse.
    """
    zigzag = [place // 2 if place % 2 == 0 else seats - 1 - place // 2 for place in range(seats)]
    orders = [tuple((one + shift) % seats for one in zigzag) for shift in range(seats)]
    if seats % 2 and seats > 1:
        orders += [tuple(reversed(order)) for order in orders]
    return tuple(orders)
