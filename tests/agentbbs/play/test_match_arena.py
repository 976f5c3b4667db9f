"""Seats of Agent Arena in a match: strikes with what was asked and said, and clocks of their own."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agentbbs.play.table import ALICE, BEGUN_AT, TIMEOUT_MS, Table, new_match, only

from agentbbs.games.c4 import C4
from agentbbs.play.match import (
    FORFEIT,
    MAX_DETAIL_CHARS,
    MAX_NONCE_CHARS,
    MAX_OFFERED_CHARS,
    MAX_REASON_CHARS,
    STRIKES,
    Ask,
    DeadlinePassed,
    Effect,
    Faulted,
    Moved,
    SetDeadline,
)
from agentbbs.play.ports import ARENA_TRANSPORT, Player, Ply, Strike, StrikeKind
from agentbbs.protocol.agentgames import Termination
from agentbbs.protocol.strikes import StrikeRow

CLOCK_MS: Final = 10_000
ENDPOINT: Final = Player(3, "gremlin", ARENA_TRANSPORT, CLOCK_MS)
ROWS: Final = tuple(str(row) for row in StrikeRow)


def arena() -> Table:
    """An endpoint, which moves first, against a connected agent, at Connect 4."""
    return Table(new_match(C4, (STRIKES(3), FORFEIT), players=(ENDPOINT, ALICE)))


def strikes(table: Table, kind: str, *, after_s: float = 0.0, nonce: str | None = None) -> list[Effect]:
    """The endpoint's answer is none."""
    table.now += after_s
    return table.feed(Faulted(table.now, 0, kind, "z", "what was wrong", "a taunt", nonce))


def test_case_152_the_third_strike_forfeits_and_none_before() -> None:
    """A strike at move 3, one at move 9, and one more there: asked with 0, 1 and 2 strikes, each time anew."""
    table = arena()
    table.play("00")
    strikes(table, "timeout", nonce="n1")
    table.play("110011")
    assert (table.match.position.ply, table.match.position.to_move) == (8, 0)
    strikes(table, "not_json", nonce="n2")
    asked = [effect for effect in table.effects if isinstance(effect, Ask) and effect.seat == 0]
    assert [(ask.state.ply, ask.strikes) for ask in asked] == [(0, 0), (2, 0), (2, 1), (4, 1), (6, 1), (8, 1), (8, 2)]
    assert asked[1].state == asked[2].state
    assert asked[5].state == asked[6].state
    assert table.match.finished is None
    strikes(table, "nonce", nonce="n3")
    finished = table.finished
    assert (finished.winner, finished.termination, finished.reason) == (1, Termination.STRIKES, "forfeit: strikes")
    assert [strike.kind for strike in finished.plies[2].strikes] == ["timeout"]
    assert [(strike.kind, strike.nonce) for strike in finished.unplayed] == [("not_json", "n2"), ("nonce", "n3")]


@given(st.lists(st.sampled_from((*ROWS, "move")), max_size=40))
def test_however_strikes_and_moves_mix_the_third_strike_ends_it(answers: list[str]) -> None:
    table = arena()
    count = 0
    for answer in answers:
        if table.match.finished is not None:
            break
        if answer == "move":
            table.move(table.match.position.legal[0])
            if table.match.finished is None:
                table.move(table.match.position.legal[-1])
            continue
        strikes(table, answer)
        count += 1
        assert (table.match.finished is not None) is (count == 3)
    made = [strike for ply in table.match.plies for strike in ply.strikes]
    if table.match.finished is not None:
        made += table.match.finished.unplayed
        by_strikes = table.match.finished.termination is Termination.STRIKES
        assert by_strikes is (count == 3)
        assert len(made) == count


def test_case_136_both_failed_answers_are_kept_with_the_move_that_followed() -> None:
    table = arena()
    table.now += 0.25
    strikes(table, "connection", after_s=1.5, nonce="n1")
    table.feed(Moved(table.now + 0.5, 0, "z", 0, "my favourite", "n2"))
    table.now += 0.5
    assert [strike.nonce for strike in table.match.unplayed] == ["n1", "n2"]
    table.feed(Moved(table.now + 2, 0, "3", 0, "fine", "n3"))
    assert table.match.unplayed == ()
    assert table.match.plies == (
        Ply(
            "3",
            2_000,
            (
                Strike("connection", 1_750, "z", "what was wrong", "a taunt", "n1", 0),
                Strike(StrikeKind.ILLEGAL_MOVE, 500, "z", None, "my favourite", "n2", 1_750),
            ),
            "fine",
            "n3",
            2_250,
        ),
    )


def test_of_a_connected_agent_nothing_more_is_kept_than_before() -> None:
    table = arena()
    table.play("33")
    assert table.match.plies[1] == Ply("3", 0)
    table.play("3")
    table.move("z")
    assert table.finished.unplayed == (Strike(StrikeKind.ILLEGAL_MOVE, 0, "z"),)


def test_what_an_answer_said_is_cut() -> None:
    table = arena()
    table.feed(Faulted(table.now, 0, "status", *("x" * 1000,) * 4))
    table.feed(Moved(table.now, 0, "3", None, "y" * 1000, "z" * 1000))
    ply = table.match.plies[0]
    (strike,) = ply.strikes
    limits = (MAX_OFFERED_CHARS, MAX_DETAIL_CHARS, MAX_REASON_CHARS, MAX_NONCE_CHARS)
    texts = (strike.offered, strike.detail, strike.reason, strike.nonce)
    assert [len(text or "") for text in texts] == list(limits)
    assert (ply.reason, ply.nonce) == ("y" * MAX_REASON_CHARS, "z" * MAX_NONCE_CHARS)


# Clocks


def test_each_seat_has_its_own_clock() -> None:
    table = arena()
    assert [table.match.clock_ms(seat) for seat in (0, 1)] == [CLOCK_MS, TIMEOUT_MS]
    assert table.deadline == SetDeadline(0, 0, BEGUN_AT + CLOCK_MS / 1000)
    assert table.match.remaining_ms(BEGUN_AT + 4) == CLOCK_MS - 4_000
    effects = table.move("3", after_s=1)
    assert only(SetDeadline, effects) == SetDeadline(1, 1, table.now + TIMEOUT_MS / 1000)
    assert only(Ask, effects).state.remaining_ms == TIMEOUT_MS
    assert table.match.remaining_ms(table.now + 4) == TIMEOUT_MS - 4_000
    effects = table.move("3", after_s=1)
    assert only(Ask, effects).state.remaining_ms == CLOCK_MS


def test_the_other_seat_sees_the_time_of_who_is_to_move() -> None:
    table = arena()
    for seat in (0, 1, -1):
        assert table.match.state(seat, table.now + 3).remaining_ms == CLOCK_MS - 3_000


def test_a_deadline_is_a_strike_at_its_own_time_and_a_forfeit_at_the_other_seat() -> None:
    table = arena()
    early = BEGUN_AT + CLOCK_MS / 1000 - 0.001
    assert table.feed(DeadlinePassed(early, 0, 0)) == []
    table.run_out()
    assert table.match.finished is None
    table.move("3")
    (strike,) = table.match.plies[0].strikes
    assert strike == Strike(StrikeKind.TIMEOUT, CLOCK_MS, asked_ms=0)
    assert table.feed(DeadlinePassed(table.now + CLOCK_MS / 1000, 1, 1)) == []
    table.run_out()
    assert (table.finished.winner, table.finished.termination) == (0, Termination.TIMEOUT)
    assert table.finished.unplayed[-1].ms == TIMEOUT_MS


def test_an_answer_that_was_read_late_took_all_of_its_own_clock() -> None:
    table = arena()
    table.move("3", after_s=CLOCK_MS / 1000 + 0.2)
    assert table.match.plies[0].ms == CLOCK_MS


def test_a_finished_match_tells_the_clocks() -> None:
    table = arena()
    table.move("3")
    table.move("z")
    assert [player.clock_ms for player in table.finished.players] == [CLOCK_MS, None]
    assert table.finished.move_timeout_ms == TIMEOUT_MS


@pytest.mark.parametrize("kind", ROWS)
def test_every_row_of_the_table_is_one_strike_by_its_name(kind: str) -> None:
    table = arena()
    assert [type(effect) for effect in strikes(table, kind)] == [Ask, SetDeadline]
    table.move("3")
    assert [strike.kind for strike in table.match.plies[0].strikes] == [kind]
