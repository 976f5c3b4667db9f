"""Any step of a long trace at once: a sidecar file with the place of every line.

`run.jsonl.index` is a fingerprint of the trace's first line, then 8 bytes a line, little-endian: the line's kind in
the top byte, the byte at which it begins below. The writer of a trace adds to it line by line. It holds nothing that
the trace does not: where it is missing, older than the trace or of another one, it is made anew, and where it can't
be written it is kept in memory.
"""

from __future__ import annotations

import os
import secrets
import sys
import zlib
from array import array
from collections.abc import Iterator
from enum import IntEnum
from operator import lt
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self

import msgspec

from tty_agent.trace.records import (
    DamagedTrace,
    DecisionRecord,
    Header,
    NotATrace,
    Record,
    TraceFault,
    decode_line,
    read_line,
    whole_lines,
)
from tty_agent.transcript.regular_file import regular_file

SUFFIX: Final = ".index"

ENTRY_BYTES: Final = 8

FILE_MODE: Final = 0o600
"""Of a trace and its index: a trace shows whatever the terminal showed, mail included."""

_MAGIC: Final = b"TTYTRACE1\n"
_HEAD_BYTES: Final = len(_MAGIC) + 6
_KIND_SHIFT: Final = 56
_OFFSET_MASK: Final = (1 << _KIND_SHIFT) - 1


class LineKind(IntEnum):
    """What a line holds."""

    HEADER = 0
    DECISION = 1
    EVENT = 2

    @staticmethod
    def of(record: Record) -> LineKind:
        """The kind of a record."""
        if isinstance(record, DecisionRecord):
            return LineKind.DECISION
        return LineKind.HEADER if isinstance(record, Header) else LineKind.EVENT


class NoSuchStep(TraceFault):
    """The trace has no decision of that number."""


class IndexWriter:
    """Adds the places of lines to the sidecar of a trace that is being written.

    An index that can't be written is no reason to lose a run: then there is none, and the reader makes one.
    """

    def __init__(self, trace: Path, first_line: bytes) -> None:
        self._fd = -1
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_NOFOLLOW
            self._fd = os.open(sidecar(trace), flags, FILE_MODE)
            os.write(self._fd, _head(first_line))
        except OSError:
            self.close()

    def append(self, offset: int, kind: LineKind) -> None:
        """Add a line; after a failure no more are added, and the reader goes on from there."""
        if self._fd < 0:
            return
        try:
            whole = os.write(self._fd, _entry(offset, kind).to_bytes(ENTRY_BYTES, "little")) == ENTRY_BYTES
        except OSError:
            whole = False
        if not whole:
            self.close()

    def close(self) -> None:
        """Close the file; may be called twice."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


class TraceFile:
    """A trace opened for reading at any place. Holds 8 bytes a line and one record at a time."""

    def __init__(self, path: Path | str) -> None:
        """Open it. Raises NotATrace, DamagedTrace, OSError."""
        self.path = regular_file(path)
        self._file: BinaryIO = self.path.open("rb")
        self._entries: array[int] = array("Q")
        self._decisions: array[int] = array("Q")
        self._made_anew = False
        """All entries are by the lines of the trace, none by the sidecar."""
        self.torn_bytes = 0
        """What follows the last line end: part of a line that was never finished."""
        try:
            self._load()
        except BaseException:
            self._file.close()
            raise

    @property
    def lines(self) -> int:
        """How many whole lines there are."""
        return len(self._entries)

    @property
    def steps(self) -> int:
        """How many decisions there are; they are numbered from 1."""
        return len(self._decisions)

    def header(self) -> Header:
        """The first line. Raises NotATrace."""
        record = self._record(0)
        if not isinstance(record, Header):
            raise NotATrace(self.path, "its first line is no header")
        return record

    def step(self, number: int) -> DecisionRecord:
        """The decision of that number, from 1. Raises NoSuchStep, DamagedTrace.

        What an index says that was kept beside the trace is not believed where the trace says otherwise: it is made
        anew, once.
        """
        try:
            record = self._step(number)
        except TraceFault:
            if self._made_anew:
                raise
        else:
            if record.step == number or self._made_anew:
                return record
        self._load(trusted=False)
        return self._step(number)

    def _step(self, number: int) -> DecisionRecord:
        if not 1 <= number <= self.steps:
            having = f"it has steps 1 to {self.steps}" if self.steps else "it has none"
            raise NoSuchStep(f"{self.path} has no step {number}: {having}")
        offset = self._decisions[number - 1] & _OFFSET_MASK
        record = self._record(offset)
        if not isinstance(record, DecisionRecord):
            raise DamagedTrace(self.path, offset, "it is no decision")
        return record

    def page(self, first: int, count: int) -> list[DecisionRecord]:
        """Up to `count` decisions from step `first` on. Raises DamagedTrace."""
        return [self.step(number) for number in range(max(first, 1), min(first + count, self.steps + 1))]

    def records(self, first_line: int = 0) -> Iterator[Record]:
        """All records from that line on, counted from 0. Raises DamagedTrace."""
        for entry in self._entries[first_line:]:
            yield self._record(entry & _OFFSET_MASK)

    def close(self) -> None:
        """Close the file; may be called twice."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _record(self, offset: int) -> Record:
        self._file.seek(offset)
        try:
            return decode_line(read_line(self._file))
        except ValueError as fault:
            if offset == 0:
                raise NotATrace(self.path, str(fault)) from fault
            raise DamagedTrace(self.path, offset, str(fault)) from fault

    def _load(self, *, trusted: bool = True) -> None:
        """Take the index as far as it is true, or nothing of it, read on from there, and leave a whole one behind."""
        self._file.seek(0)
        first_line = read_line(self._file)
        if not first_line.endswith(b"\n"):
            raise NotATrace(self.path, "it has no whole line")
        head = _head(first_line)
        self._entries = self._true_entries(head) if trusted else array("Q")
        known = len(self._entries)
        self._made_anew = not known
        end = self._read_on()
        self.header()
        kind = LineKind.DECISION << _KIND_SHIFT  # above all offsets: entries of a kind are a range
        self._decisions = array("Q", [entry for entry in self._entries if kind <= entry <= kind | _OFFSET_MASK])
        self.torn_bytes = self.path.stat().st_size - end
        if len(self._entries) > known:
            _keep(self.path, head, self._entries)

    def _true_entries(self, head: bytes) -> array[int]:
        """The entries of the sidecar; none if it is missing or of another trace."""
        entries: array[int] = array("Q")
        try:
            data = sidecar(self.path).read_bytes()
        except OSError:  # missing or unreadable: the trace has it all
            return entries
        if data[:_HEAD_BYTES] != head:
            return entries
        entries.frombytes(data[_HEAD_BYTES : len(data) - (len(data) - _HEAD_BYTES) % ENTRY_BYTES])
        if sys.byteorder == "big":
            entries.byteswap()
        return entries if self._is_true(entries) else array("Q")

    def _is_true(self, entries: array[int]) -> bool:
        """Offsets ascend, and the last one is the beginning of a whole line."""
        if not entries:
            return False
        places = [entry & _OFFSET_MASK for entry in entries]
        if not all(map(lt, places, places[1:])):
            return False
        last = places[-1]
        if last > 0:
            self._file.seek(last - 1)
            if self._file.read(1) != b"\n":
                return False
        self._file.seek(last)
        return read_line(self._file).endswith(b"\n")

    def _read_on(self) -> int:
        """Add the lines after the last that is known; return the byte after the last whole one."""
        end = 0
        if self._entries:
            self._file.seek(self._entries[-1] & _OFFSET_MASK)
            read_line(self._file)
            end = self._file.tell()
        for offset, line, behind in whole_lines(self._file, end):
            self._entries.append(_entry(offset, _kind(line)))
            end = behind
        return end


def sidecar(trace: Path) -> Path:
    """The index of a trace."""
    return trace.with_name(trace.name + SUFFIX)


class _Tag(msgspec.Struct):
    type: str = ""


_KINDS: Final = {kind.name.lower(): kind for kind in LineKind}
_tag: Final = msgspec.json.Decoder(_Tag)


def _kind(line: bytes) -> LineKind:
    """The kind of a line by its tag, which the writer puts first. What has none is taken for an event: who reads
    it finds the fault, and the lines around it are still to be had."""
    for name, kind in _KINDS.items():
        if line.startswith(b'{"type":"%b"' % name.encode()):
            return kind
    try:
        return _KINDS.get(_tag.decode(line).type, LineKind.EVENT)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return LineKind.EVENT


def _entry(offset: int, kind: LineKind) -> int:
    return kind << _KIND_SHIFT | offset


def _head(first_line: bytes) -> bytes:
    """What an index of that trace begins with: 16 bytes, so that entries are aligned."""
    return _MAGIC + zlib.crc32(first_line).to_bytes(4, "little") + b"\0\0"


def _keep(trace: Path, head: bytes, entries: array[int]) -> None:
    """Put the index beside the trace, whole or not at all. A folder that is read-only is no fault."""
    stored = array("Q", entries)
    if sys.byteorder == "big":
        stored.byteswap()
    draft = sidecar(trace).with_name(f"{trace.name}{SUFFIX}.{secrets.token_hex(4)}")
    try:
        draft.touch(FILE_MODE, exist_ok=False)
        draft.write_bytes(head + stored.tobytes())
        draft.replace(sidecar(trace))
    except OSError:
        draft.unlink(missing_ok=True)
