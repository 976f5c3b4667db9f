"""Memory as files: portable JSON, written whole or not at all.

A file is replaced by a finished one (written beside it, synced, renamed), so a reader finds the old or the new text
and never half of one, whatever kills the writer. Who changes a file holds its lock from reading to writing: two runs
of one agent can't lose each other's commits. The lock is a file of its own, since the other is replaced.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Generic, TypeVar

import msgspec

from tty_agent.memory.memory import MEMORY_SCHEMA_VERSION, CampaignMemory, Committed, MemoryUpdate, Provenance, commit

MAX_FILE_BYTES: Final = 4 * 1024 * 1024
"""Twenty times what campaign memory can hold; a larger file is something else."""

_FILE_MODE: Final = 0o600
"""Notes hold what the terminal showed, mail included."""

T = TypeVar("T")


class MemoryFault(Exception):
    """A memory file can't be used; the text says why and what to do."""


class Unreadable(MemoryFault):
    """It is no JSON of this kind. It is left as it is."""


class TooNew(MemoryFault):
    """It was written by a later version of this program."""


class NotWritten(MemoryFault):
    """Writing failed; the file is whole: the old one, or the new one if only its folder could not be synced."""


class JsonFile(Generic[T]):
    """One value of type `kind` as a JSON file. `empty` is its value while there is no file."""

    def __init__(self, path: str | os.PathLike[str], kind: type[T], empty: T) -> None:
        self.path: Final = Path(path)
        self._empty = empty
        self._decoder = msgspec.json.Decoder(kind)

    def load(self) -> T:
        """The value. Raises Unreadable; no lock is needed, since the file is always whole."""
        try:
            with self.path.open("rb") as file:
                text = file.read(MAX_FILE_BYTES + 1)
        except FileNotFoundError:
            return self._empty
        except OSError as fault:
            raise Unreadable(f"{self.path}: {fault.strerror}") from fault
        if len(text) > MAX_FILE_BYTES:
            raise Unreadable(f"{self.path} is larger than {MAX_FILE_BYTES} bytes and is no memory file")
        try:
            return self._decoder.decode(text)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
            raise Unreadable(f"{self.path}: {fault}; mend it or move it away") from fault

    def save(self, value: T) -> None:
        """Replace the file. Raises NotWritten."""
        with self._locked():
            self._write(value)

    def change(self, step: Callable[[T], T]) -> T:
        """Load, apply `step`, save, with nobody in between; returns the new value. Waits for who holds the lock: a
        change takes milliseconds. Raises Unreadable, NotWritten, and what `step` raises."""
        with self._locked():
            value = step(self.load())
            self._write(value)
        return value

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        lock_path = self.path.with_name(f"{self.path.name}.lock")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            lock = os.open(lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, _FILE_MODE)
        except OSError as fault:
            raise NotWritten(f"{lock_path}: {fault.strerror}") from fault
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)  # the lock goes with it

    def _write(self, value: T) -> None:
        text = msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
        if len(text) > MAX_FILE_BYTES:
            raise NotWritten(f"{self.path} would be larger than {MAX_FILE_BYTES} bytes")
        beside = self.path.with_name(f"{self.path.name}.tmp")  # the lock is held: no one else writes it
        try:
            _write_synced(beside, text)
            beside.replace(self.path)
            _sync_folder(self.path.parent)
        except OSError as fault:
            with contextlib.suppress(OSError):  # the first fault is the one to tell
                beside.unlink(missing_ok=True)
            raise NotWritten(f"{self.path}: {fault.strerror}") from fault


class CampaignFile:
    """The campaign memory of one agent as a file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._file = JsonFile(path, CampaignMemory, CampaignMemory())
        self.path: Final = self._file.path

    def load(self) -> CampaignMemory:
        """What is remembered; empty if there is no file yet. Raises Unreadable, TooNew."""
        return _known(self._file.load(), self.path)

    def commit(self, update: MemoryUpdate, by: Provenance) -> Committed:
        """`memory.commit` upon what the file holds at that moment. To be called at the end of an activity and nowhere
        else. Raises Unreadable, TooNew, NotWritten."""
        done: list[Committed] = []

        def step(held: CampaignMemory) -> CampaignMemory:
            done.append(commit(_known(held, self.path), update, by))
            return done[-1].memory

        self._file.change(step)
        return done[-1]


def _known(memory: CampaignMemory, path: Path) -> CampaignMemory:
    if memory.schema_version > MEMORY_SCHEMA_VERSION:
        raise TooNew(
            f"{path} has schema version {memory.schema_version}, and this program knows {MEMORY_SCHEMA_VERSION}:"
            " use a newer one"
        )
    return memory


def _write_synced(path: Path, text: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
    with open(os.open(path, flags, _FILE_MODE), "wb") as file:  # noqa: PTH123 - Path.open takes no descriptor
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Make the rename last: it is an entry of the folder."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
