"""So many at once, then one each so often."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentbbs.store.throttle import Throttle


class Clock:
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def test_a_burst_and_then_one_at_a_time() -> None:
    clock = Clock()
    throttle = Throttle(burst=3, refill_s=10, clock=clock)
    assert [throttle.take("a") for _ in range(5)] == [0, 0, 0, 10, 10]
    assert throttle.take("b") == 0
    clock.now_s += 4
    assert throttle.wait_s("a") == 6
    clock.now_s += 6
    assert [throttle.take("a") for _ in range(2)] == [0, 10]
    clock.now_s += 1000
    assert [throttle.take("a") for _ in range(4)] == [0, 0, 0, 10]


def test_what_is_left_goes_down_with_each_take_and_comes_back_with_time() -> None:
    clock = Clock()
    throttle = Throttle(burst=3, refill_s=0.1, clock=clock)
    assert (throttle.left("a"), throttle.full_s("a")) == (3, 0)
    left = []
    for _ in range(5):
        throttle.take("a")
        left.append(throttle.left("a"))
    assert left == [2, 1, 0, 0, 0]
    assert throttle.left("b") == 3
    clock.now_s += 0.1
    assert throttle.left("a") == 1
    clock.now_s += 100
    assert (throttle.left("a"), throttle.full_s("a")) == (3, 0)


@given(st.integers(1, 50), st.integers(1, 10_000), st.lists(st.floats(0, 30), max_size=60))
def test_somebody_may_take_as_long_as_something_is_left(burst: int, per_minute: int, pauses: list[float]) -> None:
    clock = Clock()
    throttle = Throttle(burst=burst, refill_s=60 / per_minute, clock=clock)
    for pause in pauses:
        left = throttle.left("a")
        assert 0 <= left <= burst
        if left:
            assert throttle.take("a") == 0
        clock.now_s += pause


def test_what_is_given_back_can_be_taken_again() -> None:
    throttle = Throttle(burst=2, refill_s=10, clock=Clock())
    throttle.give_back("a")
    assert [throttle.take("a") for _ in range(3)] == [0, 0, 10]
    throttle.give_back("a")
    assert [throttle.take("a") for _ in range(2)] == [0, 10]
    throttle.clear("a")
    throttle.clear("b")
    assert throttle.wait_s("a") == 0


def test_what_is_as_good_as_new_is_forgotten() -> None:
    clock = Clock()
    throttle = Throttle(burst=2, refill_s=10, clock=clock)
    for key in "abc":
        throttle.take(key)
    assert len(throttle) == 3
    clock.now_s += 10
    throttle.take("d")
    assert len(throttle) == 1


def test_a_flood_of_keys_takes_no_more_than_its_room() -> None:
    throttle = Throttle(burst=1, refill_s=1e9, clock=Clock(), max_keys=100)
    for number in range(1000):
        assert throttle.take(str(number)) == 0
        assert len(throttle) <= 100
    assert throttle.wait_s("999") > 0, "the newest are kept"


@given(st.lists(st.tuples(st.sampled_from("ab"), st.floats(0, 30)), max_size=60), st.integers(1, 5))
def test_no_key_ever_gets_more_than_its_share(tries: list[tuple[str, float]], burst: int) -> None:
    clock = Clock()
    throttle = Throttle(burst=burst, refill_s=10, clock=clock)
    taken: dict[str, list[float]] = {"a": [], "b": []}
    for key, later_s in tries:
        clock.now_s += later_s
        wait_s = throttle.take(key)
        if wait_s == 0:
            taken[key].append(clock.now_s)
        else:
            assert wait_s <= 10.001
    for times in taken.values():
        for first in range(len(times)):
            for last in range(first, len(times)):
                assert last - first + 1 <= burst + (times[last] - times[first]) / 10 + 1e-6
