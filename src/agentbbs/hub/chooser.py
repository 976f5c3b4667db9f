"""One of many: a light bar on an ANSI terminal, numbers on a plain one. A number and Enter choose on both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agentbbs.hub.keys import Key
from agentbbs.hub.prompts import ask
from agentbbs.hub.terminal import Prompt, Terminal
from agentbbs.hub.text import Span, Style, Text, plain
from agentbbs.hub.wrapping import Row, clip, row_width

_LEAVE: Final = frozenset({"escape", "ctrl-c", "q", "Q"})
MAX_DIGITS: Final = 6
"""Of a number that is typed; no list is longer."""

_FRAME_ROWS: Final = 4
"""The prompt, the hint, the line before, and one to spare."""


async def choose(terminal: Terminal, prompt: Text, items: Sequence[Text]) -> int | None:
    """The index of the item that was chosen; None if none was, or there are none."""
    if not items:
        terminal.say(prompt)
        terminal.say(Span("(nothing)", Style.DIM))
        return None
    return await (_LightBar(terminal, prompt, items).choose() if terminal.ansi else _numbered(terminal, prompt, items))


def _row(terminal: Terminal, items: Sequence[Text], index: int) -> Row:
    digits = len(str(len(items)))
    number = Span(f"{index + 1:>{digits}}", Style.NUMBER)
    pieces = [piece for row in terminal.rows(items[index])[:1] for piece in row]
    return clip((number, Span(" "), *pieces), terminal.columns, mark=terminal.fit("…"))


def _page_rows(terminal: Terminal) -> int:
    return max(terminal.size.rows - _FRAME_ROWS, 1)


async def _numbered(terminal: Terminal, prompt: Text, items: Sequence[Text]) -> int | None:
    first = 0
    fresh = True
    while True:
        page = _page_rows(terminal)
        last = min(first + page, len(items))
        if fresh:
            terminal.say(prompt)
            terminal.put_rows([_row(terminal, items, index) for index in range(first, last)])
        more = "".join(text for text, true in (("N: next, ", last < len(items)), ("P: previous, ", first > 0)) if true)
        answer = await ask(
            terminal, f"Number, {more}Q: quit: ", max_chars=MAX_DIGITS, mask=False, initial="", strip=True
        )
        command = "q" if answer is None else answer.lower()
        if command in {"q", "0"}:
            return None
        if command.isascii() and command.isdigit() and 1 <= int(command) <= len(items):
            return int(command) - 1
        fresh = True
        if command == "n" and last < len(items):
            first = last
        elif command == "p" and first > 0:
            first = max(first - page, 0)
        else:
            fresh = False
            terminal.say(f"There are 1 to {len(items)}.")


class _LightBar:
    def __init__(self, terminal: Terminal, prompt: Text, items: Sequence[Text]) -> None:
        self._terminal = terminal
        self._prompt = prompt
        self._items = items
        self._at = 0
        self._first = 0
        self._typed = ""
        self._rows = 1
        self._drawn: list[int] = []

    async def choose(self) -> int | None:
        self._draw()
        prompt = Prompt(self._leave, self._draw)
        while True:
            key = await self._terminal.stroke(prompt)
            chosen = key.name == "enter" and self._number_known
            if not chosen and key.name not in _LEAVE:
                self._press(key)
                continue
            self._terminal.erase_line()
            return self._at if chosen else None

    def _leave(self) -> None:
        """The cursor stands below the list; what comes is written under it, and the list drawn anew."""
        self._terminal.erase_line()

    def _draw(self) -> None:
        terminal = self._terminal
        terminal.say(self._prompt)
        self._rows = _page_rows(terminal)
        self._drawn = list(range(self._first, min(self._first + self._rows, len(self._items))))
        for index in self._drawn:
            terminal.write(*self._look(index), "\n")
        self._hint()

    def _hint(self) -> None:
        where = f" {self._drawn[0] + 1}-{self._drawn[-1] + 1} of {len(self._items)}" * (len(self._items) > self._rows)
        hint = f"Arrows or number, Enter: choose, Q: quit{where} "
        self._terminal.write(Span(hint[: self._terminal.columns - 8], Style.DIM), self._typed)

    def _look(self, index: int) -> Row:
        row = _row(self._terminal, self._items, index)
        if index != self._at:
            return row
        text = plain(row)
        return (Span(text + " " * (self._terminal.columns - row_width(row)), Style.CURSOR),)

    @property
    def _number_known(self) -> bool:
        """What was typed is the number of an item, or nothing was typed."""
        return not self._typed or 1 <= int(self._typed) <= len(self._items)

    def _press(self, key: Key) -> None:
        last = len(self._items) - 1
        typed, self._typed = self._typed, ""
        to = self._at
        match key.name:
            case "up" | "k":
                to -= 1
            case "down" | "j" | "tab" | " ":
                to += 1
            case "page_up":
                to -= self._rows
            case "page_down":
                to += self._rows
            case "home":
                to = 0
            case "end":
                to = last
            case "backspace":
                self._typed = typed[:-1]
            case digit if digit.isascii() and digit.isdigit():
                self._typed = (typed + digit)[-MAX_DIGITS:]
            case _:
                pass
        if self._typed and self._number_known:
            to = int(self._typed) - 1
        self._go(min(max(to, 0), last))

    def _go(self, to: int) -> None:
        before, self._at = self._at, to
        self._terminal.erase_line()
        if to not in self._drawn:
            self._first = to // self._rows * self._rows
            self._redraw_page()
        elif before != to:
            for index in (before, to):
                self._over(index)
        self._hint()

    def _over(self, index: int) -> None:
        """Write a row of the list again."""
        up = len(self._drawn) - self._drawn.index(index)
        self._terminal.control(f"\x1b[{up}A\r\x1b[K")
        self._terminal.write(*self._look(index))
        self._terminal.control(f"\x1b[{up}B\r")
        self._terminal.forget_line()

    def _redraw_page(self) -> None:
        up = len(self._drawn)
        self._terminal.control(f"\x1b[{up}A\r\x1b[J")
        self._drawn = list(range(self._first, min(self._first + self._rows, len(self._items))))
        for index in self._drawn:
            self._terminal.write(*self._look(index), "\n")
