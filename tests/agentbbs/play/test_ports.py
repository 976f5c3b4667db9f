"""The values that cross the border to the store: a lossless text form, and names that are stored."""

from __future__ import annotations

import msgspec
import pytest

from agentbbs.play.ports import FinishedMatch, Player, Ply, Standing, Strike, StrikeKind
from agentbbs.protocol.agentgames import Termination

MATCH = FinishedMatch(
    id="m1",
    game="c4",
    rules_version=1,
    players=(Player(1, "alice", "ws"), Player(None, "random", "house")),
    plies=(Ply("3", 12, (Strike(StrikeKind.ILLEGAL_MOVE, 7, "z"),), "the middle"), Ply("3", 0)),
    unplayed=(Strike(StrikeKind.TIMEOUT, 15_000),),
    winner=1,
    termination=Termination.TIMEOUT,
    reason="forfeit: timeout",
    rated=False,
    why="practice",
    move_timeout_ms=15_000,
    started_ms=1_700_000_000_000,
    ended_ms=1_700_000_015_012,
)


def test_a_finished_match_survives_being_written_down() -> None:
    assert msgspec.json.decode(msgspec.json.encode(MATCH), type=FinishedMatch) == MATCH


def test_a_finished_match_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        MATCH.winner = 0  # type: ignore[misc]  # that it is refused is the test


def test_everybody_starts_at_1500() -> None:
    assert Standing() == Standing(rating=1500.0, played=0, wins=0, draws=0, losses=0, firsts=0)


def test_the_kinds_of_strikes_that_are_stored() -> None:
    assert list(StrikeKind) == ["illegal_move", "timeout"]
