"""`check-game`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

BROKEN = '''
from agentbbs.games.ttt import TicTacToe, TicTacToePosition
import msgspec

class Forgetful(TicTacToe):
    """Ends one ply early in its own opinion of the length."""
    id = "forgetful"
    title = "Forgetful"
    aliases = ()
    max_plies = 4

GAME = Forgetful()
'''


@pytest.mark.parametrize("name", ["ttt", "C4", "tic-tac-toe"])
def test_a_game_of_the_house_passes(run: Any, name: str) -> None:
    checked = run("check-game", name, "--games", "5")
    assert checked.exit_code == 0
    assert all(line.startswith("ok ") for line in checked.stdout.splitlines())
    assert "checks passed" in checked.stderr


def test_json_is_one_object(run: Any) -> None:
    report = json.loads(run("check-game", "ttt", "--games", "3", "--seed", "9", "--json").stdout)
    assert report["game"] == "ttt"
    assert report["passed"] is True
    assert report["games"] == 3
    assert report["positions"] > 100
    assert {"name", "demand", "passed", "fault", "moves"} == set(report["checks"][0])


def test_a_fault_is_shown_with_the_shortest_moves_and_exit_code_1(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "forgetful_game.py").write_text(BROKEN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    checked = run("check-game", "forgetful_game:GAME", "--games", "5")
    assert checked.exit_code == 1
    lines = checked.stdout.splitlines()
    at = next(index for index, line in enumerate(lines) if line.startswith("FAIL  length"))
    assert len(lines[at + 2].removeprefix("      moves: ").split()) <= 5
    report = json.loads(run("check-game", "forgetful_game:GAME", "--games", "5", "--json").stdout)
    assert report["passed"] is False


@pytest.mark.parametrize("name", ["chess", "no.such.module:GAME", "agentbbs.games.ttt:NOTHING", "json:dumps"])
def test_what_is_no_game_is_refused_with_one_line(run: Any, name: str) -> None:
    refused = run("check-game", name)
    assert refused.exit_code == 1
    assert refused.stdout == ""
    assert refused.stderr.startswith("error: ")
    assert refused.stderr.count("\n") == 1
