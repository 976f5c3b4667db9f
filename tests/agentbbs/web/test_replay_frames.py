"""A finished match position by position, as pages, scripts and the API have it."""

from __future__ import annotations

from typing import Final

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.random_matches import finished_matches, save, saved_matches

from agentbbs.games.catalog import find
from agentbbs.games.game import NOBODY
from agentbbs.play import replay
from agentbbs.play.ports import FinishedMatch, Ply, Strike
from agentbbs.play.replay import SavedMatch
from agentbbs.protocol.agentgames import Termination
from agentbbs.web.drawing.board import board
from agentbbs.web.replay_frames import ReplayFrames, how_it_ended, replay_frames
from tty_agent.terminal.inert import inert

from .test_match_page import struck

COLUMN_OF_X: Final = ("0", "1", "0", "1", "0", "1", "0")


def saved(match: FinishedMatch) -> SavedMatch:
    return save(match)


@settings(deadline=None)
@given(saved_matches)
def test_every_saved_match_is_drawn_without_a_fault(match: SavedMatch) -> None:
    """Case 130, for matches of both games with every kind of strike and end."""
    found = replay_frames(match)
    assert found.undrawn is None
    assert [frame.ply for frame in found.frames] == list(range(len(match.plies) + 1))
    for frame, position in zip(found.frames, replay.positions(match), strict=True):
        scene = found.scene(frame)
        assert scene is not None
        assert board(scene, frame.said)
        assert frame.to_move == position.to_move
        assert sum(mark != "" for mark in frame.cells) == frame.ply


@settings(deadline=None)
@given(saved_matches)
def test_every_answer_stands_at_its_seat(match: SavedMatch) -> None:
    """Case 134: what an agent said, its strikes among it, is told of that agent alone."""
    found = replay_frames(match)
    assert found.frames[0].move is None
    for frame, ply in zip(found.frames[1:], match.plies, strict=True):
        assert (frame.seat, frame.mark, frame.move, frame.ms) == (ply.player, "XO"[ply.player], ply.move, ply.ms)
        assert frame.reason == (None if ply.reason is None else inert(ply.reason))
        assert [(strike.kind, strike.ms, strike.seat) for strike in frame.strikes] == [
            (strike.kind, strike.ms, ply.player) for strike in ply.strikes
        ]
        assert frame.left_ms == max(0, replay.clocks(match)[ply.player] - ply.ms)
    assert len(found.end.strikes) == len(match.unplayed)
    assert {strike.seat for strike in found.end.strikes} <= {found.frames[-1].to_move}


@settings(deadline=None)
@given(finished_matches)
def test_it_names_nobody_and_holds_no_text_that_acts(match: FinishedMatch) -> None:
    loud = msgspec.structs.replace(
        match, players=tuple(msgspec.structs.replace(player, name=f"name-{player.name}") for player in match.players)
    )
    text = msgspec.json.encode(replay_frames(saved(loud))).decode()
    assert "name-" not in text
    assert "\\u00" not in text, "control characters are written out"


@settings(deadline=None)
@given(saved_matches)
def test_it_comes_back_from_json_as_it_was(match: SavedMatch) -> None:
    found = replay_frames(match)
    assert msgspec.json.decode(msgspec.json.encode(found), type=ReplayFrames) == found


@settings(deadline=None)
@given(saved_matches, st.integers(0, 50), st.integers(0, 20))
def test_a_part_is_a_part_of_the_whole(match: SavedMatch, first: int, count: int) -> None:
    whole = replay_frames(match)
    part = replay_frames(match, frames=range(first, first + count))
    assert part.frames == whole.frames[first : first + count]
    assert part.end == whole.end
    one = replay_frames(match, drawn=range(1))
    assert [frame.cells != () for frame in one.frames] == [True, *[False] * len(match.plies)]
    assert one.board == whole.board


def test_the_end_is_said_where_it_came_about() -> None:
    match = saved(struck())
    found = replay_frames(match)
    assert found.frames[0].said == "The start: X is to move."
    assert found.frames[1].said == "Ply 1 of 1: X played 4 after 12 ms. X wins (forfeit: strikes)."
    assert how_it_ended(match, named=True) == "X ada wins (forfeit: strikes)."


def test_a_match_without_a_move_has_one_frame() -> None:
    void = msgspec.structs.replace(
        struck(),
        plies=(),
        unplayed=(),
        winner=NOBODY,
        termination=Termination.SERVER,
        reason="void: server shutdown",
        rated=False,
        why="void: server shutdown",
    )
    found = replay_frames(saved(void))
    (frame,) = found.frames
    assert frame.said == "No move was played. The match is void (void: server shutdown)."


def test_the_line_that_won_is_in_the_last_frame() -> None:
    match = msgspec.structs.replace(
        struck(),
        game="c4",
        rules_version=find("c4").version,
        plies=tuple(Ply(move, 5) for move in COLUMN_OF_X),
        unplayed=(),
        termination=Termination.NORMAL,
        reason=None,
    )
    found = replay_frames(saved(match))
    assert [frame.won for frame in found.frames[:-1]] == [()] * 7
    assert found.frames[-1].won == (14, 21, 28, 35)
    assert found.frames[-1].fresh == (14,)


def test_without_its_rules_a_match_has_its_plies_and_no_board() -> None:
    match = msgspec.structs.replace(struck(), game="go9", unplayed=(Strike("timeout", 5),))
    found = replay_frames(saved(match))
    assert found.undrawn is not None
    assert found.board is None
    assert [frame.move for frame in found.frames] == [None, "4"]
    assert all(found.scene(frame) is None and frame.text is None for frame in found.frames)
    assert [strike.seat for strike in found.end.strikes] == [NOBODY], "nobody here knows who was to move"
