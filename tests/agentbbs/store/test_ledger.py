"""The transaction that makes matches count."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from tests.agentbbs.store.making import finished

from agentbbs.play.ports import FinishedMatch, Settled, Standing
from agentbbs.ratings.ladder import Fold
from agentbbs.store import rebuild
from agentbbs.store.database import Database
from agentbbs.store.history import match as stored_match
from agentbbs.store.ladder import standing
from agentbbs.store.ledger import Ledger, stored_ids
from agentbbs.store.match_rows import InvalidMatch
from agentbbs.store.schema import game_matches

Enrol = Callable[[int], list[int]]


def _commit(database: Database, *batches: list[FinishedMatch], ledger: Ledger | None = None) -> list[Settled]:
    ledger = ledger or Ledger()
    with database.writing_connection() as conn:
        return [settled for batch in batches for settled in ledger.commit(conn, batch)]


def _log(database: Database) -> list[str]:
    with database.connect() as conn:
        return list(conn.execute(select(game_matches.c.id).order_by(game_matches.c.seq)).scalars())


def _check(database: Database) -> tuple[rebuild.Difference, ...]:
    with database.connect() as conn:
        return rebuild.check(conn)


def test_the_first_win_gives_1516_and_1484(database: Database, enrol: Enrol) -> None:
    one, other = enrol(2)
    match = finished(one, other, 0)
    [settled] = _commit(database, [match])
    won, lost = Standing(1516.0, 1, 1, 0, 0, 1), Standing(1484.0, 1, 0, 0, 1, 0)
    assert settled == Settled((Standing(), Standing()), (won, lost))
    with database.connect() as conn:
        assert (standing(conn, one, "ttt"), standing(conn, other, "ttt")) == (won, lost)
        stored = stored_match(conn, match.id)
    assert (stored.ratings_before, stored.ratings_after) == ((1500.0, 1500.0), (1516.0, 1484.0))
    assert stored.seq == 1


def test_thirteen_games_against_thirteen_opponents_are_thirteen_rated_games(database: Database, enrol: Enrol) -> None:
    one, *others = enrol(14)
    settled = _commit(database, [finished(one, other) for other in others])
    assert [both.after[0].played for both in settled if both.after[0]] == list(range(1, 14))
    with database.connect() as conn:
        assert standing(conn, one, "ttt").played == 13
        for row in conn.execute(select(game_matches.c.rated, game_matches.c.why)):
            assert row == (True, None)
    assert _check(database) == ()


def test_an_unrated_match_is_kept_with_its_why_and_changes_nothing(database: Database, enrol: Enrol) -> None:
    one, other = enrol(2)
    practice, void = finished(one, None, why="practice"), finished(one, other, -1, why="void: server error")
    settled = _commit(database, [finished(one, other), practice, void])
    assert settled[1].before == settled[1].after == (Standing(1516.0, 1, 1, 0, 0, 1), None)
    assert settled[2].before == settled[2].after == (settled[0].after[0], settled[0].after[1])
    with database.connect() as conn:
        assert standing(conn, one, "ttt").played == 1
        assert stored_match(conn, practice.id).match.why == "practice"
        assert stored_match(conn, practice.id).ratings_after == (1516.0, None)
        assert stored_match(conn, void.id).match.rated is False
    assert _check(database) == ()


def test_a_batch_is_stored_in_its_order_however_large(database: Database, enrol: Enrol) -> None:
    ids = enrol(70)
    batch = [finished(ids[number % 70], ids[(number + 1 + number // 70) % 70], number % 3 - 1) for number in range(300)]
    _commit(database, batch[:1], batch[1:66], batch[66:130], batch[130:])
    assert _log(database) == [match.id for match in batch]
    assert _check(database) == ()


def test_a_match_that_can_not_be_stored_undoes_its_batch(database: Database, enrol: Enrol) -> None:
    one, other = enrol(2)
    good = finished(one, other)
    ledger = Ledger()
    with database.writing_connection() as conn:
        for bad, fault in (
            (finished(one, 999), IntegrityError),
            (finished(one, one), InvalidMatch),
            (msgspec.structs.replace(good, id=good.id), IntegrityError),
            (msgspec.structs.replace(good, winner=5), InvalidMatch),
            (msgspec.structs.replace(good, started_ms=2**70), OverflowError),
        ):
            with pytest.raises(fault):
                ledger.commit(conn, [good, bad])
            assert _log(database) == []
        assert ledger.commit(conn, [good])[0].after[0] == Standing(1516.0, 1, 1, 0, 0, 1)
    assert _check(database) == ()


def test_two_ledgers_never_lose_an_update(database: Database, enrol: Enrol) -> None:
    one, other, third = enrol(3)
    ledgers = Ledger(), Ledger()
    for number in range(20):
        _commit(database, [finished(one, (other, third)[number % 2])], ledger=ledgers[number % 2])
    with database.connect() as conn:
        assert standing(conn, one, "ttt").played == 20
    assert _check(database) == ()


def test_a_rebuild_is_noticed(database: Database, enrol: Enrol) -> None:
    one, other = enrol(2)
    ledger = Ledger()
    _commit(database, [finished(one, other)], ledger=ledger)
    with database.begin() as conn:
        conn.exec_driver_sql("UPDATE game_ratings SET rating = 2000, played = 50")
        assert rebuild.rebuild(conn)
    _commit(database, [finished(one, other)], ledger=ledger)
    assert _check(database) == ()


def test_in_a_quiet_house_no_standing_is_read_twice(database: Database, enrol: Enrol) -> None:
    one, other = enrol(2)
    ledger = Ledger()
    with database.writing_connection() as conn:
        ledger.commit(conn, [finished(one, other)])
        with database.begin() as behind_its_back:
            behind_its_back.exec_driver_sql("UPDATE game_ratings SET played = 50")
        [settled] = ledger.commit(conn, [finished(one, other)])
    assert settled.before[0] is not None
    assert settled.before[0].played == 1


def test_which_matches_are_stored(database: Database, enrol: Enrol) -> None:
    one, other = enrol(2)
    kept, lost = finished(one, other), finished(one, other)
    _commit(database, [kept])
    with database.connect() as conn:
        assert stored_ids(conn, [kept.id, lost.id]) == {kept.id}
        assert stored_ids(conn, []) == set()


PLAYED = st.lists(
    st.tuples(
        st.sampled_from(["ttt", "c4"]),
        st.lists(st.integers(0, 4), min_size=2, max_size=2, unique=True),
        st.sampled_from([-1, 0, 1]),
        st.sampled_from([None, None, "practice"]),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(played=PLAYED, data=st.data())
def test_in_whatever_order_matches_finish_the_log_folds_to_what_is_stored(
    database: Database, enrol: Enrol, played: list[tuple[str, list[int], int, str | None]], data: st.DataObject
) -> None:
    with database.begin() as conn:
        for table in ("game_matches", "game_ratings", "game_lines"):
            conn.exec_driver_sql(f"DELETE FROM {table}")
        conn.exec_driver_sql("UPDATE game_lines_upto SET seq = 0")
        ids = [row.id for row in conn.exec_driver_sql("SELECT id FROM accounts")]
    ids = ids or enrol(5)
    matches = [finished(ids[one], ids[other], winner, game=game, why=why) for game, (one, other), winner, why in played]
    order = data.draw(st.permutations(matches))
    cut = data.draw(st.integers(0, len(order)))
    ledgers = [Ledger(), Ledger()]
    for number, batch in enumerate((order[:cut], order[cut:])):
        if batch:
            _commit(database, batch, ledger=ledgers[data.draw(st.integers(0, 1)) if number else 0])

    fold = Fold(Standing())
    for match in order:
        one, other = match.players[0].account, match.players[1].account
        if match.rated and one is not None and other is not None:
            fold.apply(match.game, one, other, match.winner)
    with database.connect() as conn:
        for game in ("ttt", "c4"):
            for account in ids:
                assert standing(conn, account, game) == fold.of(game, account)
    assert _log(database) == [match.id for match in order]
    assert _check(database) == ()
