"""What is whole of a trace whose writer was killed or whose disk was full; and cutting off what is not."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import msgspec

from tty_agent.trace.index import FILE_MODE
from tty_agent.trace.records import (
    DecisionRecord,
    EventName,
    EventRecord,
    Header,
    NotATrace,
    TraceFault,
    decode_line,
    is_too_long,
    whole_lines,
)
from tty_agent.transcript.regular_file import regular_file

TAIL_SUFFIX: Final = ".torn"

MAX_DAMAGED_SHOWN: Final = 20
"""A file with more damaged lines than this is no trace that anybody repairs line by line."""

_COPY_BYTES: Final = 1024 * 1024


class Damage(msgspec.Struct, frozen=True):
    """A line that is no record, and no part of the tail: never cut."""

    offset: int
    fault: str


class Soundness(msgspec.Struct, frozen=True, kw_only=True):
    """What a trace holds."""

    lines: int
    """Whole records."""
    steps: int
    last_step: int
    finished: bool
    """The run wrote its end."""
    whole_bytes: int
    """Up to the end of the last whole record, or of a line too long to be read."""
    torn_bytes: int
    """What follows it and is none."""
    damaged: tuple[Damage, ...] = ()
    """The first `MAX_DAMAGED_SHOWN` of them."""


def inspect(path: Path | str) -> Soundness:
    """Read the whole file, a line at a time. Raises NotATrace, OSError."""
    place = regular_file(path)
    look = _Look()
    with place.open("rb") as file:
        for offset, line, end in whole_lines(file):
            look.line(place, offset, line, end)
        size = file.seek(0, os.SEEK_END)
    if not look.lines:
        raise NotATrace(place, "it has no whole line")
    return Soundness(
        lines=look.lines,
        steps=look.steps,
        last_step=look.last_step,
        finished=look.finished,
        whole_bytes=look.whole_bytes,
        torn_bytes=size - look.whole_bytes,
        damaged=tuple(look.damaged),
    )


def cut(path: Path | str) -> Path | None:
    """Cut the torn tail off, after a copy of it was put beside the trace; its path, or None if nothing is torn.

    Not for a trace that is still being written. Raises NotATrace, OSError, TraceFault.
    """
    place = Path(path)
    found = inspect(place)
    if not found.torn_bytes:
        return None
    copy = _free_name(place)
    copy.touch(FILE_MODE, exist_ok=False)
    with place.open("r+b") as file, copy.open("r+b") as kept:
        file.seek(found.whole_bytes)
        left = found.torn_bytes
        while left and (piece := file.read(min(left, _COPY_BYTES))):
            kept.write(piece)
            left -= len(piece)
        kept.flush()
        os.fsync(kept.fileno())
        if file.seek(0, os.SEEK_END) != found.whole_bytes + found.torn_bytes:
            raise TraceFault(f"{place} is being written: wait until the run is over")
        file.truncate(found.whole_bytes)
    return copy


class _Look:
    """What was found so far. A line that is no record is damage once a whole one follows, else part of the tail; one
    that is too long to be read is no sign of a crash, and is kept with all before it."""

    def __init__(self) -> None:
        self.lines = self.steps = self.last_step = self.whole_bytes = 0
        self.finished = False
        self.suspects: list[Damage] = []
        self.damaged: list[Damage] = []

    def line(self, place: Path, offset: int, line: bytes, end: int) -> None:
        try:
            record = decode_line(line)
        except ValueError as fault:
            if offset == 0:
                raise NotATrace(place, str(fault)) from fault
            if len(self.suspects) + len(self.damaged) < MAX_DAMAGED_SHOWN:
                self.suspects.append(Damage(offset, str(fault)))
            if is_too_long(line):
                self._keep(end)
            return
        if offset == 0 and not isinstance(record, Header):
            raise NotATrace(place, "its first line is no header")
        self._keep(end)
        self.lines += 1
        if isinstance(record, DecisionRecord):
            self.steps += 1
            self.last_step = record.step
        elif isinstance(record, EventRecord):
            self.finished = self.finished or record.event == EventName.RUN_FINISHED

    def _keep(self, end: int) -> None:
        self.damaged += self.suspects
        self.suspects = []
        self.whole_bytes = end


def _free_name(place: Path) -> Path:
    """`run.jsonl.torn`, or the first of `run.jsonl.torn.1`, `.2`, … that is free."""
    copy = place.with_name(place.name + TAIL_SUFFIX)
    number = 0
    while copy.exists():
        number += 1
        copy = place.with_name(f"{place.name}{TAIL_SUFFIX}.{number}")
    return copy
