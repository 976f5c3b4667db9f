"""`matches`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentbbs.play import replay
from agentbbs.play.offline_referee import referee
from agentbbs.play.ports import FinishedMatch


def listed(run: Any, *args: str) -> list[str]:
    return [match["match"] for match in json.loads(run("matches", "--json", *args).stdout)]


def test_the_newest_come_first(run: Any, played: list[FinishedMatch]) -> None:
    ids = [match.id for match in reversed(played)]
    assert listed(run) == ids
    assert listed(run, "--limit", "2") == ids[:2]


def test_they_are_chosen_by_game_and_by_name(run: Any, played: list[FinishedMatch]) -> None:
    assert listed(run, "--game", "connect4") == [match.id for match in reversed(played) if match.game == "c4"]
    assert listed(run, "--name", "ADA") == [match.id for match in reversed(played)]


@pytest.mark.usefixtures("played")
def test_each_is_a_saved_match_that_verifies(run: Any) -> None:
    for found in json.loads(run("matches", "--json").stdout):
        assert referee(replay.parse(json.dumps(found).encode())) == ()


def test_the_list_for_people(run: Any, played: list[FinishedMatch]) -> None:
    lines = run("matches").stdout.splitlines()
    assert lines[0].split() == ["MATCH", "ENDED", "GAME", "X", "O", "RESULT", "RATINGS"]
    assert [line.split()[0] for line in lines[1:]] == [match.id for match in reversed(played)]
    first = lines[-1]
    assert " wins" in first or " draw" in first
    assert "1500+" in first or "1500-" in first
    assert "not rated: practice" in lines[1] or "void" in lines[1]


def test_a_removed_account_is_struck_out(run: Any, played: list[FinishedMatch]) -> None:
    run("user", "remove", "bob", "--yes")
    found = json.loads(run("matches", "--json").stdout)
    assert len(found) == len(played)
    assert {player["name"] for match in found for player in match["players"]} == {"ada", "(removed)"}
    assert "bob" not in run("matches").stdout


@pytest.mark.usefixtures("played")
@pytest.mark.parametrize(
    ("args", "sentence"),
    [(("--name", "nobody1"), "there is no account 'nobody1'"), (("--game", "chess"), "unknown game 'chess'")],
)
def test_what_is_not_there_is_refused(run: Any, args: tuple[str, ...], sentence: str) -> None:
    refused = run("matches", *args)
    assert refused.exit_code == 1
    assert sentence in refused.stderr


def test_no_matches_are_no_error(run: Any) -> None:
    run("db", "upgrade")
    assert listed(run) == []
    assert run("matches").stderr == "no match was finished yet\n"
