"""A field on a little terminal: what it shows is what was typed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starlane.door.fields import After, Field
from starlane.door.keys import Key, Press
from starlane.door.widths import columns_of

WIDTH = 10
PROMPT = "Name: "


class Paper:
    """A terminal with rows of any length: a wide character takes two cells, the second of them empty."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = [[]]
        self.column = 0

    def write(self, text: str) -> None:
        for character in text.replace("\b \b", "\b"):
            if character == "\b":
                assert self.column > 0, "erased beyond the row"
                self.column -= 1
                self.rows[-1].pop()  # what is rubbed out is never in the middle of a row
            elif character == "\r":
                self.column = 0
            elif character == "\n":
                self.rows.append([])
            elif not columns_of(character):
                self.rows[-1][self.column - 1] += character
            else:
                row = self.rows[-1]
                row[self.column : self.column + 1] = [character]
                self.column += 1
                if columns_of(character) == 2:
                    row[self.column : self.column + 1] = [""]
                    self.column += 1
                assert self.column <= WIDTH

    def tail(self, rows: int) -> str:
        return "".join("".join(row) for row in self.rows[-rows:]).rstrip(" ")


def typed(keys: list[Key], max_chars: int = 30) -> tuple[Field, Paper]:
    field, paper = Field(max_chars, start=len(PROMPT), width=WIDTH), Paper()
    paper.write(PROMPT)
    for key in keys:
        edit = field.press(key)
        if edit.after is After.ANEW:
            paper.write("\r\n" + PROMPT + field.shown())
        paper.write(edit.echo)
    return field, paper


def test_letters_are_kept_and_echoed() -> None:
    field, paper = typed(list("Ada"))
    assert field.text == "Ada"
    assert paper.tail(1) == "Name: Ada"


def test_enter_is_the_end() -> None:
    field, _ = typed(list("Ada"))
    assert field.press(Press.ENTER).after is After.DONE
    assert field.text == "Ada"


def test_backspace_takes_one_back_and_ctrl_u_all() -> None:
    assert typed([*"Adam", Press.ERASE])[0].text == "Ada"
    for wipe in (Press.WIPE, Press.CANCEL):
        field, paper = typed([*"Adam", wipe, *"Bo"])
        assert field.text == "Bo"
        assert paper.tail(1) == "Name: Bo"


def test_a_full_field_takes_no_more() -> None:
    field, _ = typed(list("Ada"), max_chars=3)
    assert field.press("m").after is After.REFUSED
    assert field.text == "Ada"


@pytest.mark.parametrize("key", [Press.OTHER, Press.ERASE, Press.WIPE, "\u202e", "\u200b"])
def test_what_means_nothing_here_is_refused(key: Key) -> None:
    assert Field(5, start=0, width=WIDTH).press(key).after is After.REFUSED


def test_a_mark_goes_with_its_letter() -> None:
    field, paper = typed([*"xe\u0301", Press.ERASE])
    assert field.text == "x"
    assert paper.tail(1) == "Name: x"


def test_a_field_breaks_its_rows_itself() -> None:
    field, paper = typed(list("abcdefgh"))
    assert ["".join(row) for row in paper.rows] == ["Name: abcd", "efgh"]
    assert field.text == "abcdefgh"


def test_erasing_over_the_end_of_a_row_shows_the_field_anew() -> None:
    field, paper = typed([*"abcde", Press.ERASE, Press.ERASE, "x"])
    assert field.text == "abcx"
    assert "".join(paper.rows[-1]) == "Name: abcx"


KEYS = st.one_of(
    st.sampled_from([Press.ERASE, Press.WIPE, Press.OTHER, Press.CANCEL]),
    st.sampled_from("abz 9é漢\u0301"),
    st.sampled_from("abz 9é漢"),
)


@settings(max_examples=60)
@given(st.lists(KEYS, max_size=60))
def test_the_screen_shows_what_was_typed(keys: list[Key]) -> None:
    field, paper = typed(keys)
    _, fresh = typed(list(field.text))
    assert paper.tail(len(fresh.rows)) == fresh.tail(len(fresh.rows)) == (PROMPT + field.text).rstrip(" ")
