"""The whole terminal: a visit as golden screens, and that no text can control it.

The screens are files under `screens/`. After a change that is meant, write them anew:
`AGENTBBS_WRITE_SCREENS=1 pytest tests/agentbbs/hub/test_caller.py`, and look at the difference.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.agentbbs.hub.lines import ScriptedLine, called, settled

from agentbbs.calls.line import Size
from agentbbs.hub.caller import Caller
from agentbbs.hub.paint import SGR
from agentbbs.hub.text import Span, Style, Text

SCREENS: Final = Path(__file__).parent / "screens"

BOX: Final = ("╔══════════════════════╗", "║  The house “AgentBBS” ║", "╚══════════════════════╝")
POST: Final = (
    Span("Subject: ", Style.LABEL),
    "Grüße – ½ off, ✓ done…\n",  # noqa: RUF001 - a dash that CP437 has not
    Span("> quoted ☃ \x1b[31mred\x1b[0m \u202eevil", Style.QUOTE),
)


async def visit(line: ScriptedLine, caller: Caller) -> list[str]:
    """What a short visit shows, prompt by prompt."""
    screens: list[str] = []

    async def shows(text: str) -> None:
        await line.until(text)
        await settled()
        screens.append(line.text)

    async def play() -> None:
        caller.clear()
        for row in BOX:
            caller.say(Span(row, Style.TITLE))
        await caller.ask("Name: ")
        await caller.show([POST, *(f"a longer line of the text, number {number}" for number in range(60))])
        await caller.choose("Which game?", ["Connect Four", "Tic-tac-toe", "Größer als der Schirm " * 6])
        await caller.compose("A post", initial="> what was written")
        await caller.yes_no("Log off?", default=True)

    playing = asyncio.create_task(play())
    await shows("Name:")
    line.type("älice", "left")
    caller.post(Span("bob", Style.NAME), " logged on")
    await shows("logged on")
    line.press("enter")
    await shows("More")
    line.press("q")
    await shows("game?")
    line.type("2")
    await settled()
    screens.append(line.text)
    line.press("enter")
    await shows("> what")
    line.type("and an answer", "enter")
    line.type("/s", "enter")
    await shows("Log off?")
    line.press("enter")
    await playing
    return screens


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("cp437", lambda: ScriptedLine(terminal="syncterm")),
        ("utf-8", lambda: ScriptedLine(terminal="xterm-256color")),
        ("utf-8-132x43", lambda: ScriptedLine(terminal="xterm", size=Size(132, 43))),
        ("plain-cp437", lambda: ScriptedLine(terminal="ansi", answers=False)),
        ("plain-unknown", lambda: ScriptedLine(terminal="", answers=False)),
    ],
)
async def test_the_screens_of_a_visit(name: str, line: object) -> None:
    assert callable(line)
    scripted: ScriptedLine = line()
    caller = await called(scripted)
    rule = "-" * scripted.size.columns
    shown = "".join(f"{screen.rstrip()}\n{rule}\n" for screen in await visit(scripted, caller))
    golden = SCREENS / f"{name}.txt"
    if os.environ.get("AGENTBBS_WRITE_SCREENS"):
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")
    if not scripted.answers:
        assert b"\x1b" not in scripted.sent


HOUSE: Final = re.compile(
    rb"|".join(map(re.escape, (*SGR.values(), b"\x1b[0m", b"\x1b[2J", b"\x1b[H", b"\x1b[K", b"\x1b[J")))
    + rb"|\x1b\[\d+[AB]"
)
"""The control sequences that the house itself sends after the probe."""

strings = (
    st.text(alphabet=st.characters(codec=None), max_size=20)
    | st.text("ab \x1b[0;1mHJ\r\n\t\b\x07\x9b\x7f\x00\u202e\u0301漢", max_size=20)
    | st.sampled_from(["\x1b[2J", "\x1b]0;x\x07", "\x1b[6n", "\x9b2J", "\u009b5n"])
)
texts: st.SearchStrategy[Text] = st.recursive(
    strings | st.builds(Span, strings, st.sampled_from(Style)), lambda inner: st.lists(inner, max_size=3).map(tuple)
)


async def everything(line: ScriptedLine, text: Text, other: Text, string: str) -> int:
    """Show texts in every way that there is; where the output of it begins."""
    caller = await called(line)
    start = line.mark()
    caller.write(text)
    caller.say(other, text)
    caller.post(text, other)
    line.type("ab", "left", "x", "enter")
    await caller.ask(text, initial=string, mask=False)
    line.type("q")
    await caller.show([text, other] * 20)
    line.type("q", "enter")
    await caller.choose(text, [other, text, string] * 3)
    line.type("\r/l\r/e 1\rx\r/s\r")
    line.type("/s", "enter")
    await caller.compose(string, initial=string)
    line.forget()
    caller.forget_typed()
    caller.post(other)
    line.type("y")
    await caller.yes_no(other, default=False)
    line.type("xq")
    await caller.pause()
    await caller.hotkey("Q" + string)
    caller.close()
    return start


@settings(deadline=None, max_examples=60)
@given(texts, texts, strings, st.sampled_from(["xterm", "ansi", ""]), st.booleans())
def test_no_text_controls_a_terminal(text: Text, other: Text, string: str, terminal: str, answers: bool) -> None:
    line = ScriptedLine(terminal=terminal, answers=answers, size=Size(60, 15))

    async def run() -> int:
        async with asyncio.timeout(20):
            return await everything(line, text, other, string)

    assert_only_house_controls(bytes(line.sent[asyncio.run(run()) :]), line)


strokes = st.lists(
    st.binary(max_size=3)
    | st.sampled_from(
        [b"\r", b"\x1b[A", b"\x1b[B", b"\x1b[3~", b"\x7f", b"\x15", b"/s\r", b"/l\r", b"/e 1\r", b"3", b"q", b"n"]
    )
    | st.text(max_size=3).map(lambda text: text.encode("utf-8", "ignore")),
    max_size=30,
).map(b"".join)


@settings(deadline=None, max_examples=60)
@given(strokes, st.sampled_from(["xterm", "ansi", ""]), st.booleans())
def test_nothing_that_is_typed_breaks_a_prompt(typed: bytes, terminal: str, answers: bool) -> None:
    line = ScriptedLine(terminal=terminal, answers=answers, size=Size(40, 12))

    async def run() -> int:
        caller = await called(line)
        start = line.mark()
        asks: list[Callable[[], Awaitable[object]]] = [
            lambda: caller.ask("Name: ", max_chars=100),
            lambda: caller.choose("Which?", [f"item {number}" for number in range(30)]),
            lambda: caller.compose("A post", max_lines=5, max_chars=300),
            lambda: caller.show(["text"] * 60),
            lambda: caller.yes_no("Sure?", default=True),
            lambda: caller.hotkey("ABC", default="A"),
        ]
        for ask in asks:
            line.feed(typed)
            asking = asyncio.ensure_future(ask())
            await settled()
            caller.post("a notice")
            await settled()
            asking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asking
        caller.close()
        return start

    assert_only_house_controls(bytes(line.sent[asyncio.run(run()) :]), line)


def assert_only_house_controls(data: bytes, line: ScriptedLine) -> None:
    """No control character but BS, CR and LF, and what `HOUSE` knows, which a plain terminal never gets."""
    if not line.answers:
        assert b"\x1b" not in data
    for char in HOUSE.sub(b"", data).replace(b"\r\n", b"").decode(line.encoding.value):
        assert char in "\b\r" or not (ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0), repr(char)
