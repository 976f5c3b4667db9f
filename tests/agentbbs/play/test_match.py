"""One match: the table of its transitions, whole games, and endings."""

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
    shown,
)

from agentbbs.games.c4 import C4
from agentbbs.games.game import Game
from agentbbs.games.ttt import TTT
from agentbbs.play.match import (
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


MISSING: Final = [(phase, event) for phase, event in product(Phase, EVENTS) if (phase, event) not in TRANSITIONS]


def made(kind: type[Event], seat: int) -> Event:
    """An event of that kind that would count, were it in place."""
    events: dict[type[Event], Event] = {
        Begun: Begun(DUE),
        Handed: Handed(DUE, seat),
        Moved: Moved(DUE, seat, "8"),
        Faulted: Faulted(DUE, seat, StrikeKind.TIMEOUT),
        DeadlinePassed: DeadlinePassed(DUE, seat, 0),
        Resigned: Resigned(DUE, seat),
        Disconnected: Disconnected(DUE, seat),
        Aborted: Aborted(DUE, VOID_SHUTDOWN),
    }
    return events[kind]


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("phase", "kind"), MISSING)
def test_an_event_without_a_row_changes_nothing(phase: Phase, kind: type[Event], seat: int) -> None:
    match = {Phase.READY: ready, Phase.TURN: in_turn, Phase.OVER: over}[phase]()
    assert match.phase is phase
    before = everything(match)
    assert match.handle(made(kind, seat)) == ()
    assert everything(match) == before


def test_every_event_and_phase_is_known_to_the_table() -> None:
    assert len(MISSING) + len(TRANSITIONS) == len(Phase) * len(EVENTS)
    assert {kind for _, kind in TRANSITIONS} == set(EVENTS)


@pytest.mark.parametrize("kind", EVENTS)
def test_a_match_that_is_over_stays_as_it_ended(kind: type[Event]) -> None:
    match = over()
    finished = match.finished
    effects = match.handle(made(kind, 0))
    assert [type(effect) for effect in effects] == ([Refuse] if kind is Moved else [])
    assert match.phase is Phase.OVER
    assert match.finished is finished


# Whole games


def test_a_game_is_shown_to_both_seats_ply_by_ply() -> None:
    table = Table(begun=False)
    effects = table.feed(Begun(BEGUN_AT))
    empty = {"board": list("........."), "toMove": 0, "legal": list("012345678")}
    first = {"type": "state", "observation": empty, "ply": 0, "lastMove": None, "remainingMs": TIMEOUT_MS}
    assert shown(effects, 0) == {**first, "yourTurn": True}
    assert shown(effects, 1) == {**first, "yourTurn": False}

    effects = table.move("4", after_s=0.25)
    assert shown(effects, 1) == {
        "type": "state",
        "observation": {"board": list("....X...."), "toMove": 1, "legal": list("01235678")},
        "yourTurn": True,
        "ply": 1,
        "lastMove": "4",
        "remainingMs": TIMEOUT_MS,
    }
    assert shown(effects, 0) == {**shown(effects, 1), "yourTurn": False}


def test_the_seat_to_move_is_asked_before_the_other_is_shown() -> None:
    table = Table(begun=False)
    assert [type(effect) for effect in table.feed(Begun(BEGUN_AT))] == [Ask, SetDeadline, Show]
    assert [type(effect) for effect in table.move("0")] == [Ask, SetDeadline, Show]


@pytest.mark.parametrize(
    ("game", "moves", "winner"),
    [
        (TTT, FIRST_ROW, 0),
        (TTT, "304182", 1),
        (TTT, NINTH_PLY_WIN, 0),
        (TTT, FULL_AND_DRAWN, -1),
        (C4, C4_COLUMN, 0),
        (C4, "10203", -2),
        (C4, "6010101", -2),
        (C4, "60101010", 1),
        (C4, C4_DRAWN, -1),
        (C4, C4_LAST_DISC_WINS, 1),
    ],
)
def test_a_game_ends_as_its_rules_say(game: Game, moves: str, winner: int) -> None:
    """`winner` -2: the game is not over yet."""
    table = Table(new_match(game))
    table.play(moves)
    if winner == -2:
        assert table.match.finished is None
        return
    finished = table.finished
    assert (finished.winner, finished.termination, finished.reason) == (winner, Termination.NORMAL, None)
    assert "".join(ply.move for ply in finished.plies) == moves
    assert (finished.rated, finished.why, finished.unplayed) == (True, None, ())


@pytest.mark.parametrize(
    ("game", "moves", "marks"),
    [
        (TTT, NINTH_PLY_WIN, "XOXOXOOXX"),
        (TTT, FULL_AND_DRAWN, None),
        (C4, C4_COLUMN, None),
        (C4, C4_DRAWN, None),
    ],
)
def test_both_seats_see_the_final_position_before_the_end(game: Game, moves: str, marks: str | None) -> None:
    table = Table(new_match(game))
    table.play(moves[:-1])
    effects = table.move(moves[-1])
    assert [type(effect) for effect in effects] == [Show, Show, Finished]
    last = shown(effects, 0)
    assert last == shown(effects, 1)
    assert (last["observation"]["toMove"], last["observation"]["legal"]) == (-1, [])
    assert (last["yourTurn"], last["remainingMs"]) == (False, 0)
    assert (last["ply"], last["lastMove"]) == (len(moves), moves[-1])
    if marks is not None:
        assert last["observation"]["board"] == list(marks)


@pytest.mark.parametrize("game", [TTT, C4])
def test_a_forfeited_game_ends_with_the_same_convention_as_a_played_one(game: Game) -> None:
    """The rules would let somebody move, but the game is over: nobody is to move, nothing is legal."""
    table = Table(new_match(game))
    table.play("12")
    effects = table.feed(Resigned(table.now, 1))
    for seat in (0, 1):
        state = shown(effects, seat)
        assert (state["observation"]["toMove"], state["observation"]["legal"]) == (-1, [])
        assert (state["yourTurn"], state["remainingMs"], state["ply"], state["lastMove"]) == (False, 0, 2, "2")
    assert len([mark for mark in str(shown(effects, 0)["observation"]["board"]) if mark in "XO"]) == 2


def test_the_first_player_at_the_table_is_seat_0_whatever_the_names() -> None:
    """Two agents may share a name, or one may be called as the other is: seats are not found by name."""
    namesakes = (Player(7, "z0d", "ws"), Player(3, "z0d", "ws"))
    table = Table(new_match(players=namesakes))
    table.play(FIRST_ROW)
    assert table.finished.players == namesakes
    assert table.finished.winner == 0
    table = Table(new_match(players=namesakes))
    table.feed(Disconnected(table.now, 0))
    assert (table.finished.winner, table.finished.players[1].account) == (1, 3)


# Endings without a win


@pytest.mark.parametrize("moves", ["", "4", "40"])
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    ("event", "termination", "reason"),
    [
        (Resigned, Termination.RESIGN, "forfeit: resign"),
        (Disconnected, Termination.DISCONNECT, "forfeit: disconnect"),
    ],
)
def test_whoever_leaves_loses_whoever_is_to_move(
    event: type[Resigned | Disconnected], termination: Termination, reason: str, seat: int, moves: str
) -> None:
    table = Table()
    table.play(moves)
    table.feed(event(table.now, seat))
    finished = table.finished
    assert (finished.winner, finished.termination, finished.reason) == (1 - seat, termination, reason)
    assert (finished.rated, finished.why) == (True, None)
    assert "".join(ply.move for ply in finished.plies) == moves


@pytest.mark.parametrize("seat", [0, 1])
def test_a_seat_that_is_gone_before_the_first_position_loses(seat: int) -> None:
    table = Table(begun=False)
    effects = table.feed(Disconnected(BEGUN_AT, seat))
    assert [type(effect) for effect in effects] == [Show, Show, Finished]
    finished = table.finished
    assert (finished.winner, finished.termination, finished.plies) == (1 - seat, Termination.DISCONNECT, ())
    assert (finished.started_ms, finished.ended_ms) == (STARTED_MS, STARTED_MS)


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("why_unrated", [None, "practice"])
def test_a_fault_of_the_venue_costs_nobody_anything(begun: bool, why_unrated: str | None) -> None:
    table = Table(new_match(why_unrated=why_unrated), begun=begun)
    table.play("4" if begun else "")
    table.feed(Aborted(table.now, VOID_SHUTDOWN))
    finished = table.finished
    assert (finished.winner, finished.termination) == (-1, Termination.SERVER)
    assert (finished.reason, finished.rated, finished.why) == (VOID_SHUTDOWN, False, VOID_SHUTDOWN)


def test_a_practice_match_says_why_it_is_not_rated() -> None:
    table = Table(new_match(why_unrated="practice"))
    table.play(FIRST_ROW)
    assert (table.finished.rated, table.finished.why, table.finished.winner) == (False, "practice", 0)


def test_a_finished_match_says_who_played_what_and_when() -> None:
    table = Table(new_match(C4))
    for move in C4_COLUMN:
        table.move(move, after_s=0.5)
    finished = table.finished
    assert (finished.id, finished.game, finished.rules_version) == ("m1", "c4", C4.version)
    assert (finished.players, finished.move_timeout_ms) == ((ALICE, BOB), TIMEOUT_MS)
    assert (finished.started_ms, finished.ended_ms) == (STARTED_MS, STARTED_MS + 3_500)
