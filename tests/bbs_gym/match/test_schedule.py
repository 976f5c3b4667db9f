"""The schedulers as pure machines: whatever completes first, fails or drops, the meanings hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bbs_gym.match.events import MatchEvent, StopReason
from bbs_gym.match.order import round_order
from bbs_gym.match.schedule import Commit, Launch, Note, Over, Phase, Progress, Rules, Step
from bbs_gym.match.scheduling import make_schedule
from bbs_gym.match.settings import Order, Scheduler

AGENTS = ("ann", "bob", "cy", "dee")
ROUNDED = (Scheduler.SEQUENTIAL, Scheduler.PARALLEL_BARRIER, Scheduler.PARALLEL_RACE)


class Table:
    """A machine with its driver: what is in flight, what was told, who is where; it checks as it goes."""

    def __init__(
        self,
        scheduler: Scheduler,
        *,
        agents: tuple[str, ...] = AGENTS,
        order: Order = Order.FIXED,
        seed: int = 7,
        max_rounds: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.rules = Rules(scheduler=scheduler, order=order, seed=seed, roster=agents, max_rounds=max_rounds)
        self.machine = make_schedule(self.rules, progress)
        self.deciding: dict[str, int] = {}
        self.committing: dict[str, Commit] = {}
        self.away: set[str] = set()
        self.out: set[str] = set()
        self.notes: list[Note] = []
        self.steps: list[Step] = []
        self.over: Over | None = None
        self.take(self.machine.begin())

    def take(self, steps: Iterable[Step]) -> None:
        for step in steps:
            assert self.over is None, "nothing follows the end"
            self.steps.append(step)
            match step:
                case Launch(agent, queued_tick):
                    assert agent not in self.deciding, "one decision in flight"
                    assert agent not in self.committing, "one decision in flight"
                    assert agent not in self.away | self.out
                    self.deciding[agent] = queued_tick
                case Commit(agent, _, queued_tick):
                    assert agent not in self.deciding
                    self.committing[agent] = step
                case Note():
                    self.notes.append(step)
                case Over():
                    self.over = step

    def decide(self, agent: str, *, acts: bool = True) -> None:
        del self.deciding[agent]
        self.take(self.machine.decided(agent, acts=acts))

    def commit(self, agent: str, *, stays: bool = True) -> None:
        del self.committing[agent]
        if not stays:
            self.out.add(agent)
        self.take(self.machine.committed(agent, then=Phase.IDLE if stays else Phase.OUT))

    def drop(self, agent: str, *, returns: bool = False) -> None:
        self.deciding.pop(agent, None)
        self.committing.pop(agent, None)
        self.away.discard(agent)
        (self.away if returns else self.out).add(agent)
        self.take(self.machine.gone(agent, returns=returns))

    def come_back(self, agent: str) -> None:
        self.away.discard(agent)
        self.take(self.machine.back(agent))

    def told(self, event: MatchEvent) -> list[Note]:
        return [note for note in self.notes if note.event is event]

    def orders(self) -> list[list[str]]:
        return [note.data["order"] for note in self.told(MatchEvent.ROUND_STARTED)]

    def acted(self) -> list[str]:
        return [note.agent_id or "" for note in self.told(MatchEvent.ACTION_COMMITTED)]

    def play_round(self) -> None:
        """Everybody decides and acts, in the order in which the machine lets them."""
        number = len(self.told(MatchEvent.ROUND_COMPLETED))
        while len(self.told(MatchEvent.ROUND_COMPLETED)) == number:
            if self.committing:
                self.commit(next(iter(self.committing)))
            else:
                self.decide(next(iter(self.deciding)))


def test_sequential_is_one_agent_after_the_other() -> None:
    table = Table(Scheduler.SEQUENTIAL, agents=AGENTS[:2])
    assert table.steps == [
        Note(event=MatchEvent.ROUND_STARTED, round=1, data={"order": ["ann", "bob"]}),
        Launch("ann", 1),
    ]
    table.decide("ann")
    assert list(table.committing) == ["ann"]
    assert not table.deciding
    table.commit("ann")
    assert list(table.deciding) == ["bob"]


def test_at_the_barrier_nobody_acts_before_all_have_decided_and_then_in_the_scheduled_order() -> None:
    table = Table(Scheduler.PARALLEL_BARRIER)
    assert list(table.deciding) == list(AGENTS)
    for agent in ("dee", "cy", "bob"):
        table.decide(agent)
        assert not table.committing
    table.decide("ann")
    for agent in AGENTS:
        assert list(table.committing) == [agent]
        table.commit(agent)
    assert table.told(MatchEvent.COMMIT_ORDER)[0].data == {"order": list(AGENTS)}
    assert table.acted() == list(AGENTS)


def test_the_barrier_keeps_its_order_where_one_fails_and_another_drops() -> None:
    table = Table(Scheduler.PARALLEL_BARRIER)
    table.decide("dee")
    table.decide("bob", acts=False)
    table.drop("cy", returns=True)
    table.decide("ann")
    assert table.told(MatchEvent.COMMIT_ORDER)[0].data == {"order": ["ann", "dee"]}
    table.commit("ann")
    assert table.committing["bob"].tick is None, "a failure is committed to the record, in its place"
    table.commit("bob")
    table.drop("dee")
    assert table.told(MatchEvent.ROUND_COMPLETED)[0].data == {"committed": ["ann"]}
    assert not table.deciding, "the next round waits for who lost the line"
    table.come_back("cy")
    assert list(table.deciding) == ["ann", "bob", "cy"]


def test_who_drops_in_the_commit_phase_does_not_hold_the_others() -> None:
    table = Table(Scheduler.PARALLEL_BARRIER)
    for agent in AGENTS:
        table.decide(agent)
    table.drop("ann", returns=True)
    table.drop("cy")
    assert list(table.committing) == ["bob"]
    table.commit("bob")
    assert list(table.committing) == ["dee"]


def test_a_race_commits_as_decisions_come_and_launches_in_the_order() -> None:
    table = Table(Scheduler.PARALLEL_RACE, order=Order.ROTATE)
    table.decide("cy")
    assert list(table.committing) == ["cy"]
    table.commit("cy")
    assert list(table.deciding) == ["ann", "bob", "dee"], "who was fast waits for the round"
    for agent in ("dee", "ann", "bob"):
        table.decide(agent)
        table.commit(agent)
    assert table.told(MatchEvent.ROUND_COMPLETED)[0].data == {"committed": ["cy", "dee", "ann", "bob"]}
    assert list(table.deciding) == ["bob", "cy", "dee", "ann"]


def test_a_race_does_not_wait_for_who_lost_the_line() -> None:
    table = Table(Scheduler.PARALLEL_RACE, agents=AGENTS[:2])
    table.drop("ann", returns=True)
    table.decide("bob")
    table.commit("bob")
    assert table.orders() == [["ann", "bob"], ["bob"]]
    table.come_back("ann")
    assert list(table.deciding) == ["bob"]
    table.drop("bob")
    assert table.orders()[-1] == ["ann"]


def test_continuous_asks_anew_at_once_and_tells_which_request_an_action_came_of() -> None:
    table = Table(Scheduler.CONTINUOUS, agents=AGENTS[:2])
    for _ in range(3):
        table.decide("bob")
        table.commit("bob")
    table.decide("ann")
    table.commit("ann")
    told = [(note.agent_id, note.tick, note.data["queued_tick"]) for note in table.told(MatchEvent.COMMIT_ORDER)]
    assert told == [("bob", 1, 2), ("bob", 2, 3), ("bob", 3, 4), ("ann", 4, 1)]


def test_continuous_has_no_rounds_and_counts_queued_decisions() -> None:
    table = Table(Scheduler.CONTINUOUS, agents=AGENTS[:3], max_rounds=4)
    table.decide("cy", acts=False)
    table.commit("cy")
    assert table.deciding["cy"] == 4
    for agent in ("ann", "bob", "cy"):
        assert table.over is None
        table.decide(agent)
        table.commit(agent)
    assert table.over == Over(StopReason.ROUNDS)
    assert not [note for note in table.notes if note.round is not None]


def test_what_was_queued_and_came_to_nothing_does_not_count() -> None:
    table = Table(Scheduler.CONTINUOUS, agents=AGENTS[:3], max_rounds=2)
    assert list(table.deciding) == ["ann", "bob"]
    table.drop("ann")
    assert list(table.deciding) == ["bob", "cy"]


@pytest.mark.parametrize("scheduler", ROUNDED)
def test_max_rounds_are_rounds_of_all(scheduler: Scheduler) -> None:
    table = Table(scheduler, max_rounds=2)
    table.play_round()
    table.play_round()
    assert table.over == Over(StopReason.ROUNDS)
    assert Counter(table.acted()) == dict.fromkeys(AGENTS, 2)


@pytest.mark.parametrize("scheduler", list(Scheduler))
def test_the_last_one_out_ends_it(scheduler: Scheduler) -> None:
    table = Table(scheduler, agents=AGENTS[:2])
    table.drop("ann", returns=True)
    table.drop("bob")
    assert table.over is None, "ann may come back"
    table.drop("ann")
    assert table.over == Over(None)


@pytest.mark.parametrize("scheduler", list(Scheduler))
def test_a_last_action_is_the_last(scheduler: Scheduler) -> None:
    table = Table(scheduler, agents=("ann",))
    table.decide("ann")
    table.commit("ann", stays=False)
    assert table.over == Over(None)


@pytest.mark.parametrize("scheduler", ROUNDED)
@pytest.mark.parametrize("policy", [Order.ROTATE, Order.SHUFFLE])
def test_nobody_is_first_more_often_than_the_policy_says(scheduler: Scheduler, policy: Order) -> None:
    rounds = 200
    table = Table(scheduler, order=policy, max_rounds=rounds)
    for _ in range(rounds):
        table.play_round()
    first = Counter(order[0] for order in table.orders())
    if policy is Order.ROTATE:
        assert set(first.values()) == {rounds // len(AGENTS)}
        assert all(now[0] == after[-1] for now, after in pairwise(table.orders()))
    else:  # 50 of 200 each, standard deviation 6
        assert all(20 < first[agent] < 80 for agent in AGENTS)


@pytest.mark.parametrize("scheduler", list(Scheduler))
def test_a_line_that_goes_with_the_action_may_come_back(scheduler: Scheduler) -> None:
    table = Table(scheduler, agents=("ann",))
    table.decide("ann")
    del table.committing["ann"]
    table.take(table.machine.committed("ann", then=Phase.AWAY))
    assert table.acted() == ["ann"]
    assert table.over is None
    table.come_back("ann")
    assert list(table.deciding) == ["ann"]


@pytest.mark.parametrize("scheduler", list(Scheduler))
def test_a_call_out_of_place_is_a_fault_of_the_driver(scheduler: Scheduler) -> None:
    table = Table(scheduler, agents=("ann",))
    with pytest.raises(ValueError, match="ann is deciding"):
        table.machine.committed("ann")
    with pytest.raises(ValueError, match="ann is deciding"):
        table.machine.back("ann")


@settings(max_examples=70, deadline=None)
@given(
    st.sampled_from(list(Scheduler)),
    st.sampled_from(list(Order)),
    st.one_of(st.none(), st.integers(1, 6)),
    st.data(),
)
def test_whatever_happens_the_meanings_hold(
    scheduler: Scheduler, policy: Order, max_rounds: int | None, data: st.DataObject
) -> None:
    table = Table(scheduler, order=policy, max_rounds=max_rounds)
    for _ in range(60):
        if table.over is not None:
            break
        _one_thing(table, data)
        _check(table)
    _check_story(table)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(list(Scheduler)), st.sampled_from(list(Order)), st.data())
def test_the_same_story_gives_the_same_steps(scheduler: Scheduler, policy: Order, data: st.DataObject) -> None:
    first, second = Table(scheduler, order=policy), Table(scheduler, order=policy)
    for _ in range(25):
        if first.over is not None:
            break
        choice = data.draw(st.sampled_from(sorted(_choices(first))))
        for table in (first, second):
            _do(table, *choice)
    assert first.steps == second.steps


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(ROUNDED), st.sampled_from(list(Order)), st.integers(0, 40))
def test_a_match_that_goes_on_plays_what_was_left(scheduler: Scheduler, policy: Order, played: int) -> None:
    """Killed with decisions in flight and gone on with: nobody acts twice in a round, and the orders are the same."""
    whole = Table(scheduler, order=policy, max_rounds=5)
    while whole.over is None:
        _next(whole)
    begun = Table(scheduler, order=policy, max_rounds=5)
    for _ in range(played):
        if begun.over is None:
            _next(begun)
    if begun.over is not None:
        return
    rest = Table(scheduler, order=policy, max_rounds=5, progress=begun.machine.progress)
    while rest.over is None:
        _next(rest)
    assert begun.orders() + rest.orders() == whole.orders()
    assert begun.acted() + rest.acted() == whole.acted()


def _next(table: Table) -> None:
    """The driver's plainest course."""
    if table.committing:
        table.commit(next(iter(table.committing)))
    else:
        table.decide(next(iter(table.deciding)))


def _choices(table: Table) -> list[tuple[str, str, bool]]:
    flags = (False, True)
    found = [("decide", agent, flag) for agent in table.deciding for flag in flags]
    found += [("commit", agent, flag) for agent in table.committing for flag in flags]
    found += [("drop", agent, flag) for agent in AGENTS if agent not in table.out | table.away for flag in flags]
    found += [("back", agent, flag) for agent in table.away for flag in flags]
    return found


def _do(table: Table, what: str, agent: str, flag: bool) -> None:
    match what:
        case "decide":
            table.decide(agent, acts=flag)
        case "commit":
            table.commit(agent, stays=flag)
        case "drop":
            table.drop(agent, returns=flag)
        case "back" if flag:
            table.come_back(agent)
        case _:
            table.drop(agent)


def _one_thing(table: Table, data: st.DataObject) -> None:
    choices = _choices(table)
    usual = [choice for choice in choices if choice[0] != "drop"]
    drawn = data.draw(st.sampled_from(sorted(choices)))
    if usual and drawn[0] == "drop" and not data.draw(st.booleans()):
        drawn = data.draw(st.sampled_from(sorted(usual)))
    _do(table, *drawn)


def _check(table: Table) -> None:
    """What holds at each moment."""
    at_work = set(table.deciding) | set(table.committing)
    present = set(AGENTS) - table.away - table.out
    decided = {agent for agent in AGENTS if table.machine.phase(agent) is Phase.DECIDED}
    scheduler = table.rules.scheduler
    if table.over is not None:
        assert not at_work
        assert not decided
        return
    assert at_work or table.away, "nothing is in flight and nobody is waited for: the match stands still"
    if scheduler is Scheduler.SEQUENTIAL:
        assert len(at_work) <= 1
    elif scheduler is Scheduler.PARALLEL_BARRIER:
        assert len(table.committing) <= 1
        assert not (table.committing and table.deciding)
    else:
        assert not decided, "a decision is committed as soon as it is there"
    if scheduler is Scheduler.CONTINUOUS and table.rules.max_rounds is None:
        assert at_work == present, "everybody who is there is asked"


def _check_story(table: Table) -> None:
    """What holds of the whole."""
    ticks = [step.tick for step in table.steps if isinstance(step, Commit) and step.tick is not None]
    assert ticks == list(range(1, len(ticks) + 1))
    queued = [step.queued_tick for step in table.steps if isinstance(step, Launch)]
    assert queued == list(range(1, len(queued) + 1))
    committed = [note.tick for note in table.told(MatchEvent.ACTION_COMMITTED)]
    assert len(set(committed)) == len(committed)
    if table.rules.scheduler is Scheduler.CONTINUOUS:
        assert not table.told(MatchEvent.ROUND_STARTED)
        assert not table.told(MatchEvent.ROUND_COMPLETED)
        if table.rules.max_rounds is not None:
            assert len(table.told(MatchEvent.DECISION_COMPLETED)) <= table.rules.max_rounds
        return
    _check_rounds(table)


def _check_rounds(table: Table) -> None:
    started, completed = table.told(MatchEvent.ROUND_STARTED), table.told(MatchEvent.ROUND_COMPLETED)
    assert [note.round for note in started] == list(range(1, len(started) + 1))
    assert 0 <= len(started) - len(completed) <= 1
    if table.rules.max_rounds is not None:
        assert len(started) <= table.rules.max_rounds
    for note in started:
        order = note.data["order"]
        acted = [other.agent_id for other in table.told(MatchEvent.ACTION_COMMITTED) if other.round == note.round]
        assert len(set(acted)) == len(acted), "once a round"
        assert set(acted) <= set(order)
        if table.rules.scheduler is not Scheduler.PARALLEL_RACE:
            assert acted == [agent for agent in order if agent in acted], "in the scheduled order"
        if table.rules.order is not Order.ROTATE:
            every = round_order(table.rules.order, AGENTS, seed=7, number=note.round or 0)
            assert order == [agent for agent in every if agent in order]
    for now, after in pairwise(started):
        first = now.data["order"][0]
        if table.rules.order is Order.ROTATE and first in after.data["order"]:
            assert after.data["order"][-1] == first
