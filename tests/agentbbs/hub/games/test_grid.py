"""A cursor over the moves of a board."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.games.catalog import GAMES, find
from agentbbs.hub.games.grid import GRIDS, Grid, Place, grid, middle, move_at, stepped

KEYS = ("left", "right", "up", "down", "home", "end", "enter", "x")


@pytest.mark.parametrize(
    ("key", "leads_to"),
    [
        ("left", Place(0, 1)),
        ("right", Place(2, 1)),
        ("up", Place(1, 0)),
        ("down", Place(1, 2)),
        ("home", Place(0, 1)),
        ("end", Place(2, 1)),
        ("enter", Place(1, 1)),
    ],
)
def test_where_a_key_leads(key: str, leads_to: Place) -> None:
    assert stepped(Place(1, 1), key, GRIDS["ttt"]) == leads_to


@given(st.lists(st.sampled_from(KEYS)), st.sampled_from(sorted(GRIDS)))
def test_a_known_game_has_a_move_at_each_place_and_no_key_leads_off_the_board(keys: list[str], game: str) -> None:
    position = find(game).initial()
    place = middle(GRIDS[game])
    for key in keys:
        place = stepped(place, key, GRIDS[game])
        assert move_at(game, position, place) in position.legal


def test_every_game_of_the_house_has_a_place_for_each_move() -> None:
    for game in GAMES.values():
        position = game.initial()
        places = grid(game.id, position)
        found = {
            move_at(game.id, position, Place(column, row))
            for column in range(places.columns)
            for row in range(places.rows)
        }
        assert found == set(position.legal)


def test_a_game_that_is_not_known_has_its_legal_moves_in_a_row() -> None:
    position = find("ttt").initial().play("4").play("0")
    places = grid("halma", position)
    assert places == Grid(7, 1)
    assert [move_at("halma", position, Place(column, 0)) for column in range(7)] == list("1235678")
    assert move_at("halma", position, Place(7, 0)) is None
