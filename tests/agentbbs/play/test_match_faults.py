"""Illegal moves, silence and clocks in a match, under both policies."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agentbbs.play.table import BEGUN_AT, TIMEOUT_MS, Table, new_match, only, refused, shown

from agentbbs.games.c4 import C4
from agentbbs.games.game import Game
from agentbbs.games.ttt import TTT
from agentbbs.play.match import (
    FORFEIT,
    MAX_OFFERED_CHARS,
    MAX_REASON_CHARS,
    STRIKES,
    Ask,
    Begun,
    DeadlinePassed,
    Disconnected,
    Faulted,
    Finished,
    Handed,
    Moved,
    SetDeadline,
    Show,
)
from agentbbs.play.ports import Ply, Strike, StrikeKind
from agentbbs.protocol.agentgames import Termination
from agentbbs.protocol.errors import Code

TIMEOUT_S: Final = TIMEOUT_MS / 1000
NO_MOVES: Final = (
    "",
    " ",
    "a",
    "A",
    "h",
    "a ",
    "4 ",
    " 4",
    "04",
    "4.0",
    "+4",
    "-1",
    "9",
    "٤",
    "\uff14",
    "????",
    "resign?",
)
"""What is no move in Tic-Tac-Toe at any time."""
NO_COLUMNS: Final = ("", "7", "-1", "a", "A", "a ", "h", "3 ", "03", "³")


def arena(game: Game = TTT) -> Table:
    """A match under three strikes a seat."""
    return Table(new_match(game, (STRIKES(3), STRIKES(3))))


# The first fault forfeits


@pytest.mark.parametrize("before", ["", "0"])
@pytest.mark.parametrize(
    ("game", "offered"), [(TTT, offered) for offered in NO_MOVES] + [(C4, offered) for offered in NO_COLUMNS]
)
def test_an_illegal_move_loses_and_is_never_a_draw(game: Game, offered: str, before: str) -> None:
    table = Table(new_match(game))
    table.play(before)
    offender = len(before)
    table.move(offered, after_s=0.02)
    finished = table.finished
    assert (finished.winner, finished.termination) == (1 - offender, Termination.ILLEGAL_MOVE)
    assert finished.reason == "forfeit: illegal move"
    assert "".join(ply.move for ply in finished.plies) == before
    assert finished.unplayed == (Strike(StrikeKind.ILLEGAL_MOVE, 20, offered),)
    assert table.match.position.ply == len(before)


@pytest.mark.parametrize(("game", "before", "offered"), [(TTT, "4", "4"), (TTT, "402", "0"), (C4, "333333", "3")])
def test_a_move_that_is_no_longer_free_is_illegal(game: Game, before: str, offered: str) -> None:
    table = Table(new_match(game))
    table.play(before)
    effects = table.move(offered)
    assert table.finished.termination is Termination.ILLEGAL_MOVE
    assert table.finished.winner == 1 - len(before) % 2
    assert shown(effects, 0)["lastMove"] == before[-1]


def test_no_answer_in_time_loses() -> None:
    table = Table()
    table.play("40")
    effects = table.run_out()
    assert [type(effect) for effect in effects] == [Show, Show, Finished]
    finished = table.finished
    assert (finished.winner, finished.termination) == (1, Termination.TIMEOUT)
    assert finished.reason == "forfeit: timeout"
    assert finished.unplayed == (Strike(StrikeKind.TIMEOUT, TIMEOUT_MS),)
    assert [ply.move for ply in finished.plies] == ["4", "0"]


def test_an_essay_is_not_kept() -> None:
    table = Table()
    table.move("x" * 5000)
    assert table.finished.unplayed[0].offered == "x" * MAX_OFFERED_CHARS


def test_a_reason_is_kept_with_its_move_and_cut_at_280_code_points() -> None:
    table = arena()
    table.feed(Moved(table.now, 0, "4", reason="\N{WHITE SMILING FACE}" * 281))
    table.feed(Moved(table.now, 1, "0", reason="the corner"))
    assert [ply.reason for ply in table.match.plies] == ["\N{WHITE SMILING FACE}" * MAX_REASON_CHARS, "the corner"]


def test_a_fault_of_a_seat_that_is_not_to_move_means_nothing() -> None:
    table = Table()
    assert table.feed(Faulted(table.now, 1, "redirect")) == []
    assert table.feed(DeadlinePassed(table.now + TIMEOUT_S, 1, 0)) == []
    assert table.match.finished is None


def test_each_seat_has_its_own_policy() -> None:
    """A match between transports: the webhook may fail twice, the WebSocket not once."""
    table = Table(new_match(policies=(FORFEIT, STRIKES(3))))
    table.move("4")
    table.move("nonsense")
    table.move("nonsense")
    assert table.match.finished is None
    table.move("0")
    table.move("nonsense")
    assert (table.finished.winner, table.finished.termination) == (1, Termination.ILLEGAL_MOVE)


# Strikes


def test_three_strikes_forfeit_and_two_do_not() -> None:
    """A strike at the third move of seat 0, one at its fourth, and one more there."""
    table = arena(C4)
    table.play("0011")
    table.move("z", after_s=0.1)
    table.play("23")
    table.move("9")
    assert table.match.finished is None
    effects = table.move("9")
    assert [type(effect) for effect in effects] == [Show, Show, Finished]
    finished = table.finished
    assert (finished.winner, finished.termination) == (1, Termination.STRIKES)
    assert finished.reason == "forfeit: strikes"
    assert [ply.move for ply in finished.plies] == list("001123")
    assert [ply.strikes for ply in finished.plies] == [
        (),
        (),
        (),
        (),
        (Strike(StrikeKind.ILLEGAL_MOVE, 100, "z", asked_ms=0),),
        (),
    ]
    assert [strike.offered for strike in finished.unplayed] == ["9", "9"]


def test_after_a_strike_the_same_position_is_asked_again_and_the_count_has_risen() -> None:
    table = arena()
    table.play("4")
    first = only(Ask, [effect for effect in table.effects if isinstance(effect, Ask) and effect.seat == 1])
    assert first.strikes == 0
    for count in (1, 2):
        effects = table.move("4", after_s=1.0)
        assert [type(effect) for effect in effects] == [Ask, SetDeadline]
        again = only(Ask, effects)
        assert (again.seat, again.strikes) == (1, count)
        assert again.state == first.state
        assert only(SetDeadline, effects) == SetDeadline(1, 1, table.now + TIMEOUT_S)


def test_strikes_count_over_the_whole_match_and_for_each_seat_alone() -> None:
    table = arena(C4)
    for move in "010":
        table.move("z")
        table.move(move)
    assert table.match.finished is None
    assert [len(ply.strikes) for ply in table.match.plies] == [1, 1, 1]
    asked = [effect.strikes for effect in table.effects if isinstance(effect, Ask)]
    assert asked == [0, 1, 0, 1, 1, 2, 1]
    table.move("z")
    assert table.match.finished is None
    table.move("1")
    table.move("z")
    assert (table.finished.winner, table.finished.termination) == (1, Termination.STRIKES)


@pytest.mark.parametrize(
    "fault",
    [
        Moved(BEGUN_AT + 1, 0, "z"),
        Faulted(BEGUN_AT + 1, 0, "redirect", "302"),
        DeadlinePassed(BEGUN_AT + TIMEOUT_S, 0, 0),
    ],
)
def test_every_kind_of_fault_is_one_strike(fault: Moved | Faulted | DeadlinePassed) -> None:
    table = arena()
    assert [type(effect) for effect in table.feed(fault)] == [Ask, SetDeadline]
    table.now = fault.at
    table.move("0")
    kinds = {Moved: StrikeKind.ILLEGAL_MOVE, Faulted: "redirect", DeadlinePassed: StrikeKind.TIMEOUT}
    assert [strike.kind for strike in table.match.plies[0].strikes] == [kinds[type(fault)]]


def test_an_illegal_move_under_strikes_is_not_in_the_move_list_of_the_other_seat() -> None:
    table = arena()
    table.play("4")
    table.move("4")
    table.play("012")
    assert [ply.move for ply in table.match.plies] == list("4012")
    assert [len(ply.strikes) for ply in table.match.plies] == [0, 1, 0, 0]


def test_strikes_at_the_last_position_are_kept_when_the_match_ends_otherwise() -> None:
    table = arena()
    table.move("z", after_s=0.5)
    table.feed(Disconnected(table.now, 1))
    assert table.finished.winner == 0
    assert table.finished.unplayed == (Strike(StrikeKind.ILLEGAL_MOVE, 500, "z", asked_ms=0),)


def test_disconnecting_needs_no_third_time() -> None:
    table = arena()
    table.feed(Disconnected(table.now, 0))
    assert (table.finished.winner, table.finished.termination) == (1, Termination.DISCONNECT)


# Deadlines


def test_a_deadline_of_an_earlier_ply_means_nothing() -> None:
    table = Table()
    first = table.deadline
    assert first is not None
    table.play("40")
    assert table.match.position.to_move == first.seat
    assert table.feed(DeadlinePassed(first.at, first.seat, first.ply)) == []
    assert table.match.finished is None


def test_a_deadline_that_was_replaced_at_the_same_ply_means_nothing() -> None:
    """A bad answer late in its time is a strike; the position is asked again with all of the time."""
    table = arena()
    first = table.deadline
    assert first is not None
    table.move("z", after_s=TIMEOUT_S - 1)
    table.now = first.at
    assert table.feed(DeadlinePassed(first.at, first.seat, first.ply)) == []
    table.move("4")
    assert len(table.match.plies[0].strikes) == 1


def test_no_deadline_passes_while_the_transport_has_not_got_the_state() -> None:
    """Waiting for a slot is not on the agent's clock, at the first question or at one after a strike."""
    match = new_match(policies=(STRIKES(3), STRIKES(3)))
    match.handle(Begun(BEGUN_AT))
    assert match.handle(DeadlinePassed(BEGUN_AT + TIMEOUT_S, 0, 0)) == ()
    match.handle(Handed(BEGUN_AT + 20, 0))
    match.handle(Faulted(BEGUN_AT + 21, 0, "redirect"))
    assert match.handle(DeadlinePassed(BEGUN_AT + 20 + TIMEOUT_S, 0, 0)) == ()
    assert match.handle(Handed(BEGUN_AT + 90, 0)) == (SetDeadline(0, 0, BEGUN_AT + 90 + TIMEOUT_S),)
    match.handle(Moved(BEGUN_AT + 91, 0, "4"))
    assert match.plies[0] == Ply("4", 1000, (Strike("redirect", 1000, asked_ms=20_000),), asked_ms=90_000)


def test_the_clock_starts_when_the_transport_has_the_state() -> None:
    match = new_match()
    match.handle(Begun(BEGUN_AT))
    assert match.remaining_ms(BEGUN_AT + 3) == TIMEOUT_MS
    assert match.handle(Handed(BEGUN_AT + 3, 0)) == (SetDeadline(0, 0, BEGUN_AT + 3 + TIMEOUT_S),)
    assert match.handle(Handed(BEGUN_AT + 9, 0)) == ()
    assert match.handle(Handed(BEGUN_AT + 9, 1)) == ()
    match.handle(Moved(BEGUN_AT + 4, 0, "4"))
    assert match.plies[0].ms == 1000


def test_an_answer_before_its_clock_started_takes_no_time() -> None:
    match = new_match()
    match.handle(Begun(BEGUN_AT))
    match.handle(Moved(BEGUN_AT + 2, 0, "4"))
    assert match.plies[0].ms == 0


def test_a_move_that_was_read_late_is_charged_no_more_than_all_of_its_time() -> None:
    """It was in time: what went over the limit was our own lateness."""
    table = Table()
    table.move("4", after_s=TIMEOUT_S + 0.25)
    assert table.match.plies[0].ms == TIMEOUT_MS


def test_each_ply_is_charged_to_the_seat_that_moved() -> None:
    table = Table()
    for move, after_s in zip("40812", (0.125, 2.0, 0.0, 14.9994, 0.0126), strict=True):
        table.move(move, after_s=after_s)
    assert [ply.ms for ply in table.match.plies] == [125, 2000, 0, 14999, 13]
    assert table.match.last_ms == 13


def test_before_the_first_move_no_time_was_taken() -> None:
    assert Table().match.last_ms == 0


def test_a_clock_that_seems_to_run_backwards_charges_nothing_and_credits_nothing() -> None:
    table = Table()
    assert table.match.remaining_ms(BEGUN_AT - 1) == TIMEOUT_MS
    table.feed(Moved(BEGUN_AT - 0.25, 0, "4"))
    assert table.match.plies[0].ms == 0


@given(st.floats(min_value=0.0, max_value=20.0))
def test_remaining_time_is_what_a_reference_clock_says(elapsed_s: float) -> None:
    """Within 5 ms, for both seats and for those who watch; never negative."""
    table = Table()
    table.move("4")
    reference_ms = max(0.0, TIMEOUT_MS - elapsed_s * 1000)
    for seat in (0, 1, -1):
        assert abs(table.match.state(seat, table.now + elapsed_s).remaining_ms - reference_ms) < 5


def test_nothing_remains_before_the_begin_and_after_the_end() -> None:
    match = new_match()
    assert match.remaining_ms(BEGUN_AT) == 0
    match.handle(Begun(BEGUN_AT))
    match.handle(Disconnected(BEGUN_AT + 1, 0))
    assert match.remaining_ms(BEGUN_AT + 1) == 0


def test_a_late_answer_has_no_effect_on_what_was_ruled() -> None:
    table = Table()
    table.run_out()
    finished = table.finished
    assert refused(table.move("4", seat=0, after_s=0.001)) == (0, Code.GAME_OVER)
    assert table.match.finished is finished
