"""`match.jsonl`: whole lines, at once, and by one writer."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.tty_agent.run_fakes import FakeTime

from bbs_gym.match.events import EventLine, MatchEvent
from bbs_gym.match.journal import JournalFault, MatchJournal, read_events


def test_a_line_is_in_the_file_when_it_is_told(tmp_path: Path) -> None:
    place, time = tmp_path / "run" / "match.jsonl", FakeTime()
    seen: list[int] = []

    def watch(line: EventLine) -> None:
        seen.append(len(list(read_events(place))))
        if line.seq == 2:
            raise BrokenPipeError

    with MatchJournal(place, time.clock, watch) as journal:
        for _ in range(3):
            journal.write(MatchEvent.ROUND_STARTED, round=1, data={"order": ["a"]})
            time.pass_(1.5)
    assert seen == [1, 2], "who fails is told no more"
    lines = list(read_events(place))
    assert [line.timestamp[-10:] for line in lines] == ["00:00.000Z", "00:01.500Z", "00:03.000Z"]
    assert lines[0] == EventLine(
        event=MatchEvent.ROUND_STARTED, timestamp=lines[0].timestamp, seq=1, round=1, data={"order": ["a"]}
    )
    assert place.stat().st_mode & 0o777 == 0o600


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(0, 400))
def test_whatever_a_kill_leaves_is_gone_on_with(tmp_path: Path, cut: int) -> None:
    place = tmp_path / "match.jsonl"
    place.unlink(missing_ok=True)
    with MatchJournal(place, FakeTime().clock) as journal:
        for number in range(4):
            journal.write(MatchEvent.ROUND_STARTED, round=number)
    whole = place.read_bytes()
    place.write_bytes(whole[: min(cut, len(whole))])
    left = len(list(read_events(place)))
    with MatchJournal(place, FakeTime().clock, resumes=True) as journal:
        journal.write(MatchEvent.MATCH_RESUMED)
    found = list(read_events(place))
    assert [line.seq for line in found] == list(range(1, left + 2))
    assert found[-1].event is MatchEvent.MATCH_RESUMED


@pytest.mark.parametrize(
    "text", [b"{}\n", b"no\n", b'{"event": "flown", "timestamp": "", "seq": 1}\n', b"[" * 9999 + b"\n"]
)
def test_a_file_that_is_none(tmp_path: Path, text: bytes) -> None:
    place = tmp_path / "match.jsonl"
    place.write_bytes(text)
    with pytest.raises(JournalFault, match="at byte 0 is no event of a match"):
        list(read_events(place))
    with pytest.raises(JournalFault, match="give the folder of a match"):
        list(read_events(tmp_path / "none.jsonl"))


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "match.jsonl").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(JournalFault):
        MatchJournal(tmp_path / "match.jsonl", FakeTime().clock)
