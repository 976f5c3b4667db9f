"""Writes a trace: each record is one whole line in the file before `write` returns, with its place in the index."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import msgspec

from tty_agent.trace.index import FILE_MODE, IndexWriter, LineKind
from tty_agent.trace.records import DecisionRecord, Header, Record, TraceFault, is_too_long

_encoder: Final = msgspec.json.Encoder()


class TraceExists(TraceFault):
    """There is a file of that name. A trace is the record of one run and is never written over or added to."""


class LineTooLong(TraceFault):
    """A record is longer than readers read. Nothing of it was written."""


class TraceWriter:
    """One open trace. The first record must be the header; then decisions by ascending step, and events."""

    def __init__(self, path: Path | str) -> None:
        """Make the file, and the folders above it. Raises TraceExists, OSError."""
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, FILE_MODE)
        except FileExistsError as fault:
            raise TraceExists(f"{self.path} exists: give the run another name, or move that file away") from fault
        self._index: IndexWriter | None = None
        self._size = 0
        self._step = 0

    def write(self, record: Record) -> int:
        """Append one record and return the byte at which its line begins.

        Raises ValueError for a record out of order, LineTooLong, OSError if the line can't be written: then none of
        it is in the file. A process that is killed later leaves the line whole.
        """
        self._check(record)
        line = encode_line(record)
        if is_too_long(line):
            raise LineTooLong(f"{self.path}: a line of {len(line)} bytes is more than a trace takes")
        start = self._size
        try:
            _write_all(self._fd, line)
        except OSError:
            os.ftruncate(self._fd, start)
            raise
        self._size += len(line)
        if self._index is None:
            self._index = IndexWriter(self.path, line)
        self._index.append(start, LineKind.of(record))
        return start

    @property
    def size(self) -> int:
        """Bytes written so far."""
        return self._size

    def close(self) -> None:
        """Close the files; may be called twice."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        if self._index is not None:
            self._index.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check(self, record: Record) -> None:
        if isinstance(record, Header) != (self._size == 0):
            raise ValueError("a trace begins with a header, and has one")
        if isinstance(record, DecisionRecord):
            if record.step != self._step + 1:
                raise ValueError(f"step {record.step} after step {self._step}")
            self._step = record.step


def encode_line(record: Record) -> bytes:
    """One record as a line. Surrogates, which a model can smuggle in by JSON escapes, become U+FFFD."""
    try:
        return _encoder.encode(record) + b"\n"
    except UnicodeEncodeError:
        return _encoder.encode(_without_surrogates(msgspec.to_builtins(record))) + b"\n"


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(inner) for inner in value]
    return value


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
