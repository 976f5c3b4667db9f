"""The errors of the contract say what a person needs."""

from __future__ import annotations

from agentbbs.games.game import GameError, IllegalMove, MalformedPosition


def test_an_illegal_move_names_itself_and_the_legal_ones() -> None:
    fault = IllegalMove("h", ("0", "6"))
    assert (fault.move, fault.legal) == ("h", ("0", "6"))
    assert str(fault) == "illegal move 'h': legal moves are 0, 6"


def test_an_illegal_move_after_the_end_says_so() -> None:
    assert str(IllegalMove("0", ())) == "illegal move '0': legal moves are none, the game is over"


def test_an_illegal_move_shows_no_raw_control_characters() -> None:
    assert str(IllegalMove("\x1b[2J\u202e", ())).isprintable()


def test_malformed_and_illegal_are_rungs_of_one_ladder() -> None:
    assert issubclass(MalformedPosition, GameError)
    assert issubclass(IllegalMove, GameError)
    assert issubclass(GameError, ValueError)
