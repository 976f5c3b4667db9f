"""A finished match as a row, and back."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.agentbbs.store.making import finished

from agentbbs.play.ports import FinishedMatch, Player, Ply, Settled, Standing, Strike
from agentbbs.protocol.agentgames import Termination
from agentbbs.store import accounts, match_rows
from agentbbs.store.database import Database
from agentbbs.store.history import match as stored_match
from agentbbs.store.ledger import Ledger
from agentbbs.store.match_rows import COLUMNS, InvalidMatch, check, from_row, line, row, to_json

UNSETTLED = Settled((Standing(), None), (Standing(), None))

TEXTS = st.text(max_size=20)
MS = st.integers(0, 2**40)
TEXT = st.none() | TEXTS
ASKED = st.none() | MS
STRIKE = st.builds(Strike, st.sampled_from(["illegal_move", "timeout"]), MS, TEXT, TEXT, TEXT, TEXT, ASKED)
STRIKES = st.lists(STRIKE, max_size=2)
PLIES = st.lists(st.builds(Ply, st.text(min_size=1, max_size=5), MS, STRIKES.map(tuple), TEXT, TEXT, ASKED), max_size=9)


CLOCKS = st.none() | st.integers(1, 10**8)
PLAYERS = st.builds(Player, st.sampled_from([None, 1, 2]), TEXTS, st.sampled_from(["ssh", "websocket"]), CLOCKS)
# Unrated ones: whatever an agent or a house bot may have sent is in them.
MATCHES = st.builds(
    FinishedMatch,
    id=st.builds(lambda: str(uuid.uuid4())),
    game=st.sampled_from(["ttt", "c4"]),
    rules_version=st.integers(1, 9),
    players=st.tuples(PLAYERS, PLAYERS),
    plies=PLIES.map(tuple),
    unplayed=STRIKES.map(tuple),
    winner=st.sampled_from([-1, 0, 1]),
    termination=st.sampled_from(Termination),
    reason=st.none() | TEXTS,
    rated=st.just(value=False),
    why=TEXTS,
    move_timeout_ms=st.integers(1, 10**8),
    started_ms=MS,
    ended_ms=MS,
)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(match=MATCHES)
def test_every_match_comes_back_as_it_went_in(
    database: Database, enrol: Callable[[int], list[int]], match: FinishedMatch
) -> None:
    with database.connect() as conn:
        empty = not accounts.all_accounts(conn)
    if empty:
        assert enrol(2) == [1, 2]
    with database.writing_connection() as writing:
        Ledger().commit(writing, [match])
    with database.connect() as conn:
        assert stored_match(conn, match.id).match == match


def test_a_plain_ply_is_kept_short_and_a_rich_one_whole() -> None:
    rich = Ply("4", 900, (Strike("timeout", 10_000), Strike("illegal_move", 5, "99")), "the centre")
    match = msgspec.structs.replace(finished(None, 1, why="practice"), plies=(Ply("0", 7), rich))
    values = dict(zip(COLUMNS, row(1, match, UNSETTLED), strict=True))
    assert json.loads(values["plies"]) == [
        {"move": "0", "ms": 7},
        {
            "move": "4",
            "ms": 900,
            "strikes": [
                {"kind": "timeout", "ms": 10_000},
                {"kind": "illegal_move", "ms": 5, "offered": "99"},
            ],
            "reason": "the centre",
        },
    ]
    assert from_row(values) == match


def test_what_an_endpoint_was_asked_and_said_is_kept() -> None:
    strike = Strike("nonce", 30, "d", "`nonce` is missing", "easy", "5f1a", 1_200)
    match = msgspec.structs.replace(
        finished(None, 1, why="practice"), plies=(Ply("0", 7, (strike,), nonce="77aa", asked_ms=1_300),)
    )
    values = dict(zip(COLUMNS, row(1, match, UNSETTLED), strict=True))
    assert json.loads(values["plies"]) == [
        {
            "move": "0",
            "ms": 7,
            "strikes": [
                {
                    "kind": "nonce",
                    "ms": 30,
                    "offered": "d",
                    "detail": "`nonce` is missing",
                    "reason": "easy",
                    "nonce": "5f1a",
                    "asked_ms": 1_200,
                }
            ],
            "nonce": "77aa",
            "asked_ms": 1_300,
        }
    ]
    assert from_row(values) == match


def test_plies_as_earlier_revisions_wrote_them_are_read() -> None:
    values = dict(zip(COLUMNS, row(1, finished(None, 1, why="practice"), UNSETTLED), strict=True))
    values["plies"] = (
        '[{"move":"4","ms":9},{"move":"0","ms":1,"strikes":[{"kind":"timeout","ms":5,"offered":null}],"reason":null}]'
    )
    values["unplayed"] = '[{"kind":"illegal_move","ms":7,"offered":"4"}]'
    match = from_row(values)
    assert match.plies == (Ply("4", 9), Ply("0", 1, (Strike("timeout", 5),)))
    assert match.unplayed == (Strike("illegal_move", 7, "4"),)


def test_a_clock_of_its_own_stands_at_its_seat() -> None:
    match = finished(None, 1, why="practice")
    slow = msgspec.structs.replace(match.players[1], clock_ms=10_000)
    match = msgspec.structs.replace(match, players=(match.players[0], slow))
    values = dict(zip(COLUMNS, row(1, match, UNSETTLED), strict=True))
    assert [values[f"clock_ms_{seat}"] for seat in (0, 1)] == [None, 10_000]
    assert from_row(values) == match


def test_the_ratings_stand_at_their_seats() -> None:
    settled = Settled((Standing(1500.5), Standing(1400.25)), (Standing(1510.5), Standing(1390.25)))
    values = dict(zip(COLUMNS, row(7, finished(3, 4), settled), strict=True))
    assert values["seq"] == 7
    assert [values[f"account_{seat}"] for seat in (0, 1)] == [3, 4]
    assert [values[f"rating_before_{seat}"] for seat in (0, 1)] == [1500.5, 1400.25]
    assert [values[f"rating_after_{seat}"] for seat in (0, 1)] == [1510.5, 1390.25]


def test_a_lone_surrogate_is_kept_as_an_escape() -> None:
    match = finished(None, 1, why="practice", unplayed=(Strike("illegal_move", 3, "a\ud800b"),))
    values = dict(zip(COLUMNS, row(1, match, UNSETTLED), strict=True))
    values["unplayed"].encode()
    assert from_row(values).unplayed == (Strike("illegal_move", 3, "a\\ud800b"),)
    assert to_json({"\udc00": ["\udfff", 1, None]}) == '{"\\\\udc00":["\\\\udfff",1,null]}'


def test_a_line_is_the_pair_the_moves_and_the_winner() -> None:
    same = line(finished(3, 12, 0))
    assert same == line(finished(3, 12, 0))
    assert same == line(finished(12, 3, 1)), "the same winner, in the other seat"
    others = [
        line(finished(3, 12, 1)),
        line(finished(3, 12, -1)),
        line(finished(3, 13, 0)),
        line(finished(31, 2, 0)),
        line(finished(3, 12, 0, game="c4")),
        line(finished(3, 12, 0, moves="0 3 1 4 5")),
        line(finished(3, 12, 0, moves="0 3 1 42")),
        line(finished(3, 12, 0, moves="")),
    ]
    assert len({same, *others}) == len(others) + 1


def test_a_line_is_63_bits_and_the_same_in_every_process() -> None:
    value = line(finished(1, 2, 0))
    assert value is not None
    assert 0 <= value < 2**63
    # blake2b of "ttt 1 2 1\n0\n3\n1\n4\n2", as b2sum -l 64 prints it, without its last bit.
    assert value == 0x0F7E00CD8DF89097 >> 1


def test_an_unrated_match_has_no_line() -> None:
    assert line(finished(1, 2, why="practice")) is None
    assert match_rows.row(1, finished(1, None, why="practice"), UNSETTLED)[-1] is None


@pytest.mark.parametrize(
    ("match", "says"),
    [
        (finished(1, 1), "has not two accounts"),
        (finished(None, 1), "has not two accounts"),
        (finished(1, None), "has not two accounts"),
        (msgspec.structs.replace(finished(1, 2), winner=2), "won by seat 2, which is none"),
        (msgspec.structs.replace(finished(1, 2), rated=False), "must say why it is unrated"),
        (msgspec.structs.replace(finished(1, 2), why="practice"), "must say why it is unrated"),
    ],
)
def test_a_match_that_contradicts_itself_is_refused(match: FinishedMatch, says: str) -> None:
    with pytest.raises(InvalidMatch, match=says):
        check(match)


def test_a_match_that_makes_sense_is_taken() -> None:
    for match in (finished(1, 2), finished(1, None, why="practice"), finished(1, 1, why="void: server error")):
        assert check(match) is match
