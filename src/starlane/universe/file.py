"""The SQLite file of a universe: how it comes to be, whole or not at all, and how it is opened."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from starlane.dice import Dice
from starlane.flows import Flow
from starlane.records import Record
from starlane.rules.charts import Charts
from starlane.settings import Settings
from starlane.universe import schema
from starlane.universe.books import held_by
from starlane.universe.faults import UniverseBusy, UniverseFault
from starlane.universe.lock import WriteLock
from starlane.universe.store import TABLES
from starlane.universe.transaction import Transaction
from starlane.universe.trouble import trouble

if TYPE_CHECKING:
    from starlane.making.world import MadeWorld

MEMORY: Final = ":memory:"
"""The path of a universe that ends with its process."""
_BUSY_MS: Final = 10_000
"""Writers stand in line before they come to SQLite, so that this is only for foreign tools, and for the moment in which
the last process to close a file clears up its log."""
_PAGE_BYTES: Final = 1_024
"""An order touches eight pages of which it changes a few bytes: small ones make the log a fourth as long."""
_LONG_LOG_PAGES: Final = 16_000
"""16 MB, some two thousand orders without a moment's pause."""
_CHECKPOINT_PAGES: Final = 64_000
"""64 MB of log before SQLite itself writes it back within an order. It hardly comes to that: see `checkpoint`."""
_READERS_MS: Final = 20
"""That the log's new beginning waits for those who still read the old one, which takes a millisecond or two."""
_STATEMENTS: Final = 256
"""More than the engine has: each is prepared once."""


def _lock_path(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def connect(place: str, *, uri: bool = False) -> sqlite3.Connection:
    """A connection that begins no transaction by itself."""
    return sqlite3.connect(place, uri=uri, isolation_level=None, timeout=_BUSY_MS / 1000, cached_statements=_STATEMENTS)


def open_lock(path: Path) -> WriteLock:
    """The lock of the universe at `path`. Raises UniverseFault."""
    try:
        return WriteLock(_lock_path(path))
    except OSError as error:
        raise UniverseFault(f"{path} can't be used: {error}") from error


def open_file(path: Path, lock: WriteLock) -> sqlite3.Connection:
    """Open a universe that is there, and bring it to the version of this program. Raises UniverseFault."""
    with trouble(path, "the universe can't be used"):
        connection = connect(f"{path.resolve().as_uri()}?mode=rw", uri=True)
        try:
            _prepare(connection, lock)
        except BaseException:
            connection.close()
            raise
    return connection


def _prepare(connection: sqlite3.Connection, lock: WriteLock) -> None:
    connection.execute("PRAGMA synchronous = NORMAL")  # a power cut may lose the last orders, and never tears one
    connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
    if schema.version_of(connection) < schema.VERSION:
        lock.acquire()
        try:
            connection.execute("BEGIN IMMEDIATE")
            schema.migrate(connection)
            connection.execute("COMMIT")
        finally:
            lock.release()


def make_file(path: Path, settings: Settings, made: MadeWorld | None) -> None:
    """Make `path` under another name, and give it its own when it is whole and on the disk. Its folder is made if it is
    missing. Raises UniverseFault if there is one already: of several makers at once the first wins."""
    try:
        with trouble(path, "no universe can be made"):
            _make_file(path, settings, made)
    except OSError as error:
        raise UniverseFault(f"no universe can be made at {path}: {error}") from error


def _make_file(path: Path, settings: Settings, made: MadeWorld | None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = WriteLock(_lock_path(path))
    try:
        lock.acquire()
        if path.exists():
            raise UniverseFault(f"there is a universe at {path} already: reset it, or name another folder")
        with _whole(path) as unfinished, closing(connect(str(unfinished))) as connection:
            fill(connection, settings, made)
            connection.execute("PRAGMA journal_mode = WAL")
    finally:
        lock.close()


def keep_copy(connection: sqlite3.Connection, path: Path) -> None:
    """Copy the universe to `path`, whole or not at all, with the lock of all writers. Raises OSError, if there is a
    file already too, or sqlite3.DatabaseError."""
    if path.exists():
        raise FileExistsError("there is a file already")
    with _whole(path) as unfinished:
        connection.execute("VACUUM INTO ?", (str(unfinished),))
        _sync(unfinished)  # SQLite leaves that to its caller


@contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """The name under which to make a file, which gets its own when the block ends and goes when it raises."""
    unfinished = path.with_name(path.name + ".making")
    _clear_up(unfinished)  # of a maker that was killed: nobody else is here with the lock
    try:
        yield unfinished
        unfinished.rename(path)
    except BaseException:
        _clear_up(unfinished)
        raise
    _sync(path.parent)


def _clear_up(unfinished: Path) -> None:
    for suffix in ("", "-journal", "-wal", "-shm"):
        unfinished.with_name(unfinished.name + suffix).unlink(missing_ok=True)


def _sync(path: Path) -> None:
    """Have a file or the names in a folder on the disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def fill(connection: sqlite3.Connection, settings: Settings, made: MadeWorld | None) -> None:
    """Put a new world into an empty file. `made` stands in for the one that the settings make."""
    made = made or _made(settings)
    connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
    connection.execute("BEGIN")
    schema.define(connection)
    connection.execute("INSERT INTO world VALUES (1, '', 0, 0, 0, '')")
    _settle(connection, settings, made)
    connection.execute("COMMIT")


def refill(connection: sqlite3.Connection, settings: Settings, made: MadeWorld | None) -> None:
    """Put a new world in the place of the one there, within the caller's transaction. Other processes keep the file
    open: they see by the generation that theirs is gone."""
    made = made or _made(settings)
    for table in TABLES.values():
        connection.execute(f'DELETE FROM "{table.name}"')  # noqa: S608 - our own names
    connection.execute("DELETE FROM journal")
    connection.execute("DELETE FROM sqlite_sequence")
    _settle(connection, settings, made)


def _made(settings: Settings) -> MadeWorld:
    from starlane.making.world import make  # noqa: PLC0415 - who opens a world does not wait for the making of one

    return make(settings)


def _settle(connection: sqlite3.Connection, settings: Settings, made: MadeWorld) -> None:
    connection.execute(
        "UPDATE world SET settings = ?, day = 0, dice = ?, generation = generation + 1, calendar = ''",
        (msgspec.json.encode(settings).decode(), signed(made.dice)),
    )
    records: list[Record] = [*made.sectors, *made.lanes, *made.ports, *made.planets, *made.thornships]
    world = Transaction(connection, settings, lambda: Charts(made.lanes), 0, Dice(made.dice))
    for record in records:
        world.put(record)
    for good, amount in held_by(records).items():
        world.flow(Flow.MAKING, good, amount)


def checkpoint(connection: sqlite3.Connection, in_line: AbstractContextManager[None]) -> None:
    """Write the log back into the file, so that it begins anew.

    The wait for the disk, tens of milliseconds and seconds on a bad day, falls upon the caller alone: others go on
    meanwhile. Their orders may keep the log from beginning anew; only when it has become long for that they wait,
    `in_line`.
    """
    try:
        _, pages, _ = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        if pages > _LONG_LOG_PAGES:
            with in_line:
                connection.execute(f"PRAGMA busy_timeout = {_READERS_MS}")
                connection.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()
    except (sqlite3.DatabaseError, UniverseBusy):
        pass  # the log keeps all there is, and the next one in turn tries again
    finally:
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")


def signed(state: int) -> int:
    """A state of the dice as SQLite's signed number of 64 bits; `Dice` takes it as it comes back."""
    return state - (1 << 64) if state >> 63 else state
