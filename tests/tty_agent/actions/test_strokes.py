"""Actions as bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tty_agent.actions.action import Action, Hangup, PressKey, SendRaw, SubmitLine, SubmitLines, TypeText, Wait
from tty_agent.actions.errors import Unencodable, UnknownKey
from tty_agent.actions.keys import keys_for
from tty_agent.actions.strokes import Strokes, strokes
from tty_agent.terminal.dialect import ANSI_BBS, XTERM, Encoding

BBS = keys_for(ANSI_BBS)
UNIX = keys_for(XTERM)


@pytest.mark.parametrize(
    ("action", "data"),
    [
        (PressKey("P"), b"P"),
        (PressKey("enter"), b"\r"),
        (PressKey("up"), b"\x1b[A"),
        (TypeText("partial input"), b"partial input"),
        (SubmitLine("42"), b"42\r"),
        (SubmitLine(""), b"\r"),
        (SubmitLines(("Subject: x", "", "end")), b"Subject: x\r\rend\r"),
        (SendRaw("\x1b[A\xff"), b"\x1b[A\xff"),
    ],
)
def test_an_action_is_one_piece_when_there_is_no_pace(action: Action, data: bytes) -> None:
    assert strokes(action, BBS) == Strokes(pieces=(data,))


def test_waiting_and_hanging_up_type_nothing() -> None:
    assert strokes(Wait(2.5), BBS) == Strokes(wait_s=2.5)
    assert strokes(Hangup(), BBS, pace_ms=50) == Strokes(hangup=True)


def test_with_a_pace_each_keystroke_is_a_piece() -> None:
    """Case 122: a program that polls takes one key at a time."""
    assert strokes(TypeText(" " * 6), UNIX, pace_ms=120) == Strokes(pieces=(b" ",) * 6, pace_ms=120)
    assert strokes(SubmitLine("né"), UNIX, pace_ms=5).pieces == (b"n", "é".encode(), b"\r")
    assert strokes(SubmitLines(("a", "")), BBS, pace_ms=5).pieces == (b"a", b"\r", b"\r")


def test_a_sequence_is_not_torn_by_the_pace() -> None:
    assert strokes(PressKey("f1"), BBS, pace_ms=50).pieces == (b"\x1b[11~",)
    assert strokes(PressKey("alt-x"), BBS, pace_ms=50).pieces == (b"\x1bx",)
    assert strokes(SendRaw("\x1b[A\x1b[B"), BBS, pace_ms=50).pieces == (b"\x1b[A\x1b[B",)


def test_text_is_in_the_encoding_of_the_session() -> None:
    """Case 123."""
    text = "\u00e0\u00e8\u00ec"
    assert strokes(TypeText(text), UNIX).data == text.encode()
    assert strokes(TypeText(text), BBS).data == b"\x85\x8a\x8d"
    assert strokes(TypeText(text), BBS, Encoding.UTF_8).data == text.encode()
    assert strokes(PressKey("é"), BBS, Encoding.UTF_8).data == "é".encode()
    assert strokes(PressKey("page_up"), BBS, Encoding.UTF_8).data == b"\x1b[V"


def test_what_the_encoding_lacks_is_an_error_that_names_all_of_it() -> None:
    """Case 123: never a question mark."""
    with pytest.raises(Unencodable, match=r"U\+2603 SNOWMAN.*U\+2019 RIGHT SINGLE QUOTATION MARK") as refused:
        strokes(SubmitLine("a ☃ isn\u2019t ☃"), BBS, pace_ms=1)
    assert refused.value.characters == ("☃", "\u2019")


def test_raw_text_is_bytes_only() -> None:
    with pytest.raises(Unencodable, match="one byte"):
        strokes(SendRaw("☃"), UNIX)


def test_an_unknown_key_sends_nothing() -> None:
    with pytest.raises(UnknownKey):
        strokes(PressKey("hyper"), UNIX)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.sampled_from([0, 40]))
def test_the_pace_changes_when_bytes_are_sent_and_not_which(text: str, pace_ms: int) -> None:
    sent = strokes(SubmitLine(text), UNIX, pace_ms=pace_ms)
    assert sent.data == text.encode() + b"\r"
    assert all(sent.pieces)
    assert len(sent.pieces) == (len(text) + 1 if pace_ms else 1)
