"""`ladder`, `ratings rebuild` and `db upgrade`, over matches that were stored."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentbbs.play.ports import FinishedMatch


def test_the_ladder_is_json_for_scripts(run: Any, played: list[FinishedMatch]) -> None:
    rows = json.loads(run("ladder", "ttt", "--json").stdout)
    assert sorted(row["name"] for row in rows) == ["ada", "bob"]
    rated = [match for match in played if match.rated and match.game == "ttt"]
    for row in rows:
        assert list(row) == ["rank", "name", "rating", "played", "wins", "draws", "losses", "marks"]
        assert row["played"] == len(rated) == row["wins"] + row["draws"] + row["losses"]
        assert isinstance(row["rating"], int)
    assert [row["rating"] for row in rows] == sorted((row["rating"] for row in rows), reverse=True)


@pytest.mark.usefixtures("played")
def test_the_ladder_is_a_table_for_people(run: Any) -> None:
    lines = run("ladder", "C4", "--limit", "1").stdout.splitlines()
    assert lines[0].split() == ["RANK", "NAME", "RATING", "PLAYED", "WINS", "DRAWS", "LOSSES", "MARKS"]
    assert len(lines) == 2
    assert lines[1].split()[0] == "1"


def test_an_empty_ladder_is_no_error(run: Any) -> None:
    run("db", "upgrade")
    shown = run("ladder", "ttt", "--json")
    assert (shown.exit_code, json.loads(shown.stdout)) == (0, [])
    assert run("ladder", "ttt").stderr == "nobody has played a rated match of Tic-Tac-Toe yet\n"


def test_a_game_that_is_not_there_is_refused_with_those_that_are(run: Any) -> None:
    refused = run("ladder", "chess")
    assert refused.exit_code == 1
    assert refused.stderr == "error: unknown game 'chess': the games are ttt, c4\n"


@pytest.mark.usefixtures("played")
def test_the_ladders_are_what_the_matches_say(run: Any) -> None:
    checked = run("ratings", "rebuild", "--check", "--json")
    assert (checked.exit_code, json.loads(checked.stdout)) == (0, [])
    assert checked.stderr == "the ladders are what the matches say\n"


@pytest.mark.usefixtures("played")
def test_a_ladder_that_was_tampered_with_is_found_and_mended(run: Any, data: Path) -> None:
    right = run("ladder", "ttt", "--json").stdout
    with closing(sqlite3.connect(data / "agentbbs.db")) as conn, conn:
        conn.execute("UPDATE game_ratings SET rating = rating + 1 WHERE game = 'ttt' AND account_id = 1")
    checked = run("ratings", "rebuild", "--check")
    assert checked.exit_code == 1
    assert len(checked.stdout.splitlines()) == 1
    assert "1 difference: `agentbbs ratings rebuild` mends the ladders" in checked.stderr
    assert run("ladder", "ttt", "--json").stdout != right, "--check changed something"
    mended = run("ratings", "rebuild", "--json")
    assert mended.exit_code == 0
    assert len(json.loads(mended.stdout)) == 1
    assert run("ladder", "ttt", "--json").stdout == right
    assert run("ratings", "rebuild", "--check").exit_code == 0


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
