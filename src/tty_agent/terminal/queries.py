"""What a terminal answers when it is asked, as bytes to send; None where it keeps silent.

In the dialect of CTerm the answers are CTerm's, from its manual; else those of a VT220 with xterm's additions.
Nothing that came from the host is ever in an answer (a title, for example): it would be typed as input.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tty_agent.terminal.modes import ALTERNATE_SCREENS, REMEMBERED
from tty_agent.terminal.page import Page

Parameters = tuple[int, ...]

CELL_PIXELS: Final = (16, 8)
"""Height and width of a cell of the VGA font."""

_CTERM_VERSION: Final = "1;316"
_FIRST_LOADABLE_FONT: Final = 43
_NO_FONT_ASKED_FOR: Final = 99


def answer(page: Page, private: str, parameters: Parameters, intermediates: str, final: str) -> bytes | None:
    """The answer to a control sequence, if it is a query that is answered."""
    ask = _QUERIES.get(private + intermediates + final)
    text = None if ask is None else ask(page, parameters)
    return None if text is None else b"\x1b[" + text.encode("ascii")


def _status(page: Page, parameters: Parameters) -> str | None:
    which = parameters[0]
    if which == 5:
        return "0n"
    if which == 6:
        return _cursor(page)
    if which == 255 and page.dialect.cterm:
        return f"{page.rows};{page.columns}R"
    return None


def _cursor(page: Page) -> str:
    return f"{page.row - (page.top if page.origin else 0) + 1};{page.column + 1}R"


def _private_status(page: Page, parameters: Parameters) -> str | None:
    return f"?{_cursor(page)}" if parameters[0] == 6 and not page.dialect.cterm else None


def _attributes(page: Page, parameters: Parameters) -> str | None:
    if parameters[0]:
        return None
    return f"=67;84;101;114;109;{_CTERM_VERSION}c" if page.dialect.cterm else "?62;22c"  # "CTerm" in ASCII


def _secondary_attributes(page: Page, parameters: Parameters) -> str | None:
    return None if parameters[0] or page.dialect.cterm else ">1;10;0c"


def _cterm_attributes(page: Page, parameters: Parameters) -> str | None:
    """Of what CTerm lists, bright backgrounds are what a screen of cells can do."""
    return "<0;2c" if page.dialect.cterm and not parameters[0] else None


def _cterm_report(page: Page, parameters: Parameters) -> str | None:
    if not page.dialect.cterm:
        return None
    which = parameters[0] or 1
    reports = {
        1: f"{_FIRST_LOADABLE_FONT};{_NO_FONT_ASKED_FOR};0;0;0;0",
        2: ";".join(map(str, sorted(page.modes))),
        3: f"{CELL_PIXELS[0]};{CELL_PIXELS[1]}",
        4: int(page.last_column_flag),
        5: int(page.forced_flag),
    }
    return f"={which};{reports[which]}n" if which in reports else None


def _private_mode(page: Page, parameters: Parameters) -> str | None:
    """DECRQM of a private mode: 1 set, 2 reset, 0 unknown. CTerm knows no such query."""
    if page.dialect.cterm:
        return None
    mode = parameters[0]
    if mode in ALTERNATE_SCREENS:
        state = 1 if page.alternate else 2
    elif mode in REMEMBERED:
        state = 1 if mode in page.modes else 2
    else:
        state = 0
    return f"?{mode};{state}$y"


def _mode(page: Page, parameters: Parameters) -> str | None:
    if page.dialect.cterm:
        return None
    on = {4: page.insert, 20: page.new_line}.get(parameters[0])
    return f"{parameters[0]};{0 if on is None else 1 if on else 2}$y"


def _window(page: Page, parameters: Parameters) -> str | None:
    """XTWINOPS: sizes in cells and pixels."""
    height, width = CELL_PIXELS
    which = parameters[0]
    if which == 14:
        return f"4;{page.rows * height};{page.columns * width}t"
    if which == 16:
        return f"6;{height};{width}t"
    if which in {18, 19}:
        return f"{which - 10};{page.rows};{page.columns}t"
    return None


_QUERIES: Final[dict[str, Callable[[Page, Parameters], str | None]]] = {
    "n": _status,
    "?n": _private_status,
    "=n": _cterm_report,
    "c": _attributes,
    ">c": _secondary_attributes,
    "<c": _cterm_attributes,
    "$p": _mode,
    "?$p": _private_mode,
    "t": _window,
}
