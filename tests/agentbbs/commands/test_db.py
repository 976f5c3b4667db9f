"""`db upgrade`, and databases that no command can use."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest


def test_the_database_is_made_by_upgrade_and_then_left_alone(run: Any, data: Path) -> None:
    made = run("db", "upgrade")
    assert made.exit_code == 0
    assert made.stdout == ""
    assert f"{data / 'agentbbs.db'} went from schema none to " in made.stderr
    assert " already\n" in run("db", "upgrade").stderr


def test_a_database_of_a_later_version_is_left_alone(run: Any, data: Path) -> None:
    run("db", "upgrade")
    with closing(sqlite3.connect(data / "agentbbs.db")) as conn, conn:
        conn.execute("UPDATE alembic_version SET version_num = '9999'")
    for command in (("db", "upgrade"), ("ladder", "ttt"), ("mint-token", "ada", "--create")):
        refused = run(*command)
        assert refused.exit_code == 1
        assert "has schema 9999, which this version" in refused.stderr
        assert refused.stderr.count("\n") == 1


def test_a_database_that_another_process_holds_is_one_line(
    run: Any, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("db", "upgrade")
    monkeypatch.setattr("agentbbs.store.database.Database.__init__.__kwdefaults__", {"busy_timeout_ms": 20})
    with closing(sqlite3.connect(data / "agentbbs.db", isolation_level=None)) as conn:
        conn.execute("BEGIN IMMEDIATE")
        refused = run("mint-token", "ada", "--create")
    assert refused.exit_code == 1
    assert refused.stdout == ""
    assert refused.stderr.startswith("error: the database can't be used now, another process has held it")
