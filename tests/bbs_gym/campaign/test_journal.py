"""The journal: cut anywhere, it goes on; what it tells is checked against the schedule."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.bbs_gym.campaign.campaigns import a_campaign

from bbs_gym.campaign.events import CAMPAIGN_SCHEMA_VERSION, CampaignEvent, CampaignLine
from bbs_gym.campaign.journal import CampaignFault, CampaignJournal, read_lines
from bbs_gym.campaign.schedule import make_schedule
from bbs_gym.campaign.settings import TurnSettings
from bbs_gym.campaign.standing import BadStanding, Standing

SCHEDULE = make_schedule(a_campaign(2, 0, (TurnSettings(name="one"), TurnSettings(name="two"))))
FIRST, SECOND, THIRD, _ = (match.match_id for match in SCHEDULE.matches)
PLAN = {"schema_version": CAMPAIGN_SCHEMA_VERSION, "schedule_sha256": SCHEDULE.sha256, "matches": 4}


def journal(path: Path, **rest: object) -> CampaignJournal:
    return CampaignJournal(path, resumes=path.exists(), wall=lambda: "t", wait_s=0.0, **rest)  # type: ignore[arg-type]


def written(path: Path) -> bytes:
    with journal(path) as opened:
        opened.write(CampaignEvent.PLANNED, data=PLAN)
        opened.write(CampaignEvent.STARTED, match=FIRST, data={"token": "x"})
        opened.write(CampaignEvent.FINISHED, match=FIRST, data={"cost_usd": 0.5})
        opened.write(CampaignEvent.STARTED, match=SECOND, data={"token": "y"})
    return path.read_bytes()


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_cut_at_any_byte_it_goes_on_after_the_last_whole_line(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "campaign.jsonl"
    path.unlink(missing_ok=True)
    whole = written(path)
    cut = data.draw(st.integers(0, len(whole)))
    os.truncate(path, cut)
    with journal(path) as opened:
        left = len(opened.lines)
        assert left == whole[:cut].count(b"\n")
        opened.write(CampaignEvent.RESUMED)
    assert [line.seq for line in read_lines(path)] == list(range(1, left + 2))
    assert path.read_bytes().startswith(b"".join(whole.splitlines(keepends=True)[:left]))


def test_two_do_not_write_it_and_whoever_inherits_it_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "campaign.jsonl"
    first = journal(path)
    with pytest.raises(CampaignFault, match="is being written by another process"):
        journal(path)
    kept = os.dup(first.lock)
    first.close()
    with pytest.raises(CampaignFault, match="is being written by another process"):
        journal(path)
    os.close(kept)
    journal(path).close()


def test_a_new_campaign_takes_no_folder_that_has_one_and_none_is_resumed(tmp_path: Path) -> None:
    path = tmp_path / "campaign.jsonl"
    with pytest.raises(CampaignFault, match="without --resume"):
        CampaignJournal(path, resumes=True, wall=str)
    journal(path).close()
    with pytest.raises(CampaignFault, match="by --resume"):
        CampaignJournal(path, resumes=False, wall=str)


@pytest.mark.parametrize("damage", [b"{}\n", b"\xff\n", b'{"event":"planned","timestamp":"","seq":9}\n'])
def test_damage_is_told_and_never_cut(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "campaign.jsonl"
    content = written(path) + damage
    path.write_bytes(content)
    with pytest.raises(CampaignFault):
        journal(path)
    assert path.read_bytes() == content


def test_a_watcher_that_fails_is_dropped(tmp_path: Path) -> None:
    seen = []

    def watch(line: CampaignLine) -> None:
        seen.append(line.event)
        raise ZeroDivisionError

    with journal(tmp_path / "campaign.jsonl", watch=watch) as opened:
        opened.write(CampaignEvent.PLANNED, data=PLAN)
        opened.write(CampaignEvent.RESUMED)
    assert seen == [CampaignEvent.PLANNED]


def told(*events: tuple[CampaignEvent, str | None], **first: object) -> Standing:
    lines = [CampaignLine(event=CampaignEvent.PLANNED, timestamp="t", seq=1, data=PLAN | first)]
    for event, match in events:
        data = {"token": "x", "cost_usd": 0.25}
        lines.append(CampaignLine(event=event, timestamp="t", seq=len(lines) + 1, match=match, data=data))
    return Standing.of(SCHEDULE, lines)


def following(standing: Standing) -> str | None:
    match = standing.following()
    return match.match_id if match is not None else None


def test_a_turn_begins_when_the_one_before_has_ended() -> None:
    assert following(told((CampaignEvent.STARTED, FIRST))) == SECOND
    both = told(
        (CampaignEvent.STARTED, FIRST),
        (CampaignEvent.STARTED, SECOND),
        (CampaignEvent.FINISHED, SECOND),
    )
    assert following(both) is None
    assert both.turn() == 1
    over = told(
        (CampaignEvent.STARTED, FIRST),
        (CampaignEvent.FINISHED, FIRST),
        (CampaignEvent.STARTED, SECOND),
        (CampaignEvent.VOID, SECOND),
    )
    assert following(over) == THIRD
    assert over.cost_usd == 0.5


def test_what_is_requeued_waits_again() -> None:
    standing = told((CampaignEvent.STARTED, FIRST), (CampaignEvent.REQUEUED, FIRST))
    assert following(standing) == SECOND, "what was spoilt comes last"
    standing.take(CampaignLine(event=CampaignEvent.STARTED, timestamp="t", seq=4, match=SECOND, data={"token": "y"}))
    assert following(standing) == FIRST
    assert standing.spoilt == {FIRST: 1}
    assert standing.tried(FIRST) == 1


@pytest.mark.parametrize(
    "events",
    [
        [(CampaignEvent.FINISHED, FIRST)],
        [(CampaignEvent.STARTED, FIRST), (CampaignEvent.STARTED, FIRST)],
        [(CampaignEvent.STARTED, FIRST), (CampaignEvent.FINISHED, FIRST), (CampaignEvent.STARTED, FIRST)],
        [(CampaignEvent.STARTED, "nobody")],
        [(CampaignEvent.PLANNED, None)],
    ],
)
def test_what_can_not_have_happened_is_refused(events: list[tuple[CampaignEvent, str | None]]) -> None:
    with pytest.raises(BadStanding, match="line"):
        told(*events)


def test_another_schedule_is_refused() -> None:
    with pytest.raises(BadStanding, match="another schedule"):
        told(schedule_sha256="0")
    with pytest.raises(BadStanding, match="schema version 9"):
        told(schema_version=9)
    with pytest.raises(BadStanding, match="begins with resumed"):
        Standing.of(SCHEDULE, [CampaignLine(event=CampaignEvent.RESUMED, timestamp="", seq=1)])
