"""The SAUCE record of an `.ans` file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tty_agent.terminal.dialect import ANSI_BBS, Wrap
from tty_agent.terminal.sauce import read_sauce
from tty_agent.terminal.screen import Screen


def record(*, columns: int = 80, rows: int = 25, flags: int = 0, comments: int = 0) -> bytes:
    """A record, written by its layout: SAUCE 00, title, author, group, date, sizes, types, sizes, flags."""
    fields = b"SAUCE00" + b"Title".ljust(35) + b"\x82l\x8ave".ljust(20) + b"Group".ljust(20, b"\0") + b"19960401"
    fields += bytes(4) + b"\x01\x01" + columns.to_bytes(2, "little") + rows.to_bytes(2, "little") + bytes(4)
    return (fields + bytes((comments, flags))).ljust(128, b"\0")


def test_what_a_record_says() -> None:
    art, sauce = read_sauce(b"art\x1a" + record(columns=132, rows=50, flags=1))
    assert art == b"art"
    assert sauce is not None
    assert (sauce.title, sauce.author, sauce.group, sauce.date) == ("Title", "élève", "Group", "19960401")
    assert (sauce.columns, sauce.rows, sauce.ice_colors) == (132, 50, True)
    dialect = sauce.dialect
    assert dialect.wrap is Wrap.PENDING
    assert dialect.ice_colors
    assert dialect.encoding is ANSI_BBS.encoding


def test_comments_are_no_art() -> None:
    comment = b"COMNT" + b"hello".ljust(64) + b"world".ljust(64)
    assert read_sauce(b"art\x1a" + comment + record(comments=2))[0] == b"art"
    assert read_sauce(b"art" + record(comments=9))[0] == b"art"  # the block is not there


@pytest.mark.parametrize("data", [b"", b"art", b"art" * 100, b"SAUCE00", record()[1:] + b" "])
def test_no_record(data: bytes) -> None:
    assert read_sauce(data) == (data, None)


def test_the_end_of_file_mark_goes_in_any_case() -> None:
    assert read_sauce(b"art\x1a") == (b"art", None)


@pytest.mark.parametrize("columns", [0, 1001, 65535])
def test_a_width_that_cannot_be_is_not_believed(columns: int) -> None:
    sauce = read_sauce(record(columns=columns))[1]
    assert sauce is not None
    assert sauce.columns == 80


def test_art_with_a_record_wraps_as_it_was_drawn() -> None:
    drawn = b"\xdb" * 80 + b"\r\n\xdb"
    art, sauce = read_sauce(drawn + b"\x1a" + record())
    assert sauce is not None
    screen = Screen(sauce.columns, sauce.rows, sauce.dialect)
    screen.feed(art)
    assert screen.line(1) == "█"


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    art, _ = read_sauce(data)
    assert data.startswith(art)
    read_sauce(data + b"SAUCE" + data.ljust(123, b"\xff")[:123])
