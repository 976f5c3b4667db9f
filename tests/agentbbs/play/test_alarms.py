"""One timer for all alarms: they ring in order, once, and not after they were cleared."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

import pytest
from tests.agentbbs.play.virtual_time import VirtualTimeLoop, in_virtual_time, pass_time, turn

from agentbbs.play.alarms import Alarms


class Bells:
    """Alarms that note when each of them rang, by its name."""

    def __init__(self) -> None:
        self.alarms = Alarms(asyncio.get_running_loop())
        self.start = self.alarms.now()
        self.rang: list[tuple[str, float]] = []

    def add(self, name: str, then: Callable[[], None] = lambda: None) -> int:
        """A new alarm of that name; `then` happens when it rings."""
        return self.alarms.add(partial(self._ring, name, then))

    def set(self, key: int, after_s: float) -> None:
        """Ring `after_s` seconds after the start of the test."""
        self.alarms.set(key, self.start + after_s)

    def _ring(self, name: str, then: Callable[[], None]) -> None:
        self.rang.append((name, round(self.alarms.now() - self.start, 6)))
        then()


def test_alarms_ring_at_their_times_whatever_the_order_they_were_set_in() -> None:
    async def work() -> None:
        bells = Bells()
        for name, after_s in (("c", 30.0), ("a", 10.0), ("b", 20.0), ("also b", 20.0)):
            bells.set(bells.add(name), after_s)
        await pass_time(60)
        assert bells.rang == [("a", 10.0), ("b", 20.0), ("also b", 20.0), ("c", 30.0)]

    in_virtual_time(work())


def test_an_alarm_rings_once_and_can_be_set_again() -> None:
    async def work() -> None:
        bells = Bells()
        key = bells.add("a")
        bells.set(key, 1.0)
        await pass_time(10)
        bells.set(key, 15.0)
        await pass_time(60)
        assert bells.rang == [("a", 1.0), ("a", 15.0)]

    in_virtual_time(work())


@pytest.mark.parametrize(("first_s", "then_s"), [(10.0, 20.0), (20.0, 10.0)])
def test_an_alarm_has_the_time_that_was_set_last(first_s: float, then_s: float) -> None:
    async def work() -> None:
        bells = Bells()
        key = bells.add("a")
        bells.set(key, first_s)
        bells.set(key, then_s)
        await pass_time(60)
        assert bells.rang == [("a", then_s)]

    in_virtual_time(work())


def test_a_time_in_the_past_rings_at_the_next_turn() -> None:
    async def work() -> None:
        bells = Bells()
        bells.set(bells.add("a"), -5.0)
        assert bells.rang == []
        await turn()
        assert bells.rang == [("a", 0.0)]

    in_virtual_time(work())


def test_what_is_cleared_or_dropped_does_not_ring() -> None:
    async def work() -> None:
        bells = Bells()
        cleared, dropped, never_set = bells.add("cleared"), bells.add("dropped"), bells.add("never set")
        bells.set(cleared, 1.0)
        bells.set(dropped, 1.0)
        bells.alarms.clear(cleared)
        bells.alarms.drop(dropped)
        bells.alarms.clear(never_set)
        bells.alarms.drop(dropped)
        await pass_time(5)
        assert bells.rang == []
        bells.set(cleared, 6.0)
        await pass_time(5)
        assert bells.rang == [("cleared", 6.0)]

    in_virtual_time(work())


def test_every_alarm_has_a_key_of_its_own() -> None:
    async def work() -> None:
        alarms = Alarms(asyncio.get_running_loop())
        keys = [alarms.add(lambda: None) for _ in range(100)]
        assert len(set(keys)) == 100

    in_virtual_time(work())


def test_a_bell_may_set_and_clear_alarms() -> None:
    async def work() -> None:
        bells = Bells()

        def shift() -> None:
            bells.alarms.clear(later)
            bells.set(again, 7.0)

        later, again = bells.add("later"), bells.add("again")
        first = bells.add("first", shift)
        bells.set(first, 1.0)
        bells.set(later, 2.0)
        await pass_time(10)
        assert bells.rang == [("first", 1.0), ("again", 7.0)]

    in_virtual_time(work())


@pytest.mark.parametrize("cleared_by", ["clear", "drop"])
def test_an_alarm_that_is_cleared_by_one_due_at_the_same_time_does_not_ring(cleared_by: str) -> None:
    async def work() -> None:
        bells = Bells()
        first = bells.add("first", lambda: getattr(bells.alarms, cleared_by)(second))
        second = bells.add("second")
        bells.set(first, 1.0)
        bells.set(second, 1.0)
        await pass_time(5)
        assert bells.rang == [("first", 1.0)]

    in_virtual_time(work())


def test_an_alarm_that_is_put_off_by_one_due_at_the_same_time_rings_at_its_new_time_alone() -> None:
    """A move that is read at the very time of its deadline: the clock of the next ply has all its time."""

    async def work() -> None:
        bells = Bells()
        first = bells.add("first", lambda: bells.set(second, 20.0))
        second = bells.add("second")
        bells.set(first, 1.0)
        bells.set(second, 1.0)
        await pass_time(30)
        assert bells.rang == [("first", 1.0), ("second", 20.0)]

    in_virtual_time(work())


def test_a_bell_that_fails_is_reported_and_stops_no_other() -> None:
    async def work() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        bells = Bells()

        def fail() -> None:
            raise ZeroDivisionError

        for name, then in (("a", fail), ("b", lambda: None)):
            bells.set(bells.add(name, then), 1.0)
        bells.set(bells.add("c"), 2.0)
        await pass_time(5)
        assert [name for name, _ in bells.rang] == ["a", "b", "c"]
        assert [type(fault) for fault in loop.faults] == [ZeroDivisionError]
        loop.faults.clear()

    in_virtual_time(work())


def test_after_the_stop_nothing_rings() -> None:
    async def work() -> None:
        bells = Bells()
        key = bells.add("a")
        bells.set(key, 1.0)
        bells.alarms.stop()
        await pass_time(5)
        bells.set(key, 6.0)
        await pass_time(5)
        assert bells.rang == []

    in_virtual_time(work())


def test_a_bell_may_stop_them_all() -> None:
    async def work() -> None:
        bells = Bells()
        bells.set(bells.add("first", bells.alarms.stop), 1.0)
        bells.set(bells.add("second"), 1.0)
        bells.set(bells.add("third"), 2.0)
        await pass_time(5)
        assert bells.rang == [("first", 1.0)]

    in_virtual_time(work())


def test_a_thousand_alarms_take_one_timer_of_the_loop() -> None:
    async def work() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        bells = Bells()
        for number in range(1000):
            bells.set(bells.add(str(number)), 1000.0 - number)
        timers = [handle for handle in vars(loop)["_scheduled"] if not handle.cancelled()]
        assert len(timers) == 1
        await pass_time(2000)
        assert len(bells.rang) == 1000

    in_virtual_time(work())


async def test_alarms_ring_on_a_real_loop_and_not_before_their_time() -> None:
    loop = asyncio.get_running_loop()
    alarms = Alarms(loop)
    rang = asyncio.Event()
    at = loop.time() + 0.02
    alarms.set(alarms.add(rang.set), at)
    async with asyncio.timeout(10):
        await rang.wait()
    assert loop.time() >= at
    alarms.stop()
