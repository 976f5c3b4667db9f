"""One agent's conversation: what each message meets in each stage, and what the agent is told."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from tests.agentbbs.play.scripted import Booth

from agentbbs.games.catalog import ids
from agentbbs.games.ttt import TTT
from agentbbs.play.match import FORFEIT
from agentbbs.play.seat import Seat
from agentbbs.protocol.agentgames import (
    IDLE_TIMEOUT_S,
    ClientMessage,
    Hello,
    Join,
    Move,
    Ping,
    Resign,
    Result,
    State,
    Termination,
)
from agentbbs.protocol.conversation import CLIENT_RULES, Stage
from agentbbs.protocol.errors import Code

SAID: Final[dict[type[ClientMessage], dict[str, Any]]] = {
    Join: {"type": "join", "game": "ttt"},
    Move: {"type": "move", "move": "4", "ply": 0},
    Resign: {"type": "resign"},
    Ping: {"type": "ping"},
}
"""One message of each type."""

TAKEN: Final = [key for key, rule in CLIENT_RULES.items() if rule.refusal is None]
REFUSED: Final = [key for key, rule in CLIENT_RULES.items() if rule.refusal is not None]


# The table of the conversation, row by row


@pytest.mark.parametrize(("stage", "kind"), REFUSED)
def test_a_message_that_has_no_place_is_answered_as_its_row_says(
    booth: Booth, stage: Stage, kind: type[ClientMessage]
) -> None:
    booth.goes_to(stage)
    booth.says(SAID[kind])
    rule = CLIENT_RULES[stage, kind]
    assert booth.hears() == [{"type": "error", "code": rule.refusal, "message": rule.why}]
    assert booth.session.stage is stage
    assert booth.chair.calls == []
    assert booth.desk.joined == []
    assert booth.tally.errors == {rule.refusal: 1}


@pytest.mark.parametrize(("stage", "kind"), TAKEN)
def test_a_message_that_has_its_place_reaches_whom_it_is_for(
    booth: Booth, stage: Stage, kind: type[ClientMessage]
) -> None:
    booth.goes_to(stage)
    booth.says(SAID[kind])
    calls: dict[type[ClientMessage], list[tuple[Any, ...]]] = {
        Move: [("move", "4", 0)],
        Resign: [("resign",)],
    }
    assert booth.chair.calls == calls.get(kind, [])
    assert booth.desk.joined == ([("ttt", None)] if kind is Join else [])
    assert booth.wire.take() == ([b'{"type":"pong"}'] if kind is Ping else [])
    assert not booth.tally.errors


@pytest.mark.parametrize(("more", "humans"), [({}, False), ({"humans": False}, False), ({"humans": True}, True)])
def test_a_join_says_whether_people_may_challenge(booth: Booth, more: dict[str, bool], humans: bool) -> None:
    booth.says({"type": "join", "game": "ttt"} | more)
    assert booth.desk.joined == [("ttt", None)]
    assert booth.desk.humans is humans


@pytest.mark.parametrize("stage", Stage)
def test_a_ping_is_answered_in_each_stage(booth: Booth, stage: Stage) -> None:
    booth.goes_to(stage)
    booth.says(b'{"type":"ping"}')
    assert booth.wire.take() == [b'{"type":"pong"}']
    assert booth.session.stage is stage


@pytest.mark.parametrize("stage", [Stage.QUEUED, Stage.PLAYING, Stage.SETTLING])
def test_join_while_queued_or_playing_is_a_bad_message(booth: Booth, stage: Stage) -> None:
    booth.goes_to(stage)
    booth.says({"type": "join", "game": "c4"})
    assert [said["code"] for said in booth.hears()] == ["bad_message"]
    assert booth.session.stage is stage


@pytest.mark.parametrize("stage", [Stage.SETTLING, Stage.DONE])
def test_a_move_after_the_end_is_counted_as_late(booth: Booth, stage: Stage) -> None:
    booth.goes_to(stage)
    booth.says({"type": "move", "move": "4"})
    assert [said["code"] for said in booth.hears()] == ["game_over"]
    assert booth.tally.late_moves == 1


# Joining


@pytest.mark.parametrize(
    ("name", "canonical"),
    [("ttt", "ttt"), ("TTT", "ttt"), ("Tic-Tac-Toe", "ttt"), ("tictactoe", "ttt"), ("C4", "c4"), ("CONNECT4", "c4")],
)
def test_games_are_found_by_alias_and_without_regard_to_case(booth: Booth, name: str, canonical: str) -> None:
    booth.says({"type": "join", "game": name})
    assert booth.desk.joined == [(canonical, None)]


@pytest.mark.parametrize("stage", [Stage.IDLE, Stage.DONE])
def test_an_unknown_game_is_answered_with_those_there_are_and_the_close(booth: Booth, stage: Stage) -> None:
    booth.goes_to(stage)
    booth.says({"type": "join", "game": "chess"})
    (error,) = booth.hears()
    assert error == {
        "type": "error",
        "code": "unknown_game",
        "message": f"unknown game 'chess': the games are {', '.join(ids())}",
        "games": list(ids()),
    }
    assert error["games"][:2] == ["ttt", "c4"]
    assert booth.wire.closed == (1008, "unknown_game")
    assert booth.tally.errors == {Code.UNKNOWN_GAME: 1}


def test_a_game_that_was_named_out_of_band_is_joined_at_once(booth: Booth) -> None:
    booth.session.opened("Connect4", None)
    assert booth.desk.joined == [("c4", None)]


def test_practice_that_was_named_out_of_band_is_asked_for(booth: Booth) -> None:
    booth.session.opened("ttt", "random")
    assert booth.desk.joined == [("ttt", "random")]


def test_an_unknown_game_out_of_band_is_answered_like_any_other(booth: Booth) -> None:
    booth.session.opened("chess", None)
    assert [said["code"] for said in booth.hears()] == ["unknown_game"]
    assert booth.wire.closed == (1008, "unknown_game")


def test_without_a_game_out_of_band_nothing_is_asked_for_yet(booth: Booth) -> None:
    booth.session.opened(None, None)
    assert (booth.desk.joined, booth.wire.sent, booth.session.stage) == ([], [], Stage.IDLE)


def test_a_join_without_a_game_takes_the_one_of_the_last_join(booth: Booth) -> None:
    booth.session.opened("c4", None)
    booth.says({"type": "join"})
    booth.says({"type": "join", "game": "ttt"})
    booth.says({"type": "join"})
    assert booth.desk.joined == [("c4", None), ("c4", None), ("ttt", None), ("ttt", None)]


def test_a_first_join_without_a_game_is_a_bad_message(booth: Booth) -> None:
    booth.says({"type": "join"})
    assert b"".join(booth.wire.take()) == (
        rb'{"type":"error","code":"bad_message",'
        rb'"message":"join which game? {\"type\":\"join\",\"game\":\"ttt\"}"}'
    )
    assert booth.wire.closed is None


def test_a_resume_that_takes_no_seat_back_is_refused_and_the_agent_may_join(booth: Booth) -> None:
    booth.says({"type": "join", "game": "ttt", "resume": "abc"})
    assert booth.hears() == [{"type": "error", "code": "game_over", "message": "no seat is kept under that token"}]
    assert booth.desk.joined == []
    booth.says({"type": "join", "game": "ttt"})
    assert booth.desk.joined == [("ttt", None)]


def test_an_unknown_house_bot_is_a_bad_message_that_names_those_there_are(booth: Booth) -> None:
    booth.says({"type": "join", "game": "ttt", "practice": "deep-blue"})
    assert booth.hears() == [
        {
            "type": "error",
            "code": "bad_message",
            "message": "no house bot is called 'deep-blue': there is random",
        }
    ]
    booth.says({"type": "join", "practice": "random"})
    assert booth.desk.joined == [("ttt", "random")]


# The seat


def test_a_session_is_a_seat_that_the_first_fault_forfeits(booth: Booth) -> None:
    seat: Seat = booth.session
    assert seat.policy == FORFEIT
    assert seat.player.name == "alice"


def test_what_the_agent_is_told_of_a_match(booth: Booth) -> None:
    session = booth.session
    session.queued(TTT, 3)
    session.seated(booth.chair, Hello(1, "ttt", "bob", "m1", 15_000))
    session.show(State({"board": []}, False, 0, None, 15_000), over=False)
    assert session.ask(State({"board": []}, True, 1, "4", 15_000), 0)
    session.show(State({"board": []}, False, 2, "0", 0), over=True)
    session.finished(Result(0, "loss", 1484, "m1", "forfeit: timeout", Termination.TIMEOUT, True, 1500, 1516))
    assert booth.wire.take() == [
        b'{"type":"queued","game":"ttt","waiting":3}',
        b'{"type":"hello","player":1,"game":"ttt","opponent":"bob","match":"m1","moveTimeoutMs":15000}',
        b'{"type":"state","observation":{"board":[]},"yourTurn":false,"ply":0,"lastMove":null,"remainingMs":15000}',
        b'{"type":"state","observation":{"board":[]},"yourTurn":true,"ply":1,"lastMove":"4","remainingMs":15000}',
        b'{"type":"state","observation":{"board":[]},"yourTurn":false,"ply":2,"lastMove":"0","remainingMs":0}',
        (
            b'{"type":"result","winner":0,"outcome":"loss","rating":1484,"match":"m1","reason":"forfeit: timeout",'
            b'"termination":"timeout","rated":true,"ratingBefore":1500,"opponentRating":1516}'
        ),
    ]
    assert session.stage is Stage.DONE
    assert booth.chair.calls == []


def test_a_match_that_could_not_be_stored_yet_is_told_without_a_rating(booth: Booth) -> None:
    booth.goes_to(Stage.SETTLING)
    booth.session.unsettled("m1")
    assert booth.hears() == [
        {
            "type": "error",
            "code": "internal",
            "message": "the result of match m1 could not be stored yet; it is kept and retried: see the ladder",
        }
    ]
    assert booth.session.stage is Stage.DONE
    booth.says({"type": "join", "game": "ttt"})
    assert booth.desk.joined == [("ttt", None)]


@pytest.mark.parametrize("code", [Code.NOT_YOUR_TURN, Code.STALE_PLY, Code.GAME_OVER])
def test_a_refusal_of_the_match_is_told_and_is_no_bad_message(booth: Booth, code: Code) -> None:
    booth.goes_to(Stage.PLAYING)
    for _ in range(30):
        booth.session.refuse(code, "it had no effect")
    assert booth.hears() == [{"type": "error", "code": code, "message": "it had no effect"}] * 30
    assert booth.wire.closed is None
    assert booth.tally.errors == {code: 30}


def test_nobody_came(booth: Booth) -> None:
    booth.goes_to(Stage.QUEUED)
    booth.session.no_opponent(0.5)
    assert booth.hears() == [
        {
            "type": "error",
            "code": "no_opponent",
            "message": "nobody came to play within 0.5 s: join again, or practise",
        }
    ]
    assert booth.session.stage is Stage.DONE
    assert booth.wire.closed is None


def test_turned_away_by_no_fault_of_its_own(booth: Booth) -> None:
    booth.goes_to(Stage.QUEUED)
    booth.session.turned_away(Code.INTERNAL, "the ladder could not be read; try again")
    assert [said["code"] for said in booth.hears()] == ["internal"]
    assert booth.session.stage is Stage.DONE


# Being idle


@pytest.mark.parametrize("stage", [Stage.IDLE, Stage.DONE])
def test_an_idle_connection_is_closed_after_half_a_minute(booth: Booth, stage: Stage) -> None:
    booth.goes_to(stage)
    booth.waits(IDLE_TIMEOUT_S - 0.001)
    assert booth.wire.closed is None
    booth.waits(0.002)
    assert booth.wire.closed == (1000, "idle")


@pytest.mark.parametrize("stage", [Stage.QUEUED, Stage.PLAYING, Stage.SETTLING])
def test_a_connection_that_waits_or_plays_is_not_idle(booth: Booth, stage: Stage) -> None:
    booth.goes_to(stage)
    booth.waits(3600)
    assert booth.wire.closed is None


@pytest.mark.parametrize("ending", ["no opponent", "turned away", "unsettled", "result"])
def test_the_idle_time_begins_anew_with_each_ending(booth: Booth, ending: str) -> None:
    booth.goes_to(Stage.QUEUED if ending in ("no opponent", "turned away") else Stage.SETTLING)
    booth.waits(100)
    if ending == "no opponent":
        booth.session.no_opponent(100)
    elif ending == "turned away":
        booth.session.turned_away(Code.INTERNAL, "try again")
    elif ending == "unsettled":
        booth.session.unsettled("m1")
    else:
        booth.session.finished(Result(-1, "draw", 1500, "m1", None, Termination.NORMAL, True, 1500, 1500))
    booth.waits(IDLE_TIMEOUT_S - 0.001)
    assert booth.wire.closed is None
    booth.waits(0.002)
    assert booth.wire.closed == (1000, "idle")


@pytest.mark.parametrize("turns_before", range(-2, 4))
def test_a_join_at_the_very_end_of_the_idle_time_is_in_time_or_too_late_but_never_both(
    booth: Booth, turns_before: int
) -> None:
    """The message is read in the turns of the loop around that in which the idle time ends: the agent
    is closed as idle without ever having waited, or it waits and is not closed."""

    def joins(turns: int) -> None:
        if turns:
            booth.loop.call_soon(joins, turns - 1)
            return
        if not booth.session.closed:
            booth.says({"type": "join", "game": "ttt"})

    booth.desk.queues = True
    end = booth.loop.time() + IDLE_TIMEOUT_S
    if turns_before < 0:
        booth.loop.call_at(end - 1e-6, joins, 0)
    else:
        booth.loop.call_at(end, joins, turns_before)
    booth.waits(60)
    waited = [said["type"] for said in booth.hears()] == ["queued"]
    assert waited is (booth.wire.closed is None)


# The end of the connection


@pytest.mark.parametrize("stage", Stage)
def test_a_lost_connection_leaves_queue_and_match(booth: Booth, stage: Stage) -> None:
    booth.goes_to(stage)
    booth.session.lost()
    assert booth.desk.left == 1
    in_match = stage in (Stage.PLAYING, Stage.SETTLING)
    assert booth.chair.calls == ([("leave",)] if in_match else [])
    assert (booth.tally.connections, booth.tally.connections_total) == (0, 1)
    booth.waits(100)
    assert (booth.wire.sent, booth.wire.closed) == ([], None)


def test_a_lost_connection_hears_nothing_any_more(booth: Booth) -> None:
    booth.goes_to(Stage.PLAYING)
    booth.session.lost()
    booth.session.show(State({}, False, 1, "4", 0), over=True)
    booth.session.finished(Result(1, "loss", 1484, "m1", None, Termination.DISCONNECT, True, 1500, 1516))
    booth.says({"type": "ping"})
    booth.waits(100)
    assert booth.wire.sent == []
    assert booth.session.frames == 0


def test_an_error_that_was_not_sent_is_not_counted(booth: Booth) -> None:
    booth.goes_to(Stage.SETTLING)
    booth.session.lost()
    booth.session.unsettled("m1")
    assert not booth.tally.errors


def test_a_closed_connection_counts_as_open_until_it_is_gone(booth: Booth) -> None:
    booth.session.close(1000, "done")
    assert booth.tally.connections == 1
    booth.session.lost()
    assert booth.tally.connections == 0


def test_closing_in_a_match_leaves_it_once(booth: Booth) -> None:
    booth.goes_to(Stage.PLAYING)
    booth.session.close(1008, "too slow")
    booth.session.close(1008, "too slow")
    booth.session.lost()
    assert booth.wire.closed == (1008, "too slow")
    assert booth.chair.calls == [("leave",)]


@pytest.mark.parametrize("stage", Stage)
def test_when_the_venue_stops_each_connection_is_told_and_closed(booth: Booth, stage: Stage) -> None:
    booth.goes_to(stage)
    booth.session.shut_down()
    assert booth.hears() == [
        {
            "type": "error",
            "code": "server_shutdown",
            "message": "the venue is stopping: connect again in a minute",
        }
    ]
    assert booth.wire.closed == (1001, "server shutdown")


def test_every_message_that_came_in_is_a_frame_good_or_bad(booth: Booth) -> None:
    booth.says(b'{"type":"ping"}')
    booth.says(b"nonsense")
    booth.says(b"")
    assert booth.session.frames == 3


def test_queued_is_sent_though_nothing_follows_it(booth: Booth) -> None:
    booth.desk.queues = True
    booth.says({"type": "join", "game": "C4"})
    assert booth.wire.take() == [b'{"type":"queued","game":"c4","waiting":1}']


def test_what_is_sent_is_one_json_object_without_a_line_end(booth: Booth) -> None:
    booth.says(b"nonsense")
    (message,) = booth.wire.take()
    assert b"\n" not in message
    assert isinstance(json.loads(message), dict)
