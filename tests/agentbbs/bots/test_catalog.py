"""The house bots by name."""

from __future__ import annotations

from typing import Any, cast

import pytest

from agentbbs.bots.catalog import BOTS, UnknownBot, find
from agentbbs.bots.chance import CHANCE
from agentbbs.bots.greedy import GREEDY
from agentbbs.bots.minimax import MINIMAX


def test_the_bots_come_by_strength() -> None:
    assert list(BOTS.items()) == [("random", CHANCE), ("greedy", GREEDY), ("minimax", MINIMAX)]


def test_the_catalog_is_read_only() -> None:
    with pytest.raises(TypeError):
        cast("Any", BOTS)["stockfish"] = CHANCE


@pytest.mark.parametrize("name", ["greedy", "Greedy", "GREEDY"])
def test_a_bot_is_found_in_any_case(name: str) -> None:
    assert find(name) is GREEDY


@pytest.mark.parametrize("name", ["stockfish", "", " greedy", "greedy\x1b[2J", "x" * 70_000])
def test_an_unknown_bot_gets_the_list_of_bots(name: str) -> None:
    with pytest.raises(UnknownBot) as caught:
        find(name)
    assert caught.value.names == ("random", "greedy", "minimax")
    assert caught.value.name == name
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 200
