"""One database, opened for commands, for the writer's thread and for the event loop.

Every function of the store is written once, as a plain function of a SQLAlchemy `Connection`. Here is how
it gets one:

- `begin()` and `connect()`: for commands and threads. Transactions of `begin()` are IMMEDIATE: who comes
  second waits at the start, so that what a writer has read can't be changed under it.
- `await read(fn, …)`: for pages and lists, over the async engine.
- `await look_up(fn, …)`: for the short queries on the way into a match. A statement over the async engine
  crosses between threads five times, and each crossing waits for the loop's turn: under load a log-in took
  30-80 ms that way and takes 4 ms in one crossing (`docs/performance.md`).
- `glance(statement)`: for one row on the event loop's own thread.
- `await write(fn, …)`: for the few writes that are not matches.

SQLite runs in WAL mode with synchronous FULL: a commit that returned survives a power cut, and readers
never wait for the writer.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, Self, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, DatabaseError, DBAPIError

from agentbbs.store.schema import HEAD

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

P = ParamSpec("P")
T = TypeVar("T")

BUSY_TIMEOUT_MS: Final = 5000
"""How long a transaction waits for another process's; a commit takes ms, a backup a second or two."""

CACHED_STATEMENTS: Final = 256
"""Prepared statements kept a connection: the writer has one for each size of a batch, up to 64, twice."""

_MIGRATIONS: Final = Path(__file__).parent / "migrations"

_BEGIN: Final = "agentbbs_begin"
"""The execution option that names the statement which opens a transaction; None for none at all."""


class DatabaseFault(Exception):
    """Why a database can't be used, as a sentence that names the remedy."""


class WrongUrl(DatabaseFault):
    """`AGENTBBS_DATABASE_URL` names nothing that can be opened."""


class CannotOpen(DatabaseFault):
    """The file can't be opened, or is no database."""


class NoSchema(DatabaseFault):
    """There is nothing there yet."""


class SchemaTooOld(DatabaseFault):
    """An earlier version made it."""


class SchemaTooNew(DatabaseFault):
    """A later version made it, or another program."""


class Database:
    """The database at `url`, such as `sqlite:///data/agentbbs.db`. Raises WrongUrl.

    Nothing is opened before it is needed. Call `upgrade()` or `open()` first; everything else raises
    NoSchema, SchemaTooOld or SchemaTooNew if the schema is not the one that this code knows. End with
    `await close()`, or in a command, without an event loop, with `dispose()` (or use it in a `with`).
    """

    def __init__(self, url: str, *, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> None:
        self.url = _checked(url)
        self.path = Path(str(self.url.database))
        self._busy_timeout_ms = busy_timeout_ms
        engine = create_engine(self.url.set(drivername="sqlite+pysqlite"), **_OPTIONS)
        self._prepare(engine)
        self._reading = engine.execution_options(**{_BEGIN: "BEGIN"})
        self._writing = engine.execution_options(**{_BEGIN: "BEGIN IMMEDIATE"})
        self._single = engine.execution_options(**{_BEGIN: None})
        self._async: AsyncEngine | None = None
        self._look_ups = ThreadPoolExecutor(1, "agentbbs-look-up")
        self._look_up_conn: Connection | None = None
        self._writes = ThreadPoolExecutor(1, "agentbbs-write")
        self._glance: sqlite3.Connection | None = None
        self._known_good = False

    @classmethod
    def in_folder(cls, data: Path, file: str = "agentbbs.db") -> Self:
        """The SQLite database of a data folder."""
        return cls(URL.create("sqlite", database=str(data / file)).render_as_string())

    def open(self) -> Self:
        """Make a database where there is none, and check one that is there. Raises SchemaTooOld, SchemaTooNew."""
        if self.current_revision() is None:
            self.upgrade()
        self._verify()
        return self

    def upgrade(self) -> None:
        """Bring the schema to `head()`, from nothing if need be, as one transaction: a second process that
        does the same waits, and finds it done. Raises SchemaTooNew, CannotOpen."""
        with _opening(self.path):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path.touch(mode=0o600)  # it holds hashes of passwords
            with self._writing.begin() as conn:
                revision = _revision(conn)
                if revision != HEAD:
                    _refuse_foreign(conn, revision)
                    _migrate(conn)
        self._known_good = True

    def current_revision(self) -> str | None:
        """The revision of the schema that is there; None if there is none. Raises CannotOpen."""
        if not self.path.exists():
            return None
        with _opening(self.path), self._reading.connect() as conn:
            return _revision(conn)

    def head(self) -> str:
        """The revision that this code works with."""
        return HEAD

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """A connection in an IMMEDIATE transaction that is committed at the end, or rolled back on an error."""
        self._verify()
        with self._writing.begin() as conn:
            yield conn

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """A connection to read from; all its queries see the database of one moment."""
        self._verify()
        with self._reading.connect() as conn:
            yield conn

    def writing_connection(self) -> Connection:
        """A connection of the caller's own, whose transactions are IMMEDIATE: `with conn.begin(): …`. Close it."""
        self._verify()
        return self._writing.connect()

    async def read(self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `fn(connection, …)` returns; all its queries see the database of one moment."""
        self._verify()
        async with self._async_engine().connect() as conn:
            return await conn.run_sync(fn, *args, **kwargs)

    async def look_up(self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `fn(connection, …)` returns, by the shortest way: one thread, one crossing, no transaction
        (each query sees the database as it is then). For queries of well under a ms: others wait behind."""
        self._verify()

        def run() -> T:
            # One connection for all of them: taking one from the pool each time would double the cost.
            conn = self._look_up_conn = self._look_up_conn or self._single.connect()
            try:
                return fn(conn, *args, **kwargs)
            finally:
                conn.rollback()

        return await asyncio.get_running_loop().run_in_executor(self._look_ups, run)

    def glance(self, statement: str) -> Sequence[Any] | None:
        """The first row of a query of microseconds, read on the caller's own thread and never waiting; None
        if it can't be read right now: then `look_up` it. Call it from one thread only.

        For what the event loop asks of every caller: a crossing to a thread and back costs 170 us of CPU, a
        row of a table of one row 10.
        """
        self._verify()
        try:
            if self._glance is None:
                self._glance = sqlite3.connect(self.path, isolation_level=None)
                self._glance.execute("PRAGMA busy_timeout = 0")
                self._glance.execute("PRAGMA query_only = ON")
            row: Sequence[Any] | None = self._glance.execute(statement).fetchone()
        except sqlite3.Error:
            return None
        return row

    async def write(self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `fn(connection, …)` returns, in a transaction as `begin` makes it; durable on return."""

        def run() -> T:
            with self.begin() as conn:
                return fn(conn, *args, **kwargs)

        return await asyncio.get_running_loop().run_in_executor(self._writes, run)

    async def close(self) -> None:
        """Finish what runs and close every connection."""
        if self._async is not None:
            await self._async.dispose()
            self._async = None
        self._close_glance()
        await asyncio.to_thread(self.dispose)

    def dispose(self) -> None:
        """`close` for code without an event loop."""
        self._close_glance()
        self._look_ups.shutdown()
        self._writes.shutdown()
        if self._look_up_conn is not None:
            self._look_up_conn.close()
            self._look_up_conn = None
        self._reading.dispose()

    def _close_glance(self) -> None:
        """SQLite wants it closed on the thread that opened it."""
        if self._glance is not None:
            self._glance.close()
            self._glance = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.dispose()

    def _verify(self) -> None:
        if self._known_good:
            return
        revision = self.current_revision()
        if revision != HEAD:
            if revision is None:
                raise NoSchema(
                    f"there is no database at {self.path.absolute()}: go to your venue's folder or set "
                    "AGENTBBS_DATA, or run `agentbbs db upgrade` to make a new one there"
                )
            if revision in _revisions():
                raise SchemaTooOld(
                    f"the database {self.path} has schema {revision} and this version works with {HEAD}: "
                    "stop the venue, make a backup, then run `agentbbs db upgrade`"
                )
            raise _too_new(self.path, revision)
        self._known_good = True

    def _async_engine(self) -> AsyncEngine:
        if self._async is None:
            from sqlalchemy.ext.asyncio import create_async_engine  # noqa: PLC0415 - brings the ORM, 0.2 s

            engine = create_async_engine(self.url.set(drivername="sqlite+aiosqlite"), **_OPTIONS)
            self._prepare(engine.sync_engine)
            self._async = engine.execution_options(**{_BEGIN: "BEGIN"})
        return self._async

    def _prepare(self, engine: Engine) -> None:
        """Have SQLAlchemy say BEGIN, in our words, instead of the driver, which would not say it before a
        SELECT or a CREATE TABLE; and set what SQLite wants set on each connection."""

        @event.listens_for(engine, "connect")
        def connect(connection: Any, _record: object) -> None:
            connection.isolation_level = None
            cursor = connection.cursor()
            for pragma in (
                f"busy_timeout = {self._busy_timeout_ms}",
                "journal_mode = WAL",
                "synchronous = FULL",
                "foreign_keys = ON",
            ):
                cursor.execute(f"PRAGMA {pragma}")
            cursor.close()

        @event.listens_for(engine, "begin")
        def begin(conn: Connection) -> None:
            statement = conn.get_execution_options().get(_BEGIN)
            if statement is not None:
                driver_execute(conn, statement)


@contextmanager
def one_moment(conn: Connection) -> Iterator[None]:
    """All queries within see the database of one moment, also on the connection of `look_up`, which begins no
    transaction. Where there is one already, or one begins by itself, nothing is done; a savepoint would say the same
    and cost as much as three queries."""
    if conn.get_execution_options().get(_BEGIN) is not None or _in_transaction(conn):
        yield
        return
    driver_execute(conn, "BEGIN")
    try:
        yield
    finally:
        if _in_transaction(conn):
            driver_execute(conn, "ROLLBACK")


def _in_transaction(conn: Connection) -> bool:
    driver: Any = conn.connection.driver_connection
    return bool(driver.in_transaction)


def driver_execute(conn: Connection, statement: str, parameters: Sequence[Any] = ()) -> Sequence[Any] | None:
    """Have the driver itself execute `statement` (with `?` for each parameter) in the transaction of `conn`;
    returns its first row. Raises SQLAlchemy's errors.

    For statements that run with every commit: SQLAlchemy's own way costs 60 us more, and holds the
    interpreter's lock for it.
    """
    cursor = conn.connection.cursor()
    try:
        cursor.execute(statement, parameters)
        return cursor.fetchone() if cursor.description else None
    except sqlite3.Error as fault:
        raise DBAPIError.instance(
            statement, None, fault, sqlite3.Error, hide_parameters=True, dialect=conn.dialect
        ) from fault
    finally:
        cursor.close()


_OPTIONS: Final[dict[str, Any]] = {
    "connect_args": {"cached_statements": CACHED_STATEMENTS},
    # The text of an error ends up in logs, and parameters are hashes of tokens and passwords.
    "hide_parameters": True,
}


def _checked(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError as fault:
        raise WrongUrl(
            "AGENTBBS_DATABASE_URL is no database URL: set one such as sqlite:///data/agentbbs.db"
        ) from fault
    if parsed.get_backend_name() != "sqlite" or parsed.database in (None, "", ":memory:"):
        raise WrongUrl(
            f"AGENTBBS_DATABASE_URL={parsed.render_as_string()!r} can't be used: "
            "set the URL of an SQLite file, such as sqlite:///data/agentbbs.db"
        )
    return parsed


@contextmanager
def _opening(path: Path) -> Iterator[None]:
    """Say in one sentence why a file can't be opened."""
    try:
        yield
    except OSError as fault:
        raise CannotOpen(f"the database {path} can't be opened: {fault.strerror}: check its folder") from fault
    except DatabaseError as fault:
        raise CannotOpen(
            f"the database {path} can't be opened: {fault.orig}: check the file, its folder and who else uses it"
        ) from fault


def _revision(conn: Connection) -> str | None:
    if not inspect(conn).has_table("alembic_version"):
        return None
    return conn.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()


def _refuse_foreign(conn: Connection, revision: str | None) -> None:
    """Leave a database alone that this version can't upgrade. Raises SchemaTooNew."""
    path = Path(str(conn.engine.url.database))
    if revision is None:
        if inspect(conn).get_table_names():
            raise SchemaTooNew(f"{path} is some other program's database: set another AGENTBBS_DATABASE_URL")
    elif revision not in _revisions():
        raise _too_new(path, revision)


def _too_new(path: Path, revision: str) -> SchemaTooNew:
    return SchemaTooNew(
        f"the database {path} has schema {revision}, which this version (up to {HEAD}) does not know: "
        "a later version made it; install that one, and run `agentbbs db upgrade` there"
    )


def _revisions() -> frozenset[str]:
    from alembic.script import ScriptDirectory  # noqa: PLC0415 - slow, and only wanted where schemas differ

    return frozenset(script.revision for script in ScriptDirectory(str(_MIGRATIONS)).walk_revisions())


def _migrate(conn: Connection) -> None:
    from alembic import command  # noqa: PLC0415 - slow, and only wanted where schemas differ
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = conn
    command.upgrade(config, "head")
