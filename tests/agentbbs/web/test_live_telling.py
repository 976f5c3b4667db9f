"""What readers of a match are told, position by position."""

from __future__ import annotations

import json

import pytest

from agentbbs.games.catalog import find
from agentbbs.games.game import NOBODY
from agentbbs.play.match import FORFEIT, STRIKES, Aborted, Begun, Faulted, Handed, Match, Moved, Resigned
from agentbbs.play.ports import ARENA_TRANSPORT, Player
from agentbbs.protocol.agentgames import VOID_SHUTDOWN, Termination
from agentbbs.web.live.telling import Course, live_over, outcome, over_event, state_event

EVIL = "</script>\x1b[2J\u202e\n"


def begun(game: str = "ttt", *, name: str = "ada") -> Match:
    """A match of an endpoint with three strikes and 9 s, and an agent that connects, at time 0."""
    match = Match(
        "01a2",
        find(game),
        (Player(1, name, ARENA_TRANSPORT, 9_000), Player(2, "bob", "websocket")),
        (STRIKES(3), FORFEIT),
        move_timeout_ms=15_000,
        started_ms=0,
    )
    match.handle(Begun(0.0))
    return match


def play(match: Match, *moves: str, at: float = 1.0) -> None:
    for move in moves:
        seat = match.position.to_move
        match.handle(Handed(at, seat))
        match.handle(Moved(at, seat, move, reason=f"{move}!"))


def strike(match: Match, kind: str = "timeout", *, reason: str | None = None, at: float = 1.0) -> None:
    match.handle(Handed(at, match.position.to_move))
    match.handle(Faulted(at, match.position.to_move, kind, detail="no answer", reason=reason))


class TestCourse:
    def test_the_first_news_are_where_the_match_stands(self) -> None:
        match = begun()
        (state,) = Course(match).news(0.0)
        assert (state.ply, state.move, state.seat, state.mark, state.ms, state.reason) == (0, *5 * [None])
        assert (state.to_move, state.clock_ms, state.remaining_ms, state.strikes) == (0, 9_000, 9_000, ())
        assert state.scene is not None
        assert state.scene.cells == ("",) * 9

    def test_each_position_is_told_once_with_the_move_that_led_there(self) -> None:
        match = begun()
        course = Course(match)
        course.news(0.0)
        play(match, "4", "0", "8")
        told = course.news(1.0)
        assert [(state.ply, state.move, state.mark, state.reason) for state in told] == [
            (1, "4", "X", "4!"),
            (2, "0", "O", "0!"),
            (3, "8", "X", "8!"),
        ]
        assert [state.scene.fresh for state in told if state.scene] == [(4,), (0,), (8,)]
        assert [state.to_move for state in told] == [1, 0, 1]
        assert course.news(1.0) == []

    @pytest.mark.parametrize(("last", "plies"), [(0, [3]), (1, [2, 3]), (3, [0, 1, 2, 3]), (9, [0, 1, 2, 3])])
    def test_it_begins_as_far_back_as_is_wanted(self, last: int, plies: list[int]) -> None:
        match = begun()
        play(match, "4", "0", "8")
        assert [state.ply for state in Course(match, last=last).news(1.0)] == plies

    def test_the_clock_of_the_newest_position_runs(self) -> None:
        match = begun()
        course = Course(match)
        course.news(0.0)
        play(match, "4")
        match.handle(Handed(10.0, 1))
        assert course.news(12.0)[-1].remaining_ms == 13_000
        assert course.current(14.0).remaining_ms == 11_000

    def test_a_strike_tells_the_position_again_with_its_clock_anew(self) -> None:
        match = begun()
        course = Course(match)
        course.news(0.0)
        strike(match, reason=EVIL)
        (state,) = course.news(1.0)
        assert (state.ply, state.to_move, state.remaining_ms) == (0, 0, 9_000)
        (told,) = state.strikes
        assert (told.seat, told.ply, told.kind, told.detail) == (0, 0, "timeout", "no answer")
        assert told.reason is not None
        assert not set("\x1b\u202e\n") & set(told.reason)
        assert course.news(1.0) == []
        play(match, "4", "0")
        assert [[one.ply for one in state.strikes] for state in course.news(1.0)] == [[0], [0]]
        strike(match)
        assert [one.ply for one in course.news(1.0)[-1].strikes] == [0, 2]

    def test_strikes_are_told_with_the_positions_at_which_they_were(self) -> None:
        match = begun()
        strike(match)
        play(match, "4", "0")
        strike(match)
        told = Course(match, last=9).news(1.0)
        assert [len(state.strikes) for state in told] == [0, 1, 2]

    def test_after_the_end_nobody_is_to_move(self) -> None:
        match = begun()
        course = Course(match)
        course.news(0.0)
        play(match, "4")
        match.handle(Resigned(1.0, 1))
        state = course.news(1.0)[-1]
        assert (state.ply, state.to_move, state.remaining_ms) == (1, NOBODY, 0)

    def test_a_board_that_is_no_grid_is_told_as_text(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("agentbbs.web.live.telling.scene", lambda *_: None)
        match = begun()
        (state,) = Course(match).news(0.0)
        assert state.scene is None
        assert state.text == match.position.text()


class TestOver:
    @pytest.mark.parametrize(("moves", "said"), [("03142", "X ada wins."), ("012435768", "A draw.")])
    def test_a_normal_end(self, moves: str, said: str) -> None:
        match = begun()
        play(match, *moves)
        assert match.finished is not None
        assert live_over(match.finished).outcome == said

    def test_a_void_match(self) -> None:
        match = begun()
        match.handle(Aborted(1.0, VOID_SHUTDOWN))
        assert match.finished is not None
        assert live_over(match.finished).outcome == "Void: server shutdown."

    def test_a_forfeit_says_why(self) -> None:
        match = begun()
        for _ in range(3):
            strike(match)
        assert match.finished is not None
        over = live_over(match.finished)
        assert (over.winner, over.termination, over.reason) == (1, Termination.STRIKES, "forfeit: strikes")
        assert over.outcome == "O bob wins (forfeit: strikes)."
        assert over.href == "/m/01a2"

    def test_names_are_inert(self) -> None:
        match = begun(name=EVIL)
        match.handle(Resigned(1.0, 1))
        assert match.finished is not None
        assert not set("\x1b\u202e\n") & set(outcome(match.finished))


def test_events_are_lines_that_a_browser_takes() -> None:
    match = begun(name=EVIL)
    play(match, "4")
    (state,) = Course(match).news(1.0)
    name, number, data, *rest = state_event(state).decode().split("\n")
    assert (name, number, rest) == ("event: state", "id: 1", ["", ""])
    assert json.loads(data.removeprefix("data: "))["ply"] == 1
    match.handle(Resigned(1.0, 1))
    assert match.finished is not None
    name, data, *rest = over_event(live_over(match.finished)).decode().split("\n")
    assert (name, rest) == ("event: over", ["", ""])
    assert json.loads(data.removeprefix("data: "))["plies"] == 1
