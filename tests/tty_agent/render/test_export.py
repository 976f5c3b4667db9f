"""Files from traces and transcripts."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from tests.tty_agent.render.picture_samples import DOOR, LOGIN, stored_session
from tests.tty_agent.render.test_recording import stored_trace
from tests.tty_agent.trace_samples import a_decision, a_header

from tty_agent.render import export
from tty_agent.render.export import export_cast, export_gif, export_html, export_png, export_pretty
from tty_agent.render.extra import RenderFault
from tty_agent.render.replay import Shape
from tty_agent.trace.index import NoSuchStep
from tty_agent.trace.writer import TraceWriter

Image = pytest.importorskip("PIL.Image")
pytest.importorskip("numpy")
pytest.importorskip("pyansilove")

RECORDINGS = Path(os.environ.get("AGENTBBS_RECORDINGS", Path(__file__).resolve().parents[4] / "shared" / "recordings"))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A trace of two decisions in a shared transcript, after a login that is not its own."""
    door = stored_session(tmp_path / "run.raw")
    stored_trace(tmp_path / "run.jsonl", door, door + len(DOOR), start=len(LOGIN))
    return tmp_path / "run.jsonl"


def test_a_png_of_a_step_of_an_offset_and_of_the_end(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.png"
    assert export_png(run, out, step=1).text.strip() == "Main menu"
    with Image.open(out) as image:
        assert image.size == (50 * 8, 12 * 16)
    assert "Sector 1" in export_png(run, out).text
    assert export_png(run, out, offset=len(LOGIN)).line(0) == "Login:"
    assert export_png(run.with_suffix(".raw"), out, shape=Shape(columns=60), scale=2).columns == 60
    with pytest.raises(NoSuchStep, match="has no step 3"):
        export_png(run, out, step=3)


def test_a_gif_has_a_frame_a_decision(run: Path, tmp_path: Path) -> None:
    assert export_gif(run, tmp_path / "out.gif", duration_ms=700) == 2
    with Image.open(tmp_path / "out.gif") as image:
        assert image.n_frames == 2
        assert image.info["duration"] == 700


def test_a_page_has_a_frame_a_decision_with_its_action(run: Path, tmp_path: Path) -> None:
    assert export_html(run, tmp_path / "out.html") == 2
    page = (tmp_path / "out.html").read_text("utf-8")
    assert page.count("<figure>") == 2
    assert "<figcaption>step 1: press_key P</figcaption>" in page
    assert "Main menu" in page
    assert "Login:" not in page


def test_a_recording_has_a_marker_a_decision(run: Path, tmp_path: Path) -> None:
    assert export_cast(run, tmp_path / "out.cast") > 1
    header, *events = [json.loads(line) for line in (tmp_path / "out.cast").read_text("utf-8").splitlines()]
    assert header["title"] == "run-1 agent-001 shell"
    assert [event[2] for event in events if event[1] == "m"] == ["1 press_key P", "2 press_key P"]


def test_text_of_a_trace_with_its_bytes(run: Path) -> None:
    out = StringIO()
    export_pretty(run, out, control_markers=True)
    assert "<ESC>[44mMain menu<ESC>[0m<CR><LF>" in out.getvalue()
    run.with_suffix(".raw").unlink()
    out = StringIO()
    export_pretty(run, out, control_markers=True)
    assert "wrote: Command (?=Help)?" in out.getvalue()


@pytest.mark.parametrize("place", [(-1, 5), (6, 5), (10**18, 10**18 - 1), (0, 2**63), (2**63, 2**64 - 1)])
def test_offsets_that_are_no_places_of_the_transcript(run: Path, place: tuple[int, int]) -> None:
    start, end = place
    run.unlink()
    with TraceWriter(run) as trace:
        trace.write(a_header(raw_bytes_path="run.raw"))
        trace.write(a_decision(1, transcript_byte_start=start, transcript_byte_end=end))
    out = StringIO()
    if 0 <= start <= end:  # as of a transcript that was cut
        export_pretty(run, out, control_markers=True)
        assert "wrote: Command (?=Help)?" in out.getvalue()
    else:
        with pytest.raises(RenderFault, match=f"the bytes {start} to {end}"):
            export_pretty(run, out, control_markers=True)


@pytest.mark.parametrize("spoiled", [{"t": 1e308}, {"t": -1e308}, {"wall": -1e308}, {"offset": -7}, {"offset": 2**63}])
def test_marks_that_no_session_made_are_passed_over(run: Path, tmp_path: Path, spoiled: dict[str, float]) -> None:
    sidecar = tmp_path / "run.raw.sent.jsonl"
    marks = [json.loads(line) for line in sidecar.read_text().splitlines()]
    sidecar.write_text(
        "".join(json.dumps(mark | {k: v for k, v in spoiled.items() if k in mark}) + "\n" for mark in marks)
    )
    assert export_cast(run, tmp_path / "out.cast") > 0
    assert export_cast(run.with_suffix(".raw"), tmp_path / "out.cast") > 0


def test_the_recording_is_not_written_over(run: Path) -> None:
    before = run.read_bytes(), run.with_suffix(".raw").read_bytes()
    exports: list[Callable[[Path, Path], object]] = [export_png, export_gif, export_html, export_cast]
    for write in exports:
        for out in (run, run.with_suffix(".raw")):
            with pytest.raises(RenderFault, match="--out"):
                write(run, out)
    assert (run.read_bytes(), run.with_suffix(".raw").read_bytes()) == before


def test_what_is_too_large_says_what_to_choose(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RenderFault, match="smaller --scale"):
        export_png(run, tmp_path / "out.png", shape=Shape(columns=500, rows=500), scale=8)
    monkeypatch.setattr(export, "MAX_GIF_PIXELS", 50 * 12 * 128)
    monkeypatch.setattr(export, "MAX_PAGE_CELLS", 50 * 12)
    with pytest.raises(RenderFault, match="--start and --end"):
        export_gif(run, tmp_path / "out.gif")
    with pytest.raises(RenderFault, match="--start and --end"):
        export_html(run, tmp_path / "out.html")
    assert not list(tmp_path.glob("*out.*"))


def test_text_of_what_is_no_trace(run: Path) -> None:
    with pytest.raises(RenderFault, match="is no trace"):
        export_pretty(run.with_suffix(".raw"), StringIO())


@pytest.mark.parametrize("name", ["rlogin-bob-tw2-play", "telnet-alice-2"])
def test_a_recording_of_a_real_bbs(name: str, tmp_path: Path) -> None:
    source = RECORDINGS / "synchronet" / f"{name}.jsonl"
    if not source.is_file():
        pytest.skip("the recordings of a real BBS are not here; AGENTBBS_RECORDINGS names their folder")
    chunks = [json.loads(line) for line in source.read_text().splitlines()]
    raw = tmp_path / "run.raw"
    raw.write_bytes(b"".join(bytes.fromhex(chunk["hex"]) for chunk in chunks if chunk["dir"] == "rx"))
    picture = export_png(raw, tmp_path / "out.png")
    assert picture.text.strip()
    assert (tmp_path / "out.png").stat().st_size < 20_000
    assert export_gif(raw, tmp_path / "out.gif") > 5
    assert export_html(raw, tmp_path / "out.html") > 5
    assert export_cast(raw, tmp_path / "out.cast") > 5
