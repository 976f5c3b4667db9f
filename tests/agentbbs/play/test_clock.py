"""Deadlines against a model that looks through all of them."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from agentbbs.play.clock import Deadlines

keys = st.integers(0, 4)
times = st.integers(0, 12).map(float) | st.floats(0.0, 12.0)


class DeadlinesAgainstADict(RuleBasedStateMachine):
    """Arm, disarm and look, in any order and with any times, the past included."""

    def __init__(self) -> None:
        super().__init__()
        self.deadlines = Deadlines()
        self.model: dict[int, float] = {}

    @rule(key=keys, at=times)
    def arm(self, key: int, at: float) -> None:
        self.deadlines.arm(key, at)
        self.model[key] = at

    @rule(key=keys)
    def disarm(self, key: int) -> None:
        self.deadlines.disarm(key)
        self.model.pop(key, None)

    @rule(now=times)
    def look(self, now: float) -> None:
        passed = sorted((at, key) for key, at in self.model.items() if at <= now)
        assert list(self.deadlines.due(now)) == [key for _, key in passed]
        for _, key in passed:
            del self.model[key]
        look = self.deadlines.next_look()
        assert look is None or look > now, "a timer wound for that time would never come to rest"

    @rule(now=times, moved=keys, to=times | st.none(), after=st.integers(1, 3))
    def change_another_while_looking(self, now: float, moved: int, to: float | None, after: int) -> None:
        """Between two that are due, a third is moved beyond `now` or loses its deadline; or the look ends there."""
        looking = self.deadlines.due(now)
        for _ in range(after):
            key = next(looking, None)
            due = sorted((at, key) for key, at in self.model.items() if at <= now)
            assert key == (due[0][1] if due else None)
            if key is None:
                return
            del self.model[key]
        if to is None:
            self.disarm(moved)
        else:
            self.arm(moved, now + 0.5 + to)
        assert list(looking) == [key for _, key in sorted((at, key) for key, at in self.model.items() if at <= now)]
        for key in [key for key, at in self.model.items() if at <= now]:
            del self.model[key]

    @rule(now=times)
    def look_at_the_first_alone(self, now: float) -> None:
        due = sorted((at, key) for key, at in self.model.items() if at <= now)
        assert next(self.deadlines.due(now), None) == (due[0][1] if due else None)
        if due:
            del self.model[due[0][1]]

    @invariant()
    def the_next_look_is_never_late(self) -> None:
        look = self.deadlines.next_look()
        if self.model:
            assert look is not None
            assert look <= min(self.model.values())

    @invariant()
    def all_that_are_armed_are_counted(self) -> None:
        assert len(self.deadlines) == len(self.model)


DeadlinesAgainstADict.TestCase.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)
TestDeadlinesAgainstADict = DeadlinesAgainstADict.TestCase


def test_nothing_is_due_where_nothing_is_armed() -> None:
    deadlines = Deadlines()
    assert (deadlines.next_look(), list(deadlines.due(1e9)), len(deadlines)) == (None, [], 0)
    deadlines.disarm(7)
    assert len(deadlines) == 0


def test_a_deadline_is_due_at_its_very_time_and_once() -> None:
    deadlines = Deadlines()
    deadlines.arm(1, 5.0)
    assert list(deadlines.due(4.999)) == []
    assert list(deadlines.due(5.0)) == [1]
    assert list(deadlines.due(5.0)) == []


@given(st.permutations(range(6)))
def test_deadlines_come_earliest_first_in_whatever_order_they_were_armed(order: list[int]) -> None:
    deadlines = Deadlines()
    for key in order:
        deadlines.arm(key, 10.0 - key)
    assert list(deadlines.due(10.0)) == [5, 4, 3, 2, 1, 0]


def test_a_deadline_can_be_moved_back_and_forth() -> None:
    deadlines = Deadlines()
    for at in (10.0, 20.0, 5.0, 15.0):
        deadlines.arm(1, at)
    assert list(deadlines.due(14.9)) == []
    assert list(deadlines.due(15.0)) == [1]
    assert list(deadlines.due(30.0)) == []


def test_a_deadline_that_moves_forward_takes_no_more_room() -> None:
    """A move clock moves with every ply: ten thousand plies are one entry."""
    deadlines = Deadlines()
    for ply in range(10_000):
        deadlines.arm(1, 15.0 + ply)
    assert len(deadlines._heap) == 1


def test_what_was_disarmed_leaves_nothing_behind_once_its_time_came() -> None:
    deadlines = Deadlines()
    for key in range(1000):
        deadlines.arm(key, 15.0)
        deadlines.disarm(key)
    assert list(deadlines.due(15.0)) == []
    assert (deadlines._heap, deadlines._queued, deadlines._armed) == ([], {}, {})
