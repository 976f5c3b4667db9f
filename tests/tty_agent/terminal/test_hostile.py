"""Input made to break a terminal: no exception, bounded memory, time linear in its length."""

from __future__ import annotations

import random
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tty_agent.terminal.dialect import ANSI_BBS, XTERM, Dialect
from tty_agent.terminal.parser import MAX_STRING_BYTES
from tty_agent.terminal.plain import PlainText
from tty_agent.terminal.screen import Screen
from tty_agent.terminal.widths import MAX_MARKS_PER_CELL

BOTH = pytest.mark.parametrize("dialect", [ANSI_BBS, XTERM], ids=lambda dialect: dialect.name)
CHUNK = 1 << 16
MIB = 1 << 20


def bounded(feed: Callable[[bytes], object], chunks: Iterable[bytes], limit_bytes: int) -> None:
    """Feed them, and hold on to no more than so much."""
    tracemalloc.start()
    try:
        for chunk in chunks:
            feed(chunk)
        assert tracemalloc.get_traced_memory()[1] < limit_bytes
    finally:
        tracemalloc.stop()


def endless(beginning: bytes, body: bytes, size_bytes: int) -> Iterator[bytes]:
    yield beginning
    chunk = (body * (CHUNK // len(body) + 1))[:CHUNK]
    for _ in range(size_bytes // CHUNK):
        yield chunk


@BOTH
@pytest.mark.parametrize(
    ("beginning", "mib"),
    [(b"\x1b]0;", 64), (b"\x1bP", 8), (b"\x1b_", 4), (b"\x1b^", 4), (b"\x1bX", 4), (b"\x1b]52;c;", 4)],
)
def test_a_string_that_never_ends(dialect: Dialect, beginning: bytes, mib: int) -> None:
    screen = Screen(dialect=dialect)
    bounded(screen.feed, endless(beginning, b"abcdefghijklmnop", mib * MIB), 2 * MIB)
    assert screen.mid_sequence
    screen.feed(b"\x1b\\X")
    assert screen.line(0) == "X"
    assert len(screen.title) <= MAX_STRING_BYTES


def test_a_tune_that_never_ends() -> None:
    bounded(Screen().feed, endless(b"\x1b[|", b"CDEFGAB", 16 * MIB), 2 * MIB)


@BOTH
@pytest.mark.parametrize("final", [b"m", b"H", b"h", b"n", b"b", b"r"])
def test_a_million_parameters(dialect: Dialect, final: bytes) -> None:
    screen = Screen(dialect=dialect)
    screen.feed(b"\x1b[" + b"1;" * 1_000_000 + final + b"X")
    for _ in range(20):
        screen.feed(b"\x1b[" + b"1;" * 600)
    screen.feed(final + b"Y")
    assert screen.line(0) == "XY"


FINALS = [bytes([final]) for final in range(0x40, 0x7F)]


@BOTH
@pytest.mark.parametrize("number", [b"100000000", b"9" * 400, b"0" * 400])
def test_huge_numbers(dialect: Dialect, number: bytes) -> None:
    screen = Screen(dialect=dialect)
    screen.feed(b"text" * 30)
    started = time.process_time()
    for final in FINALS:
        for mark in (b"", b"?", b"=", b">"):
            for tail in (b"", b" ", b"$", b"!"):
                screen.feed(b"\x1b[" + mark + number + b";" + number + tail + final)
    screen.feed(b"\x0e\x1b\\\x1bc")
    assert time.process_time() - started < 5.0
    screen.text()


@BOTH
def test_half_a_million_combining_marks_on_one_cell(dialect: Dialect) -> None:
    screen = Screen(dialect=dialect)
    screen.feed(b"e" + "\u0301".encode() * 500_000)
    if dialect is XTERM:
        assert screen.row_characters(0)[0] == "e" + "\u0301" * MAX_MARKS_PER_CELL


@BOTH
def test_a_mebibyte_of_random_bytes(dialect: Dialect) -> None:
    noise = random.Random(7).randbytes(MIB)
    screen, plain = Screen(dialect=dialect), PlainText(dialect, 10_000)
    screen.feed(noise)  # the time of all of it is seen here, the memory of a part below: looking takes long
    bounded(screen.feed, (noise[at : at + 4096] for at in range(0, MIB // 32, 4096)), 2 * MIB)
    for at in range(0, MIB // 8, 4096):
        assert len(plain.feed(noise[at : at + 4096])) <= 10_000
    screen.text().encode("utf-8")  # no lone surrogate is on it
    assert all(len(screen.row_characters(row)) == 80 for row in range(24))


@given(st.binary(max_size=200))
def test_bytes_that_are_no_utf_8(data: bytes) -> None:
    screen = Screen(dialect=XTERM)
    screen.feed(data)
    screen.text().encode("utf-8")
    screen.title.encode("utf-8")


HEAVY = [
    b"\x1b[6n",
    b"\x1b[38;2;1;2;3m\xe2\x96\x88",
    b"\x1b[99999S",
    b"\x1b[99999b",
    b"\x1b[?1049h\x1b[?1049l",
    b"\x1b[\n\n\n",
    b"\x1b(0",
    b"\x1b]",
    b"\xff",
    "漢".encode(),
    b"\x1b[99999@",
    b"\x1b[2J",
]


@BOTH
@pytest.mark.parametrize("piece", HEAVY, ids=repr)
def test_time_is_linear_in_the_input(dialect: Dialect, piece: bytes) -> None:
    """Eight times as much takes about eight times as long; 24 leaves room for a busy machine, 64 would be square."""

    def seconds(size: int) -> float:
        data = (piece * (size // len(piece) + 1))[:size]
        best = 9e9
        for _ in range(2):
            screen = Screen(dialect=dialect)
            started = time.process_time()
            screen.feed(data)
            best = min(best, time.process_time() - started)
        return best

    small = seconds(2_000)
    assert seconds(16_000) < 24 * max(small, 0.0005)


WHOLE_PAGE = [
    b"\x1bc",
    b"\x1b#8",
    b"\x1b[2J",
    b"\x1b[999S",
    b"\x1b[999T",
    b"\x1b[999L",
    b"\x1b[999M",
    b"\x1b[999 @",
    b"\x1b[J",
]


@pytest.mark.parametrize("piece", [*WHOLE_PAGE, b"".join(WHOLE_PAGE), b"\x1b[?1049h\x1b[?1049l"], ids=repr)
def test_work_on_a_whole_page_does_not_cost_its_cells(piece: bytes) -> None:
    """500 rows of 500 columns: by cells, 64 KiB of it took a minute or more."""
    screen = Screen(500, 500, XTERM)
    screen.feed(b"text\r\n" * 600)
    started = time.process_time()
    screen.feed(piece * (CHUNK // 8 // len(piece)))
    assert time.process_time() - started < 1.0


def test_rows_that_look_the_same_are_written_one_by_one() -> None:
    screen = Screen(20, 5, XTERM)
    for byte in (b"a", b"\xcc\x81", "漢".encode(), b"\x1b[4hb", b"\x1b[1@", b"\x1b[31mX\x1b[1K", b"\x1b[1P"):
        for clear in (b"\x1bc", b"\x1b#8", b"\x1b[41m\x1b[2J", b"\x1b[5S", b"\x1b[?1049h"):
            screen.feed(b"\x1bc" + clear + b"\x1b[3;3H")
            others = [(screen.row_characters(row), screen.row_attributes(row)) for row in (0, 1, 3, 4)]
            screen.feed(byte)
            assert others == [(screen.row_characters(row), screen.row_attributes(row)) for row in (0, 1, 3, 4)]


@BOTH
def test_one_byte_at_a_time_is_linear_too(dialect: Dialect) -> None:
    for beginning in (b"\x1b[", b"\x1b]", b"\x1b(", b"\x1b[|"):
        screen = Screen(dialect=dialect)
        started = time.process_time()
        for byte in beginning + b"1;" * 10_000:
            screen.feed(bytes((byte,)))
        assert time.process_time() - started < 2.0
