"""Long texts, a screen at a time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from agentbbs.hub.terminal import Terminal
from agentbbs.hub.text import Span, Style, Text

_QUIT: Final = frozenset({"q", "n", "escape", "ctrl-c"})
_ALL: Final = frozenset({"c", "a"})
_NEXT: Final = frozenset({"enter", " ", "y", "page_down", "down"})

FLUSH_ROWS: Final = 100
"""After so many rows without a pause the line is waited for: what it doesn't take must not pile up."""


async def show(terminal: Terminal, texts: Iterable[Text]) -> bool:
    """Each of `texts` on a line of its own, with a prompt when the screen is full. False if the reader quit."""
    paged = True
    unflushed = 0
    for text in texts:
        for row in terminal.rows(text):
            if paged and terminal.page_full:
                answer = await _more(terminal)
                if answer in _QUIT:
                    return False
                paged = answer not in _ALL
            terminal.put_rows([row])
            unflushed += 1
            if unflushed >= FLUSH_ROWS:
                await terminal.flush()
                unflushed = 0
    return True


async def _more(terminal: Terminal) -> str:
    terminal.write(Span("-- More --", Style.NOTICE), " Enter: go on, Q: quit, C: all ")
    while True:
        name = (await terminal.stroke(terminal.line_prompt)).name.lower()
        if name in _QUIT | _ALL | _NEXT:
            terminal.erase_line()
            return name
