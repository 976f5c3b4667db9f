"""What one who watches sees."""

from __future__ import annotations

import random

import msgspec
import pytest

from agentbbs.games import catalog
from agentbbs.games.game import Position
from agentbbs.play.onlooker import NotOfAVenue, Onlooker
from agentbbs.protocol.agentgames import State, Termination
from agentbbs.protocol.codec import encode
from agentbbs.protocol.watching import Over, Watching


def watching(game: str = "ttt") -> bytes:
    return encode(Watching("m-1", game, ("ada", "bob\x1b[2J"), 15_000, rated=True))


def state(position: Position, last: str | None) -> bytes:
    return encode(State(position.observation(), your_turn=False, ply=position.ply, last_move=last, remaining_ms=9_400))


def over(winner: int, termination: Termination, reason: str | None = None) -> bytes:
    return encode(Over("m-1", winner, termination, reason, plies=5, rated=True))


def test_the_first_message_says_who_plays() -> None:
    assert Onlooker().hear(watching()) == "ttt  m-1\nX ada   O bob\\x1b[2J   15 s a move, rated"


@pytest.mark.parametrize("game", ["ttt", "c4"])
def test_every_position_is_drawn_by_the_game_itself(game: str) -> None:
    rng = random.Random(5)
    onlooker = Onlooker()
    onlooker.hear(watching(game))
    position, last = catalog.find(game).initial(), None
    while True:
        assert position.text() in onlooker.hear(state(position, last))
        if position.outcome is not None:
            break
        last = rng.choice(position.legal)
        position = position.play(last)


def test_the_side_to_move_and_its_time_are_told() -> None:
    onlooker = Onlooker()
    onlooker.hear(watching())
    after = catalog.find("ttt").initial().play("4")
    onlooker.hear(state(catalog.find("ttt").initial(), None))
    assert onlooker.hear(state(after, "4")).splitlines()[0] == "ply 1: 4"
    assert onlooker.hear(state(after, "4")).splitlines()[-1] == "O bob\\x1b[2J to move, 9 s left"


@pytest.mark.parametrize(
    ("game", "moves", "drawn"),
    [
        ("ttt", "40", "O . .\n. X .\n. . ."),
        ("c4", "33", ". . . . . . .\n. . . O . . .\n. . . X . . ."),
        ("halma", "40", "O . .\n. X .\n. . ."),
    ],
)
def test_who_comes_in_the_middle_sees_the_board_as_it_was_sent(game: str, moves: str, drawn: str) -> None:
    onlooker = Onlooker()
    onlooker.hear(watching(game))
    position = catalog.find(game if game != "halma" else "ttt").initial()
    for move in moves:
        position = position.play(move)
    assert drawn in onlooker.hear(state(position, moves[-1]))


def test_a_ply_that_was_missed_is_no_reason_to_draw_a_wrong_board() -> None:
    onlooker = Onlooker()
    onlooker.hear(watching())
    start = catalog.find("ttt").initial()
    onlooker.hear(state(start, None))
    assert "O . .\n. X ." in onlooker.hear(state(start.play("4").play("0"), "0"))


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (over(0, Termination.NORMAL), "X ada wins after 5 plies"),
        (over(1, Termination.TIMEOUT, "forfeit: timeout"), "O bob\\x1b[2J wins (forfeit: timeout) after 5 plies"),
        (over(-1, Termination.NORMAL), "draw after 5 plies"),
        (over(-1, Termination.SERVER, "void: server shutdown"), "void (void: server shutdown) after 5 plies"),
    ],
)
def test_the_end(message: bytes, text: str) -> None:
    onlooker = Onlooker()
    onlooker.hear(watching())
    assert not onlooker.over
    assert onlooker.hear(message) == text
    assert onlooker.over


@pytest.mark.parametrize(
    "message", [b"", b"{}", b'{"type":"hello"}', b"[" * 10_000, b'{"type":"state","observation":[]}', b"\xff"]
)
def test_what_no_venue_says_is_refused(message: bytes) -> None:
    with pytest.raises(NotOfAVenue, match="no message of a venue"):
        Onlooker().hear(message)


@pytest.mark.parametrize("board", ["\x1b[2J", ["\x1b[2J"] * 4, [["\x1b[2J"], "\r"], {"a": "\x1b"}, None, 7])
def test_no_board_of_a_stranger_acts_on_the_terminal(board: object) -> None:
    message = {"type": "state", "observation": {"board": board, "toMove": "x"}, "ply": 3, "lastMove": "\x07"}
    screen = Onlooker().hear(msgspec.json.encode(message | {"remainingMs": 0}))
    assert all(line.isprintable() for line in screen.split("\n"))
