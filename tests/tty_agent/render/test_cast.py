"""Recordings: the two versions of the format, and what other programs make of them."""

from __future__ import annotations

import json
import shutil
import subprocess
from itertools import accumulate
from pathlib import Path

import pytest
from tests.tty_agent.render.picture_samples import picture_of, stored_session

from tty_agent.render.cast import Code, Marker, Shot, cast_lines
from tty_agent.render.export import export_cast
from tty_agent.terminal.picture import Picture
from tty_agent.transcript.transcript import Transcript

LARGER = Picture(30, 6, (("x",) * 30,) * 6, ((0,) * 30,) * 6, (0, 0))
SHOTS = [
    Shot(0, picture_of("Login:")),
    Shot(333, picture_of("Menu")),
    Shot(1001, LARGER),
    Shot(1001 + 7 * 3600 * 1000, picture_of("Bye")),
]
MARKERS = [Marker(333, "press_key m"), Marker(900, "submit_line a\x1b[2Jb"), Marker(10**6, "hangup")]


def parsed(version: int) -> tuple[dict[str, object], list[tuple[float, str, str]]]:
    header, *events = [
        json.loads(line) for line in cast_lines(SHOTS, MARKERS, version=version, title="A\nB", timestamp=7)
    ]
    return header, [tuple(event) for event in events]


def test_the_header_of_version_2() -> None:
    header, _ = parsed(2)
    assert (header["version"], header["width"], header["height"], header["timestamp"]) == (2, 20, 5, 7)
    theme = header["theme"]
    assert isinstance(theme, dict)
    assert theme["palette"].split(":")[3] == "#aa5500"
    assert len(theme["palette"].split(":")) == 16
    assert header["title"] == r"A\nB"


def test_the_header_of_version_3() -> None:
    header, _ = parsed(3)
    term = header["term"]
    assert isinstance(term, dict)
    assert (header["version"], term["cols"], term["rows"]) == (3, 20, 5)
    assert term["theme"]["fg"] == "#aaaaaa"
    assert "width" not in header


def test_case_135_intervals_add_up_to_the_absolute_times() -> None:
    _, absolute = parsed(2)
    _, intervals = parsed(3)
    assert [event[1:] for event in absolute] == [event[1:] for event in intervals]
    sums = accumulate(round(event[0] * 1000) for event in intervals)
    assert list(sums) == [round(event[0] * 1000) for event in absolute]
    assert {Code.OUTPUT, Code.RESIZE, Code.MARKER, Code.EXIT} == {event[1] for event in absolute}
    assert [event[0] for event in absolute] == sorted(event[0] for event in absolute)


def test_events_in_their_order() -> None:
    _, events = parsed(2)
    assert [(time, code) for time, code, _ in events] == [
        (0.0, "o"),
        (0.333, "o"),
        (0.333, "m"),
        (0.9, "m"),
        (1.001, "r"),
        (1.001, "o"),
        (1000.0, "m"),
        (25201.001, "r"),
        (25201.001, "o"),
        (25201.001, "x"),
    ]


def test_the_data_of_events() -> None:
    _, events = parsed(3)
    data = {code: [text for _, found, text in events if found == code] for code in "rmx"}
    assert data["r"] == ["30x6", "20x5"]
    assert data["m"] == ["press_key m", r"submit_line a\x1b[2Jb", "hangup"]
    assert data["x"] == ["0"]


def test_a_shot_that_shows_nothing_new_is_no_event() -> None:
    same = picture_of("still")
    lines = list(cast_lines([Shot(0, same), Shot(100, same)]))
    assert [json.loads(line)[1] for line in lines[1:]] == ["o", "x"]


def test_the_exit_status() -> None:
    assert json.loads(list(cast_lines(SHOTS, status=3))[-1])[1:] == ["x", "3"]


def test_what_is_no_recording() -> None:
    with pytest.raises(ValueError, match="choose 2 or 3"):
        list(cast_lines(SHOTS, version=1))
    with pytest.raises(ValueError, match="at least one picture"):
        list(cast_lines([]))


def test_case_135_of_a_stored_session(tmp_path: Path) -> None:
    stored_session(tmp_path / "run.raw")
    events = {}
    for version in (2, 3):
        out = tmp_path / f"v{version}.cast"
        export_cast(tmp_path / "run.raw", out, version=version)
        header, *rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
        assert header["version"] == version
        events[version] = rows
    sums = list(accumulate(round(event[0] * 1000) for event in events[3]))
    assert sums == [round(event[0] * 1000) for event in events[2]]
    assert {event[1] for event in events[2]} == set("ormx")
    assert [event[1:] for event in events[2] if event[1] == "r"] == [["r", "50x12"]]
    assert [event[2] for event in events[2] if event[1] == "m"] == [r"d\r"]
    assert events[2][-1][1:] == ["x", "3"]


def test_case_98_every_change_of_size_is_an_event(tmp_path: Path) -> None:
    with Transcript(tmp_path / "run.raw") as transcript:
        transcript.begin(0.0, columns=80, rows=24, dialect="xterm")
        transcript.received(b"x" * 60, 1.0)
        transcript.resized(40, 24, 2.0)
        transcript.resized(80, 24, 3.0)
        transcript.received(b"y", 4.0)
    export_cast(tmp_path / "run.raw", tmp_path / "run.cast", version=2)
    _, *events = [json.loads(line) for line in (tmp_path / "run.cast").read_text("utf-8").splitlines()]
    assert [event for event in events if event[1] == "r"] == [[2.0, "r", "40x24"], [3.0, "r", "80x24"]]


def test_asciinema_plays_it(tmp_path: Path) -> None:
    asciinema, script = shutil.which("asciinema"), shutil.which("script")
    if not asciinema or not script:
        pytest.skip("needs the programs asciinema and script")
    stored_session(tmp_path / "run.raw")
    export_cast(tmp_path / "run.raw", tmp_path / "run.cast", version=2)
    played = subprocess.run(
        [script, "-qec", f"{asciinema} cat run.cast", "/dev/null"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=30,
        check=False,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "LC_ALL": "C.UTF-8", "TERM": "xterm"},
    )
    assert played.returncode == 0, played.stdout + played.stderr
    assert b"Main menu" in played.stdout
    assert b"Sector 1" in played.stdout
