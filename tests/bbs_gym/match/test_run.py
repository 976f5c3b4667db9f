"""Matches in memory: what is played, what is written, how it ends, and who is to blame for what."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.bbs_gym.match_fakes import (
    BYE,
    CLOSED,
    LOST,
    CannotConnect,
    FakeBbs,
    FakeHost,
    FakeLine,
    HeldModel,
    P,
    a_match,
    presses_p,
    wiring,
)
from tests.tty_agent.run_fakes import FakeTime

from bbs_gym.match.config import BadMatch
from bbs_gym.match.events import EventLine, MatchEvent, StopReason
from bbs_gym.match.journal import FILE_NAME, JournalFault, read_events
from bbs_gym.match.outcome import MatchOutcome
from bbs_gym.match.run import run_match
from bbs_gym.match.settings import (
    Budgets,
    DoorSettings,
    MatchSettings,
    Order,
    ParticipantSettings,
    ReconnectPolicy,
    Scheduler,
)
from tty_agent.actions.action import Action, ActionName
from tty_agent.activity.activity import ActivityProfile
from tty_agent.activity.completion import screen_shows
from tty_agent.activity.profiles import SHELL
from tty_agent.activity.routes import Route, RouteSet
from tty_agent.models.answers import Answer
from tty_agent.models.model import ProviderFault, Usage
from tty_agent.models.scripted import ScriptedModel
from tty_agent.trace.records import DecisionRecord, EventRecord, read_trace

EVERY = list(Scheduler)


class Played:
    """A match with its BBS, and its record."""

    def __init__(self, tmp_path: Path) -> None:
        self.bbs, self.host = FakeBbs(), FakeHost()
        self.folder = tmp_path / "run-1"
        self.outcome: MatchOutcome

    async def run(self, settings: MatchSettings, models: dict[str, Any] | None = None, **rest: Any) -> MatchOutcome:
        self.outcome = await run_match(
            settings,
            self.folder,
            host=self.host,
            wiring=rest.pop("wires", None) or wiring(self.bbs, models),
            **rest,
        )
        return self.outcome

    @property
    def events(self) -> list[EventLine]:
        return list(read_events(self.folder / FILE_NAME))

    def told(self, event: MatchEvent, agent: str | None = None) -> list[EventLine]:
        return [one for one in self.events if one.event is event and agent in {None, one.agent_id}]

    def names(self) -> list[str]:
        return [str(one.event) for one in self.events]

    def reasons(self) -> dict[str, StopReason]:
        return {one.agent_id: one.stop_reason for one in self.outcome.participants}

    def trace(self, agent: str) -> list[Any]:
        return list(read_trace(self.folder / f"{agent}.jsonl"))

    def trace_events(self, agent: str) -> list[str]:
        return [record.event for record in self.trace(agent) if isinstance(record, EventRecord)]


@pytest.fixture
def played(tmp_path: Path) -> Played:
    return Played(tmp_path)


@pytest.mark.parametrize("scheduler", EVERY)
async def test_a_match_from_its_start_to_its_end(played: Played, scheduler: Scheduler) -> None:
    most = 9 if scheduler is Scheduler.CONTINUOUS else 3
    outcome = await played.run(a_match("ann", "bob", "cy", scheduler=scheduler, max_rounds=most))
    assert (outcome.stopped_by, outcome.decisions, outcome.ticks) == ("rounds", 9, 9)
    assert set(played.reasons().values()) == {StopReason.ROUNDS}
    assert Counter(agent for agent, _ in played.bbs.typed) == {"ann": 3, "bob": 3, "cy": 3}
    names = played.names()
    assert names[:4] == ["match_started", *["participant_ready"] * 3]
    assert names[-1] == "match_completed"
    assert ("round_started" in names) is (scheduler is not Scheduler.CONTINUOUS)
    assert [event.seq for event in played.events] == list(range(1, len(names) + 1))
    assert [event.tick for event in played.told(MatchEvent.ACTION_COMMITTED)] == list(range(1, 10))
    assert all(line.closed for lines in played.bbs.lines.values() for line in lines)
    assert played.trace_events("ann") == ["run_started", "memory_committed", "run_finished"]


async def test_a_trace_says_of_which_match_it_is(played: Played) -> None:
    await played.run(a_match("ann", "bob", objective="{alias} v {rivals}", max_rounds=1))
    header = played.trace("ann")[0]
    assert (header.match_id, header.node, header.run_objective) == ("run-1", 1, "ann v bob")
    decision = next(record for record in played.trace("bob") if isinstance(record, DecisionRecord))
    assert (decision.match_id, decision.node) == ("run-1", 2)


@pytest.mark.parametrize("scheduler", EVERY)
async def test_the_same_seed_gives_the_same_events(tmp_path: Path, scheduler: Scheduler) -> None:
    stories = []
    for number in range(2):
        played = Played(tmp_path / str(number))
        settings = a_match("ann", "bob", "cy", scheduler=scheduler, order=Order.SHUFFLE, seed=4, max_rounds=6)
        await played.run(settings, clock=FakeTime().clock)
        stories.append((played.folder / FILE_NAME).read_bytes())
    assert stories[0] == stories[1]


async def test_another_seed_gives_another_order(tmp_path: Path) -> None:
    orders = []
    for seed in (4, 5):
        played = Played(tmp_path / str(seed))
        await played.run(a_match("ann", "bob", "cy", order=Order.SHUFFLE, seed=seed, max_rounds=6))
        orders.append([event.data["order"] for event in played.told(MatchEvent.ROUND_STARTED)])
    assert orders[0] != orders[1]


async def test_at_the_barrier_actions_go_out_in_order_whoever_is_faster(played: Played) -> None:
    models = {name: HeldModel(name) for name in ("ann", "bob", "cy")}
    playing = asyncio.create_task(played.run(a_match("ann", "bob", "cy", max_rounds=1), models))
    for name in ("cy", "ann"):
        await models[name].asked.acquire()
        models[name].let()
    await asyncio.sleep(0)
    assert not played.bbs.typed
    await models["bob"].asked.acquire()
    models["bob"].let()
    await playing
    assert [agent for agent, _ in played.bbs.typed] == ["ann", "bob", "cy"]


@pytest.mark.parametrize("scheduler", [Scheduler.PARALLEL_RACE, Scheduler.CONTINUOUS])
async def test_a_slow_model_holds_nobodys_action(played: Played, scheduler: Scheduler) -> None:
    models = {name: HeldModel(name) for name in ("ann", "bob")}
    acted = asyncio.Event()

    async def on_act(line: FakeLine, action: Action) -> None:
        acted.set()

    played.bbs.on_act = on_act
    playing = asyncio.create_task(played.run(a_match("ann", "bob", scheduler=scheduler, max_rounds=2), models))
    await models["bob"].asked.acquire()
    models["bob"].let()
    await asyncio.wait_for(acted.wait(), 5)
    assert [agent for agent, _ in played.bbs.typed] == ["bob"]
    for model in models.values():
        for _ in range(3):
            model.let()
    await playing
    assert {model.most_in_flight for model in models.values()} == {1}


async def test_in_continuous_the_faster_model_does_more(played: Played) -> None:
    models: dict[str, Any] = {"ann": HeldModel("ann")}
    settings = a_match("ann", "bob", scheduler=Scheduler.CONTINUOUS, max_rounds=8)

    async def on_act(line: FakeLine, action: Action) -> None:
        if len(played.bbs.typed) == 6:
            models["ann"].let()

    played.bbs.on_act = on_act
    await played.run(settings, models)
    committed = [(one.agent_id, one.tick, one.data["queued_tick"]) for one in played.told(MatchEvent.ACTION_COMMITTED)]
    assert committed == [*(("bob", tick, tick + 1) for tick in range(1, 8)), ("ann", 8, 1)]


async def test_ticks_are_each_participants_and_the_last_screen_counts(played: Played) -> None:
    profile = SHELL
    played.bbs.screen = lambda agent, typed: "You won\n> " if (agent, typed) == ("ann", 2) else "> "
    won = ActivityProfile(
        name="shell", objective="", policy=profile.policy, modules=(), completion=(screen_shows("You won"),)
    )
    settings = a_match("ann", "bob", budgets=Budgets(max_decision_ticks=2))
    outcome = await played.run(settings, wires=wiring(played.bbs, profile=lambda _: won))
    assert played.reasons() == {"ann": StopReason.DONE, "bob": StopReason.DECISION_TICKS}
    assert [one.decisions for one in outcome.participants] == [2, 2]
    assert (outcome.stopped_by, outcome.rounds) == ("all_stopped", 2)


async def test_a_failure_to_answer_is_the_agents_own(played: Played) -> None:
    settings = a_match(presses_p("ann", "no", "no"), "bob", budgets=Budgets(max_rounds=9, max_validation_failures=2))
    outcome = await played.run(settings)
    assert played.reasons()["ann"] is StopReason.VALIDATION_FAILURES
    ann = outcome.participants[0]
    assert (ann.void, ann.validation_failures, ann.actions) == (False, 2, 0)
    assert outcome.participants[1].decisions == 9


async def test_a_provider_that_fails_voids_one_run_and_the_others_play_on(played: Played) -> None:
    models = {"ann": ScriptedModel([P, ProviderFault("server_error", "502")], name="ann")}
    outcome = await played.run(a_match("ann", "bob", max_rounds=4), models)
    ann, bob = outcome.participants
    assert (ann.stop_reason, ann.void, ann.decisions) == (StopReason.INFRA, True, 1)
    assert "502" in ann.detail
    assert (bob.stop_reason, bob.void, bob.decisions) == (StopReason.ROUNDS, False, 4)
    assert not outcome.void


async def test_a_bbs_that_dies_is_nobodys_failure(played: Played) -> None:
    """The class is `infra`, the match is void, and no tick is held against anybody (its lines close in order)."""

    async def on_act(line: FakeLine, action: Action) -> None:
        if len(played.bbs.typed) == 3:
            played.host.dead = True
            for lines in played.bbs.lines.values():
                lines[-1].end = CLOSED
            for agent in ("ann", "bob"):
                played.bbs.faults[agent] = [CannotConnect("nobody listens")] * 5

    played.bbs.on_act = on_act
    outcome = await played.run(a_match("ann", "bob", max_rounds=9))
    assert (outcome.stopped_by, outcome.void) == ("infra", True)
    assert set(played.reasons().values()) == {StopReason.INFRA}
    assert sum(one.validation_failures for one in outcome.participants) == 0
    assert len(played.told(MatchEvent.RECONNECT_ATTEMPTED)) == 4
    assert played.trace("ann")[-1].data["outcome"] == "infra"


@pytest.mark.parametrize("scheduler", EVERY)
async def test_a_lost_line_is_had_back_and_the_run_goes_on(played: Played, scheduler: Scheduler) -> None:
    async def on_look(line: FakeLine) -> None:
        if line.agent_id == "ann" and len(played.bbs.lines["ann"]) == 1 and len(played.bbs.typed_by("ann")) == 1:
            line.end = LOST

    played.bbs.on_look = on_look
    settings = a_match("ann", "bob", scheduler=scheduler, budgets=Budgets(max_decision_ticks=4))
    outcome = await played.run(settings)
    ann = outcome.participants[0]
    assert (ann.stop_reason, ann.decisions, ann.reconnects) == (StopReason.DECISION_TICKS, 4, 1)
    names = [str(one.event) for one in played.events if one.agent_id == "ann"]
    at = names.index("disconnected")
    assert names[at : at + 3] == ["disconnected", "reconnect_attempted", "reconnected"]
    steps = [record.step for record in played.trace("ann") if isinstance(record, DecisionRecord)]
    assert steps == [1, 2, 3, 4], "one trace, without gaps"
    last = [record for record in played.trace("ann") if isinstance(record, DecisionRecord)][-1]
    assert "step 1" in last.prompt, "and one memory"
    if scheduler is not Scheduler.PARALLEL_RACE and scheduler is not Scheduler.CONTINUOUS:
        orders = [len(one.data["order"]) for one in played.told(MatchEvent.ROUND_STARTED)]
        assert orders[:2] == [2, 2], "the round waits for who lost the line"


async def test_reconnects_are_bounded_over_the_match(played: Played) -> None:
    async def on_act(line: FakeLine, action: Action) -> None:
        if line.agent_id == "ann":
            line.end = LOST

    played.bbs.on_act = on_act
    settings = a_match("ann", "bob", max_rounds=9, reconnect=ReconnectPolicy(max_reconnects=3))
    outcome = await played.run(settings)
    ann = outcome.participants[0]
    assert (ann.stop_reason, ann.void, ann.reconnects) == (StopReason.DISCONNECTED, True, 3)
    assert [one.data["attempt"] for one in played.told(MatchEvent.RECONNECT_ATTEMPTED)] == [1, 2, 3]
    assert len(played.bbs.lines["ann"]) == 4


async def test_a_line_that_was_had_back_and_goes_again_in_the_last_round_ends_the_match(played: Played) -> None:
    looks = 0

    async def on_look(line: FakeLine) -> None:
        nonlocal looks
        looks += 1
        if looks == 2:
            line.end = LOST

    played.bbs.on_look = on_look
    policy = ReconnectPolicy(on_hangup=True, max_reconnects=3)
    async with asyncio.timeout(10):
        outcome = await played.run(a_match(presses_p("ann", BYE), max_rounds=2, reconnect=policy))
    ann = outcome.participants[0]
    assert (ann.stop_reason, ann.reconnects, ann.actions) == (StopReason.ROUNDS, 1, 1)


async def test_a_fault_that_time_does_not_mend_is_tried_once(played: Played) -> None:
    class Barred(CannotConnect):
        retriable = False

    async def on_look(line: FakeLine) -> None:
        if line.agent_id == "ann" and played.bbs.typed_by("ann"):
            line.end = LOST
            played.bbs.faults["ann"] = [Barred("banned")]

    played.bbs.on_look = on_look
    await played.run(a_match("ann", "bob", max_rounds=3, reconnect=ReconnectPolicy(max_reconnects=5)))
    assert len(played.told(MatchEvent.RECONNECT_ATTEMPTED)) == 1


async def test_a_decision_for_a_line_that_went_meanwhile_is_no_tick(played: Played) -> None:
    model = HeldModel("ann")
    playing = asyncio.create_task(played.run(a_match("ann", max_rounds=2), {"ann": model}))
    await model.asked.acquire()
    played.bbs.line("ann").end = CLOSED
    model.let()
    await model.asked.acquire()
    model.let()
    outcome = await playing
    ann = outcome.participants[0]
    assert (ann.decisions, ann.reconnects, ann.stop_reason) == (1, 1, StopReason.ROUNDS)
    assert "cut_off" in played.trace_events("ann")
    assert len(played.bbs.typed) == 1


async def test_who_was_put_off_for_good_is_disconnected_and_has_played(played: Played) -> None:
    model = HeldModel("ann")
    settings = a_match("ann", reconnect=ReconnectPolicy(max_reconnects=0))
    playing = asyncio.create_task(played.run(settings, {"ann": model}))
    await model.asked.acquire()
    played.bbs.line("ann").end = CLOSED
    model.let()
    outcome = await playing
    assert (outcome.participants[0].stop_reason, outcome.participants[0].void) == (StopReason.DISCONNECTED, False)


@pytest.mark.parametrize("on_hangup", [False, True])
async def test_an_agent_that_leaves_comes_back_only_by_the_policy(played: Played, on_hangup: bool) -> None:
    settings = a_match(
        presses_p("ann", P, BYE), "bob", max_rounds=6, reconnect=ReconnectPolicy(on_hangup=on_hangup, max_reconnects=1)
    )
    outcome = await played.run(settings)
    ann = outcome.participants[0]
    assert (ann.stop_reason, ann.void) == (StopReason.HANGUP, False)
    assert ann.decisions == (4 if on_hangup else 2)
    assert outcome.participants[1].decisions == 6


async def test_an_agent_that_logs_off_has_left(played: Played) -> None:
    async def on_look(line: FakeLine) -> None:
        if line.agent_id == "ann" and len(played.bbs.typed_by("ann")) == 2:
            line.end = CLOSED

    played.bbs.on_look = on_look
    outcome = await played.run(a_match("ann", "bob", max_rounds=4))
    assert played.reasons() == {"ann": StopReason.CLOSED, "bob": StopReason.ROUNDS}
    assert not outcome.participants[0].void
    assert not played.told(MatchEvent.RECONNECT_ATTEMPTED)


@pytest.mark.parametrize("scheduler", EVERY)
async def test_when_the_time_is_over_all_stop_at_once_and_what_is_in_flight_is_cut(
    played: Played, scheduler: Scheduler
) -> None:
    models = {name: HeldModel(name) for name in ("ann", "bob")}
    for _ in range(2):
        models["ann"].let()
    if scheduler is Scheduler.SEQUENTIAL:
        models["bob"].let()
    settings = a_match("ann", "bob", scheduler=scheduler, budgets=Budgets(max_wall_seconds=0.3))
    outcome = await played.run(settings, models)
    assert outcome.stopped_by == "wall_seconds"
    assert set(played.reasons().values()) == {StopReason.WALL_SECONDS}
    assert not outcome.void
    assert 0.25 < outcome.wall_seconds < 2
    thinking = {agent for agent in ("ann", "bob") if "cut_off" in played.trace_events(agent)}
    expected = {
        Scheduler.SEQUENTIAL: {"bob"},
        Scheduler.PARALLEL_BARRIER: {"ann", "bob"},
        Scheduler.PARALLEL_RACE: {"bob"},
        Scheduler.CONTINUOUS: {"ann", "bob"},
    }
    assert thinking == expected[scheduler]
    ends = [one.data["finished_at"] for agent in models for one in played.trace(agent)[-1:] if one.event]
    assert len(ends) == 2
    assert played.names()[-3:] == ["participant_stopped", "participant_stopped", "match_completed"]


async def test_a_decision_that_waited_at_the_barrier_is_not_committed_after_the_end(played: Played) -> None:
    models = {name: HeldModel(name) for name in ("ann", "bob")}
    models["ann"].let()
    await played.run(a_match("ann", "bob", budgets=Budgets(max_wall_seconds=0.2)), models)
    assert not played.bbs.typed
    assert [one.decisions for one in played.outcome.participants] == [0, 0]


async def test_the_cost_is_that_of_the_match(played: Played) -> None:
    def dear(name: str) -> ScriptedModel:
        answer = Answer(text=P, usage=Usage(input_tokens=10, output_tokens=1), cost_usd=0.25)
        return ScriptedModel([answer], loop=True, name=name)

    models = {name: dear(name) for name in ("ann", "bob")}
    settings = a_match("ann", "bob", budgets=Budgets(max_cost_usd=1.5), scheduler=Scheduler.SEQUENTIAL)
    outcome = await played.run(settings, models)
    assert (outcome.stopped_by, outcome.cost_usd) == ("cost_usd", 1.5)
    assert set(played.reasons().values()) == {StopReason.COST_USD}


async def test_disabled_actions_are_neither_shown_nor_taken(played: Played) -> None:
    settings = a_match(presses_p("ann", BYE), max_rounds=1, disabled_actions=("hangup", "wait"))
    outcome = await played.run(settings)
    assert outcome.participants[0].validation_failures == 1
    decision = next(record for record in played.trace("ann") if isinstance(record, DecisionRecord))
    assert decision.error_code == "not_allowed"
    assert '"hangup"' not in decision.system_prompt
    schema = played.trace("ann")[0].profiles["shell"].schema
    assert schema["properties"]["action"]["enum"] == ["press_key", "type_text", "submit_line"]


async def test_actions_are_disabled_on_every_route(played: Played) -> None:
    other = ActivityProfile(name="other", objective="", policy=SHELL.policy, modules=())
    routes = RouteSet("routes", SHELL, (Route("a", lambda *_: True, other), Route("b", lambda *_: False, other)))
    roster = (ParticipantSettings(agent_id="ann", route_set="routes", model=presses_p("ann").model),)
    settings = MatchSettings(name="m", participants=roster, disabled_actions=("hangup",), budgets=Budgets(max_rounds=1))
    await played.run(settings, wires=wiring(played.bbs, route_set=lambda _: routes))
    header = played.trace("ann")[0]
    assert {str(ActionName.HANGUP) in profile.policy["allowed"] for profile in header.profiles.values()} == {False}
    assert "profile_switch" in played.trace_events("ann")


async def test_disabling_all_actions_is_refused_before_anybody_plays(played: Played) -> None:
    every = tuple(str(name) for name in ActionName)
    with pytest.raises(BadMatch, match=r"participants\[0\] \(ann\): shell has no action left without"):
        await played.run(a_match("ann", disabled_actions=every))
    assert not played.folder.exists()


async def test_the_door_is_prepared_by_the_seed(played: Played) -> None:
    played.host.refuses = set()
    await played.run(a_match("ann", seed=7, max_rounds=1, door=DoorSettings(game="starlane", turns=20)))
    assert played.host.calls == [
        ("start",),
        ("provision", "ann"),
        ("reset_door", "starlane", 7),
        ("grant_turns", "starlane", "ann", 20),
    ]


async def test_turns_are_granted_once_the_game_knows_the_player(played: Played) -> None:
    played.host.refuses = {"grant_turns"}

    async def on_act(line: FakeLine, action: Action) -> None:
        if len(played.bbs.typed) == 2:
            played.host.refuses = set()
        await asyncio.sleep(0.01)

    played.bbs.on_act = on_act
    outcome = await played.run(a_match("ann", max_rounds=6, door=DoorSettings(game="starlane", turns=20)))
    assert played.host.calls.count(("grant_turns", "starlane", "ann", 20)) == 4  # at the start, and after 3 actions
    assert outcome.detail == ""


@pytest.mark.parametrize("call", ["start", "provision", "reset_door"])
async def test_a_bbs_that_can_not_be_prepared_makes_a_void_match(played: Played, call: str) -> None:
    played.host.refuses = {call}
    outcome = await played.run(a_match("ann", "bob", door=DoorSettings(game="starlane")))
    assert (outcome.void, outcome.stopped_by, outcome.detail) == (True, "infra", f"{call} failed")
    assert played.names() == ["match_started", "participant_stopped", "participant_stopped", "match_completed"]
    assert not played.bbs.lines


async def test_who_can_not_be_connected_makes_the_match_void_and_is_tried_first(played: Played) -> None:
    played.bbs.faults["bob"] = [CannotConnect("busy")] * 2
    outcome = await played.run(a_match("ann", "bob", max_rounds=1))
    assert not outcome.void
    played.folder = played.folder / "again"
    played.bbs.faults["bob"] = [CannotConnect("busy")] * 3
    outcome = await played.run(a_match("ann", "bob", max_rounds=1))
    assert outcome.void
    assert outcome.detail == "bob could not be connected: busy"
    assert all(line.closed for lines in played.bbs.lines.values() for line in lines)


async def test_nodes_are_told_and_a_mismatch_is_an_event(played: Played) -> None:
    played.bbs.observed["bob"] = 5
    await played.run(a_match("ann", presses_p("bob", node=3), max_rounds=1))
    ready = [
        (one.data["requested_node"], one.data["allocated_node"], one.data["observed_node"])
        for one in played.told(MatchEvent.PARTICIPANT_READY)
    ]
    assert ready == [(None, 1, 1), (3, 3, 5)]
    assert [one.agent_id for one in played.told(MatchEvent.NODE_MISMATCH)] == ["bob"]


async def test_a_door_of_one_at_a_time_is_played_one_after_the_other(played: Played) -> None:
    online: list[int] = []

    async def on_act(line: FakeLine, action: Action) -> None:
        lines = [one for lines in played.bbs.lines.values() for one in lines]
        online.append(sum(not one.closed for one in lines))

    played.bbs.on_act = on_act
    outcome = await played.run(a_match("ann", "bob", max_rounds=3, door=DoorSettings(game="bre", reset=False)))
    assert set(online) == {1}
    assert [agent for agent, _ in played.bbs.typed] == ["ann"] * 3 + ["bob"] * 3
    assert (outcome.rounds, outcome.ticks) == (6, 6)
    played.folder = played.folder / "forced"
    online.clear()
    await played.run(a_match("ann", "bob", max_rounds=3, door=DoorSettings(game="bre", reset=False, force=True)))
    assert set(online) == {2}


async def test_one_participant_that_breaks_us_breaks_nobody_elses_match(played: Played) -> None:
    async def on_look(line: FakeLine) -> None:
        if line.agent_id == "ann" and played.bbs.typed_by("ann"):
            raise ZeroDivisionError("a fault of ours")

    played.bbs.on_look = on_look
    outcome = await played.run(a_match("ann", "bob", max_rounds=3))
    ann, bob = outcome.participants
    assert (ann.stop_reason, ann.void, bob.decisions) == (StopReason.INFRA, True, 3)
    assert "ZeroDivisionError" in ann.detail


async def test_a_match_that_is_interrupted_writes_its_end(played: Played) -> None:
    models = {name: HeldModel(name) for name in ("ann", "bob")}
    playing = asyncio.create_task(played.run(a_match("ann", "bob"), models))
    for model in models.values():
        await model.asked.acquire()
    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing
    completed = played.told(MatchEvent.MATCH_COMPLETED)[0]
    assert completed.data["stopped_by"] == "interrupted"
    assert [one["void"] for one in completed.data["participants"]] == [True, True]
    assert played.trace_events("ann")[-2:] == ["cut_off", "run_finished"]
    assert played.bbs.line("ann").closed


async def test_a_folder_has_one_match(played: Played) -> None:
    await played.run(a_match("ann", max_rounds=1))
    with pytest.raises(JournalFault, match="give the match another folder, or resume it"):
        await played.run(a_match("ann", max_rounds=1))


async def test_without_a_registry_accounts_are_made_on_a_private_bbs_alone(played: Played) -> None:
    played.host.private = False
    with pytest.raises(BadMatch, match="name your registry"):
        await played.run(a_match("ann"))


async def test_a_slow_machine_is_told_and_nobody_is_left_out(played: Played) -> None:
    """One participant's turns take five times as long as its peers'."""
    time = FakeTime()

    async def on_look(line: FakeLine) -> None:
        time.pass_(5.0 if line.agent_id == "cy" else 0.5)

    played.bbs.on_look = on_look
    settings = a_match("ann", "bob", "cy", max_rounds=6, scheduler=Scheduler.SEQUENTIAL)
    outcome = await played.run(settings, clock=time.clock)
    suspects = {one.agent_id: one.infra_suspect for one in outcome.participants}
    assert suspects["ann"] is None
    assert suspects["bob"] is None
    assert suspects["cy"] == "turns took 5.00 s, and 0.50 s elsewhere (medians)"
    assert not any(one.void for one in outcome.participants)
    assert played.told(MatchEvent.PARTICIPANT_STOPPED, "cy")[0].data["infra_suspect"]


async def test_an_agent_that_waits_does_not_make_the_machine_suspect(played: Played) -> None:
    """After a wait of its own a turn is as long as it asked for."""
    time = FakeTime()

    async def on_look(line: FakeLine) -> None:
        waited = line.agent_id == "bob" and played.bbs.typed_by("bob")
        time.pass_(10.0 if waited else 0.5)

    played.bbs.on_look = on_look
    wait = '{"action": "wait", "arguments": {"seconds": 10}}'
    settings = a_match("ann", presses_p("bob", wait), max_rounds=8, scheduler=Scheduler.SEQUENTIAL)
    outcome = await played.run(settings, clock=time.clock)
    assert [one.infra_suspect for one in outcome.participants] == [None, None]
    assert [one.pace.observe_s for one in outcome.participants] == [0.5, None]


async def test_state_is_kept_before_and_after(played: Played) -> None:
    moments = []

    async def keep(moment: str) -> tuple[str, ...]:
        moments.append((moment, len(played.bbs.lines), len(played.bbs.typed)))
        return (f"no boards {moment}",)

    outcome = await played.run(a_match("ann", max_rounds=2), keep=keep)
    assert moments == [("before", 0, 0), ("after", 1, 2)]
    assert outcome.detail == "no boards before; no boards after"


async def test_each_agent_has_a_campaign_memory_of_its_own(played: Played, tmp_path: Path) -> None:
    await played.run(a_match("ann", "bob", max_rounds=1), memory=tmp_path / "memory")
    assert sorted(path.name for path in (tmp_path / "memory").glob("*.json")) == ["ann.json", "bob.json"]


async def test_the_manifest_tells_what_the_match_was_made_of_and_no_secret(played: Played) -> None:
    model = {
        "provider": "openai",
        "model": "m",
        "base_url": "http://127.0.0.1:1/v1",
        "extra_body": {"api_key": "sk-xyzw12345678"},
    }
    roster = (ParticipantSettings(agent_id="ann", model=model),)
    settings = MatchSettings(name="m", profile="shell", participants=roster, budgets=Budgets(max_rounds=1), seed=5)
    await played.run(settings, {"m": ScriptedModel([P], loop=True, name="m")})
    text = (played.folder / "manifest.json").read_text()
    told = json.loads(text)
    assert "sk-xyzw" not in text
    assert told["participants"][0]["model"]["model"] == "m"
    assert told["settings"]["participants"][0]["model"]["extra_body"] == {"api_key": "***"}
    assert (told["match_id"], told["seed"], told["seeds"]["match"]) == ("run-1", 5, 5)
    assert len(told["profiles"]["shell"]["system_sha256"]) == 64
    assert len(told["profiles"]["shell"]["schema_sha256"]) == 64
    assert told["software"]["msgspec"]
    assert told["host"]["kind"] == "fake"
    assert told["policies"]["scheduler"] == "parallel_barrier"
