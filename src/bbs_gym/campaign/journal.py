"""`campaign.jsonl`: each event is one whole line on the disk before the campaign goes on."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import msgspec
import structlog

from bbs_gym.campaign.events import CampaignEvent, CampaignLine
from tty_agent.trace.records import whole_lines
from tty_agent.transcript.regular_file import regular_file

FILE_NAME: Final = "campaign.jsonl"

ORPHANS_S: Final = 60.0
"""For the workers of a campaign that was killed to be gone: they end as soon as they notice, and end their venues."""

LOOK_S: Final = 0.1
"""Between two looks whether they are."""

_FILE_MODE: Final = 0o600

_log = structlog.get_logger(__name__)


class CampaignFault(Exception):
    """The campaign can't be run, or not gone on with; the text says why and what to do."""


class CampaignJournal:
    """The open file. Nobody else writes it as long as this process, or a worker that got `lock`, is alive."""

    def __init__(
        self,
        path: Path,
        *,
        resumes: bool,
        wall: Callable[[], str],
        watch: Callable[[CampaignLine], None] | None = None,
        wait_s: float = ORPHANS_S,
    ) -> None:
        """A new file, or with `resumes` one that is there and is added to: what a kill left of a line is cut off.
        `wall` gives timestamps, `watch` gets each new line. Raises CampaignFault, if another process writes it only
        after `wait_s`."""
        self.path: Final = path
        self.lines: Final[list[CampaignLine]] = []
        """All of it."""
        self._wall = wall
        self._watch = watch
        flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | (0 if resumes else os.O_CREAT | os.O_EXCL)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(path, flags, _FILE_MODE)
        except FileExistsError as fault:
            raise CampaignFault(
                f"{path} exists: go on with it by --resume, or give the campaign another folder"
            ) from fault
        except FileNotFoundError as fault:
            raise CampaignFault(f"{path} is not there: run the campaign without --resume") from fault
        except OSError as fault:
            raise CampaignFault(f"{path}: {fault.strerror}: give the campaign another folder") from fault
        try:
            self._lock(wait_s if resumes else 0.0)
            if resumes:
                self._go_on()
            else:
                _sync_folder(path.parent)
        except BaseException:
            self.close()
            raise

    @property
    def lock(self) -> int:
        """A descriptor: a process that inherits it keeps the journal locked until it ends."""
        return self._fd

    def write(self, event: CampaignEvent, *, match: str | None = None, data: dict[str, Any] | None = None) -> None:
        """Append one event, and have it on the disk. Raises CampaignFault."""
        line = CampaignLine(event=event, timestamp=self._wall(), seq=len(self.lines) + 1, match=match, data=data or {})
        try:
            view = memoryview(msgspec.json.encode(line, enc_hook=str) + b"\n")
            while view:
                view = view[os.write(self._fd, view) :]
            os.fsync(self._fd)
        except OSError as fault:
            raise CampaignFault(f"{self.path}: {fault.strerror}: make room, and go on by --resume") from fault
        self.lines.append(line)
        self._tell(line)

    def close(self) -> None:
        """Close the file; may be called twice."""
        if self._fd >= 0:
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

    def _lock(self, wait_s: float) -> None:
        until = time.monotonic() + wait_s
        while True:
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as fault:
                if time.monotonic() >= until:
                    raise CampaignFault(
                        f"{self.path} is being written by another process: wait until that campaign is over"
                    ) from fault
                time.sleep(LOOK_S)
            else:
                return

    def _go_on(self) -> None:
        end = 0
        for line, after in _lines(self.path):
            self.lines.append(line)
            end = after
        os.ftruncate(self._fd, end)
        os.fsync(self._fd)

    def _tell(self, line: CampaignLine) -> None:
        if self._watch is None:
            return
        try:
            self._watch(line)
        except Exception as fault:  # the campaign is not its affair
            self._watch = None
            _log.warning("watcher_dropped", why=f"{type(fault).__name__}: {fault}")


def read_lines(path: Path) -> tuple[CampaignLine, ...]:
    """The lines of a campaign, also of one that is on; a torn last one is left out. Raises CampaignFault."""
    return tuple(line for line, _ in _lines(path))


def _lines(path: Path) -> Iterator[tuple[CampaignLine, int]]:
    """Each line, and the byte behind it."""
    decoder = msgspec.json.Decoder(CampaignLine)
    at, seq = 0, 0
    try:
        with regular_file(path).open("rb") as file:
            for at, line, end in whole_lines(file):  # noqa: B007 - the fault tells where
                read = decoder.decode(line)
                seq += 1
                if read.seq != seq:
                    raise CampaignFault(f"{path}: line {seq} has the number {read.seq}: lines are missing")
                yield read, end
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        raise CampaignFault(
            f"{path}: at byte {at} is no event of a campaign ({fault}): give the folder of a campaign"
        ) from fault
    except OSError as fault:
        raise CampaignFault(f"{path}: {fault.strerror or fault}: give the folder of a campaign") from fault


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
