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

_PLAIN: Final = (DEFAULT_FOREGROUND, DEFAULT_BACKGROUND)


class Run(msgspec.Struct, frozen=True):
    """Neighbours of one look in a row; the text is inert."""

    text: str
    front: int
    """Of the sixteen colours of VGA."""
    back: int

    @property
    def plain(self) -> bool:
        """Whether it has the colours that text has unless a program chose others."""
        return (self.front, self.back) == _PLAIN


Row = tuple[Run, ...]


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
    found: list[Run] = []
    for attributes, text in runs(picture, row):
        front, back = seen(attributes, bright_backgrounds=picture.bright_backgrounds)
        look = _nearest(front), _nearest(back)
        if found and (found[-1].front, found[-1].back) == look:
            text = found.pop().text + text  # noqa: PLW2901 - two attributes that are seen as one
        found.append(Run(text, *look))
    while found and found[-1].back == DEFAULT_BACKGROUND:
        last = found.pop()
        if last.text.rstrip(" "):
            return (*found, Run(last.text.rstrip(" "), last.front, last.back))
    return tuple(found)


@lru_cache(4096)
def _nearest(colour: int) -> int:
    """The one of the sixteen that is nearest to 0xRRGGBB."""

    def distance(other: int) -> int:
        parts = ((colour >> shift & 0xFF) - (other >> shift & 0xFF) for shift in (16, 8, 0))
        return sum(part * part for part in parts)

    return min(range(len(VGA)), key=lambda index: distance(VGA[index]))
