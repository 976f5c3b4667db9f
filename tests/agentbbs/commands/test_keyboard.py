"""Single keys from a terminal."""

from __future__ import annotations

import os
import pty
import sys
import termios
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.commands.keyboard import keyboard, keys_in


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("", []),
        ("abc", ["a", "b", "c"]),
        ("\x1b[C\x1b[D\x1bOA", ["\x1b[C", "\x1b[D", "\x1bOA"]),
        ("\x1b", ["\x1b"]),
        ("\x1bq", ["\x1b", "q"]),
        ("\x1b[1~\n \x7f", ["\x1b[1~", "\n", " ", "\x7f"]),
        ("\x1b\x1b[C", ["\x1b", "\x1b[C"]),
    ],
)
def test_what_was_typed_as_keys(typed: str, keys: list[str]) -> None:
    assert keys_in(typed) == keys


@given(st.text())
def test_no_character_is_lost(typed: str) -> None:
    assert "".join(keys_in(typed)) == typed


class Typing:
    """Both ends of a terminal, whose near end is stdin."""

    def __init__(self, far: int, near: int) -> None:
        self.far = far
        self.near = near

    def type(self, data: bytes) -> None:
        os.write(self.far, data)


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Typing]:
    far, near = pty.openpty()
    with os.fdopen(near, "r", closefd=True) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield Typing(far, near)
    os.close(far)


def some(read_key: Callable[[], str], count: int) -> list[str]:
    return [read_key() for _ in range(count)]


def test_keys_come_one_by_one_also_those_typed_ahead(typing: Typing) -> None:
    typing.type(b"\n")  # before the terminal's mode was changed: kept
    with keyboard() as read_key:
        typing.type(b"q\x1b[C\xc3\xa9")
        assert some(read_key, 4) == ["\n", "q", "\x1b[C", "é"]


def test_escape_alone_is_a_key(typing: Typing) -> None:
    with keyboard() as read_key:
        typing.type(b"\x1b")
        assert read_key() == "\x1b"


def test_the_terminal_is_left_as_it_was(typing: Typing) -> None:
    before = termios.tcgetattr(typing.near)

    def interrupted() -> None:
        with keyboard():
            assert termios.tcgetattr(typing.near) != before
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert termios.tcgetattr(typing.near) == before
