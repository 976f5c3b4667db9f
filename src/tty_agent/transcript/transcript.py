"""The transcript of a terminal: the authoritative record of what the program sent, and its marks beside it.

Bytes are written as they come, before anyone looks at them, by one unbuffered write each to a file opened for
appending: what a session has received survives `kill -9` of it. A session that comes back to the same path appends,
and offsets are those of the file, so positions taken before stay true. Nothing here awaits: a write goes into the
system's page cache.

Errors are `TranscriptError`s. A record with holes is worse than none, so `TranscriptFailed` (a full disk, say) ends
the session that meets it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from tty_agent.transcript.marks import (
    Closed,
    Mark,
    Opened,
    Received,
    Resized,
    Sender,
    Sent,
    Unmarked,
    encode_mark,
    read_marks,
    sidecar_of,
)

__all__ = ["RECEIVED_MARK_S", "Transcript", "TranscriptBusy", "TranscriptError", "TranscriptFailed", "read_marks"]

RECEIVED_MARK_S: Final = 0.005
"""Chunks that come within this time of a mark share it: a BBS that sends a byte a packet would else fill the
sidecar with sixty bytes for each, and no player shows less than a frame of 60 Hz."""

MAX_ANSWER_MARKS: Final = 50
"""Of answers of the terminal, each second: no person's program asks more often. One that asks without end would else
fill the sidecar with thirty times what it sends. What an agent types is always marked."""

_FILE_MODE: Final = 0o600
"""A transcript holds whatever the terminal showed, mail included: nobody else's business."""


class TranscriptError(Exception):
    """The transcript cannot be kept; the text says why and what to do."""


class TranscriptBusy(TranscriptError):
    """Another session is writing to it."""


class TranscriptFailed(TranscriptError):
    """A write failed. What was written before is whole."""


class Transcript:
    """One writer's hold on a transcript and its marks, made if missing; `close` it in the end.

    Times are seconds of the monotonic clock of the session. Raises TranscriptBusy if another writer, here or in
    another process, has it open, and TranscriptFailed if it cannot be opened.
    """

    def __init__(self, path: str | os.PathLike[str], *, wall: Callable[[], float] = time.time) -> None:
        self.path: Final = Path(path)
        self._wall = wall
        self._last_received_mark = float("-inf")
        self._answers_since = float("-inf")
        self._answers = 0
        self._bytes = _open(self.path)
        try:
            _lock(self._bytes, self.path)
            self._offset = os.fstat(self._bytes).st_size
            self._marks = _open(sidecar_of(self.path))
        except BaseException:
            os.close(self._bytes)
            raise
        self._open = True
        try:
            self._seal_torn_mark()
        except BaseException:
            self.close()
            raise

    @property
    def offset(self) -> int:
        """The length of the file: the absolute position of the next byte."""
        return self._offset

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return not self._open

    def begin(
        self, t: float, *, columns: int, rows: int, dialect: str, metadata: Mapping[str, object] | None = None
    ) -> None:
        """Mark that a session begins. Raises TranscriptFailed, as all that write do."""
        self._last_received_mark = float("-inf")
        self._mark(
            Opened(
                t=t,
                wall=self._wall(),
                offset=self._offset,
                columns=columns,
                rows=rows,
                dialect=dialect,
                metadata=dict(metadata or {}),
            )
        )

    def received(self, data: bytes, t: float) -> None:
        """Append what the program sent."""
        start = self._offset
        self._write(self._bytes, data)
        if t - self._last_received_mark >= RECEIVED_MARK_S:
            self._mark(Received(t, start))
            self._last_received_mark = t

    def sent(self, data: bytes, t: float, *, by: Sender, secret: bool = False, offset: int | None = None) -> None:
        """Mark a write; call it before the bytes go out. Of a secret only the length is kept.

        `offset` is for an answer to a query in the middle of a chunk: where the query ended.
        """
        at = self._offset if offset is None else offset
        text, length = (None, len(data)) if secret else (data.decode("latin-1"), None)
        self._mark(Sent(t=t, wall=self._wall(), offset=at, by=by, text=text, secret_bytes=length))

    def answered(self, data: bytes, t: float, *, offset: int) -> None:
        """Mark an answer of the terminal to the query that ended at `offset`, or count it: see `MAX_ANSWER_MARKS`."""
        if t - self._answers_since >= 1.0:
            self._tell_unmarked(t)
            self._answers_since = t
        self._answers += 1
        if self._answers <= MAX_ANSWER_MARKS:
            self.sent(data, t, by=Sender.TERMINAL, offset=offset)

    def resized(self, columns: int, rows: int, t: float) -> None:
        """Mark a new size of the window."""
        self._mark(Resized(t, self._offset, columns, rows))

    def end(self, t: float, *, kind: str, detail: str, code: int | None = None) -> None:
        """Mark that the session is over. The transcript stays open."""
        self._tell_unmarked(t)
        self._mark(Closed(t=t, wall=self._wall(), offset=self._offset, kind=kind, detail=detail, code=code))

    def close(self) -> None:
        """Let go of the files; may be called twice."""
        if self._open:
            self._open = False
            os.close(self._marks)
            os.close(self._bytes)

    def __enter__(self) -> Self:
        """For `with`."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes it."""
        self.close()

    def _tell_unmarked(self, t: float) -> None:
        """Mark how many answers had no mark, if any had none, and count anew."""
        unmarked, self._answers = self._answers - MAX_ANSWER_MARKS, 0
        if unmarked > 0:
            self._mark(Unmarked(t, self._offset, unmarked))

    def _mark(self, mark: Mark) -> None:
        self._write(self._marks, encode_mark(mark))

    def _write(self, descriptor: int, data: bytes) -> None:
        if not self._open:
            raise TranscriptFailed(f"the transcript {self.path} is closed")
        rest = memoryview(data)
        while rest:
            try:
                written = os.write(descriptor, rest)
            except OSError as error:
                raise TranscriptFailed(
                    f"cannot write the transcript {self.path}: {error.strerror}; the record is whole up to byte "
                    f"{self._offset}. Make room, or choose another path"
                ) from error
            rest = rest[written:]
            if descriptor == self._bytes:
                self._offset += written

    def _seal_torn_mark(self) -> None:
        """End a line that a kill left unfinished, so that it does not swallow the next."""
        size = os.fstat(self._marks).st_size
        if size and os.pread(self._marks, 1, size - 1) != b"\n":
            self._write(self._marks, b"\n")


def _open(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, _FILE_MODE)
    except OSError as error:
        if error.errno == errno.ELOOP:
            why = f"{path} is a symbolic link, and a transcript is written to no file but its own"
            raise TranscriptFailed(f"{why}: take the link away, or choose another path") from error
        raise TranscriptFailed(f"cannot open {path}: {error.strerror}; choose another path") from error


def _lock(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise TranscriptBusy(
            f"another session is writing to {path}: end it first, or give this one a path of its own"
        ) from error
    except OSError as error:
        raise TranscriptFailed(f"cannot lock {path}: {error.strerror}; choose a path on another disk") from error
