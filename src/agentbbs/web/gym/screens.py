"""A screen in its colours, as runs of text with the names of two of the sixteen colours: a page has a class for each.

A trace keeps the text of a screen, the transcript its colours: it is played up to the decision. Where that would take
long, or shows another text than the trace, there are no colours.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec

from agentbbs.web.gym.places import file_stamp
from agentbbs.web.gym.recordings import MAX_MARKS_BYTES, NoRecording, marks
from tty_agent.render.extra import RenderFault
from tty_agent.render.palette import DEFAULT_BACKGROUND, DEFAULT_FOREGROUND, VGA, seen
from tty_agent.render.recording import Recording
from tty_agent.render.replay import moments_at, screens
from tty_agent.render.runs import runs
from tty_agent.terminal.picture import Picture
from tty_agent.transcript.marks import sidecar_of

MAX_REPLAYED_BYTES: Final = 256 * 1024
"""Of a transcript, for one screen: a page waits for it."""

FRONTS: Final = (
    "#000000", "#ff6b5e", "#4cc46a", "#d49a4a", "#7a95ff", "#dd7be6", "#3fc3c9", "#d5dcec",
    "#8f98aa", "#ff9a90", "#7df09a", "#ffe97a", "#a9bcff", "#ffa8f5", "#86f2f7", "#ffffff",
)  # fmt: skip
BACKS: Final = (
    "#0b1020", "#7a1010", "#0b5a1e", "#6b4300", "#16309c", "#6e1478", "#065f66", "#aeb6c4",
    "#4a5264", "#ff7a7a", "#6ee787", "#ffe36e", "#7aa2ff", "#ff8df2", "#6fe6ee", "#ffffff",
)  # fmt: skip
"""The sixteen as the stylesheet has them: those of a VGA are too dark, or too alike, for a page that is read."""

LEAST_CONTRAST: Final = 4.5
"""Of text and its ground (WCAG AA). A pair of colours that has less gets black or white text."""

_BLACK: Final = 0
_WHITE: Final = 15
_PLAIN: Final = (DEFAULT_FOREGROUND, DEFAULT_BACKGROUND)


class Piece(msgspec.Struct, frozen=True):
    """Neighbours of one look in a row; the text is inert."""

    text: str
    front: int
    """Of the sixteen colours of VGA."""
    back: int

    @property
    def plain(self) -> bool:
        """Whether it has the colours that text has unless a program chose others."""
        return (self.front, self.back) == _PLAIN


Row = tuple[Piece, ...]


def coloured(transcript: Path, offset: int, text: str) -> tuple[Row, ...] | None:
    """The screen after so many bytes, if it shows `text`; else None. Raises OSError."""
    size = (file_stamp(transcript) or (0, 0, 0))[2]
    sidecar = file_stamp(sidecar_of(transcript))
    if not 0 < offset <= size or offset > MAX_REPLAYED_BYTES or sidecar is None or sidecar[2] > MAX_MARKS_BYTES // 8:
        return None
    try:
        recording = Recording(
            transcript=transcript,
            marks=tuple(marks(transcript, size)),
            start=offset - 1,
            end=offset,
            title="",
        )
        picture = next(screens(recording, moments_at(recording, [offset]))).picture()
    except (NoRecording, RenderFault):
        return None
    return drawn(picture) if picture.text == text else None


def drawn(picture: Picture) -> tuple[Row, ...]:
    """The rows of a picture, blanks at their ends left out."""
    return tuple(_row(picture, row) for row in range(picture.rows))


def _row(picture: Picture, row: int) -> Row:
    found: list[Piece] = []
    for attributes, text in runs(picture, row):
        front, back = seen(attributes, bright_backgrounds=picture.bright_backgrounds)
        look = _legible(_nearest(front), _nearest(back))
        if found and (found[-1].front, found[-1].back) == look:
            text = found.pop().text + text  # noqa: PLW2901 - two attributes that are seen as one
        found.append(Piece(text, *look))
    while found and found[-1].back == DEFAULT_BACKGROUND:
        last = found.pop()
        if last.text.rstrip(" "):
            return (*found, Piece(last.text.rstrip(" "), last.front, last.back))
    return tuple(found)


@lru_cache(4096)
def _nearest(colour: int) -> int:
    """The one of the sixteen that is nearest to 0xRRGGBB."""

    def distance(other: int) -> int:
        parts = ((colour >> shift & 0xFF) - (other >> shift & 0xFF) for shift in (16, 8, 0))
        return sum(part * part for part in parts)

    return min(range(len(VGA)), key=lambda index: distance(VGA[index]))


@lru_cache(256)
def _legible(front: int, back: int) -> tuple[int, int]:
    """The pair, its text black or white where it could not be read."""
    if contrast(FRONTS[front], BACKS[back]) >= LEAST_CONTRAST:
        return front, back
    return max((_BLACK, _WHITE), key=lambda index: contrast(FRONTS[index], BACKS[back])), back


def contrast(one: str, other: str) -> float:
    """Of two colours, `#rrggbb`: 1 to 21 (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio)."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
