"""A game from another position on."""

from __future__ import annotations

import pytest

from agentbbs.games.game import Game, IllegalMove
from agentbbs.games.ttt import TTT
from agentbbs.referee.opening import Opening


def test_it_is_the_game_from_that_position_on() -> None:
    opening = Opening(TTT, "40")
    assert isinstance(opening, Game)
    position = opening.initial()
    assert (position.ply, position.to_move) == (2, 0)
    assert (opening.id, opening.version, opening.max_plies) == (TTT.id, TTT.version, TTT.max_plies)
    assert opening.restore(position.serialise()) == position


def test_moves_that_no_game_could_have() -> None:
    with pytest.raises(IllegalMove):
        Opening(TTT, "44")
