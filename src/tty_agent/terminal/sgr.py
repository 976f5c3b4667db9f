"""Select Graphic Rendition: what CSI … m does to packed attributes.

Any list of parameters amounts to "keep these bits, then set those", so it is worked out once and remembered.
Sources: ECMA-48, ISO 8613-6 for colons, xterm's ctlseqs, the manual of CTerm.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tty_agent.terminal.parser import MAX_REMEMBERED
from tty_agent.terminal.style import (
    BLINK,
    BOLD,
    CONCEAL,
    FAINT,
    ITALIC,
    REVERSE,
    STRIKE,
    TRUE_COLOUR,
    UNDERLINE,
    pack,
)

Change = tuple[int, int]
"""`attributes & first | second`."""

_EVERYTHING: Final = -1
_FOREGROUND: Final = ~pack(foreground=(1 << 26) - 2)
_BACKGROUND: Final = ~pack(background=(1 << 26) - 2)

_SINGLE: Final[dict[int, Change]] = {
    0: (0, 0),
    1: (_EVERYTHING, BOLD),
    2: (~BOLD, FAINT),
    3: (_EVERYTHING, ITALIC),
    4: (_EVERYTHING, UNDERLINE),
    5: (_EVERYTHING, BLINK),
    6: (_EVERYTHING, BLINK),
    7: (_EVERYTHING, REVERSE),
    8: (_EVERYTHING, CONCEAL),
    9: (_EVERYTHING, STRIKE),
    21: (_EVERYTHING, UNDERLINE),
    22: (~(BOLD | FAINT), 0),
    23: (~ITALIC, 0),
    24: (~UNDERLINE, 0),
    25: (~BLINK, 0),
    27: (~REVERSE, 0),
    28: (~CONCEAL, 0),
    29: (~STRIKE, 0),
    39: (_FOREGROUND, 0),
    49: (_BACKGROUND, 0),
    **{30 + colour: (_FOREGROUND, pack(foreground=colour)) for colour in range(8)},
    **{40 + colour: (_BACKGROUND, pack(background=colour)) for colour in range(8)},
    **{90 + colour: (_FOREGROUND, pack(foreground=8 + colour)) for colour in range(8)},
    **{100 + colour: (_BACKGROUND, pack(background=8 + colour)) for colour in range(8)},
}

_EXTENDED: Final = {38, 48, 58}
"""Foreground, background and underline; the last is read and not kept."""


def change_for(parameters: str) -> Change:
    """What the parameters of an SGR (digits, `;`, `:`) do."""
    known = CHANGES.get(parameters)
    if known is None:
        if len(CHANGES) >= MAX_REMEMBERED:
            CHANGES.clear()
        known = CHANGES[parameters] = _compile(parameters)
    return known


def rgb_change(which: int, red: int, green: int, blue: int) -> Change:
    """CTerm's CSI 0 or 1; R; G; B t: the background (0) or foreground (1) of 24 bits."""
    return _extended({0: 48, 1: 38}.get(which, 58), (2, red, green, blue))


CHANGES: Final[dict[str, Change]] = {}
"""What was worked out before, by parameters. Look here first where a call is too dear."""


def _compile(parameters: str) -> Change:
    keep, put = _EVERYTHING, 0
    parts = [[int(sub or 0) for sub in part.split(":")] for part in parameters.split(";")]
    at = 0
    while at < len(parts):
        part = parts[at]
        at += 1
        if part[0] not in _EXTENDED:
            change = _single(part)
        elif len(part) > 1:
            change = _extended(part[0], part[1:])
        else:
            values = [later[0] for later in parts[at : at + 4]]
            change = _extended(part[0], values)
            at += {2: 4, 5: 2}.get(values[0] if values else 0, 0)
        keep, put = keep & change[0], put & change[0] | change[1]
    return keep, put


def _single(part: Sequence[int]) -> Change:
    if part[0] == 4 and len(part) > 1 and part[1] == 0:  # 4:0, no underline
        return _SINGLE[24]
    return _SINGLE.get(part[0], (_EVERYTHING, 0))


def _extended(which: int, values: Sequence[int]) -> Change:
    """38, 48 or 58 and what follows: 5 and an index, or 2 and R, G, B, with an empty colour space before them
    in the form with colons."""
    colour: int | None = None
    if len(values) >= 2 and values[0] == 5:
        colour = values[1] if values[1] <= 0xFF else None
    elif len(values) >= 4 and values[0] == 2:
        red, green, blue = values[2:5] if len(values) >= 5 else values[1:4]
        if max(red, green, blue) <= 0xFF:
            colour = TRUE_COLOUR | red << 16 | green << 8 | blue
    if colour is None or which == 58:
        return _EVERYTHING, 0
    return (_FOREGROUND, pack(foreground=colour)) if which == 38 else (_BACKGROUND, pack(background=colour))
