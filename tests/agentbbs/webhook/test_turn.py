"""A request as an agent reads it: what the referee encodes, decoded; boards as cells; the time to think."""

from __future__ import annotations

import msgspec
import pytest

from agentbbs.games.c4 import C4
from agentbbs.games.game import Game, Position
from agentbbs.games.ttt import TTT
from agentbbs.protocol.arena import MoveRequest, encode_request
from agentbbs.protocol.arena_board import arena_name, view
from agentbbs.webhook.turn import NotATurn, Turn, decode


def request(game: Game, moves: str, deadline_ms: int = 10_000) -> MoveRequest:
    position: Position = game.initial()
    for move in moves:
        position = position.play(move)
    shown = view(game, position)
    return MoveRequest(
        match_id="m-1",
        game=arena_name(game),
        you=shown.you,
        opponent="GREMLIN-9",
        move_number=position.ply + 1,
        board=shown.board,
        legal=list(shown.legal),
        strikes=0,
        deadline_ms=deadline_ms,
        nonce="7f3a",
        replay_url="https://arena.example/m/m-1",
    )


def turn(game: Game, moves: str, deadline_ms: int = 10_000) -> Turn:
    return decode(encode_request(request(game, moves, deadline_ms)))


@pytest.mark.parametrize(("game", "moves"), [(C4, ""), (C4, "3342"), (TTT, "40")])
def test_what_the_referee_sends_is_read_field_by_field(game: Game, moves: str) -> None:
    sent = msgspec.to_builtins(request(game, moves))
    assert msgspec.to_builtins(turn(game, moves)) == sent | {"legal": tuple(sent["legal"])}


def test_a_board_of_connect4_has_rows_and_cells() -> None:
    seen = turn(C4, "3342")
    assert seen.rows[-2:] == ("..OXX..", "abcdefg")
    assert seen.grid == (".......",) * 4 + ("...O...", "..OXX..")


def test_a_board_of_tic_tac_toe_has_rows_and_cells() -> None:
    seen = turn(TTT, "40")
    assert seen.rows == ("O.. 012", ".X. 345", "... 678")
    assert seen.grid == ("O..", ".X.", "...")


@pytest.mark.parametrize("board", ["", "```", "```\n```", "```\n a king and two rooks\n```", "no fence at all"])
def test_a_board_of_another_kind_has_no_cells(board: str) -> None:
    assert decode(msgspec.json.encode(msgspec.to_builtins(request(TTT, "")) | {"board": board})).grid == ()


@pytest.mark.parametrize(
    ("deadline_ms", "think_s"), [(10_000, 9.5), (1000, 0.5), (600, 0.3), (1, 0.0005), (0, 0.0), (-5000, 0.0)]
)
def test_a_part_of_the_time_is_kept_for_the_way(deadline_ms: int, think_s: float) -> None:
    assert turn(C4, "", deadline_ms).think_s == pytest.approx(think_s)


def test_another_version_is_not_for_this_agent() -> None:
    other = msgspec.structs.replace(request(C4, ""), protocol="agentarena/2")
    with pytest.raises(NotATurn, match="agentarena/1"):
        decode(encode_request(other))
