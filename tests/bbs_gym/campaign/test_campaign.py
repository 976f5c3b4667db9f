"""Campaigns in memory: killed at any moment, spoilt by machines, stopped by cost, and what they write down."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.bbs_gym.campaign.campaigns import FakeCrew, Killed, a_campaign, finished

from bbs_gym.campaign.campaign import SCHEDULE_FILE, run_campaign
from bbs_gym.campaign.events import CampaignEvent, CampaignLine
from bbs_gym.campaign.journal import FILE_NAME, CampaignFault, read_lines
from bbs_gym.campaign.schedule import Schedule, make_schedule
from bbs_gym.campaign.settings import CampaignSettings, SwapSettings, TurnSettings
from bbs_gym.campaign.standing import Standing
from bbs_gym.campaign.summary import summarize, write_summary
from bbs_gym.campaign.task import MatchResult, MatchTask, WorkerLost

TWO_TURNS = a_campaign(3, 0, (TurnSettings(name="one"), TurnSettings(name="two", seeds=1, agents=("a1", "a2"))))


async def play(folder: Path, campaign: CampaignSettings, crew: FakeCrew, **rest: Any) -> Standing:
    return await run_campaign(campaign, folder, lambda _: crew, resume=(folder / FILE_NAME).exists(), **rest)


def lines(folder: Path, event: CampaignEvent) -> list[CampaignLine]:
    return [line for line in read_lines(folder / FILE_NAME) if line.event is event]


async def test_it_is_played_in_order_with_a_turn_after_the_other(tmp_path: Path) -> None:
    crew = FakeCrew(4)
    standing = await play(tmp_path, TWO_TURNS, crew)
    schedule = make_schedule(TWO_TURNS)
    assert standing.completed
    assert [task.match_id for task in crew.played] == [match.match_id for match in schedule.matches]
    assert crew.closed
    order = [line.match for line in read_lines(tmp_path / FILE_NAME) if line.match]
    last_of_one = max(at for at, match in enumerate(order) if str(match).endswith("one"))
    assert all(str(match).endswith("two") for match in order[last_of_one + 1 :])
    assert msgspec.json.decode((tmp_path / SCHEDULE_FILE).read_bytes(), type=Schedule) == schedule
    assert standing.cost_usd == pytest.approx(0.25 * len(schedule.matches))


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kills=st.lists(st.integers(1, 12), max_size=6), size=st.integers(1, 3), torn=st.binary(max_size=9))
def test_killed_after_any_line_it_goes_on_and_finishes_each_match_once(
    tmp_path: Path, kills: list[int], size: int, torn: bytes
) -> None:
    folder = tmp_path / "campaign"
    shutil.rmtree(folder, ignore_errors=True)
    finished_plays: Counter[str] = Counter()
    torn = torn.replace(b"\n", b"")

    async def once(kill: int | None) -> Standing:
        seen = 0

        def watch(_: CampaignLine) -> None:
            nonlocal seen
            seen += 1
            if seen == kill:
                raise Killed

        return await play(folder, TWO_TURNS, FakeCrew(size), watch=watch)

    for kill in kills:
        try:
            asyncio.run(once(kill))
        except Killed:
            with (folder / FILE_NAME).open("ab") as file:
                file.write(torn)
    standing = asyncio.run(once(None))
    assert standing.completed
    assert standing.left() == 0
    for line in lines(folder, CampaignEvent.FINISHED):
        finished_plays[str(line.match)] += 1
    assert finished_plays == Counter(match.match_id for match in make_schedule(TWO_TURNS).matches)
    assert len(lines(folder, CampaignEvent.PLANNED)) == 1
    after = {str(line.match) for line in lines(folder, CampaignEvent.REQUEUED)}
    kept = {path.name.partition(".")[0] for path in (folder / "set-aside").glob("*.interrupted*")}
    assert kept <= after
    assert standing.spoilt == dict.fromkeys(after, 0)


async def test_a_result_that_was_written_before_the_kill_is_taken(tmp_path: Path) -> None:
    crew = FakeCrew()

    def watch(line: CampaignLine) -> None:
        if line.event is CampaignEvent.FINISHED:
            raise Killed

    with pytest.raises(Killed):
        await play(tmp_path, TWO_TURNS, crew, watch=watch)
    content = (tmp_path / FILE_NAME).read_bytes().splitlines(keepends=True)
    (tmp_path / FILE_NAME).write_bytes(b"".join(content[:-1]))  # the kill came before the line
    again = FakeCrew()
    await play(tmp_path, TWO_TURNS, again)
    assert crew.played[0].match_id not in {task.match_id for task in again.played}


async def test_what_another_attempt_left_is_not_taken(tmp_path: Path) -> None:
    async def anothers(task: MatchTask) -> MatchResult:
        return await finished(msgspec.structs.replace(task, token="another"))

    def watch(line: CampaignLine) -> None:
        if line.event is CampaignEvent.FINISHED:
            raise Killed

    with pytest.raises(Killed):
        await play(tmp_path, TWO_TURNS, FakeCrew(1, anothers), watch=watch)
    content = (tmp_path / FILE_NAME).read_bytes().splitlines(keepends=True)
    (tmp_path / FILE_NAME).write_bytes(b"".join(content[:-1]))
    again = FakeCrew()
    await play(tmp_path, TWO_TURNS, again)
    first = make_schedule(TWO_TURNS).matches[0].match_id
    assert first in {task.match_id for task in again.played}
    assert (tmp_path / "set-aside" / f"{first}.interrupted" / "begun").exists()


async def test_a_lost_worker_costs_nobody_and_the_match_is_played_again_last(tmp_path: Path) -> None:
    fails = iter([True])

    async def flaky(task: MatchTask) -> MatchResult:
        if next(fails, False):
            raise WorkerLost("the worker was killed by signal 9")
        return await finished(task)

    crew = FakeCrew(1, flaky)
    standing = await play(tmp_path, TWO_TURNS, crew)
    ids = [task.match_id for task in crew.played]
    assert ids.count(ids[0]) == 2
    assert ids[6] == ids[0], "after the rest of its turn"
    assert not standing.void
    (line,) = lines(tmp_path, CampaignEvent.REQUEUED)
    assert (line.data["why"], line.data["tries"]) == ("the worker was killed by signal 9", 1)
    assert (tmp_path / "set-aside" / f"{ids[0]}.void" / "begun").exists()


async def test_a_match_that_is_always_spoilt_is_void_and_the_campaign_goes_on(tmp_path: Path) -> None:
    first = make_schedule(TWO_TURNS).matches[0].match_id

    async def void(task: MatchTask) -> MatchResult:
        return (
            await finished(task, void=("a2",), detail="the line broke")
            if task.match_id == first
            else (await finished(task))
        )

    crew = FakeCrew(2, void)
    standing = await play(tmp_path, TWO_TURNS, crew)
    assert standing.completed
    assert standing.void == {first}
    assert [task.match_id for task in crew.played].count(first) == TWO_TURNS.max_tries
    (line,) = lines(tmp_path, CampaignEvent.VOID)
    assert line.data["why"] == "void for a2: the line broke"
    summary = summarize(standing, tmp_path)
    assert (summary.finished, summary.void, summary.spoilt) == (7, (first,), 3)
    assert len(summary.unscored) == 7, "the fake writes no score"
    assert write_summary(summary, tmp_path).exists()


async def test_settings_that_can_not_be_played_stop_it_at_once(tmp_path: Path) -> None:
    async def refused(task: MatchTask) -> MatchResult:
        return await finished(task, refused="a1 has no account")

    with pytest.raises(CampaignFault, match="can't be played: a1 has no account"):
        await play(tmp_path, TWO_TURNS, FakeCrew(3, refused))
    standing = await play(tmp_path, TWO_TURNS, FakeCrew(3))
    assert standing.completed
    assert not any(standing.spoilt.values())


async def test_interrupted_it_ends_its_workers_and_can_be_resumed(tmp_path: Path) -> None:
    begun = asyncio.Event()

    async def hangs(_: MatchTask) -> MatchResult:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    crew = FakeCrew(2, hangs)
    running = asyncio.create_task(play(tmp_path, TWO_TURNS, crew))
    async with asyncio.timeout(10):
        await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not crew.on
    assert lines(tmp_path, CampaignEvent.STOPPED)[0].data["why"] == "interrupted"
    assert (await play(tmp_path, TWO_TURNS, FakeCrew(2))).completed


async def test_no_match_is_begun_that_could_cost_too_much(tmp_path: Path) -> None:
    bounded = a_campaign(3, match={"profile": "chat", "budgets": {"max_cost_usd": 0.5}})
    standing = await play(tmp_path, bounded, FakeCrew(3), max_cost_usd=1.0)
    assert standing.cost_usd == 0.75
    assert (len(standing.finished), standing.left()) == (3, 3)
    assert lines(tmp_path, CampaignEvent.STOPPED)[0].data["why"] == "max_cost"
    assert (await play(tmp_path, bounded, FakeCrew(), max_cost_usd=9.0)).completed


async def test_a_resumed_campaign_with_other_settings_is_refused(tmp_path: Path) -> None:
    await play(tmp_path, TWO_TURNS, FakeCrew())
    with pytest.raises(CampaignFault, match="another schedule"):
        await play(tmp_path, msgspec.structs.replace(TWO_TURNS, seed=1), FakeCrew())


async def test_matches_on_one_bbs_are_played_one_at_a_time(tmp_path: Path) -> None:
    shared = a_campaign(match={"profile": "chat", "host": {"address": "bbs.example"}})
    with pytest.raises(CampaignFault, match="--workers 1"):
        await play(tmp_path, shared, FakeCrew(2))
    assert (await play(tmp_path, shared, FakeCrew(1))).completed


async def test_memory_goes_from_turn_to_turn_and_not_between_matches_of_one(tmp_path: Path) -> None:
    async def learns(task: MatchTask) -> MatchResult:
        assert task.memory is not None
        (task.folder / "memory").mkdir()
        for one in task.settings.participants:
            known = task.memory.get(one.agent_id, "")
            (task.folder / "memory" / f"{one.agent_id}.json").write_text(f"{known}+{task.match_id[7:12]}")
        return await finished(task)

    crew = FakeCrew(2, learns)
    await play(tmp_path, msgspec.structs.replace(TWO_TURNS, memory=True), crew)
    memories = [(task.match_id[7:12], task.memory) for task in crew.played]
    assert all(memory == {} for number, memory in memories[:6])
    assert memories[6][1] == {"a1": "+00006", "a2": "+00006"}
    assert memories[7][1] == memories[6][1]


async def test_swaps_are_recorded_once_and_each_match_says_its_models(tmp_path: Path) -> None:
    turns = (TurnSettings(name="one"), TurnSettings(name="two"))
    campaign = a_campaign(2, 2, turns, swaps=(SwapSettings(turn="two", old="m1", new="m2"),))
    crew = FakeCrew(2)
    await play(tmp_path, campaign, crew)
    swapped = lines(tmp_path, CampaignEvent.MODEL_SWAPPED)
    assert [line.data for line in swapped] == [
        {"turn": 2, "agent_id": agent, "old": "m1", "new": "m2"} for agent in ("a1", "a2")
    ]
    last = crew.played[-1]
    assert [one.model["model"] for one in last.settings.participants] == ["m2", "m2"]
    assert [one["new"] for one in last.about["model_swaps"]] == ["m2", "m2"]
    assert crew.played[0].about["model_swaps"] == []


async def test_a_machine_that_spoils_all_stops_the_campaign_before_anything_is_void(tmp_path: Path) -> None:
    async def lost(_: MatchTask) -> MatchResult:
        raise WorkerLost("the disk is full")

    many = a_campaign(5)
    with pytest.raises(CampaignFault, match="10 attempts in a row were spoilt, the last because the disk is full"):
        await play(tmp_path, many, FakeCrew(2, lost))
    assert not lines(tmp_path, CampaignEvent.VOID)
    assert (await play(tmp_path, many, FakeCrew(2))).completed
