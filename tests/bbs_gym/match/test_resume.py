"""A match whose process is killed, and gone on with: nobody plays twice, nobody forgets, budgets are as spent."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.bbs_gym.match_fakes import FakeBbs, FakeHost, a_match, presses_p, wiring

from bbs_gym.hosts.host import Snapshot
from bbs_gym.match.events import MatchEvent, StopReason
from bbs_gym.match.journal import FILE_NAME, JournalFault, MatchJournal, read_events
from bbs_gym.match.outcome import MatchOutcome
from bbs_gym.match.resume import CannotResume, resume_match
from bbs_gym.match.run import run_match
from bbs_gym.match.settings import Budgets, DoorSettings, MatchSettings, Order, Scheduler
from tty_agent.activity.profiles import SHELL
from tty_agent.runner.settings import SYSTEM_CLOCK
from tty_agent.trace.records import DecisionRecord, read_trace

KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from tests.bbs_gym.match.test_resume import the_match
from tests.bbs_gym.match_fakes import FakeBbs, FakeHost, wiring
from bbs_gym.match.run import run_match

folder, scheduler, actions = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
bbs = FakeBbs()

async def on_act(line, action):
    if len(bbs.typed) == actions:
        os.kill(os.getpid(), signal.SIGKILL)

bbs.on_act = on_act
asyncio.run(run_match(the_match(scheduler), folder, host=FakeHost(), wiring=wiring(bbs)))
"""


def the_match(scheduler: str, **rest: Any) -> MatchSettings:
    """Three agents with a script of steps that tell their number, and one that hangs up early."""
    replies = [f'{{"action": "submit_line", "arguments": {{"text": "{number}"}}}}' for number in range(1, 20)]
    roster = [presses_p(name, *replies) for name in ("ann", "bob", "cy")]
    roster.append(presses_p("dee", '{"action": "hangup", "arguments": {}}'))
    budgets = Budgets(max_decision_ticks=6)
    return a_match(*roster, budgets=budgets, scheduler=Scheduler(scheduler), order=Order.SHUFFLE, **rest)


def killed(folder: Path, scheduler: str, actions: int, *, resumes: bool = False) -> None:
    """Play in a process that dies with the action after so many."""
    script = KILLED.replace("run_match(", "resume_match(").replace("match.run", "match.resume") if resumes else KILLED
    script = script.replace("import run_match", "import resume_match") if resumes else script
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder), scheduler, str(actions)],
        cwd=root, env={"PYTHONPATH": f"{root}:{root / 'src'}", "PATH": ""}, capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL, done.stderr


async def go_on(folder: Path, scheduler: str, bbs: FakeBbs, host: FakeHost | None = None) -> MatchOutcome:
    return await resume_match(the_match(scheduler), folder, host=host or FakeHost(), wiring=wiring(bbs))


def steps(folder: Path, agent: str) -> list[str]:
    """What an agent typed, by its traces."""
    traces = [folder / f"{agent}.jsonl", *sorted(folder.glob(f"resumed-*/{agent}.jsonl"))]
    records = [record for trace in traces if trace.exists() for record in read_trace(trace)]
    return [
        record.action["arguments"]["text"] if record.action and record.action["arguments"] else "bye"
        for record in records
        if isinstance(record, DecisionRecord)
    ]


@pytest.mark.parametrize(("scheduler", "actions"), [("parallel_barrier", 9), ("sequential", 5), ("continuous", 12)])
async def test_a_match_that_was_killed_is_played_to_its_end(tmp_path: Path, scheduler: str, actions: int) -> None:
    folder = tmp_path / "run"
    killed(folder, scheduler, actions)
    with pytest.raises(JournalFault, match="or resume it"):
        await run_match(the_match(scheduler), folder, host=FakeHost(), wiring=wiring(FakeBbs()))
    bbs = FakeBbs()
    outcome = await go_on(folder, scheduler, bbs)
    assert {one.agent_id: one.stop_reason for one in outcome.participants} == {
        "ann": StopReason.DECISION_TICKS,
        "bob": StopReason.DECISION_TICKS,
        "cy": StopReason.DECISION_TICKS,
        "dee": StopReason.HANGUP,
    }
    for agent in ("ann", "bob", "cy"):
        assert steps(folder, agent) == ["1", "2", "3", "4", "5", "6"], "each step once, over both processes"
    assert "dee" not in bbs.lines, "who was finished stays finished"
    assert [one.decisions for one in outcome.participants] == [6, 6, 6, 1]
    events = list(read_events(folder / FILE_NAME))
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert sum(event.event is MatchEvent.MATCH_RESUMED for event in events) == 1
    if scheduler != "continuous":
        rounds = [event.round for event in events if event.event is MatchEvent.ROUND_STARTED]
        assert rounds == list(range(1, len(rounds) + 1))
        for number in rounds[:6]:
            acted = [one.agent_id for one in events if one.event is MatchEvent.ACTION_COMMITTED and one.round == number]
            assert len(acted) == len(set(acted)), "nobody acts twice in a round"
    with pytest.raises(CannotResume, match="is over: nothing is left to play"):
        await go_on(folder, scheduler, FakeBbs())


async def test_orders_are_those_of_the_match_that_was_not_killed(tmp_path: Path) -> None:
    await run_match(the_match("sequential"), tmp_path / "whole", host=FakeHost(), wiring=wiring(FakeBbs()))
    killed(tmp_path / "cut", "sequential", 8)
    await go_on(tmp_path / "cut", "sequential", FakeBbs())
    orders = [
        [
            event.data["order"]
            for event in read_events(tmp_path / name / FILE_NAME)
            if event.event is MatchEvent.ROUND_STARTED
        ]
        for name in ("whole", "cut")
    ]
    assert orders[0] == orders[1]


async def test_memory_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    killed(folder, "sequential", 12)
    await go_on(folder, "sequential", FakeBbs())
    records = read_trace(folder / "resumed-1" / "ann.jsonl")
    first = next(record for record in records if isinstance(record, DecisionRecord))
    assert 'step 1: {"action":"submit_line","arguments":{"text":"1"}}' in first.prompt


async def test_it_may_be_killed_again(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    killed(folder, "sequential", 4)
    killed(folder, "sequential", 5, resumes=True)
    outcome = await go_on(folder, "sequential", FakeBbs())
    for agent in ("ann", "bob", "cy"):
        assert steps(folder, agent) == ["1", "2", "3", "4", "5", "6"]
    assert outcome.participants[0].traces == ("ann.jsonl", "resumed-1/ann.jsonl", "resumed-2/ann.jsonl")


async def stopped_halfway(folder: Path, settings: MatchSettings, host: FakeHost, **rest: Any) -> None:
    """A match in this process whose record ends in the middle."""
    await run_match(settings, folder, host=host, wiring=wiring(FakeBbs()), **rest)
    place = folder / FILE_NAME
    lines = place.read_bytes().splitlines(keepends=True)
    place.write_bytes(b"".join(lines[:8]) + lines[8][:20])  # and a torn line


async def test_a_torn_line_is_cut_off(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    settings = a_match("ann", "bob", max_rounds=4)
    await stopped_halfway(folder, settings, FakeHost())
    with MatchJournal(folder / FILE_NAME, SYSTEM_CLOCK, resumes=True) as journal:
        assert journal.write(MatchEvent.MATCH_RESUMED).seq == 9
    assert [event.seq for event in read_events(folder / FILE_NAME)] == list(range(1, 10))


async def test_what_changed_is_refused_with_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    settings = a_match("ann", "bob", max_rounds=4)
    await stopped_halfway(folder, settings, FakeHost())
    with pytest.raises(CannotResume, match="seed of the settings changed since the match began"):
        await resume_match(
            a_match("ann", "bob", max_rounds=4, seed=8), folder, host=FakeHost(), wiring=wiring(FakeBbs())
        )
    other = msgspec.structs.replace(SHELL, system_guidance="Play well.")
    wires = wiring(FakeBbs(), profile=lambda _: other)
    with pytest.raises(CannotResume, match="profiles changed since the match began"):
        await resume_match(settings, folder, host=FakeHost(), wiring=wires)


async def test_a_world_that_was_made_anew_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    settings = a_match("ann", max_rounds=4, door=DoorSettings(game="starlane"))
    host = FakeHost()
    host.world = {"settings": {"seed": 1}, "journal": [1, 2]}
    await stopped_halfway(folder, settings, host)
    for world in ({"settings": {"seed": 2}, "journal": [1, 2, 3]}, {"settings": {"seed": 1}, "journal": [1]}):
        host.world = world
        with pytest.raises(CannotResume, match="the world of the game was made anew"):
            await resume_match(settings, folder, host=host, wiring=wiring(FakeBbs()))
    host.refuses = {"start"}
    with pytest.raises(CannotResume, match="the BBS does not run"):
        await resume_match(settings, folder, host=host, wiring=wiring(FakeBbs()))


async def test_a_snapshot_that_is_missing_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    snapshot = Snapshot(name="base", path=tmp_path / "base", sha256="00", created_at="")
    await stopped_halfway(folder, a_match("ann", "bob", max_rounds=4), FakeHost(), snapshot=snapshot)
    assert json.loads((folder / "manifest.json").read_text())["host"]["snapshot"]["sha256"] == "00"
    with pytest.raises(CannotResume, match="the snapshot base is missing"):
        await resume_match(a_match("ann", "bob", max_rounds=4), folder, host=FakeHost(), wiring=wiring(FakeBbs()))


async def test_a_match_that_is_still_played_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    settings = a_match("ann", "bob", max_rounds=4)
    await stopped_halfway(folder, settings, FakeHost())
    with (
        MatchJournal(folder / FILE_NAME, SYSTEM_CLOCK, resumes=True),
        pytest.raises(JournalFault, match="is being written by another process"),
    ):
        await resume_match(settings, folder, host=FakeHost(), wiring=wiring(FakeBbs()))


async def test_no_match_is_none(tmp_path: Path) -> None:
    with pytest.raises(CannotResume, match="the match had not begun"):
        await go_on(tmp_path, "sequential", FakeBbs())
