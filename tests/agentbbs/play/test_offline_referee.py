"""The offline referee finds nothing in what the venue saved, and finds what was changed."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.random_matches import play, save, saved_matches

from agentbbs.games import catalog
from agentbbs.play import replay
from agentbbs.play.offline_referee import referee
from agentbbs.play.ports import FinishedMatch, Player, Ply, Strike
from agentbbs.play.replay import SavedMatch
from agentbbs.protocol.agentgames import REASONS, Termination

change = msgspec.structs.replace
"""A frozen value with fields changed."""

NO_STRIKES: tuple[Strike, ...] = ()


def match(
    moves: str = "03142", termination: Termination = Termination.NORMAL, winner: int = 0, **fields: Any
) -> FinishedMatch:
    """A Tic-Tac-Toe match; by default X wins with the top row."""
    made = FinishedMatch(
        id="m",
        game="ttt",
        rules_version=1,
        players=(Player(1, "ada", "websocket"), Player(2, "bob", "websocket")),
        plies=tuple(Ply(move, 10) for move in moves),
        unplayed=NO_STRIKES,
        winner=winner,
        termination=termination,
        reason=REASONS[termination],
        rated=True,
        why=None,
        move_timeout_ms=1_000,
        started_ms=5_000_000,
        ended_ms=5_060_000,
    )
    return change(made, **fields)


def unsigned(saved: SavedMatch) -> SavedMatch:
    """A file without a digest: the referee has the match alone to go by."""
    return change(saved, digest=None)


def outcome(saved: SavedMatch, **fields: Any) -> SavedMatch:
    return unsigned(change(saved, outcome=change(saved.outcome, **fields)))


def with_ply(saved: SavedMatch, number: int, **fields: Any) -> SavedMatch:
    plies = list(saved.plies)
    plies[number] = change(plies[number], **fields)
    return unsigned(change(saved, plies=tuple(plies)))


@given(saved_matches)
def test_what_the_match_came_to_verifies(saved: SavedMatch) -> None:
    assert referee(replay.parse(replay.encode(saved))) == ()
    assert referee(unsigned(saved)) == ()


def test_the_matches_drawn_at_random_end_in_every_way() -> None:
    rng = random.Random(1)
    ends = {
        play(rng, "ttt", rate, strikes=(striking, False), why=None).termination
        for rate in (0.0, 0.2)
        for striking in (True, False)
        for _ in range(100)
    }
    assert ends == set(Termination)


@given(saved_matches, st.data())
def test_any_changed_move_is_found(saved: SavedMatch, data: st.DataObject) -> None:
    assume(saved.plies)
    number = data.draw(st.integers(0, len(saved.plies) - 1))
    move = data.draw(st.sampled_from([f"{move}" for move in range(10)]))
    assume(move != saved.plies[number].move)
    assert referee(change(with_ply(saved, number, move=move), digest=saved.digest))


@given(saved_matches, st.sampled_from((-1, 0, 1)))
def test_any_changed_winner_is_found(saved: SavedMatch, winner: int) -> None:
    assume(winner != saved.outcome.winner)
    changed = outcome(saved, winner=winner)
    assert referee(change(changed, digest=saved.digest))
    left = saved.outcome.termination in (Termination.RESIGN, Termination.DISCONNECT)
    if not left or winner == -1 or saved.outcome.rated:
        assert referee(changed), "the digest alone shows it"


@given(saved_matches, st.sampled_from(Termination))
def test_any_changed_termination_is_found_without_the_digest(saved: SavedMatch, termination: Termination) -> None:
    assume(termination is not saved.outcome.termination)
    assert referee(outcome(saved, termination=termination))


@given(saved_matches, st.sampled_from(Termination))
def test_a_termination_changed_with_its_reason_is_found_unless_it_is_as_possible(
    saved: SavedMatch, termination: Termination
) -> None:
    """A loser who left may as well have resigned, or have forfeited by the strike it left with, and any
    unfinished match may have been voided; only a rating can tell. Everything else leaves its trace."""
    left = {Termination.RESIGN, Termination.DISCONNECT, Termination.SERVER}
    assume(termination is not saved.outcome.termination)
    assume(termination not in left)
    assume(saved.outcome.termination not in left or not saved.unplayed)
    assert referee(outcome(saved, termination=termination, reason=REASONS[termination]))


@given(saved_matches, st.data())
def test_a_ply_left_out_is_found(saved: SavedMatch, data: st.DataObject) -> None:
    assume(saved.plies)
    number = data.draw(st.integers(0, len(saved.plies) - 1))
    plies = saved.plies[:number] + saved.plies[number + 1 :]
    assert referee(change(saved, plies=plies))


@pytest.mark.parametrize(
    ("saved", "sentence"),
    [
        (with_ply(save(match()), 1, move="0"), "ply 1: '0' is illegal; legal were 1, 2, 3, 4, 5, 6, 7, 8"),
        (with_ply(save(match()), 1, move="\x1b[2J"), r"ply 1: '\x1b[2J' is illegal"),
        (
            unsigned(save(match("0314256"))),
            "the game went on after it was over: its last move was ply 4, and ply 5 follows",
        ),
        (outcome(save(match()), winner=1), "`winner` should be 0, and is 1"),
        (outcome(save(match()), winner=-1), "`winner` should be 0, and is -1"),
        (
            unsigned(save(match("0314"))),
            "the termination normal does not fit: the game is not over",
        ),
        (
            unsigned(save(match(termination=Termination.RESIGN))),
            "the termination should be normal, and is resign",
        ),
        (
            unsigned(save(match("03", Termination.ILLEGAL_MOVE))),
            "the termination illegal_move does not fit: no strike at the end shows it",
        ),
        (
            unsigned(save(match("03", Termination.ILLEGAL_MOVE, 1, unplayed=(Strike("illegal_move", 5, "4"),)))),
            "the strike at ply 2 is none: '4' was a legal move",
        ),
        (
            unsigned(save(match("03", Termination.TIMEOUT, 1, unplayed=(Strike("timeout", 990),)))),
            "a forfeit by timeout after 990 ms, where 1000 ms was the limit",
        ),
        (
            unsigned(save(match("03", Termination.RESIGN, -1))),
            "a match that ends by resign has a winner",
        ),
        (
            outcome(save(match("03", Termination.STRIKES, 1, unplayed=(Strike("illegal_move", 5, "3"),)))),
            "the termination should be illegal_move, and is strikes",
        ),
        (
            unsigned(save(match(unplayed=(Strike("timeout", 1_000),)))),
            "a strike follows the end of the match",
        ),
        (with_ply(save(match()), 2, ms=1_001), "ply 2 took 1001 ms and was accepted"),
        (with_ply(save(match()), 2, ply=3), "ply 2 is numbered 3"),
        (with_ply(save(match()), 2, player=1), "ply 2 is of player 1, where player 0 was to move"),
        (
            outcome(save(match("03", Termination.SERVER, -1, rated=False, why="void: server error")), rated=True),
            "`rated` should be False, and is True",
        ),
        (outcome(save(match()), why="practice"), "`why` should be None, and is 'practice'"),
        (outcome(save(match()), rated=False), "`rated` should be True, and is False"),
        (outcome(save(match()), reason="because"), "`reason` should be None, and is 'because'"),
        (
            outcome(save(match("03", Termination.SERVER, -1, rated=False, why="oops")), reason="oops"),
            "the reason of a void match begins with 'void: '",
        ),
        (unsigned(change(save(match()), ended=4_999_999)), "it ended before it started"),
        (unsigned(change(save(match()), ended=5_000_010)), "the clocks ran for 50 ms, the match for 10 ms"),
        (unsigned(change(save(match()), game="halma")), "no game 'halma' is installed here"),
        (unsigned(change(save(match()), rules=2)), "version 2 of the rules of ttt, and version 1 is installed here"),
        (change(save(match()), match="other"), "the digest does not fit"),
    ],
)
def test_each_fault_has_its_sentence(saved: SavedMatch, sentence: str) -> None:
    assert any(sentence in found for found in referee(saved)), referee(saved)


def rated(saved: SavedMatch, seat: int, **fields: Any) -> SavedMatch:
    players = list(saved.players)
    players[seat] = change(players[seat], **fields)
    return unsigned(change(saved, players=(players[0], players[1])))


def test_a_rating_that_is_not_elo_is_found() -> None:
    assert referee(rated(save(match()), 0, rating_after=1517.0)) == (
        "the rating of player 0 should be 1516.000 after the match, and is 1517.0",
    )


def test_a_rated_match_needs_both_ratings() -> None:
    assert referee(rated(save(match()), 1, rating_before=None, rating_after=None)) == (
        "a rated match without the ratings of both players",
    )


def test_a_practice_match_moves_no_rating() -> None:
    saved = save(match(rated=False, why="practice"))
    assert referee(saved) == ()
    assert referee(rated(saved, 0, rating_after=1516.0)) == (
        "the match is not rated, but the rating of player 0 changed",
    )


def test_the_loser_of_an_unrated_match_who_left_is_taken_as_the_file_says() -> None:
    """The moves don't show who resigned: the digest does, as far as it goes."""
    saved = save(match("03", Termination.RESIGN, 0, rated=False, why="practice"))
    flipped = change(saved, outcome=change(saved.outcome, winner=1))
    assert referee(unsigned(flipped)) == ()
    assert referee(flipped) == ("the digest does not fit: the file was changed or damaged after it was saved",)


@pytest.mark.parametrize("faults", [1, 2, 3, 4])
def test_as_many_strikes_as_a_file_shows_may_have_been_allowed(faults: int) -> None:
    strikes = tuple(Strike("illegal_move", 5, "?") for _ in range(faults))
    saved = save(match("03", Termination.STRIKES, 1, unplayed=strikes))
    assert (referee(saved) == ()) is (faults > 1)


def test_a_seat_goes_on_after_strikes_that_did_not_end_the_match() -> None:
    plies = [Ply(move, 10) for move in "03142"]
    plies[2] = Ply("1", 10, (Strike("timeout", 1_000), Strike("redirect", 30)))
    assert referee(save(match(plies=tuple(plies)))) == ()


def test_a_match_that_goes_on_after_the_strike_that_ends_it_is_found() -> None:
    plies = [Ply(move, 10) for move in "031"]
    plies[2] = Ply("1", 10, (Strike("timeout", 1_000),))
    saved = save(match("", Termination.TIMEOUT, 1, plies=tuple(plies)))
    assert "the match went on with ply 2 after a strike there had ended it" in referee(saved)


def test_a_draw_on_the_full_board_verifies() -> None:
    assert referee(save(match("012435768", winner=-1))) == ()


@given(saved_matches)
def test_every_sentence_can_be_shown_on_one_line(saved: SavedMatch) -> None:
    assume(saved.plies)
    for sentence in referee(with_ply(saved, 0, move="x" * 64)):
        assert "\n" not in sentence
        assert len(sentence) < 200


def test_the_referee_looks_at_the_rules_of_the_file_not_at_the_name() -> None:
    """An alias is no id: the file of a venue never holds one."""
    assert catalog.find("tictactoe").id == "ttt"
    assert "no game 'tictactoe' is installed here: its rules are needed" in referee(
        change(save(match()), game="tictactoe")
    )
