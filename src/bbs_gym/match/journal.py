"""`match.jsonl`: each event is one whole line in the file before the match goes on."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import msgspec
import structlog

from bbs_gym.match.events import EventLine, MatchEvent
from tty_agent.runner.record import stamp
from tty_agent.runner.settings import Clock
from tty_agent.trace.records import whole_lines
from tty_agent.transcript.regular_file import regular_file

FILE_NAME: Final = "match.jsonl"

MATCH_SCHEMA_VERSION: Final = 1
"""In the data of `match_started`; raised when a field is renamed, goes or changes its meaning."""

_FILE_MODE: Final = 0o600
"""It names accounts, and quotes what a terminal showed in the detail of an end."""

_log = structlog.get_logger(__name__)


class JournalFault(Exception):
    """The file can't be written or read; the text says why and what to do. A match without a record is not gone on
    with."""


class MatchJournal:
    """The open file. `watch` gets each line once it is written; if it raises, it gets no more."""

    def __init__(
        self, path: Path, clock: Clock, watch: Callable[[EventLine], None] | None = None, *, resumes: bool = False
    ) -> None:
        """A new file, or with `resumes` one that is there and is added to: what a kill left of a line is cut off.
        Raises JournalFault."""
        self.path: Final = path
        self._clock = clock
        self._watch = watch
        self._seq = 0
        flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | (0 if resumes else os.O_CREAT | os.O_EXCL)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(path, flags, _FILE_MODE)
        except FileExistsError as fault:
            raise JournalFault(f"{path} exists: give the match another folder, or resume it") from fault
        except OSError as fault:
            raise JournalFault(f"{path}: {fault.strerror}: give the match another folder") from fault
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as fault:
            os.close(self._fd)
            raise JournalFault(f"{path} is being written by another process: wait until that match is over") from fault
        if resumes:
            self._go_on()

    def write(
        self,
        event: MatchEvent,
        *,
        round: int | None = None,  # noqa: A002 - the word of the format
        tick: int | None = None,
        agent_id: str | None = None,
        data: dict[str, Any] | None = None,
    ) -> EventLine:
        """Append one event. Raises JournalFault."""
        line = EventLine(
            event=event,
            timestamp=stamp(self._clock.wall()),
            seq=self._seq + 1,
            round=round,
            tick=tick,
            agent_id=agent_id,
            data=data or {},
        )
        try:
            _write_all(self._fd, msgspec.json.encode(line, enc_hook=str) + b"\n")
        except OSError as fault:
            raise JournalFault(f"{self.path}: {fault.strerror}: make room, or give another folder") from fault
        self._seq += 1
        self._tell(line)
        return line

    def close(self) -> None:
        """Sync and close the file; may be called twice."""
        if self._fd >= 0:
            os.fsync(self._fd)
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Self:
        """For `with`."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes it."""
        self.close()

    def _go_on(self) -> None:
        end = 0
        try:
            for line, after in _events(self.path):
                self._seq, end = line.seq, after
            os.ftruncate(self._fd, end)
        except (JournalFault, OSError):
            os.close(self._fd)
            raise

    def _tell(self, line: EventLine) -> None:
        if self._watch is None:
            return
        try:
            self._watch(line)
        except Exception as fault:  # the match is not its affair
            self._watch = None
            _log.warning("watcher_dropped", why=f"{type(fault).__name__}: {fault}")


def read_events(path: Path) -> Iterator[EventLine]:
    """The events of a match, one by one; a torn last line is left out. Raises JournalFault for a file that is none."""
    return (line for line, _ in _events(path))


def _events(path: Path) -> Iterator[tuple[EventLine, int]]:
    """Each event, and the byte behind it."""
    decoder = msgspec.json.Decoder(EventLine)
    at = 0
    try:
        with regular_file(path).open("rb") as file:
            for at, line, end in whole_lines(file):  # noqa: B007 - the fault tells where
                yield decoder.decode(line), end
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        raise JournalFault(
            f"{path}: at byte {at} is no event of a match ({fault}): give the folder of a match"
        ) from fault
    except OSError as fault:
        raise JournalFault(f"{path}: {fault.strerror or fault}: give the folder of a match") from fault


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
