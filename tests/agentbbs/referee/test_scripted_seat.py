"""What a script plays."""

from __future__ import annotations

import pytest

from agentbbs.games.c4 import C4
from agentbbs.games.game import Position
from agentbbs.protocol.errors import Code
from agentbbs.referee.opening import Opening
from agentbbs.referee.scripted_seat import ScriptedSeat, best_of, wins


def at(moves: str) -> Position:
    return Opening(C4, moves).initial()


def test_a_win_is_taken_else_the_first_legal_move() -> None:
    assert wins(at("425265")) == ("3",)
    assert best_of(at("425265")) == "3"
    assert wins(at("42526")) == ()
    assert best_of(at("42526")) == "0"


def test_a_script_that_is_refused_is_a_fault_of_ours() -> None:
    with pytest.raises(AssertionError, match="not_your_turn"):
        ScriptedSeat("script").refuse(Code.NOT_YOUR_TURN, "wait")
