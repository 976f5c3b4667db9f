"""The kit itself: what it reports, that it repeats, that it shortens, and what it loads."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from agentbbs.games.c4 import C4, ConnectFour, ConnectFourPosition
from agentbbs.games.catalog import UnknownGame
from agentbbs.games.checks import CHECKS
from agentbbs.games.conformance import NotAGame, check, load, perft
from agentbbs.games.ttt import TTT


def test_a_report_names_the_game_and_what_was_looked_at() -> None:
    report = check(TTT, games=3)
    assert (report.game, report.games) == ("ttt", 3)
    assert report.positions > 3 * 5
    assert [result.demand for result in report.results] == [demand for demand, _ in CHECKS.values()]
    assert all(result.fault is None and result.moves is None for result in report.results)


def test_no_games_still_look_at_the_first_positions() -> None:
    assert check(TTT, games=0).positions == 200


def test_the_same_seed_gives_the_same_report_and_another_other_games() -> None:
    assert check(TTT, seed=5, games=4) == check(TTT, seed=5, games=4)
    assert len({check(TTT, seed=seed, games=4).positions for seed in range(4)}) > 1


class FiveInTheLastColumn(ConnectFour):
    """Connect 4 with a fault that five discs in the last column show, deeper than the first positions reach."""

    def initial(self) -> ConnectFourPosition:
        start = C4.initial()
        return FaultyPosition(start.x, start.o, start.ply, start.to_move, start.legal, start.outcome)


class FaultyPosition(ConnectFourPosition, frozen=True, gc=False):
    def play(self, move: str) -> FaultyPosition:
        after = super().play(move)
        return FaultyPosition(after.x, after.o, after.ply, after.to_move, after.legal, after.outcome)

    def text(self) -> str:
        full = (self.x | self.o) >> 8 * 4 + 6 & 1
        return super().text() + "\n" * full


def test_a_deep_fault_is_shortened_to_the_moves_that_matter() -> None:
    (result,) = [result for result in check(FiveInTheLastColumn(), games=30).results if result.name == "text"]
    assert result.fault == "text ends with LF"
    assert result.moves == ("6",) * 5


@pytest.mark.parametrize(("depth", "leaves"), [(0, 1), (1, 9), (2, 72), (3, 504), (4, 3024), (5, 15120), (6, 54720)])
def test_perft_counts_no_finished_game_as_a_leaf(depth: int, leaves: int) -> None:
    """9 * 8 * 7 * 6 * 5 lists of five moves, of which 1440 have won: 13680 * 4 go on."""
    assert perft(TTT, depth) == leaves


def test_load_finds_a_game_of_the_catalog_by_id_and_alias() -> None:
    assert load("c4") is C4
    assert load("Tic-Tac-Toe") is TTT


def test_load_finds_a_game_by_module_and_attribute() -> None:
    assert load("agentbbs.games.c4:C4") is C4


def test_load_says_which_games_there_are() -> None:
    with pytest.raises(UnknownGame, match="ttt, c4"):
        load("chess")


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("agentbbs.games.chess:CHESS", "No module named"),
        ("agentbbs.games.c4:C5", "has no attribute"),
        ("agentbbs.games.c4:ConnectFour", "name an instance"),
        ("agentbbs.games.c4:CELLS", "is no agentbbs.games.game.Game"),
        (":C4", "can't be loaded"),
        ("agentbbs.games.c4:", "can't be loaded"),
    ],
)
def test_load_says_why_a_spec_names_no_game(spec: str, why: str) -> None:
    with pytest.raises(NotAGame, match=why):
        load(spec)


def test_load_says_what_a_broken_module_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_rules.py").write_text("raise RuntimeError('out of chalk')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(NotAGame, match="out of chalk"):
        load("broken_rules:GAME")
    assert "broken_rules" not in sys.modules
