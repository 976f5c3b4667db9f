"""Bytes of terminals, and the keys that they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.hub.keys import (
    ESCAPE_PATIENCE_S,
    SEQUENCE_PATIENCE_S,
    CursorReport,
    Key,
    KeyDecoder,
    Press,
    retyped,
)
from tty_agent.terminal.dialect import Encoding
from tty_agent.terminal.inert import inert


def pressed(data: bytes, encoding: Encoding = Encoding.UTF_8) -> list[str]:
    """The names of the keys, the last of them settled."""
    return [name(press) for press in decoded(data, encoding)]


def decoded(data: bytes, encoding: Encoding = Encoding.UTF_8) -> list[Press]:
    decoder = KeyDecoder(encoding)
    return decoder.feed(data) + decoder.settle()


def name(press: Press) -> str:
    return press.name if isinstance(press, Key) else f"report {press.row} {press.column}"


@pytest.mark.parametrize("spelling", [b"\r", b"\r\n", b"\r\0", b"\n"])
def test_every_spelling_of_enter_is_one_key(spelling: bytes) -> None:
    assert pressed(b"a" + spelling + b"b" + spelling + spelling) == ["a", "enter", "b", "enter", "enter"]


def test_two_line_feeds_after_a_return_are_two_enters() -> None:
    assert pressed(b"\r\n\n") == ["enter", "enter"]


def test_a_flood_of_nuls_is_no_key() -> None:
    assert pressed(b"\0" * 10_000 + b"x" + b"\0" * 10_000) == ["x"]


def test_nuls_do_not_break_a_sequence_or_a_character() -> None:
    assert pressed(b"\x1b\0[\0A") == ["up"]


@pytest.mark.parametrize(
    ("sequences", "key"),
    [
        ((b"\x1b[A", b"\x1bOA", b"\x1b[1;5A"), "up"),
        ((b"\x1b[B", b"\x1bOB"), "down"),
        ((b"\x1b[C", b"\x1bOC"), "right"),
        ((b"\x1b[D", b"\x1bOD"), "left"),
        ((b"\x1b[H", b"\x1bOH", b"\x1b[1~", b"\x1b[7~"), "home"),
        ((b"\x1b[F", b"\x1bOF", b"\x1b[4~", b"\x1b[8~", b"\x1b[K"), "end"),
        ((b"\x1b[5~", b"\x1b[V"), "page_up"),
        ((b"\x1b[6~", b"\x1b[U"), "page_down"),
        ((b"\x1b[2~", b"\x1b[@"), "insert"),
        ((b"\x1b[3~", b"\x1b[3;5~"), "delete"),
        ((b"\x1bOP", b"\x1b[11~", b"\x1b[[A"), "f1"),
        ((b"\x1b[24~",), "f12"),
        ((b"\x7f", b"\x08"), "backspace"),
        ((b"\t",), "tab"),
        ((b"\x1b[Z",), "back_tab"),
        ((b"\x03",), "ctrl-c"),
        ((b"\x1b",), "escape"),
        ((b"\x1bOM",), "enter"),
    ],
)
def test_the_keys_of_xterm_linux_rxvt_and_syncterm(sequences: tuple[bytes, ...], key: str) -> None:
    for sequence in sequences:
        assert pressed(sequence + b"x") == ([key, "x"]), sequence


@pytest.mark.parametrize(
    "noise",
    [
        b"\x1b[200~", b"\x1b[201~", b"\x1b[?62;22c", b"\x1b[0n", b"\x1b[<0;12;7M", b"\x1b[I", b"\x1b[99;99;99u",
        b"\x1b]11;rgb:0000/0000/0000\x07", b"\x1b]11;rgb:0000/0000/0000\x1b\\", b"\x1bP>|xterm(370)\x1b\\",
        b"\x1b[" + b"1;" * 500 + b"R",
    ],
)  # fmt: skip
def test_what_a_terminal_says_by_itself_is_not_typed(noise: bytes) -> None:
    assert pressed(b"a" + noise + b"b") == ["a", "b"]


def test_a_cursor_report_is_no_key() -> None:
    assert decoded(b"a\x1b[24;80Rb") == [Key("a"), CursorReport(24, 80), Key("b")]


def test_a_paste_is_typed_without_its_marks() -> None:
    assert pressed(b"\x1b[200~hi\rho\x1b[201~") == ["h", "i", "enter", "h", "o"]


def test_an_escape_before_a_character_is_a_key_of_its_own() -> None:
    assert pressed(b"\x1bx\x1b\x1b[A") == ["escape", "x", "escape", "up"]
    assert pressed(b"\x1bPost") == ["escape", "P", "o", "s", "t"]
    assert pressed(b"\x1bOther") == ["escape", "O", "t", "h", "e", "r"]


def test_an_escape_alone_is_a_key_after_a_short_wait() -> None:
    decoder = KeyDecoder(Encoding.UTF_8)
    assert not decoder.patience_s
    assert decoder.feed(b"\x1b") == []
    assert decoder.patience_s == ESCAPE_PATIENCE_S
    assert decoder.settle() == [Key("escape")]
    assert not decoder.patience_s
    assert decoder.feed(b"[A") == [Key("["), Key("A")]


def test_a_sequence_that_stops_is_dropped_and_what_follows_is_typed() -> None:
    decoder = KeyDecoder(Encoding.UTF_8)
    assert decoder.feed(b"\x1b[24") == []
    assert decoder.patience_s == SEQUENCE_PATIENCE_S
    assert decoder.settle() == []
    assert decoder.feed(b"x") == [Key("x")]


def test_a_report_torn_after_its_escape_is_swallowed_while_one_is_due() -> None:
    decoder = KeyDecoder(Encoding.UTF_8)
    decoder.reports_due = 1
    decoder.feed(b"\x1b")
    assert decoder.patience_s == SEQUENCE_PATIENCE_S
    decoder.settle()
    assert decoder.feed(b"[24;80Rx") == [CursorReport(24, 80), Key("x")]
    assert decoder.reports_due == 0


def test_a_control_character_ends_a_sequence() -> None:
    assert pressed(b"\x1b[12\rx") == ["enter", "x"]
    assert pressed(b"\x1b]0123456789\rx") == ["enter", "x"]


def test_characters_of_both_encodings() -> None:
    assert pressed("é☃漢".encode()) == ["é", "☃", "漢"]
    assert pressed("é█ß".encode("cp437"), Encoding.CP437) == ["é", "█", "ß"]


def test_a_byte_that_is_no_character_is_seen() -> None:
    assert pressed(b"a\xe9b") == ["a", "\ufffd", "b"]
    assert pressed(b"a\xe9") == ["a", "\ufffd"]


def test_what_acts_or_hides_cannot_be_typed() -> None:
    assert pressed("a\x9b\u200b\u202e\ufeff\u2028b".encode()) == ["a", "b"]


@given(st.binary(max_size=60))
def test_no_bytes_type_what_acts_or_hides(data: bytes) -> None:
    for encoding in Encoding:
        for press in decoded(data, encoding):
            if isinstance(press, Key):
                assert press.text == inert(press.text)
                assert press.text or press.name.isascii()


INPUTS = st.lists(
    st.one_of(
        st.binary(max_size=4),
        st.sampled_from(
            [
                b"\x1b",
                b"\x1b[A",
                b"\x1b[24;80R",
                b"\r\n",
                b"\r\0",
                b"\x1bOP",
                b"\x1b[[A",
                b"\x1b]1;x\x07",
                b"\xe2\x98\x83",
            ]
        ),
    ),
    max_size=8,
).map(b"".join)


@given(INPUTS, st.data())
def test_however_the_bytes_are_cut_the_keys_are_the_same(data: bytes, draw: st.DataObject) -> None:
    encoding = draw.draw(st.sampled_from(Encoding))
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(data)), max_size=6)))
    decoder = KeyDecoder(encoding)
    pieces = [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]
    keys = [press for piece in pieces for press in decoder.feed(piece)] + decoder.settle()
    assert keys == decoded(data, encoding)


@given(st.text(alphabet="ab é█", max_size=10))
def test_a_key_can_be_typed_again(text: str) -> None:
    for encoding in Encoding:
        keys = decoded(text.encode(encoding.value) + b"\r\t\x03\x7f", encoding)
        again = b"".join(retyped(key, encoding) for key in keys if isinstance(key, Key))
        assert decoded(again, encoding) == keys


@given(st.lists(st.sampled_from([b"\0" * 9, b"\0", b"a", b"\r", b"\n", b"\x1b", b"[", b"A", b"]", b"0", b"\xc3"])))
def test_a_run_of_nuls_is_taken_at_once_and_changes_what_one_would(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    slowly, quickly = KeyDecoder(Encoding.UTF_8), KeyDecoder(Encoding.UTF_8)
    taken: list[Press] = []
    at = 0
    while at < len(data):
        presses, used = quickly.first(data[at:], max_steps=2)
        taken += presses
        at += used
    assert taken + quickly.settle() == slowly.feed(data) + slowly.settle()


def test_nuls_without_end_are_one_step() -> None:
    data = b"\0" * 400_000
    assert KeyDecoder(Encoding.UTF_8).first(data + b"x", max_steps=2) == ([Key("x")], len(data) + 1)
