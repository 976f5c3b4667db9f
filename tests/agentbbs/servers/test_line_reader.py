"""Lines out of bytes that are cut anywhere, against `split` as the oracle."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from agentbbs.servers.line_reader import LineReader, Overlong

LIMIT_BYTES = 8


def read_all(reader: LineReader) -> list[bytes | Overlong]:
    lines = []
    while (line := reader.read()) is not None:
        lines.append(line)
    return lines


def expected(data: bytes) -> tuple[list[bytes | Overlong], bytes | None]:
    """The lines of `data` and the one without an end, told the plain way."""
    *lines, rest = data.split(b"\n")
    whole: list[bytes | Overlong] = []
    for line in lines:
        bare = line.removesuffix(b"\r")
        whole.append(bare if len(bare) <= LIMIT_BYTES else Overlong.LINE)
    overlong = len(rest) > LIMIT_BYTES + (rest[LIMIT_BYTES:] == b"\r")
    if overlong:
        whole.append(Overlong.LINE)
    return whole, rest.removesuffix(b"\r") if rest and not overlong else None


@given(
    st.lists(st.sampled_from([b"\n", b"\r\n", b"\r", b"a", b"bc", b"defgh", b"12345678", b"123456789"]), max_size=30),
    st.lists(st.integers(0, 100), max_size=20),
)
def test_every_cut_gives_the_same_lines(pieces: list[bytes], cuts: list[int]) -> None:
    data = b"".join(pieces)
    reader, got = LineReader(LIMIT_BYTES), list[bytes | Overlong]()
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    for start, stop in pairwise(places):
        reader.feed(data[start:stop])
        got += read_all(reader)
    whole, rest = expected(data)
    assert got == whole
    assert reader.end() == rest


def test_cut_at_every_byte() -> None:
    reader, got = LineReader(), list[bytes | Overlong]()
    for byte in b'{"type":"ping"}\r\n\n{"type":"ping"}\n':
        reader.feed(bytes([byte]))
        got += read_all(reader)
    assert got == [b'{"type":"ping"}', b"", b'{"type":"ping"}']


def test_an_overlong_line_is_told_once_and_at_once() -> None:
    reader = LineReader(LIMIT_BYTES)
    reader.feed(b"x" * (LIMIT_BYTES + 2))
    assert read_all(reader) == [Overlong.LINE]
    for _ in range(3):
        reader.feed(b"x" * 100)
        assert read_all(reader) == []
    reader.feed(b"x\nping\n")
    assert read_all(reader) == [b"ping"]


def test_memory_is_bounded_while_it_skips() -> None:
    reader = LineReader(LIMIT_BYTES)
    for _ in range(1000):
        reader.feed(b"x" * 1000)
        read_all(reader)
        assert len(reader._rest) <= LIMIT_BYTES + 1


def test_a_line_that_comes_byte_by_byte_is_searched_once() -> None:
    """Case 41's cousin: a megabyte in single bytes must not cost its square."""
    reader = LineReader(1_000_000)
    for _ in range(200_000):
        reader.feed(b"x")
        assert reader.read() is None
    assert reader._searched == 200_000
