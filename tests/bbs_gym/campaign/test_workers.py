"""Worker processes: one that is quick, crashes, hangs, is killed, or outlives the campaign."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import msgspec
import pytest
from tests.bbs_gym.campaign.campaigns import a_campaign

from bbs_gym.campaign.composing import composed
from bbs_gym.campaign.journal import CampaignFault, CampaignJournal
from bbs_gym.campaign.schedule import make_schedule
from bbs_gym.campaign.task import RESULT_FILE, MatchTask, WorkerLost
from bbs_gym.campaign.workers import LOG_FILE, LocalCrew

GONE_S = 20.0
"""Within which a process that has to end has ended, on the slowest machine."""

BEGINS = f"""
import json, os, sys, time
task = json.loads(sys.stdin.buffer.readline())
folder = task["folder"]
def result(token):
    with open(folder + "/{RESULT_FILE}", "w") as file:
        json.dump({{"token": token, "stopped_by": "all_stopped"}}, file)
def here():
    with open(folder + "/pid.draft", "w") as file:
        file.write(str(os.getpid()))
    os.rename(folder + "/pid.draft", folder + "/pid")
"""
QUICK = BEGINS + 'result(task["token"])'
CRASHES = BEGINS + 'raise SystemExit("there is no \\x1b[31mroom\\n")'
LIES = BEGINS + 'result("another")'
HANGS = BEGINS + "here(); time.sleep(600)"
LEAVES = BEGINS + "here(); sys.stdin.buffer.read()"


def crew(program: str, size: int = 1, **rest: object) -> LocalCrew:
    return LocalCrew(size, program=(sys.executable, "-I", "-S", "-c", program), end_s=0.2, **rest)  # type: ignore[arg-type]


def task(folder: Path, **rest: object) -> MatchTask:
    campaign = a_campaign()
    match = make_schedule(campaign).matches[0]
    made = MatchTask(match_id=match.match_id, token="t", folder=folder, settings=composed(campaign, match))
    return msgspec.structs.replace(made, **rest)


async def pid_of(folder: Path) -> int:
    async with asyncio.timeout(GONE_S):
        while not (folder / "pid").exists():  # noqa: ASYNC110 - another process makes it
            await asyncio.sleep(0.01)
    return int((folder / "pid").read_text())


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


async def test_a_result_comes_back(tmp_path: Path) -> None:
    result = await crew(QUICK).play(task(tmp_path / "m"))
    assert result.stopped_by == "all_stopped"


async def test_a_worker_that_crashes_says_why_and_nothing_acts_on_a_terminal(tmp_path: Path) -> None:
    with pytest.raises(WorkerLost, match=r"ended with status 1 before the match was over \(there is no") as fault:
        await crew(CRASHES).play(task(tmp_path / "m"))
    assert "\x1b" not in str(fault.value)
    assert (tmp_path / "m" / LOG_FILE).stat().st_mode & 0o777 == 0o600


async def test_the_result_of_another_attempt_is_none(tmp_path: Path) -> None:
    with pytest.raises(WorkerLost, match="ended with status 0 before"):
        await crew(LIES).play(task(tmp_path / "m"))


async def test_a_worker_that_hangs_is_killed_at_the_limit(tmp_path: Path) -> None:
    playing = asyncio.create_task(crew(HANGS).play(task(tmp_path / "m", limit_s=2.0)))
    pid = await pid_of(tmp_path / "m")
    with pytest.raises(WorkerLost, match="not over within 2 s"):
        await playing
    assert is_gone(pid)


async def test_a_worker_that_is_killed_is_lost(tmp_path: Path) -> None:
    playing = asyncio.create_task(crew(HANGS).play(task(tmp_path / "m")))
    os.kill(await pid_of(tmp_path / "m"), signal.SIGKILL)
    with pytest.raises(WorkerLost, match="killed by signal 9"):
        await playing


async def test_cancelled_it_ends_the_worker_first(tmp_path: Path) -> None:
    playing = asyncio.create_task(crew(LEAVES).play(task(tmp_path / "m")))
    pid = await pid_of(tmp_path / "m")
    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing
    assert is_gone(pid)


async def test_a_program_that_is_not_there_is_a_lost_worker(tmp_path: Path) -> None:
    with pytest.raises(WorkerLost, match="can't be started: No such file"):
        await LocalCrew(1, program=("/nowhere/at/all",)).play(task(tmp_path / "m"))


async def test_a_worker_holds_the_lock_of_the_journal(tmp_path: Path) -> None:
    journal = CampaignJournal(tmp_path / "campaign.jsonl", resumes=False, wall=str)
    playing = asyncio.create_task(crew(LEAVES, lock=journal.lock).play(task(tmp_path / "m")))
    await pid_of(tmp_path / "m")
    journal.close()
    with pytest.raises(CampaignFault, match="is being written"):
        CampaignJournal(tmp_path / "campaign.jsonl", resumes=True, wall=str, wait_s=0.0)
    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing
    CampaignJournal(tmp_path / "campaign.jsonl", resumes=True, wall=str, wait_s=GONE_S).close()
