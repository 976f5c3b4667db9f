"""The rlogin handshake, byte by byte and without a line."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tty_agent.transports.rlogin_handshake import Acknowledgement, greeting, window_size


def test_the_password_is_the_first_field() -> None:
    assert (
        greeting(user="alice", password="secret-Pa55", terminal_type="ansi-bbs/115200")
        == b"\0secret-Pa55\0alice\0ansi-bbs/115200\0"
    )


def test_fields_go_by_name_only() -> None:
    with pytest.raises(TypeError):
        greeting("alice", "secret", "ansi")  # type: ignore[call-arg]


@pytest.mark.parametrize("password", ["nul\0nul", "snow\u2603"])
def test_a_bad_password_is_refused_and_not_quoted(password: str) -> None:
    with pytest.raises(ValueError, match="password") as error:
        greeting(user="alice", password=password, terminal_type="ansi")
    assert password not in str(error.value)


@pytest.mark.parametrize(
    ("chunks", "data"),
    [
        ([b"\0", b"Hello"], b"Hello"),
        ([b"\0Hello"], b"Hello"),
        ([b"Hello"], b"Hello"),
        ([b"H", b"\0ello"], b"H\0ello"),
        ([b"\0\0Hello"], b"\0Hello"),
        ([b"", b"\0", b"\0"], b"\0"),
    ],
)
def test_only_a_leading_nul_is_taken_once(chunks: list[bytes], data: bytes) -> None:
    """Case 114."""
    acknowledgement = Acknowledgement()
    assert b"".join(acknowledgement.receive(chunk) for chunk in chunks) == data


@given(wire=st.binary(max_size=20), cuts=st.lists(st.integers(0, 20), max_size=4))
def test_bytes_may_be_cut_anywhere(wire: bytes, cuts: list[int]) -> None:
    acknowledgement = Acknowledgement()
    edges = [0, *sorted(min(edge, len(wire)) for edge in cuts), len(wire)]
    pieces = [acknowledgement.receive(wire[start:end]) for start, end in pairwise(edges)]
    assert b"".join(pieces) == Acknowledgement().receive(wire)


def test_the_window_size_message() -> None:
    """RFC 1282: rows before columns."""
    assert window_size(80, 24) == b"\xff\xffss\x00\x18\x00\x50\x00\x00\x00\x00"
