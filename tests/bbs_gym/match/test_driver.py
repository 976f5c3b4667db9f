"""Whatever fails, and whenever: a match comes to its end, each participant stops once, and the record is whole."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.bbs_gym.match_fakes import BYE, CLOSED, LOST, CannotConnect, FakeBbs, FakeHost, FakeLine, P, a_match, wiring

from bbs_gym.match.events import EventLine, MatchEvent, StopReason
from bbs_gym.match.journal import FILE_NAME, read_events
from bbs_gym.match.outcome import MatchOutcome
from bbs_gym.match.run import run_match
from bbs_gym.match.settings import Budgets, Order, ReconnectPolicy, Scheduler
from tty_agent.models.model import ModelReply, Prompt, ProviderFault
from tty_agent.trace.records import EventRecord, read_trace

AGENTS = ("ann", "bob", "cy")

TURNS = st.lists(st.sampled_from(["act", "act", "act", "fail", "slow", "bye", "fault"]), min_size=1, max_size=6)
LOOKS = st.lists(st.sampled_from(["see", "see", "see", "see", "lost", "closed", "break"]), min_size=1, max_size=6)
CALLS = st.lists(st.sampled_from(["answer", "busy"]), max_size=2)


class Moody:
    """A model that does as its list says, again and again."""

    provider, stateful = "moody", False

    def __init__(self, name: str, moods: list[str]) -> None:
        self.name = name
        self._moods = moods
        self._calls = 0

    async def complete(self, prompt: Prompt) -> ModelReply:
        mood = self._moods[self._calls % len(self._moods)]
        self._calls += 1
        for _ in range(5 if mood == "slow" else self._calls % 2):
            await asyncio.sleep(0)
        if mood == "fault":
            raise ProviderFault("server_error", "503")
        text = {"fail": "no", "bye": BYE}.get(mood, P)
        return ModelReply(raw=text, text=text, model=self.name, provider=self.provider)

    async def close(self) -> None:
        """Nothing is held."""


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from(list(Scheduler)),
    st.sampled_from(list(Order)),
    st.tuples(*[TURNS] * len(AGENTS)),
    st.tuples(*[LOOKS] * len(AGENTS)),
    st.tuples(*[CALLS] * len(AGENTS)),
    st.sampled_from(
        [Budgets(max_decision_ticks=4), Budgets(max_rounds=5), Budgets(max_rounds=3, max_decision_ticks=3)]
    ),
    st.booleans(),
)
def test_a_match_ends_and_says_how(
    scheduler: Scheduler, order: Order, turns: Any, looks: Any, calls: Any, budgets: Budgets, on_hangup: bool
) -> None:
    bbs = FakeBbs()
    seen = dict.fromkeys(AGENTS, 0)
    by_agent = dict(zip(AGENTS, looks, strict=True))

    async def on_look(line: FakeLine) -> None:
        mood = by_agent[line.agent_id][seen[line.agent_id] % len(by_agent[line.agent_id])]
        seen[line.agent_id] += 1
        await asyncio.sleep(0)
        if mood == "break":
            raise ZeroDivisionError
        if mood != "see":
            line.end = LOST if mood == "lost" else CLOSED
            bbs.faults[line.agent_id] = [
                CannotConnect("busy") for call in calls[AGENTS.index(line.agent_id)] if call == "busy"
            ]

    bbs.on_look = on_look
    models: dict[str, Any] = {name: Moody(name, moods) for name, moods in zip(AGENTS, turns, strict=True)}
    policy = ReconnectPolicy(max_reconnects=3, on_hangup=on_hangup)
    match = a_match(*AGENTS, scheduler=scheduler, order=order, budgets=budgets, reconnect=policy, seed=2)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "run"

        async def play() -> MatchOutcome:
            async with asyncio.timeout(20):
                return await run_match(match, place, host=FakeHost(), wiring=wiring(bbs, models))

        outcome = asyncio.run(play())
        _check(outcome, list(read_events(place / FILE_NAME)), place)
    assert all(line.closed for lines in bbs.lines.values() for line in lines)


def _check(outcome: MatchOutcome, events: list[EventLine], place: Path) -> None:
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert events[-1].event is MatchEvent.MATCH_COMPLETED
    stopped = [event.agent_id for event in events if event.event is MatchEvent.PARTICIPANT_STOPPED]
    assert sorted(map(str, stopped)) == list(AGENTS)
    for one in outcome.participants:
        told = [event for event in events if event.agent_id == one.agent_id]
        assert told[-1].event is MatchEvent.PARTICIPANT_STOPPED
        assert one.reconnects <= 3
        assert one.actions == sum(event.event is MatchEvent.ACTION_COMMITTED for event in told)
        assert one.void is (one.stop_reason in {StopReason.INFRA, StopReason.DISCONNECTED} and one.void)
        records = list(read_trace(place / f"{one.agent_id}.jsonl"))
        last = records[-1]
        assert isinstance(last, EventRecord)
        assert last.event == "run_finished"
        assert last.data["spent"]["decision_ticks"] == one.decisions == one.actions + one.validation_failures
        if one.stop_reason is StopReason.INFRA:
            assert one.void
