"""Hints: the active prompt is the cursor's row, old prompts are named old, and effects are what was seen."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tty_agent.terminal_turns import turn

from tty_agent.actions.action import Action, PressKey, SubmitLine, SubmitLines, TypeText, Wait
from tty_agent.hints import MAX_RECENT_OUTPUT_CHARS, MAX_STALE_PROMPTS, Effect, extract
from tty_agent.input_mode import InputMode
from tty_agent.observation.observation import Highlight, Observation

TRADED = """Docking...
How many holds of organics do you want to buy [20]? 5
We'll sell them for 210
Your offer? 200
We have a deal.

Command (?=Help)? |"""


def effects(observation: Observation, action: Action, before: Observation | None = None) -> set[Effect]:
    return set(extract(observation, last_action=action, previous=before).effects)


def test_case_120_the_active_prompt_is_the_row_of_the_cursor() -> None:
    hints = extract(turn(TRADED))
    assert (hints.active_row, hints.active_prompt) == (6, "Command (?=Help)?")
    assert [stale.text for stale in hints.stale_prompts][-1] == "Your offer? 200"
    assert all("offer" not in text for text in (hints.active_prompt, hints.line_above, hints.after_cursor))


def test_an_old_prompt_without_an_answer_is_old_too() -> None:
    hints = extract(turn("Your offer?\n\nCommand (?=Help)? |"))
    assert hints.active_prompt == "Command (?=Help)?"
    assert [(stale.row, stale.text) for stale in hints.stale_prompts] == [(0, "Your offer?")]


def test_the_same_prompt_further_up_is_not_listed_as_another_one() -> None:
    hints = extract(turn("Command (?=Help)? d\n\nSector 1\n\nCommand (?=Help)? |"))
    assert hints.stale_prompts == ()


def test_only_the_nearest_old_prompts_are_named() -> None:
    asked = "\n".join(f"Question {n}? yes" for n in range(10))
    hints = extract(turn(f"{asked}\n> |"))
    assert [stale.text for stale in hints.stale_prompts] == [f"Question {n}? yes" for n in range(7, 10)]
    assert len(hints.stale_prompts) == MAX_STALE_PROMPTS


def test_an_empty_row_has_no_prompt_and_the_text_above_is_only_that() -> None:
    hints = extract(turn("What is your name?\n|"))
    assert hints.active_prompt == ""
    assert hints.line_above == "What is your name?"
    assert hints.stale_prompts == (), "it may be the live question"


def test_a_text_in_an_editor_is_no_list_of_old_prompts() -> None:
    hints = extract(turn("Shopping:\nWhy?\nmil|k\n~\n~\nlist.txt 3,4 All"))
    assert hints.input_mode is InputMode.FULL_SCREEN
    assert hints.stale_prompts == ()


@pytest.mark.parametrize(
    ("sketch", "before", "after"),
    [
        ("Log off? [No|] Yes", "Log off? [No", "] Yes"),
        ("Name: |________", "Name:", "________"),
        ("┌─■ Main ■ |x", "┌─■ Main ■", "x"),
        ("   |", "", ""),
    ],
)
def test_the_row_is_split_at_the_cursor(sketch: str, before: str, after: str) -> None:
    hints = extract(turn(sketch))
    assert (hints.active_prompt, hints.after_cursor) == (before, after)


def test_wide_and_combining_characters_count_as_cells() -> None:
    hints = extract(turn("", cursor=(0, 7), pretty_screen="名前e\u0301? ok"))
    assert (hints.active_prompt, hints.after_cursor) == ("名前e\u0301?", "ok")


@pytest.mark.parametrize("cursor", [(-1, 0), (24, 3), (99, 200), (0, 500)])
def test_a_cursor_off_the_screen_is_taken_as_its_edge(cursor: tuple[int, int]) -> None:
    hints = extract(turn("ready> ", cursor=cursor))
    assert 0 <= hints.active_row < 24


def test_at_the_first_turn_there_are_no_effects() -> None:
    hints = extract(turn("login: |", "login: "))
    assert (hints.effects, hints.new_lines) == ((), 0)
    assert hints.recent_output == "login:"


def test_typed_text_waits_for_enter() -> None:
    before = turn("Your offer? |")
    hints = extract(turn("Your offer? 42|", "42"), last_action=TypeText("42"), previous=before)
    assert (hints.active_prompt, hints.typed_input) == ("Your offer?", "42")
    assert set(hints.effects) == {Effect.ECHOED, Effect.ONLY_ECHOED}


def test_a_digit_at_a_prompt_that_wants_more_is_not_sent_yet() -> None:
    hints = extract(turn("Amount [20]? 2|", "2"), last_action=PressKey("2"), previous=turn("Amount [20]? |"))
    assert (hints.active_prompt, hints.typed_input) == ("Amount [20]?", "2")
    assert hints.input_mode is InputMode.NUMERIC


def test_what_was_sent_is_no_typed_input() -> None:
    before = turn("Your offer? |")
    hints = extract(turn("Your offer? 42\nDeal.\n>|", "42\nDeal.\n>"), last_action=SubmitLine("42"), previous=before)
    assert hints.typed_input == ""
    assert hints.new_lines == 1
    assert Effect.ECHOED in hints.effects
    assert Effect.ONLY_ECHOED not in hints.effects


def test_the_end_of_a_prompt_is_not_taken_for_typed_input() -> None:
    before = turn("Command (?=Help)? |")
    now = turn("Command (?=Help)? ?\n\nA Attack\n\nCommand (?=Help)?|", "?\n\nA Attack\n\nCommand (?=Help)?")
    hints = extract(now, last_action=PressKey("?"), previous=before)
    assert (hints.active_prompt, hints.typed_input) == ("Command (?=Help)?", "")


@pytest.mark.parametrize(
    ("action", "new_text", "found"),
    [
        (PressKey("d"), "D\nDocking...\n", {Effect.ECHOED}),
        (PressKey("c"), "Command? ", set()),
        (PressKey("enter"), "\nCommand? ", set()),
        (SubmitLine("secret"), "******\nWelcome\n", {Effect.MASKED}),
        (TypeText("secret"), "******", {Effect.MASKED, Effect.ONLY_ECHOED}),
        (SubmitLines(("one", "two")), "one\ntwo\n", {Effect.ECHOED}),
        (SubmitLine(""), "\n", set()),
        (TypeText("***"), "***", {Effect.ECHOED, Effect.ONLY_ECHOED}),
    ],
)
def test_echoes(action: Action, new_text: str, found: set[Effect]) -> None:
    echoes = {Effect.ECHOED, Effect.MASKED, Effect.ONLY_ECHOED}
    assert effects(turn("x|", new_text), action) & echoes == found


def test_a_screen_that_stays_as_it_was() -> None:
    before = turn("Main menu\n> |")
    assert effects(turn("Main menu\n> |"), Wait(), before) == {Effect.NO_OUTPUT, Effect.SCREEN_UNCHANGED}


def test_a_cursor_that_moves_over_the_same_text() -> None:
    before = turn("abc|def\n\n\n")
    assert effects(turn("abcd|ef\n\n\n", " "), PressKey("right"), before) == {Effect.CURSOR_MOVED}


def test_a_mark_that_moves_is_a_change() -> None:
    before = turn("New game\nQuit\n|", highlighted=Highlight(0, 0, "New game"))
    now = turn("New game\nQuit\n|", " ", highlighted=Highlight(1, 0, "Quit"))
    assert effects(now, PressKey("down"), before) == {Effect.HIGHLIGHT_MOVED}


def test_a_cleared_screen() -> None:
    before = turn("One\nTwo\nThree\nFour\n> |")
    assert Effect.SCREEN_CLEARED in effects(turn("Welcome\n? |", "Welcome\n? "), PressKey("x"), before)


def test_a_screen_that_scrolled_off_was_not_cleared() -> None:
    before = turn("One\nTwo\nThree\nFour\n> |")
    listing = "\n".join(f"file {n}" for n in range(40)) + "\n> "
    now = turn("\n".join(f"file {n}" for n in range(17, 40)) + "\n> |", listing)
    hints = extract(now, last_action=SubmitLine("ls"), previous=before)
    assert Effect.SCREEN_CLEARED not in hints.effects
    assert hints.new_lines == 40


def test_the_prompt_that_comes_back() -> None:
    before = turn("Command? |")
    found = effects(turn("Command? x\nWhat?\nCommand? |", "x\nWhat?\nCommand? "), PressKey("x"), before)
    assert {Effect.SAME_PROMPT, Effect.NEW_LINES, Effect.ECHOED} == found


def test_bell_and_end() -> None:
    found = effects(turn("bye|", "\a", bells=1, closed="the program ended"), PressKey("q"))
    assert {Effect.BELL, Effect.CLOSED} <= found
    assert extract(turn("Command? |", closed="gone")).input_mode is InputMode.CLOSED


def test_recent_output_reads_as_it_ends() -> None:
    written = "\nLoading   \ndone\n\n\n\n\nCommand? "
    hints = extract(turn("done\n\nCommand? |", written), last_action=SubmitLine("go"), previous=turn("> |"))
    assert hints.recent_output == "Loading\ndone\n\nCommand?"


def test_a_key_that_was_refused_is_no_other_kind_of_output() -> None:
    prompt = "Command (?=help)?"
    now = turn(f"{prompt}\nInvalid command.\n{prompt} |", f"\nInvalid command.\n{prompt} g ")
    hints = extract(now, last_action=PressKey("g"), previous=turn(f"{prompt} |"))
    assert not hints.output_is_rows


def test_a_key_that_is_written_and_erased_was_not_taken() -> None:
    before = turn("Command (?=help)? |")
    hints = extract(turn("Command (?=help)? |", "q "), last_action=PressKey("q"), previous=before)
    assert set(hints.effects) == {Effect.SCREEN_UNCHANGED, Effect.TAKEN_BACK}
    assert hints.typed_input == ""


def test_of_a_redrawn_screen_the_changed_rows_are_told() -> None:
    before = turn("#...#\n#@|..#\n#...#\nHP 12\nDlvl 1")
    now = turn("#...#\n#.@|.#\n#...#\nHP 11\nDlvl 1", ".@HP 11")
    hints = extract(now, last_action=PressKey("l"), previous=before)
    assert hints.output_is_rows
    assert hints.recent_output == "row 1: #.@.#\nrow 3: HP 11"
    assert (hints.new_lines, hints.changed_rows) == (0, 2)
    assert hints.result.startswith("2 changed rows: #.@.# / HP 11; prompt now: #.@")


def test_a_screen_painted_over_in_place_is_told_as_rows() -> None:
    table = [f"{n:5} process" for n in range(22)]
    before = turn("\n".join(["load 0.1", *table, "foot|"]))
    now = turn("\n".join(["load 0.2", *table, "foot|"]))
    painted = msgspec.structs.replace(now, new_text="\n".join(["load 0.2", *table, "foot"]), bytes_read=400)
    hints = extract(painted, last_action=Wait(), previous=before)
    assert (hints.output_is_rows, hints.recent_output, hints.new_lines) == (True, "row 0: load 0.2", 0)


def test_a_page_of_a_pager_holds_no_old_prompts() -> None:
    page = "\n".join(f"line {n}: why?" for n in range(23))
    named = extract(turn(f"{page}\nstory.txt|", highlighted=Highlight(23, 0, "story.txt")))
    assert (named.input_mode, named.stale_prompts) == (InputMode.PAGER, ())
    assert extract(turn(f"{page}\n:|")).stale_prompts == ()
    pause = extract(turn("Your offer? 5\n\n[Hit a key] |"))
    assert (pause.input_mode, len(pause.stale_prompts)) == (InputMode.PAGER, 1)


def test_the_result_tells_the_end_of_what_came() -> None:
    listing = "\n".join(["x", *(f"a long line of a listing, number {n}" for n in range(9)), "Command? "])
    hints = extract(turn("Command? |", listing), last_action=PressKey("x"), previous=turn("> |"))
    assert hints.result == (
        "echoed; 9 new lines: a long line of a listing, number 6 / a long line of a listing, number 7"
        " / a long line of a listing, number 8; prompt now: Command?"
    )
    long = extract(turn("Command? |", "y" * 900 + "\nCommand? "), last_action=Wait(), previous=turn("> |"))
    assert len(long.excerpt) <= 140


def test_output_that_ends_on_an_empty_row_is_text() -> None:
    hints = extract(turn("> go\nYou fall.\n|", "go\nYou fall.\n"), last_action=SubmitLine("go"), previous=turn("> |"))
    assert (hints.output_is_rows, hints.recent_output) == (False, "go\nYou fall.")


def test_long_output_keeps_its_end() -> None:
    hints = extract(turn("> |", "x" * 50_000 + "\n> "))
    assert len(hints.recent_output) <= MAX_RECENT_OUTPUT_CHARS
    assert hints.recent_output.endswith("x\n>")


def test_the_result_is_one_inert_line() -> None:
    before = turn("Command? |")
    now = turn("Command? x\nNo.\nWho\u202e? |", "x\nNo.\nWho\u202e? ")
    result = extract(now, last_action=PressKey("x"), previous=before).result
    assert result == r"echoed; 1 new line: No.; prompt now: Who\u202e?"
    assert extract(turn("|")).result == "no text before the cursor now"


@given(
    st.lists(st.text(max_size=90), max_size=26),
    st.text(max_size=200),
    st.tuples(st.integers(-2, 30), st.integers(-2, 140)),
    st.sampled_from([None, PressKey("x"), TypeText("ab"), SubmitLine(""), SubmitLines(()), Wait()]),
)
def test_no_screen_is_too_odd(rows: list[str], new: str, cursor: tuple[int, int], action: Action | None) -> None:
    screen = "\n".join(row.replace("\n", "") for row in rows)
    now = turn("", new, pretty_screen=screen, cursor=cursor)
    for previous in (None, now, turn("before> |")):
        hints = extract(now, last_action=action, previous=previous)
        told = hints.active_prompt + hints.typed_input + hints.after_cursor
        assert "".join(told.split()) == "".join(screen.split("\n")[hints.active_row].split())
        assert all(stale.row < hints.active_row for stale in hints.stale_prompts)
        assert "\n" not in hints.result
