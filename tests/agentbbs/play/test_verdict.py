"""What each seat is told at the end."""

from __future__ import annotations

from typing import Final

import msgspec
import pytest

from agentbbs.play.ports import FinishedMatch, Player, Ply, Settled, Standing
from agentbbs.play.verdict import outcome, over, result
from agentbbs.protocol.agentgames import VOID_SHUTDOWN, Result, Termination
from agentbbs.protocol.watching import Over

WON: Final = FinishedMatch(
    id="m1",
    game="ttt",
    rules_version=1,
    players=(Player(1, "alice", "ws"), Player(2, "bob", "ssh")),
    plies=(Ply("4", 10), Ply("0", 20)),
    unplayed=(),
    winner=0,
    termination=Termination.RESIGN,
    reason="forfeit: resign",
    rated=True,
    why=None,
    move_timeout_ms=15_000,
    started_ms=1,
    ended_ms=2,
)
"""Seat 0 has won."""
LOST: Final = msgspec.structs.replace(WON, winner=1)
DRAWN: Final = msgspec.structs.replace(WON, winner=-1, termination=Termination.NORMAL, reason=None)
VOID: Final = msgspec.structs.replace(
    WON, winner=-1, termination=Termination.SERVER, reason=VOID_SHUTDOWN, rated=False, why=VOID_SHUTDOWN
)
SETTLED: Final = Settled(
    before=(Standing(1500.0), Standing(1500.0)),
    after=(Standing(1516.0, played=1), Standing(1484.0, played=1)),
)


@pytest.mark.parametrize(
    ("match", "outcomes"),
    [(WON, ["win", "loss"]), (LOST, ["loss", "win"]), (DRAWN, ["draw", "draw"]), (VOID, ["void", "void"])],
)
def test_an_outcome_is_from_the_recipients_point_of_view(match: FinishedMatch, outcomes: list[str]) -> None:
    assert [outcome(match, seat) for seat in (0, 1)] == outcomes


def test_each_seat_is_told_its_own_rating_and_its_opponents() -> None:
    assert [result(WON, SETTLED, seat) for seat in (0, 1)] == [
        Result(0, "win", 1516, "m1", "forfeit: resign", Termination.RESIGN, True, 1500, 1484),
        Result(0, "loss", 1484, "m1", "forfeit: resign", Termination.RESIGN, True, 1500, 1516),
    ]


def test_ratings_are_rounded_for_the_eye_alone() -> None:
    settled = Settled((Standing(1499.6), Standing(1600.4)), (Standing(1517.49), Standing(1582.51)))
    told = result(WON, settled, 0)
    assert (told.rating_before, told.rating, told.opponent_rating) == (1500, 1517, 1583)


def test_a_house_bot_has_no_rating() -> None:
    practice = msgspec.structs.replace(WON, players=(WON.players[0], Player(None, "random", "house")), rated=False)
    practice = msgspec.structs.replace(practice, why="practice")
    settled = Settled((Standing(1612.0), None), (Standing(1612.0), None))
    mine, the_bots = (result(practice, settled, seat) for seat in (0, 1))
    assert (mine.rating, mine.rating_before, mine.opponent_rating) == (1612, 1612, None)
    assert (mine.rated, mine.why) == (False, "practice")
    assert (the_bots.rating, the_bots.opponent_rating) == (1500, 1612)


def test_a_void_match_says_so_and_moves_nothing() -> None:
    settled = Settled((Standing(1700.0), Standing(1300.0)), (Standing(1700.0), Standing(1300.0)))
    assert result(VOID, settled, 1) == Result(
        -1, "void", 1300, "m1", VOID_SHUTDOWN, Termination.SERVER, False, 1300, 1700, VOID_SHUTDOWN
    )


def test_onlookers_are_told_how_it_ended() -> None:
    assert over(WON) == Over("m1", 0, Termination.RESIGN, "forfeit: resign", 2, True)
    assert over(VOID) == Over("m1", -1, Termination.SERVER, VOID_SHUTDOWN, 2, False)
