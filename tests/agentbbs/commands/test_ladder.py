"""`ladder`, over matches that were stored."""

from __future__ import annotations

import json
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
