"""The kind of input, from the shape of a row: prompts of many programs, none of which the rules know by name."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tty_agent import input_mode
from tty_agent.input_mode import InputMode, classify


@pytest.mark.parametrize(
    ("row", "mode"),
    [
        ("Password: ", InputMode.PASSWORD),
        ("alice@host's password: ", InputMode.PASSWORD),
        ("[sudo] password for alice: ", InputMode.PASSWORD),
        ("Enter passphrase for key 'id': ****", InputMode.PASSWORD),
        ("--More--", InputMode.PAGER),
        ("--More--(45%)", InputMode.PAGER),
        ("-- more --", InputMode.PAGER),
        ("[More]", InputMode.PAGER),
        ("(END)", InputMode.PAGER),
        ("[Hit a key] ", InputMode.PAGER),
        ("Press any key to continue...", InputMode.PAGER),
        ("Press [Enter] to continue: ", InputMode.PAGER),
        ("Press RETURN", InputMode.PAGER),
        ("Are you sure (Y/N)? ", InputMode.YES_NO),
        ("Are you sure (Y/N) [N]? ", InputMode.YES_NO),
        ("Do you want to continue? [Y/n] ", InputMode.YES_NO),
        ("Overwrite (yes/no)? ", InputMode.YES_NO),
        ("Log off? [No] Yes", InputMode.YES_NO),
        ("Search all groups for new messages? [Yes] No", InputMode.YES_NO),
        ("Really quit? [yn] (n) ", InputMode.YES_NO),
        ("Really quit? [ynq] (n) ", InputMode.YES_NO),
        ("Again y/n? y", InputMode.YES_NO),
        ("Guess a number (1-100): ", InputMode.NUMERIC),
        ("Pick [1..9] 4", InputMode.NUMERIC),
        ("How many holds of organics do you want to buy [20]? ", InputMode.NUMERIC),
        ("Which, Quit or [2]: ", InputMode.NUMERIC),
        ("How many fighters? ", InputMode.NUMERIC),
        ("Amount to deposit: 12", InputMode.NUMERIC),
        ("Command (?=Help)? ", InputMode.HOTKEY),
        ("Your choice (A,B,C): ", InputMode.HOTKEY),
        ("[A]bort, [R]etry, [F]ail? ", InputMode.HOTKEY),
        ("A)ttack R)un S)pell ", InputMode.HOTKEY),
        ("alice@host:~$ ", InputMode.LINE),
        ("root# ", InputMode.LINE),
        (">>> ", InputMode.LINE),
        ("C:\\> ", InputMode.LINE),
        ("\u276f ", InputMode.LINE),
        ("login: ", InputMode.LINE),
        ("Your offer? ", InputMode.LINE),
        ("Name: [", InputMode.LINE),
        ("Compiling", InputMode.UNKNOWN),
        ("", InputMode.UNKNOWN),
        ("progress =>", InputMode.UNKNOWN),
    ],
)
def test_the_kind_of_a_row(row: str, mode: InputMode) -> None:
    guess = classify(row)
    assert guess.mode is mode
    assert guess.evidence


def test_a_light_bar_is_read_around_its_cursor() -> None:
    assert classify("Log off? [No", "] Yes").mode is InputMode.YES_NO


def test_a_mark_makes_a_menu_and_a_plain_question_comes_first() -> None:
    assert classify("", highlighted=True).mode is InputMode.MENU
    assert classify("Sure (y/n)? ", highlighted=True).mode is InputMode.YES_NO


def test_text_below_makes_a_full_screen_and_one_status_line_does_not() -> None:
    assert classify("notes: ", rows_below=2).mode is InputMode.FULL_SCREEN
    assert classify("notes: ", rows_below=1).mode is InputMode.LINE
    assert classify("Hello.--More--", rows_below=20).mode is InputMode.PAGER


def test_a_question_with_the_cursor_on_the_next_row() -> None:
    assert classify("", line_above="Press any key to go on").mode is InputMode.PAGER
    assert classify("", line_above="Your name?").mode is InputMode.UNKNOWN, "text above may be old"
    assert classify("west", line_above="Press any key to go on").mode is InputMode.UNKNOWN


def test_brackets_in_the_row_above_are_no_question() -> None:
    assert classify("", line_above="3 files (3)").mode is InputMode.UNKNOWN
    assert classify("", line_above="[A]bort [R]etry were offered").mode is InputMode.UNKNOWN
    assert classify("", line_above="How many holds [20]?").mode is InputMode.NUMERIC


def test_a_prompt_at_the_cursor_comes_before_a_mark_elsewhere() -> None:
    assert classify("bash-5.2# ", highlighted=True).mode is InputMode.LINE
    assert classify("Name: ", rows_below=4, highlighted=True).mode is InputMode.MENU, "a form with buttons"


def test_a_lone_colon_below_text_is_a_pager() -> None:
    assert classify(":", line_above="the text").mode is InputMode.PAGER
    assert classify(":", line_above="").mode is InputMode.LINE


def test_no_rule_knows_a_program() -> None:
    source = Path(input_mode.__file__).read_text(encoding="utf-8").lower()
    assert not re.search(r"synchronet|tw2|tradewars|sector|nethack|starlane", source)


@given(st.text(max_size=300), st.text(max_size=300))
def test_every_row_has_a_kind(before: str, after: str) -> None:
    assert classify(before, after).mode in InputMode


@pytest.mark.parametrize(
    "piece", ["(", "[1", "[a,", "y/n ", "press ", "password", "- more ", "how many", "[A]b ", "a)b "]
)
def test_a_hostile_row_costs_little(piece: str) -> None:
    row = (piece * 400)[:1_000]
    started = time.process_time()
    classify(row, row, line_above=row)
    assert time.process_time() - started < 0.5
