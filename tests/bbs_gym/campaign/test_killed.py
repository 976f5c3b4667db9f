"""kill -9 of a campaign that runs, with its worker processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.bbs_gym.campaign.killed_campaign import CAMPAIGN

from bbs_gym.campaign.events import CampaignEvent
from bbs_gym.campaign.journal import FILE_NAME, read_lines
from bbs_gym.campaign.schedule import make_schedule

ROOT = Path(__file__).parents[3]

BOUND_S = 100.0


def begun(folder: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    program = Path(__file__).with_name("killed_campaign.py")
    return subprocess.Popen([sys.executable, str(program), str(folder)], env=environment)


def finished(folder: Path) -> Counter[str]:
    lines = read_lines(folder / FILE_NAME) if (folder / FILE_NAME).exists() else ()
    return Counter(str(line.match) for line in lines if line.event is CampaignEvent.FINISHED)


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_killed_twice_it_finishes_the_same_schedule_each_match_once(tmp_path: Path) -> None:
    for wanted in (2, 6):
        process = begun(tmp_path)
        until = time.monotonic() + BOUND_S
        while finished(tmp_path).total() < wanted:
            assert time.monotonic() < until
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()
        process.wait()
    process = begun(tmp_path)
    assert process.wait(BOUND_S) == 0
    lines = read_lines(tmp_path / FILE_NAME)
    schedule = make_schedule(CAMPAIGN)
    assert finished(tmp_path) == Counter(match.match_id for match in schedule.matches)
    assert [line.event for line in lines].count(CampaignEvent.RESUMED) == 2
    assert lines[-1].event is CampaignEvent.COMPLETED
    tokens = {str(line.match): line.data["token"] for line in lines if line.event is CampaignEvent.STARTED}
    for match, token in tokens.items():
        assert (tmp_path / "matches" / match / "begun").read_text() == f"{token}\n", "its folder was fresh"
    aside = sorted(path.name for path in (tmp_path / "set-aside").glob("*"))
    assert all(".interrupted" in name for name in aside)
    assert len(aside) == sum(line.event is CampaignEvent.REQUEUED and line.data["kept"] is not None for line in lines)
