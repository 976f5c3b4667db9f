"""A line that is typed, and what is sent so that it shows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentbbs.hub.keys import Key
from agentbbs.hub.line_editor import Edit, LineEditor, View, redraw
from tty_agent.terminal.dialect import XTERM
from tty_agent.terminal.screen import Screen

NAMES = ["left", "right", "home", "end", "backspace", "delete", "ctrl-u", "ctrl-k", "ctrl-w", "ctrl-x", "up", "f1"]


def typed(*keys: str, max_chars: int = 60, initial: str = "") -> LineEditor:
    """An editor after these keys; a word of several letters is typed unless it is the name of a key."""
    editor = LineEditor(initial, max_chars=max_chars)
    for key in keys:
        for name in [key] if key in NAMES else key:
            editor.press(Key(name))
    return editor


def shown(char: str) -> str:
    return char


def test_keys_of_a_line() -> None:
    assert typed("helo", "left", "l").text == "hello"
    assert typed("xab", "home", "delete", "end", "c").text == "abc"
    assert typed("abc", "backspace", "left", "backspace").text == "b"
    assert typed("one two  ", "ctrl-w", "x").text == "one x"
    assert typed("one two", "left", "left", "ctrl-u").text == "wo"
    assert typed("one two", "left", "left", "ctrl-k").text == "one t"
    assert typed("one two", "home", "ctrl-x").text == ""
    assert typed("four", "left", "right", "right").cursor == 4


def test_ends_and_refusals() -> None:
    editor = LineEditor(max_chars=2)
    assert editor.press(Key("a")) is Edit.CHANGED
    assert editor.press(Key("b")) is Edit.CHANGED
    assert editor.press(Key("c")) is Edit.FULL
    assert editor.press(Key("f5")) is Edit.NOTHING
    assert editor.press(Key("enter")) is Edit.DONE
    assert editor.press(Key("escape")) is Edit.CANCELLED
    assert editor.press(Key("ctrl-c")) is Edit.CANCELLED
    assert editor.text == "ab"


def test_a_mask_shows_stars() -> None:
    editor = LineEditor("secret", max_chars=20, mask=True)
    assert editor.view(20, shown).shown == ("*",) * 6


def test_a_long_line_scrolls_and_comes_back() -> None:
    editor = typed("abcdefghijkl")
    view = editor.view(10, shown)
    assert "".join(view.shown).endswith("l")
    assert view.cursor == len(view.shown) < 10
    editor.press(Key("home"))
    assert editor.view(10, shown) == View(tuple("abcdefghij"), 0)


def test_typing_sends_the_character_alone() -> None:
    assert redraw(View(("a",), 1), View(("a", "b"), 2)) == "b"
    assert redraw(View(("a", "b"), 2), View(("a",), 1)) == "\b \b"
    assert redraw(View(("a", "b"), 2), View(("a", "b"), 0)) == "\b\b"
    assert redraw(View(("a", "b"), 0), View(("a", "b"), 1)) == "a"
    assert redraw(View(("a", "b"), 2), View(("a", "b"), 2)) == ""


letters = st.sampled_from("ab \u6f22\u0301é")


@given(st.lists(st.sampled_from(NAMES) | letters, max_size=60), st.integers(6, 30))
def test_the_screen_shows_what_the_editor_holds(keys: list[str], columns: int) -> None:
    """However it is edited: as if it had been drawn at once, and the cursor at its place."""
    screen = Screen(40, 5, XTERM)
    screen.feed(b"> ")
    editor = LineEditor(max_chars=50)
    view = View()
    for key in keys:
        editor.press(Key(key))
        new = editor.view(columns, shown)
        change = redraw(view, new)
        assert not set(change) & {"\x1b", "\r", "\n"}
        screen.feed(change.encode())
        view = new
    fresh = Screen(40, 5, XTERM)
    fresh.feed(b"> " + "".join(view.shown).encode())
    assert screen.line(0) == fresh.line(0)
    at = Screen(40, 5, XTERM)
    at.feed(b"> " + "".join(view.shown[: view.cursor]).encode())
    assert screen.cursor == at.cursor
    assert screen.cursor[0] == 0
