"""Whose fault it was, read from a row of the log."""

from __future__ import annotations

import msgspec
import pytest

from agentbbs.play.ports import Ply, Strike
from agentbbs.protocol.agentgames import Termination
from agentbbs.store.match_faults import FaultyMatch, faults
from agentbbs.store.match_rows import to_json

_ILLEGAL = Strike("illegal_move", 5, "9")
_TIMEOUT = Strike("timeout", 15_000)


def _row(
    *plies: tuple[Strike, ...],
    unplayed: tuple[Strike, ...] = (),
    winner: int = -1,
    termination: Termination = Termination.NORMAL,
    accounts: tuple[int | None, int | None] = (10, 20),
) -> FaultyMatch:
    played = tuple(Ply("4", 5, strikes) for strikes in plies)
    return FaultyMatch("ttt", *accounts, to_json(played), to_json(unplayed), winner, termination)


def test_strikes_before_a_move_are_those_of_its_seat() -> None:
    row = _row((_ILLEGAL,), (_TIMEOUT, _ILLEGAL), (), (_ILLEGAL,))
    assert list(faults(row)) == [(10, "illegal_move"), (20, "timeout"), (20, "illegal_move"), (20, "illegal_move")]


@pytest.mark.parametrize(("plies", "account"), [(0, 10), (1, 20), (2, 10)])
def test_strikes_after_the_last_move_are_those_of_who_was_to_move(plies: int, account: int) -> None:
    assert list(faults(_row(*[()] * plies, unplayed=(_TIMEOUT,)))) == [(account, "timeout")]


@pytest.mark.parametrize("termination", [Termination.ILLEGAL_MOVE, Termination.TIMEOUT, Termination.STRIKES])
@pytest.mark.parametrize("winner", [0, 1])
def test_strikes_that_end_a_match_are_the_losers_in_whatever_order_seats_move(
    termination: Termination, winner: int
) -> None:
    loser = (20, 10)[winner]
    row = _row((), unplayed=(_ILLEGAL,), winner=winner, termination=termination)
    assert list(faults(row)) == [(loser, "illegal_move"), (loser, f"lost by {termination}")]


@pytest.mark.parametrize("termination", [Termination.RESIGN, Termination.DISCONNECT])
def test_who_leaves_has_lost_by_it_and_keeps_nobody_elses_strikes(termination: Termination) -> None:
    row = _row((), unplayed=(_TIMEOUT,), winner=1, termination=termination)
    assert list(faults(row)) == [(20, "timeout"), (10, f"lost by {termination}")]


def test_nobody_lost_a_void_match_a_draw_or_by_the_rules() -> None:
    assert list(faults(_row((), termination=Termination.SERVER))) == []
    assert list(faults(_row((), winner=0, termination=Termination.SERVER))) == []
    assert list(faults(_row((), termination=Termination.TIMEOUT))) == []
    assert list(faults(_row((), winner=0))) == []


def test_house_bots_have_no_faults() -> None:
    row = _row((_TIMEOUT,), (_TIMEOUT,), winner=0, termination=Termination.RESIGN, accounts=(10, None))
    assert list(faults(row)) == [(10, "timeout")]


def test_a_row_with_what_later_versions_may_add_is_read() -> None:
    plies = msgspec.json.encode(
        [{"move": "4", "ms": 1, "mood": "good", "strikes": [{"kind": "late", "ms": 1, "of": 2}]}]
    )
    row = FaultyMatch("ttt", 10, 20, plies.decode(), "[]", -1, "normal")
    assert list(faults(row)) == [(10, "late")]
