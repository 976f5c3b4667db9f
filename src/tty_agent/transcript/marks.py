"""The sidecar of a transcript: what was sent, when what came, and where sessions begin and end, a line a mark.

A transcript is nothing but the bytes of the terminal. Whoever replays it at its own pace, or asks what the agent
had typed at some point, finds that here. `t` is seconds of one monotonic clock, comparable within a session only;
`wall` is seconds since 1970 (UTC). `offset` is absolute: bytes of the transcript before the moment of the mark.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

import msgspec

SIDECAR_SUFFIX = ".sent.jsonl"
"""Appended to the whole name of the transcript."""


class Sender(StrEnum):
    """Who typed."""

    AGENT = "agent"
    """An action of the model."""
    TERMINAL = "terminal"
    """The screen, in answer to a query of the program."""
    LOGIN = "login"
    """The harness: a login, or anything else that is no action."""


class Opened(msgspec.Struct, frozen=True, kw_only=True, tag_field="mark", tag="open"):
    """A session begins."""

    t: float
    wall: float
    offset: int
    columns: int
    rows: int
    dialect: str
    metadata: dict[str, object] = {}
    """What the transport says of itself; no secret."""


class Received(msgspec.Struct, frozen=True, tag_field="mark", tag="rx"):
    """The bytes from `offset` on came at `t`, or up to `RECEIVED_MARK_S` later, until the next mark of this kind."""

    t: float
    offset: int


class Sent(msgspec.Struct, frozen=True, kw_only=True, tag_field="mark", tag="sent"):
    """One write."""

    t: float
    wall: float
    offset: int
    by: Sender
    text: str | None = None
    """Each character one byte (Latin-1); None for a secret."""
    secret_bytes: int | None = None
    """The length of a secret, and all that is kept of it."""


class Unmarked(msgspec.Struct, frozen=True, tag_field="mark", tag="unmarked"):
    """Since the mark before of an answer of the terminal there were so many more, with none of their own."""

    t: float
    offset: int
    answers: int


class Resized(msgspec.Struct, frozen=True, tag_field="mark", tag="resize"):
    """The window has a new size."""

    t: float
    offset: int
    columns: int
    rows: int


class Closed(msgspec.Struct, frozen=True, kw_only=True, tag_field="mark", tag="close"):
    """The session is over. A session that was killed has no such mark."""

    t: float
    wall: float
    offset: int
    kind: str
    detail: str
    code: int | None = None


class Torn(msgspec.Struct, frozen=True, tag_field="mark", tag="torn"):
    """Not written but read: a line that is no mark, as a kill in the middle of a write leaves it."""

    line: int
    """Counted from 1."""
    text: str


Placed = Opened | Received | Sent | Unmarked | Resized | Closed
"""Marks with a place and a time: all but torn ones."""

Mark = Placed | Torn

_ENCODER = msgspec.json.Encoder()
_DECODER: msgspec.json.Decoder[Mark] = msgspec.json.Decoder(Mark)


def sidecar_of(transcript: str | os.PathLike[str]) -> Path:
    """The path of the marks that belong to the transcript at that path."""
    path = Path(transcript)
    return path.with_name(path.name + SIDECAR_SUFFIX)


def encode_mark(mark: Mark) -> bytes:
    """One line, its LF included."""
    return _ENCODER.encode(mark) + b"\n"


def read_marks(transcript: str | os.PathLike[str]) -> Iterator[Mark]:
    """The marks of the transcript at that path, in order, read as they are asked for; nothing if it has none.

    A line that is no mark comes as `Torn`: at the end after a kill, inside of the file when another session was
    appended after one. It never ends the reading.
    """
    path = sidecar_of(transcript)
    if not path.exists():
        return
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield _DECODER.decode(line)
            except (msgspec.DecodeError, RecursionError):  # the parent of ValidationError; brackets without end
                yield Torn(number, line.decode(errors="replace").rstrip("\n"))
