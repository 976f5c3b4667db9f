"""Opening, upgrading and sharing the database."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, select, text
from sqlalchemy.exc import OperationalError

from agentbbs.play.ports import Player, Ply, Strike
from agentbbs.store import accounts, boards, endpoints, history
from agentbbs.store.boards import Reader
from agentbbs.store.database import (
    CannotOpen,
    Database,
    DatabaseFault,
    NoSchema,
    SchemaTooNew,
    SchemaTooOld,
    WrongUrl,
    one_moment,
)
from agentbbs.store.schema import HEAD, auth_epoch, game_lines_upto, metadata, ratings_epoch


def _names(conn: Connection) -> list[str]:
    return [account.name for account in accounts.all_accounts(conn)]


def test_the_migrations_build_the_schema_and_nothing_else(database: Database) -> None:
    with database.connect() as conn:
        context = MigrationContext.configure(conn, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, metadata) == []
        for table in (auth_epoch, ratings_epoch, game_lines_upto):
            assert conn.execute(select(table)).all() == [(0,)]


def test_the_migrations_make_the_statements_of_the_schema(database: Database, tmp_path: Path) -> None:
    # compare_metadata looks neither at checks nor at the conditions of indexes.
    plain = Database(f"sqlite:///{tmp_path / 'plain.db'}")
    with plain._writing.begin() as conn:
        metadata.create_all(conn)
    plain.dispose()

    def statements(path: Path) -> set[str]:
        conn = sqlite3.connect(path)
        found = conn.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name <> 'alembic_version'")
        shapes = {_shape(sql) for (sql,) in found}
        conn.close()
        return shapes

    assert statements(database.path) == statements(plain.path)


def _shape(sql: str) -> str:
    """A statement with its clauses in alphabetical order: migrations and metadata differ in theirs, and a column that
    was added stands on the last line."""
    clauses = (part.strip(" \t\n,()") for part in re.split(r"\n|, ", sql.replace("\t", "")))
    return " ".join(sorted(clause for clause in clauses if clause))


def test_the_head_is_the_newest_migration() -> None:
    scripts = ScriptDirectory(str(Path(sys.modules["agentbbs.store.database"].__file__ or "").parent / "migrations"))
    assert scripts.get_current_head() == HEAD


def test_a_fresh_database_is_made_at_once(tmp_path: Path) -> None:
    with Database(f"sqlite:///{tmp_path / 'new' / 'folder' / 'a%b.db'}") as database:
        assert database.current_revision() is None
        assert not database.path.exists()
        database.upgrade()
        assert database.current_revision() == database.head() == HEAD
        database.upgrade()
        assert stat.S_IMODE(database.path.stat().st_mode) == 0o600


def test_open_makes_what_is_not_there_and_leaves_what_is(tmp_path: Path) -> None:
    for _ in range(2):
        with Database.in_folder(tmp_path / "data").open() as database, database.begin() as conn:
            accounts.add(conn, f"agent-{len(_names(conn))}", now_ms=1)
    with Database.in_folder(tmp_path / "data") as database, database.connect() as conn:
        assert _names(conn) == ["agent-0", "agent-1"]


@pytest.mark.parametrize(
    "url", ["", "venue.db", "postgresql://host/venue", "sqlite://", "sqlite:///:memory:", "mysql://u:secret@h/d"]
)
def test_a_url_that_names_no_file_is_refused(url: str) -> None:
    with pytest.raises(WrongUrl, match=r"sqlite:///data/agentbbs\.db") as refused:
        Database(url)
    assert "secret" not in str(refused.value)


def test_nothing_works_before_the_schema_is_there(tmp_path: Path) -> None:
    with Database(f"sqlite:///{tmp_path / 'none.db'}") as database:
        with pytest.raises(NoSchema, match="agentbbs db upgrade"), database.connect():
            pass
        with pytest.raises(NoSchema, match="agentbbs db upgrade"), database.begin():
            pass
        with pytest.raises(NoSchema):
            database.writing_connection()
        assert not database.path.exists()


def test_an_older_schema_names_its_remedy(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentbbs.store.database.HEAD", "9999")
    with Database(database.url.render_as_string()) as newer:
        with pytest.raises(SchemaTooOld, match="make a backup, then run `agentbbs db upgrade`"), newer.connect():
            pass
        with pytest.raises(SchemaTooOld):
            newer.open()


@contextmanager
def _of_revision(url: str, revision: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A new database as a former version made it, with the account bob."""
    with monkeypatch.context() as patch:
        patch.setattr("agentbbs.store.database.HEAD", revision)
        patch.setattr("alembic.command.upgrade", partial(_upgrade_to, command.upgrade, revision))
        with Database(url) as old:
            old.upgrade()
            assert old.current_revision() == revision
            with old.begin() as conn:
                conn.exec_driver_sql(
                    "INSERT INTO accounts (name, skeleton, sysop, created_ms) VALUES ('bob', 'bob', 0, 7)"
                )
            yield old


def test_a_database_of_the_first_version_is_upgraded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path / 'venue.db'}"
    with _of_revision(url, "0001", monkeypatch) as old, old.connect() as conn:
        assert "mail" not in inspect(conn).get_table_names()
    with Database(url) as database:
        with pytest.raises(SchemaTooOld):
            database.open()
        database.upgrade()
        assert database.current_revision() == HEAD
        with database.begin() as conn:
            assert _names(conn) == ["bob"]
            assert [area.name for area in boards.areas(conn, Reader())] == ["General", "Games", "Agents"]
            assert accounts.remove(conn, "bob", now_ms=8).created_ms == 7


def test_the_matches_of_the_second_version_are_read_after_the_upgrade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path / 'venue.db'}"
    with _of_revision(url, "0002", monkeypatch) as old, old.begin() as conn:
        conn.exec_driver_sql(
            "INSERT INTO game_matches (seq, id, game, rules_version, account_0, name_0, transport_0, rating_before_0, "
            "rating_after_0, name_1, transport_1, plies, unplayed, winner, termination, reason, rated, why, "
            "move_timeout_ms, started_ms, ended_ms) VALUES (1, 'm-1', 'ttt', 1, 1, 'bob', 'ssh', 1500, 1500, 'random', "
            """'house', '[{"move":"4","ms":12}]', '[{"kind":"timeout","ms":15000,"offered":null}]', 1, 'timeout', """
            "'forfeit: timeout', 0, 'practice', 15000, 1000, 17000)"
        )
    with Database(url) as database:
        database.upgrade()
        with database.begin() as conn:
            match = history.match(conn, "m-1").match
            assert match.players == (Player(1, "bob", "ssh"), Player(None, "random", "house"))
            assert (match.plies, match.unplayed) == ((Ply("4", 12),), (Strike("timeout", 15_000),))
            assert endpoints.register(conn, 1, "c4", "https://example.org/", "hmac", "whsec_", 5).name == "bob"
            problems = conn.exec_driver_sql("PRAGMA integrity_check").scalars().all()
            assert problems == ["ok"]


def _upgrade_to(upgrade: Callable[[Config, str], None], revision: str, config: Config, _head: str) -> None:
    upgrade(config, revision)


def test_a_newer_schema_is_left_alone(database: Database) -> None:
    with database.begin() as conn:
        conn.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with Database(database.url.render_as_string()) as older:
        for use in (older.open, older.upgrade, older.writing_connection):
            with pytest.raises(SchemaTooNew, match=r"a later version made it.*agentbbs db upgrade"):
                use()
        assert older.current_revision() == "9999"


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE recipes (name)")
    other.close()
    with Database(f"sqlite:///{path}") as database, pytest.raises(SchemaTooNew, match="some other program's"):
        database.open()


def test_what_is_no_database_says_so(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("Dear diary, " * 1000)
    for path in (tmp_path / "text.db", tmp_path):
        with Database(f"sqlite:///{path}") as database:
            with pytest.raises(CannotOpen, match="check"):
                database.open()
            with pytest.raises(DatabaseFault):
                database.upgrade()


def test_a_migration_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(conn: Connection) -> None:
        conn.execute(text("CREATE TABLE half (done)"))
        raise ZeroDivisionError

    with Database(f"sqlite:///{tmp_path / 'venue.db'}") as database:
        with monkeypatch.context() as patch:
            patch.setattr("agentbbs.store.database._migrate", fail)
            with pytest.raises(ZeroDivisionError):
                database.upgrade()
        assert database.current_revision() is None
        database.upgrade()
        with database.connect() as conn:
            assert "half" not in inspect(conn).get_table_names()


def test_processes_that_upgrade_at_once_all_find_it_done(tmp_path: Path) -> None:
    script = "import sys; from agentbbs.store.database import Database; Database(sys.argv[1]).open().dispose()"
    url = f"sqlite:///{tmp_path / 'venue.db'}"
    racing = [subprocess.Popen([sys.executable, "-c", script, url]) for _ in range(4)]
    assert [process.wait(timeout=60) for process in racing] == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("pragma", "value"), [("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1), ("busy_timeout", 5000)]
)
async def test_every_connection_is_set_up(database: Database, pragma: str, value: object) -> None:
    def read(conn: Connection) -> object:
        return conn.exec_driver_sql(f"PRAGMA {pragma}").scalar_one()

    with database.begin() as conn:
        assert read(conn) == value
    with database.connect() as conn:
        assert read(conn) == value
    assert await database.read(read) == value
    assert await database.look_up(read) == value
    assert await database.write(read) == value
    await database.close()


def test_a_writer_waits_for_a_writer_and_sees_what_it_wrote(database: Database) -> None:
    began = threading.Event()
    names: list[list[str]] = []

    def second() -> None:
        began.set()
        with database.begin() as conn:
            names.append(_names(conn))

    with database.begin() as conn:
        thread = threading.Thread(target=second)
        thread.start()
        began.wait(10)
        accounts.add(conn, "bob", now_ms=1)
    thread.join(10)
    assert names == [["bob"]]


def test_a_reader_sees_one_moment_and_waits_for_nobody(database: Database) -> None:
    with database.connect() as reader:
        assert _names(reader) == []
        with database.begin() as conn:
            accounts.add(conn, "bob", now_ms=1)
            assert _names(reader) == []
        assert _names(reader) == []
    with database.connect() as reader:
        assert _names(reader) == ["bob"]


def test_who_waits_too_long_gets_an_error(database: Database) -> None:
    with (
        Database(database.url.render_as_string(), busy_timeout_ms=1) as impatient,
        database.begin(),
        pytest.raises(OperationalError, match="locked"),
        impatient.begin(),
    ):
        pass


def test_errors_show_no_parameters(database: Database) -> None:
    with database.begin() as conn, pytest.raises(OperationalError) as refused:
        conn.execute(text("SELECT :password FROM nowhere"), {"password": "hunter2-hunter2"})
    assert "hunter2" not in str(refused.value)


async def test_reads_and_look_ups_and_writes_from_the_event_loop(database: Database) -> None:
    added = await asyncio.gather(
        *(database.write(accounts.add, f"agent-{number}", now_ms=number) for number in range(5))
    )
    assert [account.created_ms for account in added] == list(range(5))
    names = [f"agent-{number}" for number in range(5)]
    assert await database.read(_names) == names
    assert await database.look_up(_names) == names
    with pytest.raises(accounts.NoSuchAccount):
        await database.read(accounts.find, "nobody-else")
    with pytest.raises(accounts.NoSuchAccount):
        await database.write(accounts.remove, "nobody-else", now_ms=1)
    await database.close()


async def test_a_moment_is_one_on_every_kind_of_connection(database: Database) -> None:
    def twice(conn: Connection) -> tuple[list[str], list[str]]:
        with one_moment(conn), one_moment(conn):
            before = _names(conn)
            with database.begin() as other:
                accounts.add(other, f"agent-{len(before)}", now_ms=1)
            return before, _names(conn)

    for number in range(3):
        before, after = await database.look_up(twice)
        assert before == after, "what was committed meanwhile is not seen"
        assert len(await database.look_up(_names)) == 2 * number + 1, "and the next look-up sees it"
        with database.connect() as conn:
            before, after = twice(conn)
        assert before == after
    assert await database.read(one_moment_of_names) == await database.look_up(_names)
    with database.begin() as conn, one_moment(conn):
        accounts.add(conn, "writer", now_ms=1)
    assert "writer" in await database.look_up(_names), "a moment takes nothing back"
    await database.close()


async def test_a_question_that_fails_ends_its_moment(database: Database) -> None:
    def fails(conn: Connection) -> None:
        with one_moment(conn):
            accounts.find(conn, "nobody-else")

    with pytest.raises(accounts.NoSuchAccount):
        await database.look_up(fails)
    await database.write(accounts.add, "ada", now_ms=1)
    assert await database.look_up(one_moment_of_names) == ["ada"]
    await database.close()


def one_moment_of_names(conn: Connection) -> list[str]:
    with one_moment(conn):
        return _names(conn)


def test_a_glance_sees_what_others_committed_and_never_waits(database: Database) -> None:
    assert database.glance("SELECT epoch FROM auth_epoch") == (0,)
    with database.begin() as conn:
        conn.exec_driver_sql("UPDATE auth_epoch SET epoch = 7")
        assert database.glance("SELECT epoch FROM auth_epoch") == (0,), "not committed yet"
    assert database.glance("SELECT epoch FROM auth_epoch") == (7,)


def test_a_glance_that_can_not_be_had_is_none_and_changes_nothing(database: Database) -> None:
    assert database.glance("SELECT nothing FROM nowhere") is None
    assert database.glance("UPDATE auth_epoch SET epoch = 9") is None
    assert database.glance("SELECT epoch FROM auth_epoch") == (0,)
