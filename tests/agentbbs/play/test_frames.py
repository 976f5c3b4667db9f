"""A saved match as a person reads it."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from tests.random_matches import save, saved_matches

from agentbbs.play import replay
from agentbbs.play.frames import ending, frames
from agentbbs.play.ports import ARENA_TRANSPORT, FinishedMatch, Player, Ply, Strike
from agentbbs.play.replay import NotAReplay, SavedMatch
from agentbbs.protocol.agentgames import Termination

MATCH = FinishedMatch(
    id="m-1",
    game="ttt",
    rules_version=1,
    players=(Player(1, "ada", "websocket"), Player(2, "bob", "ssh")),
    plies=(Ply("4", 12, (), "centre"), Ply("0", 900, (Strike("illegal_move", 7, "4\x1b[2J"),))),
    unplayed=(Strike("timeout", 15_000),),
    winner=1,
    termination=Termination.TIMEOUT,
    reason="forfeit: timeout",
    rated=True,
    why=None,
    move_timeout_ms=15_000,
    started_ms=1_750_000_000_000,
    ended_ms=1_750_000_001_000,
)


def texts(saved: SavedMatch) -> tuple[str, ...]:
    return tuple(frame.text() for frame in frames(saved, "a while ago"))


def test_the_screens_of_a_match() -> None:
    head = "ttt  m-1  a while ago\nX ada (1500)   O bob (1500)\n\n"
    assert texts(save(MATCH)) == (
        head + "start; 2 plies follow\n\n 0 | 1 | 2\n---+---+---\n 3 | 4 | 5\n---+---+---\n 6 | 7 | 8\n\nX ada to move",
        head + 'ply 1 of 2: X ada played 4 after 12 ms\n  "centre"\n\n'
        " 0 | 1 | 2\n---+---+---\n 3 | X | 5\n---+---+---\n 6 | 7 | 8\n\n"
        "O bob to move",
        head + "  strike of O bob at ply 1: illegal_move after 7 ms, offered '4\\\\x1b[2J'\n"
        "ply 2 of 2: O bob played 0 after 900 ms\n\n"
        " O | 1 | 2\n---+---+---\n 3 | X | 5\n---+---+---\n 6 | 7 | 8\n\n"
        "  strike of X ada at ply 2: timeout after 15000 ms\n"
        "O bob wins (forfeit: timeout); ada 1500 -> 1484, bob 1500 -> 1516",
    )


def test_case_134_and_136_each_failed_answer_is_at_its_seat_with_its_time_and_words() -> None:
    """Both seats strike and then move, both say something: each line names its seat, in the order of the match."""
    endpoint, agent = Player(1, "ada", ARENA_TRANSPORT, 10_000), Player(2, "bob", ARENA_TRANSPORT, 10_000)
    failed = (
        Strike("connection", 31, None, "connection refused", None, "n1", 0),
        Strike("illegal_move", 700, "z", "the move is not in `legal`", "got \x1b[2Jyou", "n2", 540),
    )
    late = Strike("timeout", 10_000, None, "no headers came", None, "n4", 2_100)
    match = msgspec.structs.replace(
        MATCH,
        players=(endpoint, agent),
        plies=(Ply("4", 12, failed, "centre", "n3", 1_500), Ply("0", 900, (late,), "corner", "n5", 12_600)),
        unplayed=(Strike("nonce", 8, "1", "`nonce` is missing", "taunt", "n6", 13_600),),
        termination=Termination.RESIGN,
        reason="forfeit: resign",
    )
    first, second = frames(save(match), "")[1:]
    assert first.how == (
        "  strike of X ada at ply 0: connection after 31 ms, asked at 0.000 s: connection refused",
        (
            "  strike of X ada at ply 0: illegal_move after 700 ms, asked at 0.540 s, offered 'z': "
            "the move is not in `legal`"
        ),
        '  "got \\x1b[2Jyou"',
        "ply 1 of 2: X ada played 4 after 12 ms",
        '  "centre"',
    )
    assert second.how == (
        "  strike of O bob at ply 1: timeout after 10000 ms, asked at 2.100 s: no headers came",
        "ply 2 of 2: O bob played 0 after 900 ms",
        '  "corner"',
    )
    assert second.foot[:2] == (
        "  strike of X ada at ply 2: nonce after 8 ms, asked at 13.600 s, offered '1': `nonce` is missing",
        '  "taunt"',
    )


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        (
            {"winner": -1, "termination": Termination.NORMAL, "reason": None},
            "draw; ada 1500 -> 1500, bob 1500 -> 1500",
        ),
        (
            {
                "winner": -1,
                "termination": Termination.SERVER,
                "reason": "void: server shutdown",
                "rated": False,
                "why": "void: server shutdown",
            },
            "void (void: server shutdown); not rated: void: server shutdown",
        ),
        (
            {"winner": 0, "termination": Termination.NORMAL, "reason": None, "rated": False, "why": "practice"},
            "X ada wins; not rated: practice",
        ),
    ],
)
def test_the_end_in_words(changed: dict[str, object], text: str) -> None:
    assert ending(save(msgspec.structs.replace(MATCH, **changed))) == text


@given(saved_matches)
def test_there_is_a_screen_for_each_position_and_none_acts_on_a_terminal(saved: SavedMatch) -> None:
    screens = texts(saved)
    assert len(screens) == len(saved.plies) + 1
    assert all(line.isprintable() for screen in screens for line in screen.split("\n"))


def test_names_and_reasons_of_strangers_are_inert() -> None:
    saved = replay.parse(replay.encode(save(MATCH)))
    player = msgspec.structs.replace(saved.players[0], name="a\x1b]0;x\x07\u202e")
    shown = texts(msgspec.structs.replace(saved, players=(player, saved.players[1]), match="m\r\n"))
    assert all(line.isprintable() for screen in shown for line in screen.split("\n"))
    assert "a\\x1b]0;x\\x07\\u202e" in shown[0]


def test_a_match_of_a_game_that_is_not_installed_has_no_screens() -> None:
    with pytest.raises(NotAReplay):
        texts(save(msgspec.structs.replace(MATCH, game="halma")))
