"""Bytes to keys: every cut of every burst gives the same keys, and no sequence leaves letters behind."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starlane.door.keys import MAX_SEQUENCE_CHARS, Encoding, Key, KeyDecoder, Press

SEQUENCES = [
    b"\x1b[A",  # an arrow
    b"\x1bOP",  # F1 of an xterm
    b"\x1b[15~",  # F5
    b"\x1b[1;5C",  # Ctrl and an arrow
    b"\x1b[[A",  # F1 of the Linux console
    b"\x1b[24;80R",  # the answer to a cursor report
    b"\x1b]11;rgb:0000/0000/0000\x07",  # the answer to a question for the background
    b"\x1b]11;rgb:0000/0000/0000\x1b\\",
    b"\x1bP1$r0m\x1b\\",
    b"\x1bm",  # Alt and a letter
]


def pressed(data: bytes, encoding: Encoding = Encoding.UTF_8) -> list[Key]:
    return KeyDecoder(encoding).feed(data)


@pytest.mark.parametrize("enter", [b"\r", b"\n", b"\r\n", b"\r\0"])
def test_every_enter_is_one(enter: bytes) -> None:
    assert pressed(b"a" + enter + b"b" + enter + enter) == ["a", Press.ENTER, "b", Press.ENTER, Press.ENTER]


@pytest.mark.parametrize(
    ("data", "key"),
    [(b"\x08", Press.ERASE), (b"\x7f", Press.ERASE), (b"\x15", Press.WIPE), (b"\x03", Press.CANCEL),
     (b"\x01", Press.OTHER), (b"\t", Press.OTHER), (b"\x04", Press.OTHER)],
)  # fmt: skip
def test_control_characters_are_keys_of_their_own(data: bytes, key: Press) -> None:
    assert pressed(data) == [key]


@pytest.mark.parametrize("sequence", SEQUENCES)
@pytest.mark.parametrize("encoding", Encoding)
def test_a_sequence_is_one_key_and_no_letter_wherever_it_is_cut(sequence: bytes, encoding: Encoding) -> None:
    for cut in range(len(sequence) + 1):
        decoder = KeyDecoder(encoding)
        keys = [*decoder.feed(b"x" + sequence[:cut]), *decoder.feed(sequence[cut:] + b"y")]
        assert keys == ["x", Press.OTHER, "y"], cut


def test_a_lone_escape_is_told_by_the_silence_after_it() -> None:
    decoder = KeyDecoder(Encoding.UTF_8)
    assert decoder.feed(b"\x1b") == []
    assert decoder.settle() == [Press.CANCEL]
    assert decoder.settle() == []
    assert decoder.feed(b"m") == ["m"]


def test_the_rest_of_a_sequence_that_came_too_late_is_no_letter() -> None:
    decoder = KeyDecoder(Encoding.UTF_8)
    decoder.feed(b"\x1b")
    assert decoder.settle() == [Press.CANCEL]
    assert decoder.feed(b"[A") == [Press.OTHER]


def test_two_escapes_are_one_and_the_beginning_of_another() -> None:
    decoder = KeyDecoder(Encoding.UTF_8)
    assert decoder.feed(b"\x1b\x1b") == [Press.CANCEL]
    assert decoder.unsettled


@pytest.mark.parametrize("head", [b"\x1b", b"\x1b[", b"\x1bO", b"\x1b[1;", b"\x1b]0;"])
def test_enter_and_ctrl_c_are_heard_within_an_open_sequence(head: bytes) -> None:
    assert pressed(head + b"\rm") == [Press.ENTER, "m"]
    assert pressed(head + b"\x03m") == [Press.CANCEL, "m"]


def test_a_sequence_without_end_is_given_up() -> None:
    keys = pressed(b"\x1b[" + b"1" * (3 * MAX_SEQUENCE_CHARS))
    assert keys[0] is Press.OTHER


@pytest.mark.parametrize("encoding", Encoding)
def test_letters_come_in_the_terminals_encoding(encoding: Encoding) -> None:
    assert pressed("Zoë Ñ".encode(encoding.value), encoding) == list("Zoë Ñ")


def test_a_letter_of_several_bytes_may_be_cut() -> None:
    decoder = KeyDecoder(Encoding.UTF_8)
    assert [*decoder.feed(b"\xe2\x82"), *decoder.feed(b"\xac")] == ["€"]


def test_broken_utf_8_is_a_key_that_nothing_takes() -> None:
    assert pressed(b"\xffm") == [Press.OTHER, "m"]


@settings(max_examples=50)
@given(
    st.lists(st.sampled_from([*SEQUENCES, b"m", b"7", b"\r", b"\r\n", b"\n", b"\0", b"\x7f", "ü".encode(), b"\xff"])),
    st.data(),
)
def test_any_cut_gives_the_same_keys(bursts: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(bursts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    decoder = KeyDecoder(Encoding.UTF_8)
    keys: list[Key] = []
    for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
        keys += decoder.feed(whole[start:end])
    assert keys == pressed(whole)


@settings(max_examples=50)
@given(st.binary(max_size=200), st.sampled_from(Encoding))
def test_no_bytes_become_a_control_character(data: bytes, encoding: Encoding) -> None:
    for key in pressed(data, encoding):
        assert isinstance(key, Press) or (len(key) == 1 and key.isprintable())
