"""The short questions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from tests.agentbbs.hub.lines import ScriptedLine, called, settled

from agentbbs.calls.line import Size
from agentbbs.hub.line_editor import LineEditor, View
from agentbbs.hub.text import Span, Style
from tty_agent.terminal.dialect import Encoding


async def test_a_hotkey_acts_at_once_and_is_echoed() -> None:
    line = ScriptedLine()
    caller = await called(line)
    caller.write("Main: ")
    line.type("zx\x1b[A\rq")
    assert await caller.hotkey("QM") == "Q"
    assert "Main: Q" in line.text
    line.press("enter")
    assert await caller.hotkey("QM", default="m") == "M"


async def test_type_ahead_goes_from_prompt_to_prompt() -> None:
    line = ScriptedLine()
    line.type("mann\ry ")
    caller = await called(line)
    assert await caller.hotkey("QM") == "M"
    assert await caller.ask("Name: ") == "ann"
    assert await caller.yes_no("Sure?", default=False)
    assert (await caller.pause()).name == " "


@pytest.mark.parametrize(
    ("key", "default", "answer"),
    [("y", False, True), ("N", True, False), ("enter", True, True), ("enter", False, False), ("ctrl-c", True, False)],
)
async def test_yes_or_no(key: str, *, default: bool, answer: bool) -> None:
    line = ScriptedLine()
    caller = await called(line)
    line.press("?", key)
    assert await caller.yes_no("Sure?", default=default) is answer
    assert f"Sure? {'[Y/n]' if default else '[y/N]'} {'Yes' if answer else 'No'}" in line.text


async def test_a_pause_leaves_nothing_behind() -> None:
    line = ScriptedLine(answers=False)
    caller = await called(line)
    waiting = asyncio.create_task(caller.pause())
    await line.until("[Hit a key]")
    line.press("x")
    await waiting
    caller.write("next")
    assert line.text.strip() == "next"


async def test_a_line_can_be_edited_and_given_up() -> None:
    line = ScriptedLine()
    caller = await called(line)
    line.type(" helo", "left", "l", "end", " ", "enter")
    assert await caller.ask("? ") == "hello"
    line.type(" x ", "enter")
    assert await caller.ask("? ", strip=False) == " x "
    line.type("x", "ctrl-c")
    assert await caller.ask("? ") is None
    line.type("!", "enter")
    assert await caller.ask("? ", initial="kept") == "kept!"
    line.type("abcdef", "enter")
    assert await caller.ask("? ", max_chars=3) == "abc"


async def test_a_password_is_not_shown() -> None:
    line = ScriptedLine()
    caller = await called(line)
    line.type("secret", "backspace", "enter")
    assert await caller.ask("Password: ", mask=True) == "secre"
    assert b"secre" not in line.sent
    assert "Password: *****" in line.text


async def test_a_long_answer_scrolls_within_its_row() -> None:
    line = ScriptedLine(size=Size(40, 12))
    caller = await called(line)
    caller.clear()
    asking = asyncio.create_task(caller.ask("Subject: ", max_chars=200))
    line.type("0123456789" * 9)
    await settled()
    assert line.text.rstrip().count("\n") == 0
    assert line.text.rstrip().endswith("9")
    line.press("home")
    await line.until("Subject: 0123456789")
    line.press("enter")
    assert await asking == "0123456789" * 9


async def test_a_prompt_without_room_beside_it_has_the_answer_below() -> None:
    line = ScriptedLine(size=Size(40, 12))
    caller = await called(line)
    caller.clear()
    line.type("me", "enter")
    assert await caller.ask("By what name shall we all know you? ") == "me"
    assert line.text.split("\n")[:2] == ["By what name shall we all know you?", "me"]


async def test_a_prompt_survives_a_change_of_encoding() -> None:
    line = ScriptedLine(terminal="xterm")
    caller = await called(line)
    asking = asyncio.create_task(caller.ask(Span("Größe ☃: ", Style.LABEL)))
    line.type("☃x")
    await line.until("☃x")
    caller.encoding = Encoding.CP437
    caller.post("über")
    await settled()
    line.press("left", "y", "enter")
    assert await asking == "☃yx"


async def test_a_line_feed_in_what_is_edited_is_shown_as_one() -> None:
    line = ScriptedLine()
    caller = await called(line)
    line.press("enter")
    assert await caller.ask("? ", initial="a\nb\x1b[2J") == "a\nb\x1b[2J"
    assert r"? a\nb\x1b[2J" in line.text


async def test_a_full_field_is_not_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    line = ScriptedLine()
    caller = await called(line)
    drawn: list[int] = []
    view = LineEditor.view

    def counted(editor: LineEditor, columns: int, fit: Callable[[str], str]) -> View:
        drawn.append(len(editor.text))
        return view(editor, columns, fit)

    monkeypatch.setattr(LineEditor, "view", counted)
    asking = asyncio.create_task(caller.ask("Name: ", max_chars=30))
    await line.until("Name:")
    line.feed(b"x" * 30)
    await settled()
    assert drawn == [0, 30], "what is pasted is drawn once"
    mark = line.mark()
    line.feed(b"paste paste " * 11000)
    line.press("enter")
    assert await asking == "x" * 30
    assert drawn == [0, 30]
    assert line.since(mark).strip() == ""
