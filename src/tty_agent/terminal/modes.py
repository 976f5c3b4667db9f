"""Modes that programs set and reset, and the second screen that some of them show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tty_agent.terminal.page import Page

Parameters = tuple[int, ...]

ORIGIN: Final = 6
AUTO_WRAP: Final = 7
SHOW_CURSOR: Final = 25
BRIGHT_BACKGROUNDS: Final = 33
ALTERNATE_SCREENS: Final = frozenset({47, 1047, 1049})
SAVE_CURSOR: Final = 1048

REMEMBERED: Final = frozenset(
    {1, 5, 6, 7, 9, 12, 25, 31, 32, 33, 34, 35, 66, 67, 69, 80}
    | {1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 2004, 2026}
)
"""Private modes whose state is kept, for reports and for whoever encodes keys, whether or not the screen heeds
them. Others are ignored, so that the set stays small."""


def set_private_modes(page: Page, parameters: Parameters) -> None:
    """DECSET: CSI ? … h."""
    for mode in parameters:
        _private(page, mode, on=True)


def reset_private_modes(page: Page, parameters: Parameters) -> None:
    """DECRST: CSI ? … l."""
    for mode in parameters:
        _private(page, mode, on=False)


def _private(page: Page, mode: int, *, on: bool) -> None:
    if mode in REMEMBERED:
        (page.modes.add if on else page.modes.discard)(mode)
    change = _PRIVATE.get(mode)
    if change is not None:
        change(page, on)


def _origin(page: Page, on: bool) -> None:  # noqa: FBT001 - the value of the mode
    page.origin = on
    page.home()


def _auto_wrap(page: Page, on: bool) -> None:  # noqa: FBT001
    page.auto_wrap = on
    if not on:
        page.pending = False


def _show_cursor(page: Page, on: bool) -> None:  # noqa: FBT001
    page.cursor_visible = on


def _bright_backgrounds(page: Page, on: bool) -> None:  # noqa: FBT001
    page.bright_backgrounds = on


def _alternate(page: Page, on: bool) -> None:  # noqa: FBT001
    page.enter_alternate() if on else page.leave_alternate()


def _save_cursor(page: Page, on: bool) -> None:  # noqa: FBT001
    page.save() if on else page.restore()


def _alternate_with_cursor(page: Page, on: bool) -> None:  # noqa: FBT001
    if on:
        page.save()
        page.enter_alternate()
    else:
        page.leave_alternate()
        page.restore()


_PRIVATE: Final[dict[int, Callable[[Page, bool], None]]] = {
    ORIGIN: _origin,
    AUTO_WRAP: _auto_wrap,
    SHOW_CURSOR: _show_cursor,
    BRIGHT_BACKGROUNDS: _bright_backgrounds,
    47: _alternate,
    1047: _alternate,
    SAVE_CURSOR: _save_cursor,
    1049: _alternate_with_cursor,
}


def set_modes(page: Page, parameters: Parameters) -> None:
    """SM: 4 insert, 20 new line."""
    _modes(page, parameters, on=True)


def reset_modes(page: Page, parameters: Parameters) -> None:
    """RM."""
    _modes(page, parameters, on=False)


def _modes(page: Page, parameters: Parameters, *, on: bool) -> None:
    if 4 in parameters:
        page.insert = on
        page.settle()
    if 20 in parameters:
        page.new_line = on


def set_cterm_modes(page: Page, parameters: Parameters) -> None:
    """CSI = … h: 4 the last column flag, 5 the same for good. Doorway mode (255) is not taken up."""
    if 4 in parameters or 5 in parameters:
        page.last_column_flag = True
    if 5 in parameters:
        page.forced_flag = True


def reset_cterm_modes(page: Page, parameters: Parameters) -> None:
    """CSI = … l."""
    if 4 in parameters and not page.forced_flag:
        page.last_column_flag = page.pending = False


def set_music(page: Page, parameters: Parameters) -> None:
    """CSI = n M: which sequences begin a tune: 0 CSI |; 1 CSI N too; 2 also CSI M."""
    page.music = min(parameters[0], 2)


def begins_tune(page: Page, final: str, parameters: str) -> bool:
    """Whether this plain control sequence begins a tune."""
    if not page.dialect.ansi_music:
        return False
    return final == "|" or (final == "N" and page.music >= 1) or (final == "M" and page.music == 2 and not parameters)


def soft_reset(page: Page, parameters: Parameters) -> None:  # noqa: ARG001 - one shape for all
    """DECSTR."""
    page.soft_reset()
    page.modes |= {SHOW_CURSOR}
    page.modes.discard(ORIGIN)


def designate(page: Page, which: str, charset: str) -> None:
    """ESC ( or ) and a character set: 0 is line drawing, all others are taken for ASCII."""
    first, second = page.drawing
    drawing = (charset == "0", second) if which == "(" else (first, charset == "0")
    if drawing != page.drawing:
        page.drawing = drawing
        page.settle()


def shift(page: Page, which: int) -> None:
    """SI (0) and SO (1)."""
    page.shift = which
    page.settle()
