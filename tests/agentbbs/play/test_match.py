"""One match: the table of its transitions, whole games, endings, and the messages that have no effect."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Final

import pytest
from tests.agentbbs.play.table import (
    ALICE,
    BEGUN_AT,
    BOB,
    STARTED_MS,
    TIMEOUT_MS,
    Table,
    new_match,
    only,
    refused,
    seen,
    shown,
)

from agentbbs.games.c4 import C4
from agentbbs.games.game import Game
from agentbbs.games.ttt import TTT
from agentbbs.play.match import (
    FORFEIT,
    STRIKES,
    TRANSITIONS,
    Aborted,
    Ask,
    Begun,
    DeadlinePassed,
    Disconnected,
    Event,
    Faulted,
    Finished,
    Handed,
    Match,
    Moved,
    Phase,
    Refuse,
    Resigned,
    SetDeadline,
    Show,
)
from agentbbs.play.ports import Player, StrikeKind
from agentbbs.protocol.agentgames import VOID_SHUTDOWN, Termination
from agentbbs.protocol.errors import Code

NINTH_PLY_WIN: Final = "012345768"
"""Tic-tac-toe: X completes 0-4-8 with the last cell."""
FULL_AND_DRAWN: Final = "012435768"
FIRST_ROW: Final = "03142"
"""X completes the first row at ply 5."""
C4_COLUMN: Final = "0101010"
"""Connect 4: X stacks four in column 0."""
C4_DRAWN: Final = "331650114266141231434452363064260555520200"
C4_LAST_DISC_WINS: Final = "362614236012230601400013564456355355124124"
"""O wins with the 42nd disc, on a full board."""

EVENTS: Final = (Begun, Handed, Moved, Faulted, DeadlinePassed, Resigned, Disconnected, Aborted)


def ready() -> Match:
    return new_match()


def asked_but_not_handed() -> Match:
    match = new_match(policies=(STRIKES(3), STRIKES(3)))
    match.handle(Begun(BEGUN_AT))
    return match


def in_turn() -> Match:
    return Table().match


def in_turn_with_strikes() -> Match:
    return Table(new_match(policies=(STRIKES(3), STRIKES(3)))).match


def before_the_win() -> Match:
    table = Table()
    table.play(FIRST_ROW[:-1])
    return table.match


def over() -> Match:
    table = Table()
    table.play(FIRST_ROW)
    return table.match


DUE: Final = BEGUN_AT + TIMEOUT_MS / 1000

SCENES: Final[tuple[tuple[Callable[[], Match], Event], ...]] = (
    (ready, Begun(BEGUN_AT)),
    (ready, Disconnected(BEGUN_AT, 0)),
    (ready, Disconnected(BEGUN_AT, 1)),
    (ready, Aborted(BEGUN_AT, VOID_SHUTDOWN)),
    (asked_but_not_handed, Handed(BEGUN_AT, 0)),
    (in_turn, Moved(BEGUN_AT, 0, "4")),
    (in_turn, Moved(BEGUN_AT, 0, "9")),
    (in_turn, Moved(BEGUN_AT, 1, "4")),
    (in_turn, Moved(BEGUN_AT, 0, "4", 3)),
    (in_turn_with_strikes, Moved(BEGUN_AT, 0, "9")),
    (before_the_win, Moved(BEGUN_AT, 0, "2")),
    (in_turn, Faulted(BEGUN_AT, 0, "redirect")),
    (in_turn_with_strikes, Faulted(BEGUN_AT, 0, "redirect")),
    (in_turn, DeadlinePassed(DUE, 0, 0)),
    (in_turn_with_strikes, DeadlinePassed(DUE, 0, 0)),
    (in_turn, Resigned(BEGUN_AT, 0)),
    (in_turn, Resigned(BEGUN_AT, 1)),
    (in_turn, Disconnected(BEGUN_AT, 0)),
    (in_turn, Disconnected(BEGUN_AT, 1)),
    (in_turn, Aborted(BEGUN_AT, VOID_SHUTDOWN)),
    (over, Moved(BEGUN_AT, 0, "8")),
    (over, Moved(BEGUN_AT, 1, "8", 4)),
)
"""Positions and events that together reach every phase and every effect of every row."""


def everything(match: Match) -> list[Any]:
    """All that a match remembers."""
    values = [getattr(match, name) for name in Match.__slots__]
    return [list(value) if isinstance(value, list) else value for value in values]


# The table


@pytest.mark.parametrize(("scene", "event"), SCENES)
def test_an_event_does_what_its_row_says_and_no_more(scene: Callable[[], Match], event: Event) -> None:
    match = scene()
    row = TRANSITIONS[match.phase, type(event)]
    effects = match.handle(event)
    assert effects, "a scene shows what an event does"
    assert match.phase in row.to
    assert {type(effect) for effect in effects} <= set(row.effects)


def test_rows_promise_nothing_that_never_happens() -> None:
    reached: dict[tuple[Phase, type[Event]], tuple[set[Any], set[Any]]] = {}
    for scene, event in SCENES:
        match = scene()
        phases, kinds = reached.setdefault((match.phase, type(event)), (set(), set()))
        kinds.update(map(type, match.handle(event)))
        phases.add(match.phase)
    assert reached == {key: (set(row.to), set(row.effects)) for key, row in TRANSITIONS.items()}


MISSING: Final = sorted(
    (phase, event) for phase, event in product(Phase, EVENTS) if (phase, event) not in TRANSITIONS
) if False else [pair for pair in product(Phase, EVENTS) if pair not in TRANSITIONS]
