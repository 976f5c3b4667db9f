"""Scores of Trade Wars 2 by the door's own formula."""

from __future__ import annotations

from typing import Any

import pytest

from bbs_gym.hosts.host import HostFault
from bbs_gym.hosts.tw2_world import read_players, scores_of, state_of


def row(alias: str, **fields: Any) -> dict[str, Any]:
    return {
        "record": 1, "user": 3, "alias": alias, "fighters": 0, "deployed": 0, "holds": 0, "credits": 0,
        "cargo": [0, 0, 0], "points": 0, "turns": 30, "sector": 1, "team": 0, "killed": False, **fields,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "score"),
    [
        ({"fighters": 20, "holds": 20, "credits": 200}, 2000 + 10000 + 200),  # a new ship
        ({"fighters": 3, "deployed": 4}, 700),
        ({"cargo": [1, 1, 1]}, 10 + 20 + 35),
        ({"credits": 5, "killed": True}, 0),
        ({"credits": 0.5}, 0.5),
    ],
)
def test_the_formula(fields: Any, score: float) -> None:
    (player,) = read_players([row("Alice", **fields)])
    assert player.score == score


def test_the_best_is_first_and_equal_ones_are_by_name() -> None:
    players = read_players([row("bob"), row("Carol", credits=9), row("Alice")])
    assert [one.player for one in scores_of(players, {})] == ["Carol", "Alice", "bob"]


def test_agents_are_known_by_their_alias() -> None:
    scores = scores_of(read_players([row("Agent001", cargo=[4, 0, 0]), row("Guest")]), {"agent001": "agent-001"})
    assert [one.agent_id for one in scores] == ["agent-001", None]
    assert (scores[0].parts["ore"], scores[0].parts["turns"]) == (4, 30)


@pytest.mark.parametrize("rows", [None, [1], [{}], [row("Alice", holds="many")], [row("Alice", cargo={})]])
def test_what_is_no_list_of_players(rows: Any) -> None:
    with pytest.raises(HostFault, match="not understood"):
        read_players(rows)


def test_the_state_is_plain() -> None:
    (player,) = state_of(read_players([row("Alice", credits=7)]))["players"]
    assert (player["alias"], player["score"]) == ("Alice", 7)
