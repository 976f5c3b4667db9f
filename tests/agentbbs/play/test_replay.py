"""The saved match: what it holds, and that nothing else is taken for one."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.random_matches import finished_matches, save, saved_matches

from agentbbs.games import catalog
from agentbbs.play import replay
from agentbbs.play.offline_referee import referee
from agentbbs.play.ports import ARENA_TRANSPORT, FinishedMatch, Player, Ply, Strike
from agentbbs.play.replay import NotAReplay, SavedMatch
from agentbbs.protocol.agentgames import Termination

MATCH = FinishedMatch(
    id="018f3d2a",
    game="ttt",
    rules_version=1,
    players=(Player(1, "ada", "websocket"), Player(2, "bob", "ssh")),
    plies=(Ply("4", 12, (), "centre"), Ply("0", 900)),
    unplayed=(Strike("illegal_move", 7, "4"),),
    winner=1,
    termination=Termination.ILLEGAL_MOVE,
    reason="forfeit: illegal move",
    rated=True,
    why=None,
    move_timeout_ms=15_000,
    started_ms=1_750_000_000_000,
    ended_ms=1_750_000_001_000,
)


def file(**changed: Any) -> bytes:
    """The file of MATCH with top-level fields changed; None takes one out."""
    fields = json.loads(replay.encode(save(MATCH))) | changed
    return json.dumps({name: value for name, value in fields.items() if value is not ...}).encode()


def test_a_saved_match_reads_as_the_format_says() -> None:
    found = json.loads(replay.encode(save(MATCH)))
    digest = found.pop("digest")
    assert digest.startswith("sha256:")
    assert found == {
        "format": "agentbbs-replay/2",
        "match": "018f3d2a",
        "game": "ttt",
        "rules": 1,
        "players": [
            {"name": "ada", "transport": "websocket", "ratingBefore": 1500.0, "ratingAfter": 1484.0},
            {"name": "bob", "transport": "ssh", "ratingBefore": 1500.0, "ratingAfter": 1516.0},
        ],
        "moveTimeoutMs": 15000,
        "started": 1750000000000,
        "ended": 1750000001000,
        "plies": [
            {"ply": 0, "player": 0, "move": "4", "ms": 12, "strikes": [], "reason": "centre"},
            {"ply": 1, "player": 1, "move": "0", "ms": 900, "strikes": [], "reason": None},
        ],
        "unplayed": [{"kind": "illegal_move", "ms": 7, "offered": "4"}],
        "outcome": {
            "winner": 1,
            "termination": "illegal_move",
            "reason": "forfeit: illegal move",
            "rated": True,
            "why": None,
        },
    }


ARENA = msgspec.structs.replace(
    MATCH,
    players=(Player(1, "ada", ARENA_TRANSPORT, 10_000), Player(2, "bob", "ssh")),
    plies=(
        Ply(
            "4",
            12,
            (
                Strike("not_json", 31, None, "a list, not an object", None, "n1", 5),
                Strike("illegal_move", 700, "9", "the move is not in `legal`", "mine!", "n2", 40),
            ),
            "centre",
            "n3",
            750,
        ),
        Ply("0", 100),
    ),
    termination=Termination.STRIKES,
    reason="forfeit: strikes",
)


def test_case_136_failed_answers_are_in_the_file_with_their_times_and_words() -> None:
    found = json.loads(replay.encode(save(ARENA)))
    assert found["players"][0]["clockMs"] == 10_000
    assert "clockMs" not in found["players"][1]
    assert found["plies"] == [
        {
            "ply": 0,
            "player": 0,
            "move": "4",
            "ms": 12,
            "strikes": [
                {
                    "kind": "not_json",
                    "ms": 31,
                    "offered": None,
                    "detail": "a list, not an object",
                    "nonce": "n1",
                    "askedMs": 5,
                },
                {
                    "kind": "illegal_move",
                    "ms": 700,
                    "offered": "9",
                    "detail": "the move is not in `legal`",
                    "reason": "mine!",
                    "nonce": "n2",
                    "askedMs": 40,
                },
            ],
            "reason": "centre",
            "nonce": "n3",
            "askedMs": 750,
        },
        {"ply": 1, "player": 1, "move": "0", "ms": 100, "strikes": [], "reason": None},
    ]
    assert replay.parse(replay.encode(save(ARENA))) == save(ARENA)
    assert referee(save(ARENA)) == ()


def test_nulls_stand_for_what_is_left_out() -> None:
    fields = json.loads(replay.encode(save(ARENA)))
    fields["players"][1]["clockMs"] = None
    fields["plies"][1] |= {"nonce": None, "askedMs": None}
    fields["unplayed"][0] |= {"detail": None, "reason": None, "nonce": None, "askedMs": None}
    assert replay.parse(json.dumps(fields).encode()) == save(ARENA)


def test_each_seat_has_its_clock_or_that_of_the_match() -> None:
    assert replay.clocks(save(ARENA)) == (10_000, 15_000)
    assert replay.clocks(save(MATCH)) == (15_000, 15_000)


FILE_1 = (
    b'{"format":"agentbbs-replay/1","match":"018f3d2a","game":"ttt","rules":1,"players":[{"name":"ada","transport":'
    b'"websocket","ratingBefore":1500.0,"ratingAfter":1484.0},{"name":"bob","transport":"ssh","ratingBefore":1500.0,'
    b'"ratingAfter":1516.0}],"moveTimeoutMs":15000,"started":1750000000000,"ended":1750000001000,"plies":[{"ply":0,'
    b'"player":0,"move":"4","ms":12,"strikes":[],"reason":"centre"},{"ply":1,"player":1,"move":"0","ms":900,'
    b'"strikes":[],"reason":null}],"unplayed":[{"kind":"illegal_move","ms":7,"offered":"4"}],"outcome":{"winner":1,'
    b'"termination":"illegal_move","reason":"forfeit: illegal move","rated":true,"why":null},"digest":'
    b'"sha256:7073437716512a9634a2737e189a74389b140444e3bf5dc431f68dfda518f45a"}'
)
"""MATCH as the first version of the format had it, with the digest that was written then."""


def test_a_file_of_the_first_version_is_read_verifies_and_keeps_its_digest() -> None:
    saved = replay.parse(FILE_1)
    assert saved.format == replay.FORMAT_1
    assert referee(saved) == ()
    assert replay.encode(saved) == FILE_1
    assert referee(msgspec.structs.replace(saved, ended=saved.ended + 1))
    assert msgspec.structs.replace(saved, format=replay.FORMAT, digest=None) == msgspec.structs.replace(
        save(MATCH), digest=None
    )


@pytest.mark.parametrize(
    ("place", "field", "value"),
    [
        (("players", 0), "clockMs", 10_000),
        (("plies", 1), "nonce", "n"),
        (("plies", 1), "askedMs", 5),
        (("unplayed", 0), "detail", "so"),
        (("unplayed", 0), "reason", "so"),
        (("unplayed", 0), "nonce", "n"),
        (("unplayed", 0), "askedMs", 5),
    ],
)
def test_the_first_version_has_no_fields_of_the_second(place: tuple[str, int], field: str, value: object) -> None:
    fields = json.loads(FILE_1)
    fields[place[0]][place[1]][field] = value
    with pytest.raises(NotAReplay, match=f"agentbbs-replay/1 has no `{field}` there"):
        replay.parse(json.dumps(fields).encode())


def test_a_house_bot_has_no_ratings() -> None:
    saved = replay.of(MATCH, (1500.0, None), (1500.0, None))
    assert saved.players[1].rating_before is None
    assert replay.parse(replay.encode(saved)) == saved


@given(saved_matches)
def test_every_saved_match_comes_back_as_it_was(saved: SavedMatch) -> None:
    assert replay.parse(replay.encode(saved)) == saved


@given(finished_matches)
def test_the_positions_are_those_of_the_game(match: FinishedMatch) -> None:
    found = replay.positions(save(match))
    assert [position.ply for position in found] == list(range(len(match.plies) + 1))
    assert found[0] == catalog.find(match.game).initial()
    if match.termination is Termination.NORMAL:
        assert found[-1].outcome is not None
        assert found[-1].outcome.winner == match.winner


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "not one JSON object"),
        (b"\xff\xfe", "not UTF-8 at byte 0"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[1]", "`format` should be 'agentbbs-replay/2' and is None"),
        (b'{"format":"agentbbs-replay/1","format":"agentbbs-replay/1"}', "the key 'format' stands twice"),
        (b'{"format":"agentbbs-replay/1"}', "missing required field `match`"),
        (b'{"format":' + b"1" * 5000 + b"}", "not one JSON object"),
        (file(format="agentbbs-replay/3"), "and is 'agentbbs-replay/3'"),
        (file(plies=...), "missing required field `plies`"),
        (file(colour="red"), "unknown field `colour`"),
        (file(players=[]), "`$.players`"),
        (file(rules="1"), "`$.rules`"),
        (file(rules=1.5), "`$.rules`"),
        (file(rules=True), "`$.rules`"),
        (file(ended=-1), "`$.ended`"),
        (file(outcome={"winner": 2, "termination": "normal", "reason": None, "rated": True, "why": None}), "winner"),
        (file(outcome={"winner": 0, "termination": "boredom", "reason": None, "rated": True, "why": None}), "boredom"),
        (file().replace(b"1500.0", b"1e999"), "ratingBefore"),
        (file().replace(b"1500.0", b"NaN"), "not a saved match"),
        (file().replace(b'"centre"', b'"\\ud800"'), "not a saved match"),
        (file()[:-1], "not one JSON object"),
        (file() + b"{}", "not one JSON object"),
        (b" " * (replay.MAX_FILE_BYTES + 1), "larger than"),
    ],
)
def test_what_is_no_saved_match_is_refused_with_a_sentence(data: bytes, sentence: str) -> None:
    with pytest.raises(NotAReplay) as refused:
        replay.parse(data)
    assert sentence in str(refused.value)
    assert len(str(refused.value)) < 300


@given(st.binary(max_size=40), st.integers(0, 400), st.integers(0, 20))
def test_a_damaged_file_is_refused_or_read_but_never_breaks_the_reader(noise: bytes, at: int, cut: int) -> None:
    data = file()
    damaged = data[:at] + noise + data[at + cut :]
    sentence = "read"
    try:
        assert replay.parse(damaged).format == replay.FORMAT
    except NotAReplay as refused:
        sentence = str(refused)
    assert sentence


def test_a_match_of_a_game_that_is_not_installed_can_be_saved_but_not_shown() -> None:
    saved = save(msgspec.structs.replace(MATCH, game="halma"))
    assert [ply.player for ply in saved.plies] == [0, 1]
    with pytest.raises(NotAReplay, match="no game 'halma' is installed here"):
        replay.positions(saved)


def test_a_match_by_other_rules_is_not_shown_by_these() -> None:
    saved = save(msgspec.structs.replace(MATCH, rules_version=7))
    with pytest.raises(NotAReplay, match="version 7 of the rules of ttt, and version 1 is installed"):
        replay.positions(saved)


def test_an_illegal_move_in_a_file_is_named() -> None:
    saved = save(MATCH)
    plies = (saved.plies[0], msgspec.structs.replace(saved.plies[1], move="4"))
    with pytest.raises(NotAReplay, match="ply 1: illegal move '4'"):
        replay.positions(msgspec.structs.replace(saved, plies=plies))
