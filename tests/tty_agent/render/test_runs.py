"""Rows as runs."""

from __future__ import annotations

from tests.tty_agent.render.picture_samples import picture_of

from tty_agent.render.runs import runs, shown
from tty_agent.terminal.style import PLAIN, pack


def test_equal_neighbours_are_one_run() -> None:
    picture = picture_of("abcd", looks={(0, 1): pack(1), (0, 2): pack(1)})
    assert list(runs(picture, 0, 0, 5)) == [(PLAIN, "a"), (pack(1), "bc"), (PLAIN, "d ")]
    assert [text for _, text in runs(picture, 0)] == ["a", "bc", "d" + " " * 16]


def test_what_acts_or_hides_is_taken_out() -> None:
    cells = ["a", "\x1b", "\u202e", "e\u0301", "x\ufe0f", "\u2800", "漢", ""]
    assert list(shown(cells)) == ["a", "\ufffd", "\ufffd", "e\u0301", "x", " ", "漢", ""]


def test_harmless_cells_are_themselves() -> None:
    cells = ("a", "♥", "")
    assert shown(cells) is cells
