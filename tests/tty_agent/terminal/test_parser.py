"""Runs, sequences and strings, as they are told to a sink."""

from __future__ import annotations

import pytest

from tty_agent.terminal.parser import (
    MAX_PARAMETER,
    MAX_PARAMETER_CHARS,
    MAX_REMEMBERED,
    MAX_STRING_BYTES,
    Parser,
    State,
    numbers,
)


class Told:
    """A sink that writes down what it is told."""

    def __init__(self) -> None:
        self.heard: list[tuple[object, ...]] = []

    def control(self, char: str, at: int) -> None:
        self.heard.append(("control", char, at))

    def escape(self, intermediates: str, final: str) -> None:
        self.heard.append(("escape", intermediates, final))

    def csi(self, private: str, parameters: str, intermediates: str, final: str, at: int) -> None:
        self.heard.append(("csi", private, parameters, intermediates, final, at))

    def string(self, kind: str, content: str) -> None:
        self.heard.append(("string", kind, content))

    def tune(self, content: str, at: int) -> None:
        self.heard.append(("tune", content, at))


def told(text: str, *, cterm: bool = False) -> tuple[list[tuple[object, ...]], str]:
    """What is told of `text`, which follows an ESC; and what is left of it as text."""
    parser, sink = Parser(cterm=cterm), Told()
    parser.begin()
    at = parser.resume(text, 0, sink)
    return sink.heard, text[at:]


@pytest.mark.parametrize(
    ("text", "heard", "left"),
    [
        ("[3;4Hab", [("csi", "", "3;4", "", "H", 5)], "ab"),
        ("[?25hx", [("csi", "?", "25", "", "h", 5)], "x"),
        ("[0;40 Dx", [("csi", "", "0;40", " ", "D", 7)], "x"),
        ("[!_x", [("csi", "", "", "!", "_", 3)], "x"),
        ("7x", [("escape", "", "7")], "x"),
        ("(0x", [("escape", "(", "0")], "x"),
        ("#8x", [("escape", "#", "8")], "x"),
        ("!!!!0x", [], "x"),  # more intermediates than anything has
        ("[1?2hx", [], "x"),  # malformed, read to its end
        ("[" + "1" * (MAX_PARAMETER_CHARS + 4) + "mx", [], "x"),
        ("[3\n1mx", [("control", "\n", 3), ("csi", "", "31", "", "m", 5)], "x"),
        ("[3\x1b[4mx", [("csi", "", "4", "", "m", 6)], "x"),
        ("[3\x18mx", [], "mx"),
        ("[3émx", [], "émx"),
        ("\x1b[mx", [("csi", "", "", "", "m", 3)], "x"),
        ("éx", [], "éx"),
        ("]0;title\x07x", [("string", "]", "0;title")], "x"),
        ("]0;title\x1b\\x", [("string", "]", "0;title")], "x"),
        ("]0;title\x1b[mx", [("csi", "", "", "", "m", 11)], "x"),
        ("]0;title\x18x", [], "x"),
        ("Pq\x07#1\x1b\\x", [("string", "P", "q\x07#1")], "x"),
        ("_apc\x1b\\x", [("string", "_", "apc")], "x"),
        ("\\x", [("escape", "", "\\")], "x"),
    ],
)
def test_what_follows_an_escape(text: str, heard: list[tuple[object, ...]], left: str) -> None:
    assert told(text) == (heard, left)


def test_a_cterm_string_is_cut_by_what_cannot_be_in_one_and_ended_by_bel() -> None:
    assert told("_apc\x07x", cterm=True) == ([("string", "_", "apc")], "x")
    assert told("]0;a♥x", cterm=True) == ([], "♥x")
    assert told("]0;a\r\n♂b\x07x", cterm=True) == ([("string", "]", "0;a\r\n♂b")], "x")


def test_what_is_kept_of_a_string_is_bounded() -> None:
    heard, left = told("]" + "x" * 100_000 + "\x07y")
    assert heard == [("string", "]", "x" * MAX_STRING_BYTES)]
    assert left == "y"


@pytest.mark.parametrize(("end", "left"), [("\u266b", ""), ("\x0e", ""), ("\x1b", "\x1b"), ("é", "é")])
def test_a_tune(end: str, left: str) -> None:
    parser, sink = Parser(cterm=True), Told()
    parser.begin_tune()
    text = "T120CDE" + end
    at = parser.resume(text, 0, sink)
    assert sink.heard == [("tune", "T120CDE", at)]
    assert text[at:] == left
    assert parser.state is State.GROUND


def test_numbers() -> None:
    assert numbers("") == (0,)
    assert numbers("1;;3") == (1, 0, 3)
    assert numbers("4:3;:2;9") == (4, 0, 9)
    assert numbers("100000000") == (MAX_PARAMETER,)
    for number in range(MAX_REMEMBERED + 10):
        assert numbers(f"{number};1") == (number, 1)
