"""The core against scripted dialogues: frames in, events out."""

from __future__ import annotations

import contextlib
import json
import random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scripted_venue import Hears, Says, Step, error, frame, hello, played, queued, result, state

from agentbbs.client.conversation import Conversation, Phase
from agentbbs.client.errors import (
    Misuse,
    NoOpponent,
    RateLimited,
    Refused,
    Superseded,
    Unintelligible,
    UnknownGame,
    VenueError,
    VenueFault,
    VenueLost,
    VenueStopping,
)
from agentbbs.client.events import Closed, Event, Noted, Refusal, Unacknowledged
from agentbbs.client.turns import MatchResult, Paired, Queued, Turn

FIRST_ROW = "0 3 1 4 2"
"""Tic-tac-toe: X completes the first row at ply 5."""


def said(data: bytes) -> dict[str, Any]:
    """What a frame of the agent says, nulls left out."""
    return {key: value for key, value in json.loads(data).items() if value is not None}


def feed(talk: Conversation, *steps: Says) -> list[Event]:
    """The events of these messages."""
    return [event for step in steps if (event := talk.receive(frame(step))) is not None]


def only(events: list[Event]) -> Event:
    assert len(events) == 1, events
    return events[0]


def refused(events: list[Event]) -> VenueError:
    """The error of the refusal with which these events end."""
    event = events[-1]
    assert isinstance(event, Refusal)
    return event.error


def playing(moves: str = "", *, player: int = 0, **more: Any) -> Conversation:
    """A conversation in a match that stands at the position after `moves`."""
    talk = Conversation()
    talk.join("ttt")
    feed(talk, queued(), hello(player=player, **more))
    played_so_far: list[str] = []
    feed(talk, state("", player=player))
    for ply, token in enumerate(moves.split()):
        if ply % 2 == player:
            talk.move(token)
        played_so_far.append(token)
        feed(talk, state(" ".join(played_so_far), player=player))
    return talk


def follow(talk: Conversation, script: list[Step]) -> list[Event]:
    """Play a script to its end, with the agent saying what the script expects. Returns all events."""
    events: list[Event] = []
    for step in script:
        if isinstance(step, Says):
            events += feed(talk, step)
        elif isinstance(step, Hears):
            if step.message["type"] == "join":
                sent = talk.join(step.message["game"], practice=step.message.get("practice"))
            else:
                sent = talk.move(step.message["move"])
            assert said(sent) == step.message
    return events


class TestAMatch:
    def test_the_seeds_dialogue_from_join_to_result(self) -> None:
        talk = Conversation()
        events = follow(talk, played(FIRST_ROW))
        assert [type(event) for event in events] == [Queued, Paired, Turn, Turn, Turn, MatchResult]
        assert events[0] == Queued("ttt", 1)
        assert events[1] == Paired("m-1", "ttt", 0, "bob", 15000)
        turn = events[4]
        assert isinstance(turn, Turn)
        assert (turn.match, turn.game, turn.player, turn.opponent) == ("m-1", "ttt", 0, "bob")
        assert (turn.ply, turn.moves, turn.legal) == (4, ("0", "3", "1", "4"), ("2", "5", "6", "7", "8"))
        assert turn.observation["board"] == ["X", "X", ".", "O", "O", ".", ".", ".", "."]
        assert turn.remaining_ms == 15000
        over = events[5]
        assert isinstance(over, MatchResult)
        assert (over.outcome, over.winner, over.rating, over.rating_before) == ("win", 0, 1516, 1500)
        assert over.moves == tuple(FIRST_ROW.split())
        assert talk.phase is Phase.IDLE

    def test_the_second_seat_moves_at_odd_plies(self) -> None:
        events = follow(Conversation(), played(FIRST_ROW, player=1, outcome="loss"))
        assert [event.ply for event in events if isinstance(event, Turn)] == [1, 3]

    def test_a_second_match_on_the_same_conversation_starts_from_nothing(self) -> None:
        talk = Conversation()
        follow(talk, played(FIRST_ROW))
        events = follow(talk, played("0 1 2 4 3 5 7 6 8", match="m-2", outcome="draw"))
        first = next(event for event in events if isinstance(event, Turn))
        assert (first.match, first.ply, first.moves) == ("m-2", 0, ())
        assert isinstance(events[-1], MatchResult)
        assert (events[-1].outcome, events[-1].winner) == ("draw", -1)

    def test_practice_begins_without_a_queue(self) -> None:
        events = follow(Conversation(), played(FIRST_ROW, practice=True))
        assert isinstance(events[0], Paired)

    def test_a_result_encodes_with_the_names_of_the_wire(self) -> None:
        over = follow(Conversation(), played(FIRST_ROW))[-1]
        names = json.loads(msgspec.json.encode(over)).keys()
        assert {"match", "winner", "outcome", "rating", "ratingBefore", "opponentRating", "rated", "why"} <= names

    def test_a_void_match_is_a_result_and_says_why(self) -> None:
        talk = playing("0")
        void: dict[str, Any] = {
            "reason": "void: server shutdown",
            "termination": "server",
            "rated": False,
            "why": "server shutdown",
        }
        event = only(feed(talk, result(outcome="void", **void)))
        assert isinstance(event, MatchResult)
        assert (event.outcome, event.winner, event.rated, event.why) == ("void", -1, False, "server shutdown")


class TestRepeatsAndAdditions:
    def test_a_state_that_repeats_gives_no_second_turn(self) -> None:
        """Case 33: an engine that is started anew by a repeated state plays twice."""
        talk = playing()
        assert feed(talk, state("")) == []
        talk.move("4")
        assert feed(talk, state("")) == []
        assert feed(talk, state("4")) == []
        assert len(feed(talk, state("4 0"), state("4 0"))) == 1

    def test_a_state_of_an_earlier_ply_is_ignored(self) -> None:
        assert feed(playing("4 0"), state("4"), state("")) == []

    def test_after_a_repeated_state_the_open_turn_can_still_be_answered(self) -> None:
        talk = playing()
        feed(talk, state(""))
        assert said(talk.move("4")) == {"type": "move", "move": "4", "ply": 0}

    def test_unknown_types_and_fields_are_ignored(self) -> None:
        talk = playing()
        assert feed(talk, Says({"type": "weather", "sky": ["blue"]})) == []
        assert feed(talk, Says({"type": "pong", "at": 3})) == []
        talk = Conversation()
        talk.join("ttt")
        assert isinstance(only(feed(talk, hello(banner="welcome", season=3))), Paired)

    def test_a_result_of_another_match_is_ignored(self) -> None:
        talk = playing()
        assert feed(talk, result("m-0")) == []
        assert talk.phase is Phase.PLAYING

    def test_messages_that_nobody_asked_for_are_ignored(self) -> None:
        talk = Conversation()
        assert feed(talk, queued(), hello(), state(""), result()) == []
        assert talk.phase is Phase.IDLE

    def test_the_final_state_of_a_forfeit_closes_the_open_turn(self) -> None:
        talk = playing()
        assert talk.turn is not None
        assert feed(talk, state("", over=True)) == []
        assert talk.turn is None

    @pytest.mark.parametrize(
        "text",
        ["", "{", "[]", "3", '"text"', '{"type":7}', '{"type":"state"}', '{"a":1}', "[" * 100_000, '{"type":"hello"}'],
    )
    def test_what_is_no_message_is_unintelligible(self, text: str) -> None:
        with pytest.raises(Unintelligible):
            playing().receive(text)

    def test_bytes_that_are_no_utf_8_are_unintelligible(self) -> None:
        with pytest.raises(Unintelligible):
            playing().receive(b'{"type":"\xff"}')

    @pytest.mark.parametrize("observation", [None, 3, [], {}, {"legal": 4}, {"legal": [4]}])
    def test_a_turn_without_legal_moves_is_unintelligible(self, observation: object) -> None:
        message = state("4 0").message
        assert isinstance(message, dict)
        with pytest.raises(Unintelligible):
            feed(playing("4"), Says({**message, "observation": observation}))

    def test_a_missing_state_is_seen(self) -> None:
        with pytest.raises(Unintelligible, match="missing"):
            feed(playing(), state("4 0 8"))

    def test_a_second_match_in_a_match_is_unintelligible(self) -> None:
        with pytest.raises(Unintelligible, match="m-1"):
            feed(playing(), hello("m-2"))


class TestWhatTheAgentMaySay:
    def test_join_only_when_nothing_is_on(self) -> None:
        talk = Conversation()
        talk.join("ttt")
        for steps in [(), (queued(),), (hello(),)]:
            feed(talk, *steps)
            with pytest.raises(Misuse):
                talk.join("ttt")

    def test_move_only_in_an_open_turn_and_once(self) -> None:
        talk = Conversation()
        with pytest.raises(Misuse):
            talk.move("4")
        talk = playing()
        talk.move("4")
        with pytest.raises(Misuse):
            talk.move("4")

    @pytest.mark.parametrize("move", [4, None, ["4"], b"4", "\ud800"])
    def test_a_move_that_is_no_text_leaves_the_turn_open(self, move: Any) -> None:
        talk = playing()
        with pytest.raises(Misuse):
            talk.move(move)
        assert said(talk.move("4"))["move"] == "4"

    def test_an_illegal_move_is_the_venues_to_judge(self) -> None:
        assert said(playing().move("nine")) == {"type": "move", "move": "nine", "ply": 0}

    def test_resign_only_in_a_match(self) -> None:
        with pytest.raises(Misuse):
            Conversation().resign()
        talk = playing("4")
        assert said(talk.resign()) == {"type": "resign"}
        event = only(feed(talk, result(outcome="loss", termination="resign", reason="forfeit: resign")))
        assert isinstance(event, MatchResult)
        assert (event.outcome, event.reason) == ("loss", "forfeit: resign")

    def test_after_resigning_there_are_no_more_turns(self) -> None:
        talk = playing("4")
        talk.resign()
        assert feed(talk, state("4 0")) == []


class TestRefusals:
    def test_an_unknown_game_lists_the_games_and_ends_the_connection(self) -> None:
        talk = Conversation()
        talk.join("go")
        fault = refused(feed(talk, error("unknown_game", "no game go", games=["ttt", "c4"])))
        assert isinstance(fault, UnknownGame)
        assert fault.games == ("ttt", "c4")
        assert fault.code == "unknown_game"
        assert "ttt, c4" in fault.remedy
        assert talk.phase is Phase.CLOSED

    def test_no_opponent_leaves_the_connection_good_for_another_join(self) -> None:
        talk = Conversation()
        talk.join("ttt")
        fault = refused(feed(talk, queued(), error("no_opponent", "nobody came within 120 s")))
        assert isinstance(fault, NoOpponent)
        assert "practice" in fault.remedy
        assert talk.phase is Phase.IDLE
        talk.join("ttt")

    def test_a_refused_join_may_be_sent_again(self) -> None:
        talk = Conversation()
        talk.join("ttt", practice="nobody")
        assert type(refused(feed(talk, error("bad_message", "no house bot")))) is Refused
        assert said(talk.join("ttt", practice="minimax")) == {"type": "join", "game": "ttt", "practice": "minimax"}

    def test_a_limit_says_which_and_how_long(self) -> None:
        talk = Conversation()
        talk.join("ttt")
        fault = refused(feed(talk, error("rate_limited", ratelimit={"key": "joins", "seconds": 7})))
        assert isinstance(fault, RateLimited)
        assert (fault.key, fault.seconds) == ("joins", 7)
        assert "7 s" in fault.remedy

    @pytest.mark.parametrize("code", ["not_your_turn", "stale_ply", "game_over"])
    def test_an_answer_to_a_move_that_came_to_nothing_is_only_noted(self, code: str) -> None:
        talk = playing("4")
        assert isinstance(only(feed(talk, error(code))), Noted)
        assert talk.phase is Phase.PLAYING

    def test_a_bad_message_in_a_match_is_raised_and_the_match_goes_on(self) -> None:
        talk = playing("4")
        assert refused(feed(talk, error("bad_message"))).match == "m-1"
        assert isinstance(only(feed(talk, state("4 0"))), Turn)

    def test_a_result_that_could_not_be_stored_ends_the_match_without_one(self) -> None:
        talk = playing("4")
        fault = refused(feed(talk, error("internal", "match m-1 is kept")))
        assert isinstance(fault, VenueFault)
        assert fault.match == "m-1"
        assert feed(talk, result()) == []
        talk.join("ttt")

    def test_a_code_of_a_newer_venue_is_a_refusal(self) -> None:
        talk = Conversation()
        talk.join("ttt")
        fault = refused(feed(talk, error("full_moon", "not tonight")))
        assert (type(fault), fault.code, fault.message) == (Refused, "full_moon", "not tonight")

    def test_a_stopping_venue_lets_the_match_be_played_out(self) -> None:
        talk = playing("4")
        assert isinstance(only(feed(talk, error("server_shutdown"))), Noted)
        assert isinstance(only(feed(talk, state("4 0"))), Turn)
        closed = talk.closed("close code 1001")
        assert isinstance(closed.error, VenueStopping)
        assert closed.error.match == "m-1"
        assert "agentbbs replay m-1" in closed.error.remedy

    def test_a_stopping_venue_takes_no_join(self) -> None:
        talk = Conversation()
        talk.join("ttt")
        assert isinstance(refused(feed(talk, queued(), error("server_shutdown"))), VenueStopping)

    def test_a_seat_taken_by_another_connection_ends_this_one(self) -> None:
        talk = playing("4")
        assert isinstance(refused(feed(talk, error("superseded"))), Superseded)
        assert talk.phase is Phase.CLOSED

    def test_an_error_between_matches_is_only_noted(self) -> None:
        assert isinstance(only(feed(Conversation(), error("server_shutdown"))), Noted)
        assert isinstance(only(feed(Conversation(), error("bad_message"))), Noted)

    @pytest.mark.parametrize("code", ["game_over", "bad_message"])
    def test_a_refused_late_move_is_no_answer_to_the_next_join(self, code: str) -> None:
        """The opponent resigns while our move is under way: the venue refuses it after the result, and
        that refusal may come when the next join was sent already."""
        talk = playing()
        talk.move("4")
        feed(talk, state("", over=True), result(termination="resign", reason="forfeit: resign"))
        talk.join("ttt")
        assert isinstance(only(feed(talk, error(code))), Noted)
        assert [type(event) for event in feed(talk, queued(), hello("m-2"))] == [Queued, Paired]

    def test_only_as_many_errors_are_taken_for_late_as_are_due(self) -> None:
        talk = playing()
        talk.move("4")
        feed(talk, result(termination="disconnect"))
        talk.join("ttt", practice="nobody")
        events = feed(talk, error("game_over"), error("bad_message", "no house bot"))
        assert [type(event) for event in events] == [Noted, Refusal]

    def test_a_late_move_refused_before_the_result_is_owed_no_second_refusal(self) -> None:
        talk = playing()
        talk.move("4")
        feed(talk, state("", over=True), error("game_over"), result(outcome="loss", termination="timeout"))
        talk.join("ttt", practice="nobody")
        assert isinstance(only(feed(talk, error("bad_message"))), Refusal)

    def test_nor_is_a_resignation(self) -> None:
        talk = playing("4")
        talk.resign()
        feed(talk, state("4", over=True), error("game_over"), result(termination="disconnect"))
        talk.join("ttt", practice="nobody")
        assert isinstance(only(feed(talk, error("bad_message"))), Refusal)

    def test_a_move_that_ended_the_match_is_not_waited_for(self) -> None:
        talk = playing()
        talk.move("nine")
        feed(talk, result(outcome="loss", termination="illegal_move"))
        talk.join("ttt", practice="nobody")
        assert isinstance(only(feed(talk, error("bad_message"))), Refusal)


class TestTheConnectionGoes:
    def test_between_matches_nothing_is_lost(self) -> None:
        assert Conversation().closed("close code 1000") == Closed(None)

    def test_before_the_join_was_answered_it_may_be_sent_again(self) -> None:
        talk = Conversation()
        talk.join("ttt")
        closed = talk.closed("close code 1000")
        assert closed.unanswered
        assert isinstance(closed.error, VenueLost)

    def test_in_the_queue(self) -> None:
        talk = Conversation()
        talk.join("ttt")
        feed(talk, queued())
        closed = talk.closed("close code 1006")
        assert not closed.unanswered
        assert isinstance(closed.error, VenueLost)
        assert closed.error.match is None

    def test_in_a_match_the_id_and_what_became_of_it_are_named(self) -> None:
        talk = playing("4")
        closed = talk.closed("close code 1006")
        assert isinstance(closed.error, VenueLost)
        assert closed.error.match == "m-1"
        assert "void unless `agentbbs replay m-1` shows it" in str(closed.error)
        assert "close code 1006" in str(closed.error)
        assert not closed.resumable

    def test_afterwards_nothing_means_anything(self) -> None:
        talk = playing("4")
        talk.closed("close code 1006")
        assert feed(talk, state("4 0"), result(), error("internal")) == []
        with pytest.raises(Misuse):
            talk.join("ttt")


class TestTakingTheSeatBack:
    def suspended(self, moves: str = "", *, answered: str | None = None) -> Conversation:
        talk = playing(moves, resume="r-1")
        if answered is not None:
            talk.move(answered)
        assert talk.closed("close code 1006").resumable
        assert talk.phase is Phase.SUSPENDED
        return talk

    def rejoined(self, moves: str = "", *, answered: str | None = None) -> Conversation:
        talk = self.suspended(moves, answered=answered)
        assert said(talk.rejoin()) == {"type": "join", "game": "ttt", "resume": "r-1"}
        assert feed(talk, hello(resume="r-2")) == []
        return talk

    def test_only_after_a_loss_that_allows_it(self) -> None:
        with pytest.raises(Misuse):
            playing("4", resume="r-1").rejoin()
        talk = playing("4")
        talk.closed("close code 1006")
        with pytest.raises(Misuse):
            talk.rejoin()

    def test_the_open_turn_stays_open_and_is_not_given_twice(self) -> None:
        talk = self.rejoined()
        assert feed(talk, state("")) == []
        assert said(talk.move("4")) == {"type": "move", "move": "4", "ply": 0}

    def test_a_move_chosen_meanwhile_is_sent_once_the_seat_is_back(self) -> None:
        talk = self.suspended()
        talk.move("4")
        talk.rejoin()
        event = only(feed(talk, hello(resume="r-2"), state("")))
        assert isinstance(event, Unacknowledged)
        assert said(event.frame) == {"type": "move", "move": "4", "ply": 0}

    def test_a_move_that_was_lost_on_the_way_is_sent_again(self) -> None:
        """Case 34: the move frame is lost, and both sides wait."""
        event = only(feed(self.rejoined(answered="4"), state("")))
        assert isinstance(event, Unacknowledged)
        assert said(event.frame) == {"type": "move", "move": "4", "ply": 0}

    def test_states_missed_meanwhile_are_pieced_together(self) -> None:
        """Case 32: the ply after a rejoin is the number of moves played."""
        turn = only(feed(self.rejoined(answered="4"), state("4 0")))
        assert isinstance(turn, Turn)
        assert (turn.ply, turn.moves) == (2, ("4", "0"))

    def test_a_match_that_ended_meanwhile_gives_its_result(self) -> None:
        assert isinstance(only(feed(self.rejoined("4"), result())), MatchResult)

    def test_a_refused_rejoin_is_a_lost_match(self) -> None:
        fault = refused(feed(self.rejoined("4"), error("bad_message", "no such seat")))
        assert isinstance(fault, VenueLost)
        assert fault.match == "m-1"

    def test_a_second_loss_before_any_state_is_final(self) -> None:
        talk = self.rejoined("4")
        assert not talk.closed("close code 1006").resumable

    def test_a_loss_without_a_new_connection_is_final(self) -> None:
        talk = self.suspended("4")
        closed = talk.closed("close code 1006")
        assert not closed.resumable
        assert isinstance(closed.error, VenueLost)
        assert talk.phase is Phase.CLOSED

    def test_the_newest_token_counts_at_the_next_loss(self) -> None:
        talk = self.rejoined("4")
        feed(talk, state("4 0"))
        assert talk.closed("close code 1006").resumable
        assert said(talk.rejoin())["resume"] == "r-2"

    def test_a_resignation_is_repeated(self) -> None:
        talk = playing("4", resume="r-1")
        talk.resign()
        assert talk.closed("close code 1006").resumable
        talk.rejoin()
        event = only(feed(talk, hello(resume="r-2"), state("4")))
        assert isinstance(event, Unacknowledged)
        assert said(event.frame) == {"type": "resign"}


VENUE_SAYS = [
    queued(),
    hello(),
    hello("m-2", player=1, resume="r-1"),
    state(""),
    state("4"),
    state("4 0"),
    state("4 0 8"),
    state("4 0", over=True),
    result(),
    result("m-2", outcome="loss", player=1, termination="resign"),
    *(error(code) for code in ("bad_message", "no_opponent", "internal", "stale_ply", "server_shutdown", "superseded")),
    error("unknown_game", games=["ttt"]),
    Says({"type": "pong"}),
    Says({"type": "later", "x": 1}),
]
AGENT_DOES = ["join", "move", "resign", "rejoin", "closed"]


@given(st.lists(st.sampled_from([*VENUE_SAYS, *AGENT_DOES]), max_size=30), st.integers(0, 2**32))
def test_no_order_of_messages_raises_anything_but_its_own_errors(steps: list[Says | str], seed: int) -> None:
    chance = random.Random(seed)
    talk = Conversation()
    for step in steps:
        try:
            if isinstance(step, Says):
                event = talk.receive(frame(step))
                if isinstance(event, Turn):
                    assert len(event.moves) == event.ply
                    assert talk.turn == event
            elif step == "join":
                talk.join("ttt", practice=chance.choice([None, "random"]))
            elif step == "move":
                talk.move("4")
            elif step == "closed":
                talk.closed("close code 1006")
            else:
                getattr(talk, step)()
        except (Misuse, VenueError):
            pass
        assert talk.phase is Phase.PLAYING or talk.turn is None or talk.phase is Phase.SUSPENDED


@given(st.data())
def test_every_cut_of_a_match_leaves_the_core_sound(data: st.DataObject) -> None:
    """Any prefix of a match, then any part of the rest in any order."""
    script = played(FIRST_ROW)
    cut = data.draw(st.integers(0, len(script)))
    talk = Conversation()
    events = follow(talk, script[:cut])
    rest = data.draw(st.permutations([step for step in script[cut:] if isinstance(step, Says)]))
    for step in rest:
        try:
            events += feed(talk, step)
        except VenueError:
            break
    seen = [(event.match, event.ply) for event in events if isinstance(event, Turn)]
    assert len(seen) == len(set(seen)), "the same turn was given twice"


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_but_its_own_errors(junk: bytes) -> None:
    for talk in (Conversation(), playing("4")):
        with contextlib.suppress(Unintelligible):
            assert talk.receive(junk) is None
