"""The demo's own agent behind HTTPS: it reads a position from its turn, and thinks with a bot of the house."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentbbs.demo.arena_agent import Player, position_of
from agentbbs.games.c4 import C4
from agentbbs.games.game import Position
from agentbbs.protocol.arena_board import arena_name, view
from agentbbs.webhook import Turn


def turn(position: Position) -> Turn:
    shown = view(C4, position)
    return Turn(
        match_id="m",
        game=arena_name(C4),
        you=shown.you,
        opponent="somebody",
        move_number=position.ply + 1,
        board=shown.board,
        legal=shown.legal,
        strikes=0,
        deadline_ms=1000,
        nonce="n",
    )


@given(st.lists(st.integers(0, 6), max_size=30))
def test_it_sees_the_position_that_it_is_asked_for(choices: list[int]) -> None:
    position: Position = C4.initial()
    for choice in choices:
        after = position.play(position.legal[choice % len(position.legal)])
        if after.outcome is not None:
            break
        position = after
    assert position_of(turn(position)) == position


async def test_it_takes_a_win_and_says_something() -> None:
    position: Position = C4.initial()
    for move in "425265":
        position = position.play(move)
    chosen = await Player("greedy", 0.0).choose(turn(position))
    assert chosen.move == "d"
    assert chosen.reason == "greedy says d"
