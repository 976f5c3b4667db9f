"""What commands print."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.commands import output

Captured = pytest.CaptureFixture[str]


def test_a_table_lines_up_and_numbers_stand_to_the_right(capsys: Captured) -> None:
    output.table(("NAME", "RATING", "WHY"), [("ada", 1516, None), ("bartholomew", 984, "x")])
    assert capsys.readouterr().out == (
        "NAME         RATING  WHY\n"
        "ada            1516\n"
        "bartholomew     984  x\n"
    )  # fmt: skip


def test_an_empty_table_is_its_header(capsys: Captured) -> None:
    output.table(("NAME", "RATING"), [])
    assert capsys.readouterr().out == "NAME  RATING\n"


def test_nothing_in_a_table_acts_on_a_terminal(capsys: Captured) -> None:
    output.table(("NAME",), [("a\x1b[2J\nb",)])
    assert capsys.readouterr().out == "NAME\na\\x1b[2J\\nb\n"


def test_a_note_is_one_inert_line_on_stderr(capsys: Captured) -> None:
    output.note("a\nb\x07")
    assert capsys.readouterr() == ("", "a\\nb\\x07\n")


@given(
    st.recursive(
        st.none() | st.integers(-9, 9) | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_json_is_plain_ascii_on_one_line_and_the_same_value(value: object) -> None:
    with pytest.MonkeyPatch.context() as patch:
        printed: list[str] = []
        patch.setattr("builtins.print", lambda text, **_: printed.append(text))
        output.json_value(value)
    (text,) = printed
    assert text.isascii()
    assert text.isprintable()
    assert json.loads(text) == value


def test_a_message_of_a_venue_is_printed_on_one_line_without_what_acts(capsys: Captured) -> None:
    output.json_text('{"a":\n"\x9b2J\u202e"}')
    assert capsys.readouterr().out == '{"a": "\\u009b2J\\u202e"}\n'


@pytest.mark.parametrize("values", [[], [1], [1, {"a": 2}, "x"]])
def test_a_list_is_one_json_array_with_an_element_a_line(capsys: Captured, values: list[object]) -> None:
    output.json_list(values)
    text = capsys.readouterr().out
    assert json.loads(text) == values
    assert len(text.splitlines()) == (len(values) + 2 if values else 1)


def test_a_list_is_written_as_it_comes(capsys: Captured) -> None:
    def values() -> Iterator[int]:
        yield 1
        assert capsys.readouterr().out == "[\n1"
        yield 2

    output.json_list(values())


@pytest.mark.parametrize(
    ("ms", "text"),
    [(0, "0 s ago"), (59_999, "59 s ago"), (60_000, "1 min ago"), (7_200_000, "2 h ago"), (200_000_000, "2 d ago")],
)
def test_how_long_ago(ms: int, text: str) -> None:
    assert output.ago(10**12 - ms, 10**12) == text


def test_a_time_in_the_future_is_now() -> None:
    assert output.ago(10**12 + 5_000, 10**12) == "0 s ago"
