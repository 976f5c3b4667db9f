"""How one's own terminal is treated: letters, colours, size."""

from __future__ import annotations

from typing import Final

import msgspec

from agentbbs.calls.line import MAX_COLUMNS, MAX_ROWS, MIN_COLUMNS, MIN_ROWS
from agentbbs.hub import terminal_preferences
from agentbbs.hub.terminal_preferences import described
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import QUIT, Command, command, heading
from agentbbs.hub.visit import Visit
from agentbbs.store import preferences
from agentbbs.store.preferences import Ansi, Encoding, Preferences

_LETTERS: Final = Command("L", "letters")
_COLOURS: Final = Command("C", "colours")
_SIZE: Final = Command("S", "size")

_ENCODINGS: Final = (
    (Encoding.AUTO, "As it is found out when you call"),
    (Encoding.UTF8, "UTF-8"),
    (Encoding.CP437, "CP437"),
)
_ANSI: Final = (
    (Ansi.AUTO, "As it is found out when you call"),
    (Ansi.YES, "Colours and cursor movements (ANSI)"),
    (Ansi.NO, "Plain text"),
)


async def run(visit: Visit, account: int) -> None:
    """Show and change; a change is seen at once."""
    caller, database = visit.caller, visit.board.database
    commands = (_LETTERS, _COLOURS, _SIZE, QUIT)
    while True:
        chosen = await database.look_up(preferences.of_account, account)
        heading(caller, "Screen and letters", commands)
        for line in _facts(visit, chosen):
            caller.say(line)
        key = await command(caller, commands)
        changed: Preferences | None = None
        if key == QUIT.key:
            return
        if key == _LETTERS.key:
            changed = await _choose_letters(visit, chosen)
        elif key == _COLOURS.key:
            changed = await _choose_colours(visit, chosen)
        elif key == _SIZE.key:
            changed = await _choose_size(visit, chosen)
        if changed is not None:
            await database.write(preferences.save, account, changed)
            terminal_preferences.put(caller, changed)


def _facts(visit: Visit, chosen: Preferences) -> list[Text]:
    caller = visit.caller
    size = f"{chosen.columns} x {chosen.rows or 'as told'}" if chosen.columns else "as told"
    return [
        (Span("Letters: ", Style.LABEL), f"{described(caller).split()[1]} (chosen: {chosen.encoding.value})"),
        (Span("Colours: ", Style.LABEL), f"{'ANSI' if caller.ansi else 'plain'} (chosen: {chosen.ansi.value})"),
        (Span("Size:    ", Style.LABEL), f"{caller.size.columns} x {caller.size.rows} (chosen: {size})"),
        "",
        "If these are a box and letters with marks, your letters are right:",
        "   ┌──────┐  é ü ñ",
        "   │ ░▒▓█ │  ä ö ß",
        "   └──────┘",
    ]


async def _choose_letters(visit: Visit, chosen: Preferences) -> Preferences | None:
    index = await visit.caller.choose("Which letters does your terminal take?", [name for _, name in _ENCODINGS])
    return None if index is None else msgspec.structs.replace(chosen, encoding=_ENCODINGS[index][0])


async def _choose_colours(visit: Visit, chosen: Preferences) -> Preferences | None:
    index = await visit.caller.choose("What shall your terminal be sent?", [name for _, name in _ANSI])
    return None if index is None else msgspec.structs.replace(chosen, ansi=_ANSI[index][0])


async def _choose_size(visit: Visit, chosen: Preferences) -> Preferences | None:
    columns = await _number(visit, "Columns", MIN_COLUMNS, MAX_COLUMNS)
    if columns == 0:
        return msgspec.structs.replace(chosen, columns=None, rows=None)
    rows = None if columns is None else await _number(visit, "Rows", MIN_ROWS, MAX_ROWS)
    if columns is None or rows is None:
        return None
    return msgspec.structs.replace(chosen, columns=columns, rows=rows or None)


async def _number(visit: Visit, what: str, least: int, most: int) -> int | None:
    """A number; 0 for as the terminal tells it; None if the caller gave up."""
    while True:
        text = await visit.caller.ask(f"{what}, {least} to {most} (Enter: as your terminal tells): ", max_chars=4)
        if text is None:
            return None
        if not text:
            return 0
        if text.isascii() and text.isdigit() and least <= int(text) <= most:
            return int(text)
        visit.caller.say(Span(f"A number from {least} to {most}, please.", Style.BAD))
