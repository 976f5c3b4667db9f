"""What a view of the house looks like: a bar with its title, a line of its hotkeys, the rest, and a prompt for a key.

The hotkeys are data (`Command`): the line that lists them, the prompt and what is taken are made of the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from agentbbs.hub.caller import Caller, Key
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.wrapping import clip, width

MAX_DIGITS: Final = 6
"""Of a number that is typed; no list is longer."""

_GAP: Final = "  "


class Command(msgspec.Struct, frozen=True):
    """One hotkey of a view: a capital letter or a sign, and what it does in a word or two."""

    key: str
    label: str
    also: tuple[str, ...] = ()
    """Names of keys that do the same: `enter`, `right`."""

    @property
    def shown(self) -> tuple[Span, Span]:
        """For the line of hotkeys."""
        key = f"Enter/{self.key}" if "enter" in self.also else self.key
        return Span(key, Style.KEY), Span(f": {self.label}")


QUIT: Final = Command("Q", "quit", ("escape", "ctrl-c"))


def heading(caller: Caller, title: str, commands: Sequence[Command], *, right: str = "") -> None:
    """An empty screen with a bar, `right` at its end, and the hotkeys under it."""
    caller.clear()
    put_bar(caller, title, right)
    put_commands(caller, commands)


def put_bar(caller: Caller, title: str, right: str = "") -> None:
    """A line that sets apart, as wide as the screen."""
    room = caller.columns - width(caller.fit(right)) - 1
    caller.say(cell(caller, f" {title}", room, Style.BAR), Span(f"{one_line(right)} ", Style.BAR))


def put_commands(caller: Caller, commands: Sequence[Command]) -> None:
    """The hotkeys, on as many rows as they need; none is torn apart."""
    rows: list[list[Text]] = [[]]
    used = 0
    for command in commands:
        shown = command.shown
        taken = sum(width(piece.text) for piece in shown)
        if rows[-1] and used + len(_GAP) + taken > caller.columns:
            rows.append([])
            used = 0
        used += taken + (len(_GAP) if rows[-1] else 0)
        rows[-1].append((_GAP if rows[-1] else "", shown))
    for row in rows:
        caller.say(*row)


async def command(caller: Caller, commands: Sequence[Command], *, numbers: int = 0) -> str | int:
    """Wait for a hotkey of `commands`: its capital letter, echoed, and the line ended. With `numbers`, also for a
    number from 1 to it and Enter. `?` lists the hotkeys again; whatever else is typed is ignored."""
    keys = {one.key: one.key for one in commands} | {name: one.key for one in commands for name in one.also}
    letters = " ".join(one.key for one in commands)
    prompt: Text = (Span("Number or key" if numbers else "Key", Style.LABEL), f" ({letters} ?): ")
    typed = ""
    caller.write(prompt)
    while True:
        key = await caller.stroke(caller.line_prompt)
        if numbers and _is_digit(key) and len(typed) < MAX_DIGITS:
            typed += key.text
            caller.write(key.text)
        elif key.name == "backspace" and typed:
            typed = typed[:-1]
            caller.erase_line()
            caller.write(prompt, typed)
        elif key.name == "enter" and typed:
            caller.write("\n")
            if 1 <= int(typed) <= numbers:
                return int(typed)
            caller.say(Span(f"There are 1 to {numbers}.", Style.BAD))
            typed = ""
            caller.write(prompt)
        elif key.text == "?":
            caller.write("?\n")
            put_commands(caller, commands)
            caller.write(prompt, typed)
        else:
            chosen = keys.get(key.text.upper() or key.name)
            if chosen is not None:
                caller.write(chosen, "\n")
                return chosen


def _is_digit(key: Key) -> bool:
    return key.text.isascii() and key.text.isdigit()


def one_line(text: str) -> str:
    """`text` without line ends, for a place that has one line."""
    return text.replace("\n", " ")


def cell(caller: Caller, text: str, columns: int, style: Style = Style.PLAIN, *, right: bool = False) -> Span:
    """`text` cut or filled up with blanks to exactly `columns` cells of the caller's terminal; none if that is below
    1."""
    if columns < 1:
        return Span("", style)
    fitted = caller.fit(one_line(text))
    kept = "".join(span.text for span in clip([Span(fitted)], columns, mark=caller.fit("…")))
    fill = " " * (columns - width(kept))
    return Span(fill + kept if right else kept + fill, style)
