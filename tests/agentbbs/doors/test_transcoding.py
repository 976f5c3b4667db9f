"""Characters both ways: whole streams, and the same streams cut at every byte."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.doors.transcoding import (
    Cp437ToUtf8,
    GlyphsToUtf8,
    Keystrokes,
    Transcoder,
    Utf8ToCp437,
    for_caller,
    for_door,
    restored,
)
from tty_agent.terminal.dialect import ANSI_BBS, XTERM, Encoding
from tty_agent.terminal.screen import Screen


def in_pieces(make: Callable[[], Transcoder], data: bytes) -> bytes:
    transcoder = make()
    return b"".join(transcoder.feed(data[i : i + 1]) for i in range(len(data)))


@pytest.mark.parametrize("encoding", Encoding)
def test_between_equals_every_byte_passes(encoding: Encoding) -> None:
    every = bytes(range(256))
    assert for_caller(encoding, encoding).feed(every) == every
    assert for_door(encoding, encoding).feed(every) == every


@pytest.mark.parametrize(
    ("shown", "sent"),
    [
        (b"\xb0\xb1\xb2\xdb caf\x82\xff", "░▒▓█ café\u00a0"),
        (b"\x01\x02\x03 hi \x10\x11\x0e\x0f\x7f\x1a", "☺☻♥ hi ►◄♫☼⌂→"),
        (b"\x1b[1;31mred\x1b[0m\x81", "\x1b[1;31mred\x1b[0mü"),
        (b"a\x00\x07\x08\t\r\nb", "a\x00\x07\x08\t\r\nb"),
        (b"\x0cNew", "\x1b[2J\x1b[HNew"),
        (b"\x1b[2JX", "\x1b[2J\x1b[HX"),
        (b"\x1b[0;2JX\x1b[J\x1b[22J", "\x1b[0;2JX\x1b[J\x1b[22J"),
        (b"\x1b[1\r2JX", "\x1b[1\r2JX"),
        (b"\x1b(0\xc4\x1b(B", "\x1b(0─\x1b(B"),
        (b"\x1b]0;caf\x82\x07\x01", "\x1b]0;café\x07☺"),
        (b"\x1b[12\x80m", "\x1b[12Çm"),
        (b"\x9b2J", "¢2J"),
    ],
)
def test_a_cp437_screen_for_a_utf_8_terminal(shown: bytes, sent: str) -> None:
    assert GlyphsToUtf8().feed(shown) == sent.encode()
    assert in_pieces(GlyphsToUtf8, shown) == sent.encode()


@pytest.mark.parametrize(
    ("shown", "sent"),
    [
        ("┌─┐ café ░█", b"\xda\xc4\xbf caf\x82 \xb0\xdb"),
        ("\x1b[38;5;12mx\x1b[0m", b"\x1b[38;5;12mx\x1b[0m"),
        ("\u201cquoted\u201d \u2014 ┏━┓ ╭╮", b'"quoted" - \xda\xc4\xbf \xda\xbf'),
        ("ō 漢 é e\u0301 🙂", b"o ?? \x82 e ??"),
        ("↑☺", b"^@"),
    ],
)
def test_a_utf_8_screen_for_a_cp437_terminal(shown: str, sent: bytes) -> None:
    assert Utf8ToCp437().feed(shown.encode()) == sent
    assert in_pieces(Utf8ToCp437, shown.encode()) == sent


def test_bytes_that_are_no_utf_8_are_shown_as_such() -> None:
    assert Utf8ToCp437().feed(b"a\xffb\xc3\x1b[m") == b"a?b?\x1b[m"


@given(st.binary(max_size=60), st.lists(st.integers(0, 60)))
@pytest.mark.parametrize("make", [GlyphsToUtf8, Utf8ToCp437, Cp437ToUtf8, Keystrokes])
def test_a_cut_changes_nothing(make: Callable[[], Transcoder], data: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(cut for cut in cuts if cut < len(data)), len(data)]
    transcoder = make()
    pieces = b"".join(transcoder.feed(data[a:b]) for a, b in itertools.pairwise(edges))
    assert pieces == make().feed(data)


@given(st.binary(max_size=80))
def test_what_a_cp437_door_sends_is_always_utf_8(data: bytes) -> None:
    GlyphsToUtf8().feed(data).decode("utf-8")


@given(st.binary(max_size=80).map(lambda data: data.replace(b"\x1b", b"").replace(b"\x00", b"")))
def test_both_terminals_show_the_same(data: bytes) -> None:
    bbs, xterm = Screen(200, 60, ANSI_BBS), Screen(200, 60, XTERM)
    bbs.feed(data)
    xterm.feed(GlyphsToUtf8().feed(data))
    assert xterm.text().replace("\u00a0", " ").split() == bbs.text().replace("\u00a0", " ").split()


@pytest.mark.parametrize(
    ("typed", "got"),
    [
        (b"a\rb", b"a\rb"),
        (b"a\r\nb", b"a\rb"),
        (b"a\r\x00b", b"a\rb"),
        (b"a\nb", b"a\rb"),
        (b"\r\r\n\n", b"\r\r\r"),
        (b"\x00" * 10_000, b""),
        (b"\xff\xfe\x1b[A", b"\xff\xfe\x1b[A"),
    ],
)
def test_each_enter_is_one_cr(typed: bytes, got: bytes) -> None:
    assert Keystrokes().feed(typed) == got
    assert in_pieces(Keystrokes, typed) == got


def test_what_is_typed_reaches_a_door_of_the_other_encoding() -> None:
    assert for_door(Encoding.CP437, Encoding.UTF_8).feed("é\x1b[A漢".encode()) == b"\x82\x1b[A??"
    assert for_door(Encoding.UTF_8, Encoding.CP437).feed(b"\x82\x1b[A\xff") == "é\x1b[A\u00a0".encode()


@pytest.mark.parametrize("dialect", [ANSI_BBS, XTERM])
def test_a_terminal_is_brought_back_with_its_text_and_cursor(dialect: object) -> None:
    assert dialect in {ANSI_BBS, XTERM}
    screen = Screen(40, 10, ANSI_BBS if dialect is ANSI_BBS else XTERM)
    screen.feed(b"one\r\ntwo\x1b[?25l\x1b[31m")
    screen.feed(restored(screen.dialect.encoding) + b"!")
    assert screen.text().rstrip() == "one\ntwo!"
