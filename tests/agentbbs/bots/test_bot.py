"""What every house bot keeps to."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from agentbbs.bots.bot import Bot, centre_first
from agentbbs.bots.catalog import BOTS
from agentbbs.games.c4 import C4
from agentbbs.games.catalog import GAMES
from agentbbs.games.game import Game, Position
from agentbbs.games.ttt import TTT

bots = pytest.mark.parametrize("bot", BOTS.values(), ids=BOTS)
games = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


@bots
@games
def test_a_bot_plays_legal_moves_to_the_end_with_no_time_at_all(bot: Bot, game: Game) -> None:
    rng = random.Random(4)
    for _ in range(20):
        position: Position = game.initial()
        while position.outcome is None:
            before = position.serialise()
            move = bot.choose(position, rng, 0)
            assert move in position.legal
            assert position.serialise() == before
            # A random reply leads to positions that a good bot would not come to by itself.
            position = position.play(move if rng.random() < 0.5 else rng.choice(position.legal))


@bots
@games
def test_a_bot_asked_after_the_end_says_that_the_game_is_over(bot: Bot, game: Game) -> None:
    position: Position = game.initial()
    while position.outcome is None:
        position = position.play(position.legal[0])
    with pytest.raises(ValueError, match="the game is over"):
        bot.choose(position, random.Random(), 1)


@bots
def test_a_bot_leaves_nothing_to_any_other_chance_than_it_was_given(bot: Bot) -> None:
    """Without time to search, what is left depends on the position and the generator alone."""
    position = C4.initial().play("3").play("3")
    state = random.getstate()
    chosen = [bot.choose(position, random.Random(seed), 0) for seed in range(20)]
    assert chosen == [bot.choose(position, random.Random(seed), 0) for seed in range(20)]
    assert random.getstate() == state


@bots
def test_a_bot_introduces_itself(bot: Bot) -> None:
    assert isinstance(bot, Bot)
    assert bot.name == bot.name.lower()
    assert 0 < len(bot.blurb) <= 80


def test_centre_first_ranks_by_the_distance_from_the_middle_and_shuffles_equals() -> None:
    orders = Counter(tuple(centre_first(C4.initial(), random.Random(seed))) for seed in range(200))
    assert {order[0] for order in orders} == {"3"}
    assert {frozenset(order[1:3]) for order in orders} == {frozenset("24")}
    assert len(orders) == 8
    assert set(centre_first(TTT.initial(), random.Random(1))) == set("012345678")
