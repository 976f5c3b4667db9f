"""Regular expressions that may take for ever: those that repeat without bound what repeats itself, as in `(a+)+$`.

This reads the pattern's brackets alone, so it refuses some that would do no harm; they can be written otherwise.
"""

from __future__ import annotations

import re
from typing import Final

MANY: Final = 32
"""A repetition up to so often counts as bounded."""

_PIECE: Final = re.compile(
    r"""\\. | \[\^?\]?(?:\\.|[^\]\\])*\] | \(\?\#[^)]*\)  # an escape, a set, a comment
    | (?P<opens>\() | (?P<closes>\)) | .""",
    re.VERBOSE | re.DOTALL,
)

_REPEAT: Final = re.compile(r"[*+?]|\{(?P<least>\d*)(?P<comma>,?)(?P<most>\d*)\}")


def repeats_nest(pattern: str) -> bool:
    """Whether a group that is repeated without bound holds a repetition without bound. The pattern compiles."""
    holding = [False]  # by open group: something in it repeats
    place = 0
    while place < len(pattern):
        piece = _PIECE.match(pattern, place)
        if piece is None:  # a set that never ends: it does not compile
            return False
        place = piece.end()
        if piece["opens"]:
            holding.append(False)
            place += pattern.startswith("?", place)  # of (?:, no repetition
            continue
        inner = holding.pop() if piece["closes"] and len(holding) > 1 else False
        repeat = _REPEAT.match(pattern, place)
        many = repeat is not None and _is_many(repeat)
        if repeat is not None:
            place = repeat.end()
        if many and inner:
            return True
        holding[-1] = holding[-1] or inner or many
    return False


def _is_many(repeat: re.Match[str]) -> bool:
    if repeat[0] in "*+?":
        return repeat[0] != "?"
    if not repeat["comma"]:
        return int(repeat["least"] or 0) > MANY
    return not repeat["most"] or int(repeat["most"]) > MANY
