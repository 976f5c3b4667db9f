"""What a terminal must be sent so that it shows the next picture: xterm's sequences, UTF-8 text.

Bytes of a BBS are no recording for others: players are xterms, without CP437 and SyncTERM's ways. So what the
screen showed is written anew, changed cells only, with absolute positions and colours from the 256 of xterm.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from tty_agent.render.palette import channels, chosen
from tty_agent.render.runs import runs
from tty_agent.terminal import style
from tty_agent.terminal.picture import Picture

_CLEAR: Final = "\x1b[0m\x1b[2J"
_RESET: Final = "\x1b[0m"
_ERASE_TO_END: Final = "\x1b[0m\x1b[K"
_FLAGS: Final = (
    (style.FAINT, "2"), (style.ITALIC, "3"), (style.UNDERLINE, "4"), (style.REVERSE, "7"), (style.CONCEAL, "8"),
    (style.STRIKE, "9"),
)  # fmt: skip
"""Bold and blink are told as colours where they are such."""
_MAX_REMEMBERED: Final = 4096


def repaint(before: Picture | None, after: Picture) -> str:
    """The sequences that turn a terminal which shows `before` into one that shows `after`; "" if nothing differs.

    Without `before`, or when the sizes differ, everything is cleared and painted; the terminal must have the size
    of `after` by then.
    """
    parts: list[str] = []
    if before is None or (before.columns, before.rows) != (after.columns, after.rows):
        parts.append(_CLEAR)
        before = _blank(after)
    for row in range(after.rows):
        span = _changed(before, after, row)
        if span is not None:
            parts.append(_painted(after, row, *span))
    if parts or before.cursor != after.cursor:
        parts.append(_position(*after.cursor))
    if before.cursor_visible != after.cursor_visible:
        parts.append("\x1b[?25h" if after.cursor_visible else "\x1b[?25l")
    return "".join(parts)


@lru_cache(_MAX_REMEMBERED)
def sgr(attributes: int, *, bright_backgrounds: bool = False) -> str:
    """One sequence that sets exactly these attributes, whatever was set before."""
    foreground, background = chosen(attributes, bright_backgrounds=bright_backgrounds)
    codes = ["0"]
    if attributes & style.BOLD and foreground == style.foreground(attributes):
        codes.append("1")  # a colour that has no bright one
    if attributes & style.BLINK and background == style.background(attributes):
        codes.append("5")
    codes += [code for flag, code in _FLAGS if attributes & flag]
    codes += _colour("38", foreground) + _colour("48", background)
    return f"\x1b[{';'.join(codes)}m"


def _colour(kind: str, colour: int) -> list[str]:
    if colour == style.DEFAULT:
        return []
    if colour & style.TRUE_COLOUR:
        return [kind, "2", *(str(part) for part in channels(colour & 0xFFFFFF))]
    return [kind, "5", str(colour)]


def _position(row: int, column: int) -> str:
    return f"\x1b[{row + 1};{column + 1}H"


def _blank(picture: Picture) -> Picture:
    """What a terminal of that size shows after it was cleared; the cursor is said to be nowhere."""
    blanks, plain = (" ",) * picture.columns, (style.PLAIN,) * picture.columns
    return Picture(picture.columns, picture.rows, (blanks,) * picture.rows, (plain,) * picture.rows, (-1, -1))


def _changed(before: Picture, after: Picture, row: int) -> tuple[int, int] | None:
    """First changed column and the one after the last, widened so that no wide character is cut."""
    old, new = before.characters[row], after.characters[row]
    old_look, new_look = before.attributes[row], after.attributes[row]
    same_look = before.bright_backgrounds == after.bright_backgrounds
    if same_look and old == new and old_look == new_look:
        return None
    if not same_look:
        return 0, after.columns
    differs = [
        column for column in range(after.columns) if old[column] != new[column] or old_look[column] != new_look[column]
    ]
    start, end = differs[0], differs[-1] + 1
    while start > 0 and "" in (old[start], new[start]):
        start -= 1
    while end < after.columns and "" in (old[end], new[end]):
        end += 1
    return start, end


def _painted(picture: Picture, row: int, start: int, end: int) -> str:
    kept = end if end < picture.columns else _without_blanks(picture, row, start)
    parts = [_position(row, start)]
    for attributes, text in runs(picture, row, start, kept):
        parts += [sgr(attributes, bright_backgrounds=picture.bright_backgrounds), text]
    parts.append(_RESET if kept == end else _ERASE_TO_END)
    return "".join(parts)


def _without_blanks(picture: Picture, row: int, start: int) -> int:
    """Where the plain blanks at the end of a row begin."""
    cells: Sequence[str] = picture.characters[row]
    look = picture.attributes[row]
    end = picture.columns
    while end > start and cells[end - 1] == " " and look[end - 1] == style.PLAIN:
        end -= 1
    return end
