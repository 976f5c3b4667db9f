"""The gym as a whole at the house's own BBS: accounts, every scheduler with a script beside a slow model, kill and
resume, snapshots, and scores beside the game's own books."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from tests.bbs_gym.hosts.private_house import private_house

from bbs_gym.accounts.account import Account
from bbs_gym.hosts.house import HouseHost
from bbs_gym.match.events import EventLine, MatchEvent, StopReason
from bbs_gym.match.journal import FILE_NAME, read_events
from bbs_gym.match.outcome import MatchOutcome
from bbs_gym.match.run import run_match
from bbs_gym.match.settings import (
    Budgets,
    DoorSettings,
    MatchSettings,
    Order,
    ParticipantSettings,
    Scheduler,
)
from bbs_gym.scoring.kept_state import keeper
from bbs_gym.scoring.score_run import score_run
from tty_agent.trace.records import DecisionRecord, read_trace

pytest.importorskip("openai", reason="needs pip install 'agentbbs[llm]'")

FAST, SLOW = "ann", "bob"
LIMIT_S = 120.0
"""For what takes a few seconds on a quiet machine."""


def press(key: str) -> str:
    return json.dumps({"action": "press_key", "arguments": {"key": key}})


def submit(text: str) -> str:
    return json.dumps({"action": "submit_line", "arguments": {"text": text}})


ENTERS = (press("d"), submit("1"), press("n"))
"""From the main menu to the command prompt of Starlane, as a pilot who was never there."""

ARMS = (*ENTERS, press("y"), press("f"), submit("20"))
"""Fighters count half of what they cost, so it is worth less than somebody who looks."""

LOOKS = (*ENTERS, press("i"), press("d"), press("i"))


class Provider:
    """An OpenAI-compatible server of one model, which thinks about each answer until it is let."""

    def __init__(self, replies: tuple[str, ...]) -> None:
        self._replies = iter(replies)
        self._let = asyncio.Semaphore(0)
        self.asked = 0
        self.in_flight = 0
        self.most_in_flight = 0
        self.prompts: list[str] = []
        self.url = ""

    def let(self, answers: int = 1) -> None:
        for _ in range(answers):
            self._let.release()

    async def answer(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.asked += 1
        self.prompts.append(body["messages"][-1]["content"])
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        await self._let.acquire()
        self.in_flight -= 1
        message = {"role": "assistant", "content": f"Let me think. {next(self._replies)}"}
        return web.json_response(
            {
                "id": "1", "object": "chat.completion", "created": 0, "model": "slow",
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                "usage": {"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020},
            }
        )  # fmt: skip


@asynccontextmanager
async def provider(*replies: str) -> AsyncIterator[Provider]:
    """It runs on loopback meanwhile."""
    made = Provider(replies)
    app = web.Application()
    app.router.add_post("/v1/chat/completions", made.answer)
    runner = web.AppRunner(app, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        made.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        yield made
    finally:
        made.let(len(replies))
        await runner.cleanup()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gym")


@pytest.fixture(scope="module")
def house(place: Path) -> Iterator[HouseHost]:
    """One private venue for all tests that do without another."""
    with private_house(place) as host:
        yield host


def scripted(agent: str, *replies: str, **rest: Any) -> ParticipantSettings:
    return ParticipantSettings(
        agent_id=agent, model={"provider": "scripted", "model": agent, "replies": list(replies)}, **rest
    )


def thinking(agent: str, at: Provider) -> ParticipantSettings:
    return ParticipantSettings(agent_id=agent, model={"provider": "openai", "model": "slow", "base_url": at.url})


def a_match(*agents: ParticipantSettings, **rest: Any) -> MatchSettings:
    """In Starlane, of as many decisions each as the scripts have."""
    shared: dict[str, Any] = {
        "name": "e2e",
        "objective": "You are {alias}. Be worth more than {rivals}.",
        "route_set": "starlane-auto",
        "door": DoorSettings(game="starlane"),
        "budgets": Budgets(max_decision_ticks=len(ARMS), max_wall_seconds=LIMIT_S),
        "seed": 7,
    }
    return MatchSettings(participants=agents, **(shared | rest))


def told(events: list[EventLine], *names: MatchEvent) -> list[tuple[str, str | None]]:
    return [(str(event.event), event.agent_id) for event in events if event.event in names]


def in_rounds(events: list[EventLine]) -> list[list[tuple[str, str | None]]]:
    """Decisions and commits of each round, in order."""
    wanted = (MatchEvent.DECISION_COMPLETED, MatchEvent.ACTION_COMMITTED)
    numbers = sorted({event.round for event in events if event.round is not None})
    return [told([event for event in events if event.round == number], *wanted) for number in numbers]


async def play(
    house: HouseHost, folder: Path, settings: MatchSettings, watch: Callable[[EventLine], None], **rest: Any
) -> tuple[MatchOutcome, list[EventLine]]:
    outcome = await run_match(settings, folder, host=house, watch=watch, **rest)
    assert not any(one.void for one in outcome.participants), outcome
    return outcome, list(read_events(folder / FILE_NAME))


def own_books(place: Path) -> dict[str, float]:
    """What `starlane scores --json` says."""
    world = place / "venue" / "doors" / "starlane"
    asked = [sys.executable, "-m", "starlane", "scores", "--json", "--data", str(world)]
    lines = json.loads(subprocess.run(asked, capture_output=True, check=True).stdout)["scores"]
    return {line["name"]: float(line["net_worth"]) for line in lines}


def bbs_gym(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bbs_gym", *map(str, words)],
        cwd=cwd, capture_output=True, text=True, timeout=LIMIT_S, check=False,
    )  # fmt: skip


def test_agents_are_provisioned_and_log_in(house: HouseHost, place: Path, tmp_path: Path) -> None:
    """By the commands that an operator types."""
    (tmp_path / "cy.password").write_text("correct horse battery\n")
    registry = tmp_path / "agents.json"
    registry.write_text('{"agents": [{"agent_id": "cy", "alias": "Cyrus", "password_file": "cy.password"}]}')
    words = ("accounts", "provision", "--registry", registry, "--data", place / "venue", "--json")
    for change in ("created", "unchanged"):
        done = bbs_gym(*words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert [one["change"] for one in json.loads(done.stdout)] == [change]
    state = json.loads((place / "venue" / "venue.json").read_text())
    host, _, port = state["telnet"].rpartition(":")
    at = ("--registry", registry, "--host", host, "--port", port)
    looked = bbs_gym("smoke", "--agent-id", "cy", "--transport", "telnet", *at, cwd=tmp_path)
    assert looked.returncode == 0, looked.stderr
    assert "Main menu:" in looked.stdout
    assert "correct horse" not in (tmp_path / "runtime" / "transcripts" / "cy.raw").read_text("latin-1")


async def test_sequential_asks_nobody_before_the_one_before_has_acted(house: HouseHost, tmp_path: Path) -> None:
    async with provider(*LOOKS) as at:
        asked: list[int] = []

        def watch(event: EventLine) -> None:
            if (event.event, event.agent_id) == (MatchEvent.ACTION_COMMITTED, FAST):
                asked.append(at.asked)
                at.let()

        settings = a_match(scripted(FAST, *ARMS), thinking(SLOW, at), scheduler=Scheduler.SEQUENTIAL)
        outcome, events = await play(house, tmp_path / "run", settings, watch)
    assert asked == [0, 1, 2, 3, 4, 5]
    wanted = [(name, agent) for agent in (FAST, SLOW) for name in ("decision_completed", "action_committed")]
    assert in_rounds(events) == [wanted] * 6
    assert [one.actions for one in outcome.participants] == [6, 6]
    assert "Be worth more than ann." in at.prompts[0]
    assert "Command (?=Help)?" in at.prompts[-1]


async def test_a_barrier_holds_the_fast_until_the_slow_has_decided(house: HouseHost, place: Path) -> None:
    """And what the match is worth is what the game itself says."""
    async with provider(*LOOKS) as at:

        def watch(event: EventLine) -> None:
            if (event.event, event.agent_id) == (MatchEvent.DECISION_COMPLETED, FAST):
                at.let()

        settings = a_match(scripted(FAST, *ARMS), thinking(SLOW, at), order=Order.ROTATE)
        run = place / "barrier"
        _, events = await play(house, run, settings, watch, keep=keeper(house, run, settings))
    for number, one in enumerate(in_rounds(events), 1):
        first, last = (FAST, SLOW) if number % 2 else (SLOW, FAST)
        assert one == [
            ("decision_completed", FAST),
            ("decision_completed", SLOW),
            ("action_committed", first),
            ("action_committed", last),
        ]
    score = await score_run(run)
    skills = {one.agent_id: one.skill for one in score.participants if one.skill is not None}
    assert {agent: skill.score for agent, skill in skills.items()} == own_books(place)
    assert [one.tokens for one in score.participants] == [None, 6 * 1020]


async def test_in_a_race_the_slow_holds_nobodys_action(house: HouseHost, tmp_path: Path) -> None:
    async with provider(*LOOKS) as at:

        def watch(event: EventLine) -> None:
            if (event.event, event.agent_id) == (MatchEvent.ACTION_COMMITTED, FAST):
                at.let()

        settings = a_match(thinking(SLOW, at), scripted(FAST, *ARMS), scheduler=Scheduler.PARALLEL_RACE)
        outcome, events = await play(house, tmp_path / "run", settings, watch)
    wanted = [(name, agent) for agent in (FAST, SLOW) for name in ("decision_completed", "action_committed")]
    assert in_rounds(events) == [wanted] * 6, "the slow one is first in the roster, and acts last all the same"
    assert [event.tick for event in events if event.event is MatchEvent.ACTION_COMMITTED] == list(range(1, 13))
    assert outcome.rounds == 6


async def test_in_continuous_the_fast_does_more_in_the_same_time(house: HouseHost, tmp_path: Path) -> None:
    async with provider(*LOOKS) as at:
        acted: list[str] = []

        def watch(event: EventLine) -> None:
            if event.event is MatchEvent.ACTION_COMMITTED:
                acted.append(str(event.agent_id))
                if acted == [FAST] * len(ARMS):
                    at.let(len(LOOKS))

        settings = a_match(thinking(SLOW, at), scripted(FAST, *ARMS), scheduler=Scheduler.CONTINUOUS)
        outcome, events = await play(house, tmp_path / "run", settings, watch)
    assert acted == [FAST] * 6 + [SLOW] * 6
    assert told(events, MatchEvent.ROUND_STARTED, MatchEvent.ROUND_COMPLETED) == []
    queued = [event.data["queued_tick"] for event in events if event.event is MatchEvent.COMMIT_ORDER]
    assert sorted(queued) == list(range(1, 13))
    assert queued[6] <= 2, "the first request of the slow one was among the first two of the match"
    assert at.most_in_flight == 1
    assert {one.stop_reason for one in outcome.participants} == {StopReason.DECISION_TICKS}


def screens(trace: Path) -> list[str]:
    """What the agent saw at each decision, without the time of day."""
    seen = [record.pretty_screen for record in read_trace(trace) if isinstance(record, DecisionRecord)]
    return [re.sub(r"\d\d:\d\d UTC", "TIME", screen) for screen in seen]


@pytest.mark.slow
async def test_matches_from_one_snapshot_begin_alike(house: HouseHost, tmp_path: Path) -> None:
    account = Account(agent_id="dee", alias="Dee")
    await house.provision([account])
    await house.reset_door("starlane", seed=11)
    start = await house.save("start")
    settings = a_match(scripted("dee", *ARMS), door=DoorSettings(game="starlane", reset=False))
    for name in ("first", "second"):
        outcome, _ = await play(house, tmp_path / name, settings, lambda _: None, accounts=[account], snapshot=start)
        assert outcome.ticks == len(ARMS)
        after = await house.save(f"after-{name}")
        assert after.sha256 != start.sha256
        await house.restore(start)
        assert (await house.save(f"again-{name}")).sha256 == start.sha256
    first, second = (screens(tmp_path / name / "dee.jsonl") for name in ("first", "second"))
    assert "Main menu:" in first[0]
    assert "Welcome aboard, Dee." in first[2]
    assert first == second
    for name in ("first", "second"):
        manifest = json.loads((tmp_path / name / "manifest.json").read_bytes())
        assert start.sha256 in json.dumps(manifest)


MENU = """
name = "menu"
profile = "bbs-main-menu"
scheduler = "parallel_barrier"
[budgets]
max_rounds = 12
max_wall_seconds = 120
[[participants]]
agent_id = "ann"
model = {provider = "scripted", replies = ['{"action": "press_key", "arguments": {"key": "?"}}'], loop = true}
[[participants]]
agent_id = "bob"
transport = "telnet"
model = {provider = "scripted", replies = ['{"action": "press_key", "arguments": {"key": "?"}}'], loop = true}
"""


@pytest.mark.slow
def test_a_match_that_is_killed_goes_on_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "menu.toml").write_text(MENU)
    words = [sys.executable, "-m", "bbs_gym", "run-match", "menu.toml"]
    playing = subprocess.Popen(
        [*words, "--folder", "run"], cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    late = threading.Timer(LIMIT_S, playing.kill)
    late.start()
    with playing:
        assert playing.stderr is not None
        assert any(line.startswith("tick 7 ") for line in playing.stderr), "it did not come so far"
        os.kill(playing.pid, signal.SIGKILL)
    late.cancel()
    before = list(read_events(tmp_path / "run" / FILE_NAME))
    assert MatchEvent.MATCH_COMPLETED not in {event.event for event in before}
    done = bbs_gym("run-match", "menu.toml", "--resume", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    events = list(read_events(tmp_path / "run" / FILE_NAME))
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert [event.data for event in events[: len(before)]] == [event.data for event in before]
    assert [event.tick for event in events if event.event is MatchEvent.ACTION_COMMITTED] == list(range(1, 25))
    ends = [event.data for event in events if event.event is MatchEvent.PARTICIPANT_STOPPED]
    assert [(end["stop_reason"], end["decisions"], len(end["traces"])) for end in ends] == [("rounds", 12, 2)] * 2
    score = json.loads((tmp_path / "run" / "score.json").read_bytes())
    assert score["extra"]["stopped_by"] == "rounds"
    assert not any(one["void"] for one in score["participants"])
