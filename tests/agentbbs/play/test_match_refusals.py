"""Messages that have no effect on a match: too early, too late, out of turn, for another ply."""

from __future__ import annotations

from typing import Final

import pytest
from tests.agentbbs.play.table import (
    TIMEOUT_MS,
    Table,
    new_match,
    only,
    refused,
    seen,
    shown,
)

from agentbbs.games.c4 import C4
from agentbbs.games.game import Game
from agentbbs.games.ttt import TTT
from agentbbs.play.match import (
    FORFEIT,
    STRIKES,
    Disconnected,
    Moved,
    Refuse,
)
from agentbbs.protocol.errors import Code

NINTH_PLY_WIN: Final = "012345768"
FIRST_ROW: Final = "03142"
C4_DRAWN: Final = "331650114266141231434452363064260555520200"


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("ply", [None, 0, 5, 9])
def test_a_move_after_the_end_is_told_that_the_game_is_over(seat: int, ply: int | None) -> None:
    table = Table()
    table.play(FIRST_ROW)
    finished = table.finished
    assert refused(table.feed(Moved(table.now + 0.001, seat, "8", ply))) == (seat, Code.GAME_OVER)
    assert table.match.finished is finished
    assert table.match.position.ply == len(FIRST_ROW)


@pytest.mark.parametrize("move", ["4", "0", "nonsense"])
def test_a_move_out_of_turn_is_refused_and_never_saved_up(move: str) -> None:
    table = Table()
    assert refused(table.move(move, seat=1)) == (1, Code.NOT_YOUR_TURN)
    table.move("8")
    assert table.match.position.ply == 1
    assert [ply.move for ply in table.match.plies] == ["8"]


def test_a_repeated_move_is_recognised_by_its_ply_and_counts_once() -> None:
    table = Table()
    assert table.move("4", ply=0)
    again = table.move("4", seat=0, ply=0)
    assert refused(again) == (0, Code.STALE_PLY)
    assert only(Refuse, again).why == "that move was already played: the move names ply 0, the position is at ply 1"
    assert [ply.move for ply in table.match.plies] == ["4"]


@pytest.mark.parametrize(
    ("ply", "why"),
    [
        (0, "that ply is not the position's: the move names ply 0, the position is at ply 2"),
        (1, "that ply is not the position's: the move names ply 1, the position is at ply 2"),
        (3, "that ply is not the position's: the move names ply 3, the position is at ply 2"),
        (1_000_000, "that ply is not the position's: the move names ply 1000000, the position is at ply 2"),
        (-1, "that ply is not the position's: the move names ply -1, the position is at ply 2"),
        (-2, "that ply is not the position's: the move names ply -2, the position is at ply 2"),
    ],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_move_for_another_ply_is_stale_and_no_strike(seat: int, ply: int, why: str) -> None:
    table = Table()
    table.play("40")
    effects = table.move("8", seat=seat, ply=ply)
    assert refused(effects) == (seat, Code.STALE_PLY)
    assert only(Refuse, effects).why == why
    assert table.match.finished is None
    table.move("8")
    assert [(ply.move, ply.strikes) for ply in table.match.plies] == [("4", ()), ("0", ()), ("8", ())]


def test_a_ply_before_the_first_is_stale_and_raises_nothing() -> None:
    assert refused(Table().move("4", ply=-1)) == (0, Code.STALE_PLY)


def test_an_illegal_move_for_another_ply_is_stale_and_not_illegal() -> None:
    table = Table()
    assert refused(table.move("nonsense", ply=7)) == (0, Code.STALE_PLY)
    assert table.match.finished is None


@pytest.mark.parametrize(("game", "moves"), [(TTT, NINTH_PLY_WIN), (C4, C4_DRAWN)])
def test_the_ply_of_a_state_is_the_number_of_moves_played(game: Game, moves: str) -> None:
    table = Table(new_match(game))
    for ply, move in enumerate(moves):
        assert table.match.state(0, table.now).ply == ply
        effects = table.move(move, ply=ply)
        assert {shown(effects, seat)["ply"] for seat in (0, 1)} == {ply + 1}
    assert len(table.finished.plies) == len(moves)


def test_a_spectator_is_shown_the_position_and_is_never_to_move() -> None:
    table = Table()
    table.move("4")
    table.now += 1
    assert seen(table.match.state(-1, table.now)) == {
        "type": "state",
        "observation": {"board": list("....X...."), "toMove": 1, "legal": list("01235678")},
        "yourTurn": False,
        "ply": 1,
        "lastMove": "4",
        "remainingMs": TIMEOUT_MS - 1000,
    }
    table.feed(Disconnected(table.now, 0))
    assert not table.match.state(-1, table.now).your_turn


def test_the_policies_are_what_the_two_protocols_promise() -> None:
    assert (FORFEIT.faults, STRIKES(3).faults) == (1, 3)
