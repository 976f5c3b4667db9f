"""The offline referee on seats of Agent Arena: three strikes, each of them one, each request asked in its time."""

from __future__ import annotations

import random
from typing import Any, Final

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.random_matches import play, save, saved_matches

from agentbbs.play import replay
from agentbbs.play.offline_referee import TIMEOUT_TOLERANCE_MS, referee
from agentbbs.play.ports import ARENA_TRANSPORT, FinishedMatch, Player, Ply, Strike
from agentbbs.play.replay import SavedMatch
from agentbbs.protocol.agentgames import REASONS, Termination
from agentbbs.protocol.strikes import StrikeRow

CLOCK_MS: Final = 10_000

change = msgspec.structs.replace
"""A frozen value with fields changed."""


def timeout(ms: int = CLOCK_MS, **fields: Any) -> Strike:
    return Strike("timeout", ms, detail="no headers came", **fields)


def illegal(offered: str | None, **fields: Any) -> Strike:
    return Strike("illegal_move", 20, offered, "the move is not in `legal`", **fields)


def match(
    *unplayed: Strike,
    at: dict[int, tuple[Strike, ...]] | None = None,
    termination: Termination = Termination.STRIKES,
    game: str = "c4",
    moves: str = "0011",
    **fields: Any,
) -> FinishedMatch:
    """A match of two endpoints in which the first forfeits by strikes; `at` holds strikes by ply."""
    made = FinishedMatch(
        id="m",
        game=game,
        rules_version=1,
        players=(Player(1, "ada", ARENA_TRANSPORT, CLOCK_MS), Player(2, "bob", ARENA_TRANSPORT, CLOCK_MS)),
        plies=tuple(Ply(move, 10, (at or {}).get(ply, ())) for ply, move in enumerate(moves)),
        unplayed=unplayed,
        winner=1,
        termination=termination,
        reason=REASONS[termination],
        rated=True,
        why=None,
        move_timeout_ms=1_000,
        started_ms=5_000_000,
        ended_ms=5_090_000,
    )
    return change(made, **fields)


def found(match: FinishedMatch) -> tuple[str, ...]:
    """What the referee finds by the match alone, without the digest."""
    return referee(change(save(match), digest=None))


def test_three_strikes_of_any_rows_and_places_forfeit() -> None:
    assert found(match(timeout(), illegal("4"), Strike("nonce", 30, "d", "`nonce` is missing"))) == ()
    assert found(match(timeout(), at={0: (illegal("h"),), 2: (timeout(),)})) == ()
    assert found(match(illegal("h"), at={0: (timeout(), timeout())})) == ()


@pytest.mark.parametrize("row", StrikeRow)
def test_every_row_of_the_table_is_known(row: StrikeRow) -> None:
    strike = Strike(row, CLOCK_MS, "?")
    assert found(match(strike, strike, strike)) == ()


@pytest.mark.parametrize("count", [1, 2])
def test_fewer_than_three_forfeit_nothing(count: int) -> None:
    assert found(match(*[timeout()] * count)) == (
        "the termination strikes does not fit: no strike at the end shows it",
    )


def test_a_fourth_strike_follows_the_end() -> None:
    assert found(match(*[timeout()] * 4)) == ("a strike follows the end of the match",)


def test_nobody_moves_after_the_third_strike() -> None:
    assert found(match(at={2: (timeout(),) * 3})) == ("the match went on with ply 2 after a strike there had ended it",)


def test_strikes_of_the_other_seat_do_not_count() -> None:
    two = (timeout(), timeout())
    assert found(match(timeout(), at={0: two, 1: two})) == ()
    assert found(match(timeout(), at={1: two})) == (
        "the termination strikes does not fit: no strike at the end shows it",
    )


def test_one_fault_of_an_endpoint_is_no_forfeit() -> None:
    for termination, strike in ((Termination.TIMEOUT, timeout()), (Termination.ILLEGAL_MOVE, illegal("z"))):
        assert found(match(strike, termination=termination)) == (
            f"the termination {termination} does not fit: no strike at the end shows it",
        )


# Illegal moves, as Agent Arena calls them


@pytest.mark.parametrize(("game", "moves", "offered"), [("c4", "0011", "b"), ("c4", "", "g"), ("ttt", "04", "8")])
def test_a_move_that_was_legal_is_no_strike(game: str, moves: str, offered: str) -> None:
    wrong = found(match(*[illegal(offered)] * 3, game=game, moves=moves))
    assert wrong == (f"the strike at ply {len(moves)} is none: {offered!r} was a legal move",) * 3


@pytest.mark.parametrize(
    ("game", "moves", "offered"),
    [("c4", "", "1"), ("c4", "", "A"), ("c4", "", "h"), ("c4", "", ""), ("c4", "000000", "a"), ("ttt", "04", "4")],
)
def test_a_move_of_the_house_is_none_of_the_arena(game: str, moves: str, offered: str) -> None:
    assert found(match(*[illegal(offered)] * 3, game=game, moves=moves)) == ()


def test_an_illegal_move_says_what_was_offered() -> None:
    assert found(match(timeout(), timeout(), illegal(None))) == (
        "the strike at ply 4 does not say which move was illegal",
    )


def test_a_legal_move_with_a_wrong_nonce_is_a_strike_all_the_same() -> None:
    assert found(match(*[Strike("nonce", 20, "a")] * 3)) == ()


@pytest.mark.parametrize("transport", [ARENA_TRANSPORT, "websocket"])
def test_a_strike_of_no_kind_that_there_is_is_found(transport: str) -> None:
    strike = Strike("boredom\x1b[2J", 5)
    players = (Player(1, "ada", transport), Player(2, "bob", transport))
    assert r"the strike at ply 4 is of no kind that there is: 'boredom\x1b[2J'" in found(
        match(strike, strike, strike, players=players)
    )


# Clocks


def test_a_timeout_reaches_the_clock_of_its_seat() -> None:
    least = CLOCK_MS - TIMEOUT_TOLERANCE_MS
    assert found(match(timeout(least), timeout(CLOCK_MS + 900), timeout())) == ()
    assert found(match(timeout(), timeout(), timeout(least - 1))) == (
        f"the strike at ply 4 is a timeout after {least - 1} ms, where {CLOCK_MS} ms was the limit",
    )


def test_a_seat_without_a_clock_of_its_own_has_the_one_of_the_match() -> None:
    players = (Player(1, "ada", ARENA_TRANSPORT), Player(2, "bob", "ssh"))
    assert found(match(*[timeout(1_000)] * 3, players=players)) == ()
    assert len(found(match(*[timeout(900)] * 3, players=players))) == 3


def test_a_move_is_in_time_by_the_clock_of_its_seat() -> None:
    players = (Player(1, "ada", ARENA_TRANSPORT, CLOCK_MS), Player(2, "bob", "ssh"))
    plies = (Ply("0", CLOCK_MS), Ply("0", 1_000), Ply("1", CLOCK_MS + 1), Ply("1", 1_001))
    assert found(match(timeout(), timeout(), timeout(), players=players, plies=plies)) == (
        f"ply 2 took {CLOCK_MS + 1} ms and was accepted, where {CLOCK_MS} ms was the limit",
        "ply 3 took 1001 ms and was accepted, where 1000 ms was the limit",
    )


def test_each_seat_ends_by_its_own_rules() -> None:
    """A connected agent forfeits by its first timeout, by the match's clock, though its opponent has strikes."""
    players = (Player(1, "ada", ARENA_TRANSPORT, CLOCK_MS), Player(2, "bob", "ssh"))
    fields: dict[str, Any] = {
        "at": {0: (timeout(), timeout())},
        "moves": "0",
        "termination": Termination.TIMEOUT,
        "winner": 0,
        "players": players,
    }
    assert found(match(Strike("timeout", 1_000), **fields)) == ()
    assert found(match(Strike("timeout", 900), **fields))[0] == (
        "a forfeit by timeout after 900 ms, where 1000 ms was the limit"
    )


# Requests


def test_every_request_has_a_nonce_of_its_own() -> None:
    assert found(match(timeout(nonce="a"), timeout(nonce="b"), timeout(nonce="a"))) == (
        "the nonce 'a' stands twice: every request has its own",
    )


def test_a_request_goes_out_after_the_answer_before_it_and_before_the_end() -> None:
    times = (100, 10_600, 20_700)
    strikes = [timeout(asked_ms=asked) for asked in times]
    assert found(match(*strikes)) == ()
    strikes[1] = timeout(asked_ms=9_000)
    assert found(match(*strikes)) == ("a request went out at 9000 ms, before the answer that came at 10100 ms",)
    strikes[1:] = [timeout(asked_ms=10_600), timeout(asked_ms=89_000)]
    assert found(match(*strikes)) == ("the last answer came at 99000 ms, and the match ended at 90000 ms",)


# Any match with an endpoint in it


def of_endpoints(saved: SavedMatch) -> list[tuple[int, int]]:
    """Where there are strikes of an endpoint: the ply (-1: unplayed) and the number."""
    found = [
        (ply.ply, number) for ply in saved.plies for number in range(len(ply.strikes)) if _arena(saved, ply.player)
    ]
    seats = [ply.player for ply in saved.plies]
    to_move = 1 - seats[-1] if seats else 0
    return found + [(-1, number) for number in range(len(saved.unplayed)) if _arena(saved, to_move)]


def _arena(saved: SavedMatch, seat: int) -> bool:
    return saved.players[seat].transport == ARENA_TRANSPORT


@given(saved_matches, st.data())
def test_a_changed_strike_breaks_the_digest(saved: SavedMatch, data: st.DataObject) -> None:
    places = of_endpoints(saved)
    assume(places)
    ply, number = data.draw(st.sampled_from(places))
    strikes = list(saved.unplayed if ply < 0 else saved.plies[ply].strikes)
    field = data.draw(st.sampled_from(("offered", "detail", "reason", "nonce", "asked_ms", "ms")))
    value = 10**9 if field in ("asked_ms", "ms") else "another"
    strikes[number] = change(strikes[number], **{field: value})
    if ply < 0:
        changed = change(saved, unplayed=tuple(strikes))
    else:
        plies = list(saved.plies)
        plies[ply] = change(plies[ply], strikes=tuple(strikes))
        changed = change(saved, plies=tuple(plies))
    assert any("the digest does not fit" in sentence for sentence in referee(changed))


def test_a_strike_more_or_less_is_found_where_strikes_ended_it() -> None:
    rng = random.Random(7)
    drawn = [play(rng, "c4", 0.5, strikes=(False, False), why=None, endpoints=(True, True)) for _ in range(60)]
    struck_out = [save(match) for match in drawn if match.termination is Termination.STRIKES]
    assert len(struck_out) > 10
    for saved in struck_out:
        assert referee(replay.parse(replay.encode(saved))) == ()
        assert referee(change(saved, unplayed=saved.unplayed[1:], digest=None))
        assert referee(change(saved, unplayed=(*saved.unplayed, saved.unplayed[-1]), digest=None))
