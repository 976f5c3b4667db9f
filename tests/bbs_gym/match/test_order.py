"""Orders of rounds: the same everywhere, fair, and as the seed says."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bbs_gym.match.order import SplitMix, round_order, shuffled, turned
from bbs_gym.match.settings import Order

ROSTER = ("a", "b", "c")


def test_the_generator_is_the_published_one() -> None:
    """The first numbers of the reference implementation in C, for the seeds 0 and 1234567."""
    zero = SplitMix(0)
    assert [zero.draw() for _ in range(3)] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    other = SplitMix(1234567)
    assert [other.draw() for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@given(st.integers(-(2**70), 2**70), st.integers(1, 1000))
def test_numbers_are_below_their_bound(seed: int, bound: int) -> None:
    assert 0 <= SplitMix(seed).below(bound) < bound


def test_a_shuffle_is_the_same_in_every_process() -> None:
    assert [shuffled(ROSTER, 42, number) for number in (1, 2, 3)] == [
        shuffled(ROSTER, 42, number) for number in (1, 2, 3)
    ]
    assert "".join("".join(shuffled(ROSTER, 42, number)) for number in range(1, 7)) == GOLDEN


def test_every_order_is_as_likely() -> None:
    seen = Counter(shuffled(ROSTER, seed, 1 + seed % 5) for seed in range(6000))
    assert set(seen) == set(permutations(ROSTER))
    assert all(880 < count < 1120 for count in seen.values())  # 1000 each, standard deviation 29


def test_rounds_of_one_match_do_not_follow_from_each_other() -> None:
    pairs = Counter((shuffled(ROSTER, 9, number)[0], shuffled(ROSTER, 9, number + 1)[0]) for number in range(3600))
    assert len(pairs) == 9
    assert all(310 < count < 490 for count in pairs.values())


@pytest.mark.parametrize("policy", list(Order))
def test_an_order_has_each_agent_once(policy: Order) -> None:
    for number in range(1, 20):
        assert sorted(round_order(policy, ROSTER, seed=3, number=number)) == list(ROSTER)


def test_the_first_of_a_round_is_the_last_of_the_next_and_only_with_rotate() -> None:
    assert turned(Order.ROTATE, ROSTER, "a") == ("b", "c", "a")
    assert turned(Order.ROTATE, ROSTER, "b") == ("a", "c", "b"), "a was away, and is first when it is back"
    assert turned(Order.FIXED, ROSTER, "a") == turned(Order.SHUFFLE, ROSTER, "a") == ROSTER


GOLDEN = "abccbabaccabcabbca"
