"""Whether the database is whole, and what its driver's errors mean."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from agentbbs.store.database import Database
from agentbbs.store.soundness import explain, faults


@pytest.fixture
def file(tmp_path: Path) -> Path:
    with Database.in_folder(tmp_path) as database:
        database.upgrade()
    return tmp_path / "agentbbs.db"


def test_a_new_database_is_whole(file: Path) -> None:
    with Database.in_folder(file.parent) as database, database.connect() as conn:
        assert faults(conn) == ()


def test_a_torn_page_is_found(file: Path) -> None:
    with closing(sqlite3.connect(file)) as raw, raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = raw.execute("SELECT rootpage FROM sqlite_master WHERE name = 'game_ratings'").fetchone()
        (size,) = raw.execute("PRAGMA page_size").fetchone()
    content = bytearray(file.read_bytes())
    content[(page - 1) * size : page * size] = b"\xff" * size
    file.write_bytes(content)
    with Database.in_folder(file.parent) as database, database.connect() as conn:
        assert faults(conn)


def test_a_database_that_another_process_holds_is_explained(file: Path) -> None:
    def write() -> None:
        with Database(f"sqlite:///{file}", busy_timeout_ms=20) as database, database.begin():
            raise AssertionError("it was free")

    with closing(sqlite3.connect(file, isolation_level=None)) as conn:
        conn.execute("BEGIN IMMEDIATE")
        with pytest.raises(OperationalError) as refused:
            write()
    assert "another process has held it for seconds: wait" in (explain(refused.value) or "")


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("database or disk is full", "the disk is full: make room"),
        ("attempt to write a readonly database", "its file can't be written to: check who owns it"),
        ("database disk image is malformed", "it is damaged: stop the venue and restore a backup"),
        ("no such table: tokens", "the database refused (no such table: tokens): `agentbbs doctor` looks at it"),
    ],
)
def test_what_sqlite_says_has_a_meaning_and_a_remedy(said: str, sentence: str) -> None:
    fault = OperationalError("SELECT 'a secret'", None, sqlite3.OperationalError(said))
    assert sentence in (explain(fault) or "")
    assert "secret" not in (explain(fault) or "")


def test_other_faults_are_not_the_database_s(file: Path) -> None:
    assert explain(ValueError("x")) is None
