"""Replays: what a transcript showed at given places."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tty_agent.render.picture_samples import DOOR, LOGIN, MENU, stored_session

from tty_agent.render.extra import RenderFault
from tty_agent.render.recording import Recording, open_recording
from tty_agent.render.replay import Moment, Shape, cuts, moments_at, screens
from tty_agent.terminal.dialect import ANSI_BBS
from tty_agent.terminal.picture import Picture
from tty_agent.terminal.screen import Screen
from tty_agent.transcript.transcript import Transcript


def pictures(recording: Recording, offsets: Iterable[int], shape: Shape | None = None) -> list[Picture]:
    return [screen.picture() for screen in screens(recording, moments_at(recording, offsets), shape)]


def bare(path: Path, data: bytes) -> Recording:
    """A transcript without marks."""
    path.write_bytes(data)
    return open_recording(path)


def test_a_later_part_is_shown_on_what_came_before(tmp_path: Path) -> None:
    door = stored_session(tmp_path / "run.raw")
    (shown,) = pictures(open_recording(tmp_path / "run.raw", start=door), [door + len(DOOR)])
    assert shown.text.split("\n")[:2] == ["Main menu", "Sector 1"]
    assert shown.attributes[0][0] != 0


def test_size_and_dialect_are_those_of_the_session(tmp_path: Path) -> None:
    door = stored_session(tmp_path / "run.raw")
    recording = open_recording(tmp_path / "run.raw")
    before, after = pictures(recording, [door - 1, door])
    assert (before.columns, before.rows) == (40, 10)
    assert (after.columns, after.rows) == (50, 12)


def test_a_shape_that_is_asked_for_wins(tmp_path: Path) -> None:
    stored_session(tmp_path / "run.raw")
    recording = open_recording(tmp_path / "run.raw")
    (shown,) = pictures(recording, [recording.end], Shape(columns=132, rows=30, dialect="xterm"))
    assert (shown.columns, shown.rows) == (132, 30)
    with pytest.raises(RenderFault, match=r"unknown dialect vt52: choose one of ansi-bbs, xterm"):
        pictures(recording, [1], Shape(dialect="vt52"))


def test_each_session_of_a_file_begins_on_a_fresh_screen(tmp_path: Path) -> None:
    first_end = len(LOGIN) + len(MENU) + len(DOOR)
    stored_session(tmp_path / "run.raw")
    stored_session(tmp_path / "run.raw", columns=60)
    recording = open_recording(tmp_path / "run.raw")
    end, begun, login = pictures(recording, [first_end, first_end + 1, first_end + len(LOGIN)])
    assert end.text.startswith("Main menu\nSector 1")
    assert end.columns == 50
    assert (begun.columns, begun.text.strip()) == (60, "")
    assert login.line(0) == "Login:"
    (later,) = pictures(open_recording(tmp_path / "run.raw", start=first_end), [first_end + len(LOGIN)])
    assert later == login


def test_without_marks_it_is_the_terminal_of_a_bbs(tmp_path: Path) -> None:
    recording = bare(tmp_path / "art.ans", b"\x1b[2J\xdb\xdb\x03")
    (shown,) = pictures(recording, [recording.end])
    assert (shown.columns, shown.rows, shown.line(0)) == (80, 24, "██♥")


def test_torn_marks_do_no_harm(tmp_path: Path) -> None:
    door = stored_session(tmp_path / "run.raw")
    marks = tmp_path / "run.raw.sent.jsonl"
    marks.write_text("no mark\n" + marks.read_text() + '{"mark":"rx","t":')
    (shown,) = pictures(open_recording(tmp_path / "run.raw"), [door + 8])
    assert shown.columns == 50


CUT_ANYWHERE = b"\x1b[1;31mred\xb0\x1b[0m\r\nplain\x1b[6n\x1b[5;5Hthere" + b"." * 30


@pytest.fixture(scope="module")
def cut_anywhere(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    return bare(tmp_path_factory.mktemp("replay") / "run.raw", CUT_ANYWHERE)


@settings(max_examples=25, deadline=None)
@given(offsets=st.lists(st.integers(0, 60), max_size=8).map(sorted))
def test_what_is_shown_does_not_depend_on_where_it_was_cut(cut_anywhere: Recording, offsets: list[int]) -> None:
    recording, data = cut_anywhere, CUT_ANYWHERE
    for offset, shown in zip(offsets, pictures(recording, offsets), strict=True):
        fresh = Screen(80, 24, ANSI_BBS)
        fresh.feed(data[:offset])
        assert shown == fresh.picture()


def test_cuts_are_where_somebody_typed(tmp_path: Path) -> None:
    door = stored_session(tmp_path / "run.raw")
    recording = open_recording(tmp_path / "run.raw")
    assert cuts(recording, at_most=100) == [len(LOGIN), door, door + len(DOOR)]


def test_cuts_without_marks_are_at_equal_distances(tmp_path: Path) -> None:
    assert cuts(bare(tmp_path / "a", b"x" * 700), at_most=100) == [256, 512, 700]
    assert cuts(bare(tmp_path / "b", b"x" * 10), at_most=100) == [10]
    assert cuts(bare(tmp_path / "c", b""), at_most=100) == [0]
    assert len(cuts(bare(tmp_path / "d", b"x" * 1_000_000), at_most=1000)) <= 201


def test_too_many_cuts_are_thinned_evenly(tmp_path: Path) -> None:
    with Transcript(tmp_path / "run.raw") as transcript:
        for step in range(100):
            transcript.received(b"x", step)
            transcript.sent(b"y", step, by="agent")  # type: ignore[arg-type]
    few = cuts(open_recording(tmp_path / "run.raw"), at_most=10)
    assert len(few) == 10
    assert few[-1] == 100
    assert {later - earlier for earlier, later in pairwise(few)} == {11}


def test_a_moment_counts_the_marks_that_have_taken_place(tmp_path: Path) -> None:
    door = stored_session(tmp_path / "run.raw")
    recording = open_recording(tmp_path / "run.raw")
    found = list(moments_at(recording, [0, door, door + 1]))
    assert found == [Moment(0, 2), Moment(door, 8), Moment(door + 1, 8)]
