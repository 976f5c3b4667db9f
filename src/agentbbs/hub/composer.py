"""A text of many lines, typed line by line: it works on every terminal, and a script can do it too.

A line that gets too long goes on in the next one at a word, and such lines are one paragraph in the result. A line
that is a command (`/s`, `/e 3`) is not text; a text that looks like one is typed with `//`.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from agentbbs.hub.line_editor import Edit, LineEditor
from agentbbs.hub.prompts import LineField, yes_no
from agentbbs.hub.terminal import Terminal
from agentbbs.hub.text import Span, Style
from agentbbs.hub.wrapping import width

_COMMAND: Final = re.compile(r"/([salhed?])(?: *(\d{1,4}))?", re.IGNORECASE)
_HELP: Final = (
    ("/s", "save"), ("/a", "abort"), ("/l", "list what is written"), ("/e N", "edit line N"),
    ("/d N", "delete line N"), ("/h", "this help"), ("//…", "a line that begins with /"),
)  # fmt: skip


class _Line(msgspec.Struct):
    text: str
    joint: str = "\n"
    """What is between it and the next: a line end, or what the wrapping took away."""


async def compose(terminal: Terminal, title: str, *, initial: str, max_lines: int, max_chars: int) -> str | None:
    """What was written, without blanks at its end; None if nothing was, or it was given up."""
    return await _Composer(terminal, title, initial, max_lines, max_chars).run()


class _Composer:
    def __init__(self, terminal: Terminal, title: str, initial: str, max_lines: int, max_chars: int) -> None:
        self._terminal = terminal
        self._title = title
        self._lines = [_Line(text) for text in initial.split("\n")] if initial else []
        self._max_lines = max_lines
        self._max_chars = max_chars

    async def run(self) -> str | None:
        self._terminal.say(Span(self._title, Style.TITLE))
        self._terminal.say(Span("Write; /s on a line of its own saves, /a aborts, /h helps.", Style.DIM))
        self._list()
        carried = ""
        while True:
            typed = await self._line(len(self._lines) + 1, carried, wraps=True)
            carried = ""
            if typed is None:
                if await yes_no(self._terminal, "Give it up?", default=not self._lines):
                    return None
                continue
            line, carried = typed
            command = _COMMAND.fullmatch(line.text.strip()) if line.joint == "\n" else None
            if command is None:
                self._add(line)
                continue
            letter, number = command[1].lower(), int(command[2] or 0)
            if letter == "s":
                return self.text or None
            if letter == "a" and (not self._lines or await yes_no(self._terminal, "Give it up?", default=False)):
                return None
            if letter != "a":
                await self._command(letter, number)

    @property
    def text(self) -> str:
        """What is written so far."""
        joined = "".join(line.text + line.joint for line in self._lines)
        return "\n".join(line.rstrip() for line in joined.split("\n")).rstrip()

    async def _line(self, number: int, initial: str, *, wraps: bool) -> tuple[_Line, str] | None:
        """A line, and what of it goes to the next; None for Escape."""
        self._terminal.write(Span(f"{number:>3}: ", Style.NUMBER))
        editor = LineEditor(initial, max_chars=self._max_chars)
        field = LineField(self._terminal, editor)
        field.refresh()
        while True:
            key = await self._terminal.stroke(field.prompt)
            edit = editor.press(key)
            if wraps and key.text and editor.cursor == len(editor.text):
                line, rest = _cut(editor.text, field)
                if line is not None:
                    editor.text, editor.cursor = line.text, len(line.text)
                    field.refresh()
                    field.end()
                    return line, rest
            field.refresh_after(edit)
            if edit in {Edit.DONE, Edit.CANCELLED}:
                field.end()
                return (_Line(editor.text), "") if edit is Edit.DONE else None

    def _add(self, line: _Line) -> None:
        if line.text.startswith("//"):
            line.text = line.text[1:]
        if len(self._lines) >= self._max_lines:
            self._tell(f"That line was not taken: {self._max_lines} lines are the most. /s saves.")
        elif self._chars() + len(line.text) > self._max_chars:
            self._tell(f"That line was not taken: {self._max_chars} characters are the most. /s saves.")
        else:
            self._lines.append(line)

    async def _command(self, letter: str, number: int) -> None:
        if letter == "l":
            self._list()
        elif letter in "h?":
            for command, meaning in _HELP:
                self._terminal.say(Span(f"{command:<6}", Style.KEY), meaning)
        elif not 1 <= number <= len(self._lines):
            self._tell(f"There is no line {number}; /l lists them.")
        elif letter == "d":
            deleted = self._lines.pop(number - 1)
            if number > 1:
                self._lines[number - 2].joint = deleted.joint
            self._tell(f"Line {number} is deleted.")
        else:
            await self._edit(number)

    async def _edit(self, number: int) -> None:
        line = self._lines[number - 1]
        typed = await self._line(number, line.text, wraps=False)
        if typed is None:
            return
        text = typed[0].text
        if self._chars() - len(line.text) + len(text) > self._max_chars:
            self._tell(f"The line stays as it was: {self._max_chars} characters are the most.")
        else:
            line.text = text

    def _list(self) -> None:
        for number, line in enumerate(self._lines, 1):
            self._terminal.say(Span(f"{number:>3}: ", Style.NUMBER), line.text)

    def _chars(self) -> int:
        return sum(len(line.text) + len(line.joint) for line in self._lines)

    def _tell(self, text: str) -> None:
        self._terminal.say(Span(text, Style.BAD))


def _cut(text: str, field: LineField) -> tuple[_Line | None, str]:
    """The line and the rest that goes to the next, if `text` is wider than its room."""
    if sum(width(field.shown(char)) for char in text) < field.room:
        return None, ""
    blank = text.rfind(" ")
    if text[: max(blank, 0)].strip():
        return _Line(text[:blank].rstrip(" "), " "), text[blank + 1 :]
    return _Line(text[:-1], ""), text[-1]
