"""What commands print: nothing of it can act on a terminal."""

from __future__ import annotations

import json

import pytest

from tty_agent.commands import output


def test_lines_are_inert(capsys: pytest.CaptureFixture[str]) -> None:
    output.line("a\x1b[2Jb")
    output.block("one\r\ntwo\u202e")
    output.note("note\x07")
    captured = capsys.readouterr()
    assert captured.out == "a\\x1b[2Jb\none\\r\ntwo\\u202e\n"
    assert captured.err == "note\\x07\n"


def test_json_keeps_its_value(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"text": "\x1b☃😀\u202e"}
    output.json_value(value)
    out = capsys.readouterr().out
    assert json.loads(out) == value
    assert out.isascii()


def test_numbers_of_a_table_stand_to_the_right(capsys: pytest.CaptureFixture[str]) -> None:
    output.table(("STEP", "ACTION"), [(1, "wait\n"), (10, None)])
    assert capsys.readouterr().out == "STEP  ACTION\n   1  wait\\n\n  10\n"
