"""The situations as data: places are what they are called, and all that an agent may meet is there."""

from __future__ import annotations

import pytest

from agentbbs.games.catalog import HOUSE
from agentbbs.games.game import NOBODY, Game, Position
from agentbbs.referee.opening import Opening
from agentbbs.referee.scripted_seat import wins
from agentbbs.referee.situations import EXTRA, PLACES, SITUATIONS, Ask, Place, Play

EVERYWHERE = {Place.START, Place.REPLY}


def at(game: Game, where: Place) -> Position:
    return Opening(game, PLACES[game.id][where]).initial()


@pytest.mark.parametrize("game", HOUSE, ids=lambda game: game.id)
def test_a_house_game_has_every_place_and_none_is_over(game: Game) -> None:
    assert set(PLACES[game.id]) == set(Place) - EVERYWHERE
    assert all(at(game, where).outcome is None for where in PLACES[game.id])


@pytest.mark.parametrize("game", HOUSE, ids=lambda game: game.id)
def test_places_are_what_they_are_called(game: Game) -> None:
    assert len(at(game, Place.ONE_LEGAL).legal) == 1
    winning = at(game, Place.WIN_AT_ONCE)
    assert 0 < len(wins(winning)) < len(winning.legal)
    block = at(game, Place.BLOCK_AT_ONCE)
    assert wins(block) == ()
    assert sum(not wins(block.play(move)) for move in block.legal) == 1
    losing = at(game, Place.LOSES)
    assert all(wins(losing.play(move)) for move in losing.legal)
    for where, winner in ((Place.LAST_WINS, at(game, Place.LAST_WINS).to_move), (Place.LAST_DRAWS, NOBODY)):
        last = at(game, where)
        outcome = last.play(last.legal[0]).outcome
        assert len(last.legal) == 1
        assert outcome is not None
        assert outcome.winner == winner


def test_every_situation_says_what_to_do_and_goes_by_its_name() -> None:
    for name, situation in SITUATIONS.items():
        assert situation.name == name
        assert situation.says
        assert situation.remedy
        assert situation.steps


def test_what_an_agent_may_meet_is_there() -> None:
    asks = [step for situation in SITUATIONS.values() for step in situation.steps if isinstance(step, Ask)]
    plays = [step for situation in SITUATIONS.values() for step in situation.steps if isinstance(step, Play)]
    assert {step.strikes for step in asks} == {0, 1, 2}
    assert {step.place for step in asks} | {step.place for step in plays} == set(Place)
    assert any(step.time_share < 1 for step in asks)
    assert any(not step.opponent.isprintable() for step in asks)
    assert any(step.extra for step in asks)
    assert not set(EXTRA) & {"match_id", "move", "nonce", "legal"}


def test_after_each_end_the_next_match_is_asked_for() -> None:
    for name, situation in SITUATIONS.items():
        if name.startswith("end_"):
            assert isinstance(situation.steps[-1], Ask)
            assert situation.steps[-1].match == "next"
