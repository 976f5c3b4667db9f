"""When what was shown."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from tests.tty_agent.render.picture_samples import LOGIN, stored_session
from tests.tty_agent.trace_samples import a_decision, a_header

from tty_agent.render.pace import ASSUMED_BYTES_PER_S, cast_markers, markers, paced
from tty_agent.render.recording import Recording, open_recording
from tty_agent.trace.writer import TraceWriter
from tty_agent.transcript.transcript import Transcript


def times(recording: Recording) -> list[tuple[float, int]]:
    """ms from the beginning, and offset."""
    found = paced(recording)
    return [(round((one.wall - found[0].wall) * 1000), one.moment.offset) for one in found]


def test_by_the_marks(tmp_path: Path) -> None:
    door = stored_session(tmp_path / "run.raw")
    recording = open_recording(tmp_path / "run.raw")
    assert times(recording) == [(0, 0), (250, len(LOGIN)), (500, door), (600, door), (750, recording.end)]
    assert paced(recording)[0].wall == 1_800_000_000.0


def test_from_the_middle_the_time_begins_there(tmp_path: Path) -> None:
    door = stored_session(tmp_path / "run.raw")
    recording = open_recording(tmp_path / "run.raw", start=len(LOGIN), end=door)
    assert times(recording) == [(0, len(LOGIN)), (0, door), (100, door)]
    assert paced(recording)[0].wall == 1_800_000_000.5


def test_output_that_never_pauses_is_shown_thirty_times_a_second(tmp_path: Path) -> None:
    with Transcript(tmp_path / "run.raw") as transcript:
        transcript.begin(0.0, columns=80, rows=24, dialect="ansi-bbs")
        for number in range(200):
            transcript.received(b"x", number / 100)
    shown = times(open_recording(tmp_path / "run.raw"))
    assert len(shown) in range(55, 66)
    assert shown[-1:] == [(1990, 200)]
    assert max(later[0] - earlier[0] for earlier, later in pairwise(shown)) <= 70


def test_by_the_decisions_where_there_are_no_marks(tmp_path: Path) -> None:
    (tmp_path / "run.raw").write_bytes(b"x" * 100)
    with TraceWriter(tmp_path / "run.jsonl") as trace:
        trace.write(a_header(raw_bytes_path="run.raw"))
        trace.write(a_decision(1, transcript_byte_start=0, transcript_byte_end=40, timestamp="2026-01-01T00:00:00Z"))
        trace.write(a_decision(2, transcript_byte_start=40, transcript_byte_end=90, timestamp="2026-01-01T00:00:02Z"))
    assert times(open_recording(tmp_path / "run.jsonl")) == [(0, 0), (0, 40), (2000, 90)]


def test_at_an_assumed_pace_where_nothing_is_known(tmp_path: Path) -> None:
    (tmp_path / "run.raw").write_bytes(b"x" * ASSUMED_BYTES_PER_S)
    shown = times(open_recording(tmp_path / "run.raw"))
    assert [shown[0], shown[-1]] == [(0, 0), (1000, ASSUMED_BYTES_PER_S)]


def test_markers_are_the_decisions(tmp_path: Path) -> None:
    stored_session(tmp_path / "run.raw")
    with TraceWriter(tmp_path / "run.jsonl") as trace:
        trace.write(a_header(raw_bytes_path="run.raw"))
        trace.write(a_decision(1, transcript_byte_end=10, decided_at="2026-01-01T00:00:05Z"))
        trace.write(a_decision(2, transcript_byte_end=20, decided_at="2026-01-01T00:00:07.500Z"))
    recording = open_recording(tmp_path / "run.jsonl", start=0)
    begin = markers(recording)[0][0]
    assert [(one.time_ms, one.label) for one in cast_markers(recording, begin)] == [
        (0, "1 press_key P"),
        (2500, "2 press_key P"),
    ]


def test_without_a_trace_they_are_what_the_agent_typed_and_no_secret(tmp_path: Path) -> None:
    stored_session(tmp_path / "run.raw")
    recording = open_recording(tmp_path / "run.raw")
    ((wall, label),) = markers(recording)
    assert wall == pytest.approx(1_800_000_000.65)
    assert label == r"d\r"


def test_the_session_after_the_end_is_not_shown(tmp_path: Path) -> None:
    stored_session(tmp_path / "run.raw")
    end = (tmp_path / "run.raw").stat().st_size
    stored_session(tmp_path / "run.raw")
    found = paced(open_recording(tmp_path / "run.raw", end=end))
    assert found[-1].moment.marks <= 9


def test_an_empty_transcript_has_one_moment(tmp_path: Path) -> None:
    (tmp_path / "run.raw").write_bytes(b"")
    assert times(open_recording(tmp_path / "run.raw")) == [(0, 0)]
