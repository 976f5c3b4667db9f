"""Which part of which transcript is meant."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from tests.tty_agent.render.picture_samples import stored_session
from tests.tty_agent.trace_samples import a_decision, a_header, an_event

from tty_agent.render.extra import RenderFault
from tty_agent.render.recording import action_label, is_trace, open_moment, open_recording, wall_time
from tty_agent.trace.writer import TraceWriter


def stored_trace(path: Path, *ends: int, raw: str | None = "run.raw", start: int = 0) -> None:
    """A trace whose decisions had seen the transcript up to those offsets."""
    with TraceWriter(path) as trace:
        trace.write(a_header(raw_bytes_path=raw))
        for step, end in enumerate(ends, start=1):
            trace.write(a_decision(step, raw_bytes_path=raw, transcript_byte_start=start, transcript_byte_end=end))
            start = end


def test_a_transcript_is_meant_whole(tmp_path: Path) -> None:
    stored_session(tmp_path / "run.raw")
    recording = open_recording(tmp_path / "run.raw")
    assert (recording.start, recording.end) == (0, (tmp_path / "run.raw").stat().st_size)
    assert recording.decisions == ()
    assert len(recording.marks) == 9


def test_a_trace_means_the_part_of_its_decisions(tmp_path: Path) -> None:
    door = stored_session(tmp_path / "run.raw")
    stored_trace(tmp_path / "run.jsonl", door, door + 8, start=20)
    recording = open_recording(tmp_path / "run.jsonl")
    assert (recording.start, recording.end) == (20, door + 8)
    assert [one.offset for one in recording.decisions] == [door, door + 8]
    assert recording.decisions[0].label == "press_key P"
    assert recording.decisions[0].wall == datetime(2026, 1, 31, 14, 5, 9, 123000, UTC).timestamp()
    assert recording.transcript == tmp_path / "run.raw"


def test_offsets_narrow_it(tmp_path: Path) -> None:
    door = stored_session(tmp_path / "run.raw")
    stored_trace(tmp_path / "run.jsonl", 20, door, door + 8)
    recording = open_recording(tmp_path / "run.jsonl", start=21, end=door)
    assert [one.step for one in recording.decisions] == [2]
    with pytest.raises(RenderFault, match="choose a part of it"):
        open_recording(tmp_path / "run.raw", end=10_000)
    with pytest.raises(RenderFault, match="choose a part of it"):
        open_recording(tmp_path / "run.raw", start=9, end=8)


def test_a_moment_is_that_of_a_step(tmp_path: Path) -> None:
    door = stored_session(tmp_path / "run.raw")
    stored_trace(tmp_path / "run.jsonl", 20, door)
    trace, raw = tmp_path / "run.jsonl", tmp_path / "run.raw"
    assert open_moment(trace, step=1).end == 20
    assert (open_moment(trace).start, open_moment(trace).end) == (20, door)
    assert open_moment(trace, offset=3).end == 3
    assert open_moment(raw).end == raw.stat().st_size
    with pytest.raises(RenderFault, match="is no trace and has no steps"):
        open_moment(raw, step=1)
    with pytest.raises(RenderFault, match="byte 999 of"):
        open_moment(raw, offset=999)


def test_a_moment_of_a_trace_without_steps_is_the_beginning(tmp_path: Path) -> None:
    stored_session(tmp_path / "run.raw")
    stored_trace(tmp_path / "run.jsonl")
    assert open_moment(tmp_path / "run.jsonl").end == 0


def test_a_trace_without_its_transcript(tmp_path: Path) -> None:
    stored_trace(tmp_path / "lost.jsonl", 10, raw="gone/run.raw")
    with pytest.raises(RenderFault, match="put it beside the trace"):
        open_recording(tmp_path / "lost.jsonl")
    stored_trace(tmp_path / "none.jsonl", 10, raw=None)
    with pytest.raises(RenderFault, match="names no transcript"):
        open_recording(tmp_path / "none.jsonl")


def test_a_transcript_is_found_beside_the_trace(tmp_path: Path) -> None:
    stored_session(tmp_path / "run.raw")
    stored_trace(tmp_path / "moved.jsonl", 10, raw="/elsewhere/run.raw")
    assert open_recording(tmp_path / "moved.jsonl").transcript == tmp_path / "run.raw"


def test_json_of_another_kind_is_no_trace(tmp_path: Path) -> None:
    for text in ("", "{}\n", "\x1b[2J", '{"type":"decision"}\n'):
        (tmp_path / "file").write_text(text)
        assert not is_trace(tmp_path / "file")


@pytest.mark.parametrize(
    ("action", "label"),
    [
        (None, "no action"),
        ({"action": "press_key", "arguments": {"key": "enter"}}, "press_key enter"),
        ({"action": "submit_lines", "arguments": {"lines": ["a", "b\x1b"]}}, r"submit_lines a / b\x1b"),
        ({"action": "hangup", "arguments": {}}, "hangup"),
        ({"action": "wait"}, "wait"),
        ({"action": "type_text", "arguments": {"text": "x" * 500}}, "type_text " + "x" * 69 + "…"),
    ],
)
def test_an_action_in_a_line(action: dict[str, object] | None, label: str) -> None:
    assert action_label(action) == label


def test_times() -> None:
    assert wall_time("1970-01-01T00:00:01.500Z") == 1.5
    assert wall_time("") is None


def test_a_run_ends_with_what_its_last_look_had_seen(tmp_path: Path) -> None:
    door = stored_session(tmp_path / "run.raw")
    stored_trace(tmp_path / "run.jsonl", 20, door)
    with (tmp_path / "run.jsonl").open("ab") as file:
        file.write(msgspec.json.encode(an_event(step=2, outcome="done", transcript_byte_end=door + 8)) + b"\n")
    assert open_recording(tmp_path / "run.jsonl").end == door + 8
    moment = open_moment(tmp_path / "run.jsonl")
    assert (moment.start, moment.end) == (door, door + 8)
    assert open_moment(tmp_path / "run.jsonl", step=2).end == door
