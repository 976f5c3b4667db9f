"""What looks different on a screen: found by revision, told cell by cell."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tty_agent.observer.changes import MAX_SMALL_ROWS, Changes
from tty_agent.terminal.screen import Screen

PIECES = st.sampled_from(
    [
        b"a",
        b"word ",
        b"\r\n",
        b"\x1b[31m",
        b"\x1b[7m",
        b"\x1b[0m",
        b"\x1b[2J",
        b"\x1b[H",
        b"\x1b[5;70H",
        b"\x1b[K",
        b"\x1b[M",
        b"\x1b[24;1H\r\n",
        b"\x1b[L",
        b"\x1b[s",
        b"\x1b[u",
        b"12:00:01",
        b"\x08",
        b"\xdb\xdb",
        b"x" * 90,
    ]
)


@given(st.lists(st.lists(PIECES, max_size=5), max_size=20))
@settings(max_examples=80, deadline=None)
def test_a_look_sees_what_a_comparison_of_pictures_sees(feeds: list[list[bytes]]) -> None:
    screen = Screen(20, 5)
    changes = Changes(screen)
    before = screen.picture()
    for feed in feeds:
        screen.feed(b"".join(feed))
        look, after = changes.look(), screen.picture()
        rows = [
            row
            for row in range(5)
            if (before.characters[row], before.attributes[row]) != (after.characters[row], after.attributes[row])
        ]
        assert look.visible == bool(rows)
        assert look.rows >= set(rows)
        assert [change.row for change in look.changes] == (rows if len(rows) <= MAX_SMALL_ROWS else [])
        for change in look.changes:
            differs = [
                column
                for column in range(20)
                if before.characters[change.row][column] != after.characters[change.row][column]
                or before.attributes[change.row][column] != after.attributes[change.row][column]
            ]
            assert (change.first, change.last) == (differs[0], differs[-1])
        before = after


def test_a_change_says_whether_it_is_colour_alone() -> None:
    screen = Screen()
    changes = Changes(screen)
    screen.feed(b"\x1b[3;5Hitem")
    (written,) = changes.look().changes
    assert (written.row, written.first, written.last, written.text) == (2, 4, 7, True)
    screen.feed(b"\x1b[3;5H\x1b[7mitem")
    (coloured,) = changes.look().changes
    assert (coloured.text, coloured.even) == (False, True)
    screen.feed(b"\x1b[3;5H\x1b[0mit\x1b[1;7mem")
    (uneven,) = changes.look().changes
    assert (uneven.text, uneven.even) == (False, False)


def test_a_time_of_day_is_seen_although_only_a_digit_of_it_changes() -> None:
    screen = Screen()
    changes = Changes(screen)
    for text, clock in ((b"12:00:01", True), (b"12:00:02", True), (b"1200:002", False), (b"1:2:3:45", False)):
        screen.feed(b"\x1b[1;70H" + text)
        (change,) = changes.look().changes
        assert change.clock is clock, text


def test_a_resize_is_one_great_change() -> None:
    screen = Screen()
    changes = Changes(screen)
    screen.resize(100, 30)
    look = changes.look()
    assert (look.visible, look.changes, len(look.rows)) == (True, (), 30)
    assert not changes.look().visible


def test_only_rows_that_were_written_to_are_looked_at() -> None:
    screen = Screen()
    changes = Changes(screen)
    screen.feed(b"\x1b[3;1Ha\x1b[9;1Hb")
    assert changes.look().rows == {2, 8}
    assert changes.look().rows == frozenset()
