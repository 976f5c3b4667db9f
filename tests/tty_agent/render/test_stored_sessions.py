"""Whatever sessions left on disk can be rendered, in every way (case 130)."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.tty_agent.trace_samples import a_decision, a_header, an_event

from tty_agent.render.export import export_cast, export_gif, export_html, export_png, export_pretty
from tty_agent.terminal.dialect import DIALECTS
from tty_agent.trace.writer import TraceWriter
from tty_agent.transcript.marks import Sender, sidecar_of
from tty_agent.transcript.transcript import Transcript

pytest.importorskip("PIL.Image")
pytest.importorskip("numpy")
pytest.importorskip("pyansilove")

PIECES = [
    b"Command (?=Help)? ",
    b"\r\n\r\n\x1b[1;31mYou are hit!\x1b[0m\r\n",
    b"\x1b[2J\x1b[H\x1b[44;5mMenu\xb0\xb1\xdb",
    b"\x1b[6n",
    b"\x1b[48;2;1;2;3m\x1b[38;5;200mcolours",
    "grüße \u4f60\u597d\U0001f600".encode(),
    b"\x1b[?1049h\x1b[5;10r\x1b[99;99Hfull screen",
    b"\x1b[?1049l",
    b"\x1b]0;a title\x07",
    b"\x1b]0;half a title",
    b"\x1b[3",
    b"\xe4\xbd",
    b"\x1b[?25l\x1b[?33h",
    b"\x1b[MFT120L4CDE\x0e",
    b"\x0c\xff\x00\x1a",
]

received = st.tuples(st.just("received"), st.sampled_from(PIECES) | st.binary(min_size=1, max_size=60))
sent = st.tuples(st.just("sent"), st.binary(max_size=6), st.sampled_from(Sender), st.booleans())
resized = st.tuples(st.just("resized"), st.integers(1, 140), st.integers(1, 60))
sessions = st.lists(
    st.fixed_dictionaries(
        {
            "dialect": st.sampled_from(sorted(DIALECTS)),
            "columns": st.integers(20, 90),
            "rows": st.integers(5, 30),
            "marks": st.lists(received | sent | resized, max_size=10),
            "pause": st.floats(0, 5),
            "ended": st.booleans(),
        }
    ),
    min_size=1,
    max_size=3,
)
"""One after the other in the same transcript, as after a reconnect; one that is not ended was killed."""

tears = (
    st.none() | st.just("gone") | st.tuples(st.floats(0, 1), st.sampled_from([b"", b'{"mark":"rx","t":', b"\xff\n"]))
)
"""Of the sidecar: a part of it is left, and something after that."""


def store(path: Path, stored: list[dict[str, Any]], torn: Any) -> list[int]:
    """The sessions as files; the offsets at which somebody typed."""
    typed: list[int] = []
    for number, session in enumerate(stored):
        t = 100.0 * (number % 2)  # the clock of each process begins anew
        with Transcript(path, wall=lambda at=1.8e9 + 60 * number: at) as transcript:  # type: ignore[misc]
            transcript.begin(t, columns=session["columns"], rows=session["rows"], dialect=session["dialect"])
            for what, *rest in session["marks"]:
                t += session["pause"]
                if what == "received":
                    transcript.received(rest[0], t)
                elif what == "resized":
                    transcript.resized(rest[0], rest[1], t)
                else:
                    typed.append(transcript.offset)
                    transcript.sent(rest[0], t, by=rest[1], secret=rest[2])
            if session["ended"]:
                transcript.end(t, kind="exited", detail="exit status 1", code=1)
    marks = sidecar_of(path)
    if torn == "gone":
        marks.unlink()
    elif torn is not None:
        whole = marks.read_bytes()
        marks.write_bytes(whole[: int(torn[0] * len(whole))] + torn[1])
    return typed


def trace_of(raw: Path, typed: list[int]) -> Path:
    """A trace of a run that made its decisions there."""
    path, start = raw.with_suffix(".jsonl"), 0
    with TraceWriter(path) as trace:
        trace.write(a_header(raw_bytes_path=str(raw)))
        for step, end in enumerate(typed, start=1):
            trace.write(a_decision(step, raw_bytes_path=str(raw), transcript_byte_start=start, transcript_byte_end=end))
            start = end
        trace.write(an_event(step=len(typed), outcome="done", transcript_byte_end=raw.stat().st_size))
    return path


def check_casts(source: Path, out: Path) -> None:
    """Both versions are JSON, line by line, and go forward in time."""
    for version in (2, 3):
        export_cast(source, out, version=version)
        header, *events = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
        assert header["version"] == version
        times = [event[0] for event in events]
        assert times == sorted(times) if version == 2 else all(interval >= 0 for interval in times)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(stored=sessions, torn=tears)
def test_every_render_of_what_sessions_left(stored: list[dict[str, Any]], torn: Any) -> None:
    with TemporaryDirectory() as folder:
        raw = Path(folder) / "run.raw"
        trace = trace_of(raw, store(raw, stored, torn))
        for source in (raw, trace):
            check_casts(source, raw.with_suffix(".cast"))
            assert export_html(source, raw.with_suffix(".html")) >= 1
            assert export_gif(source, raw.with_suffix(".gif")) >= 1
            export_png(source, raw.with_suffix(".png"))
            assert raw.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
        for markers in (False, True):
            out = StringIO()
            export_pretty(trace, out, model_replies=True, control_markers=markers)
            assert "done: " in out.getvalue()
            assert "\x1b" not in out.getvalue()
