"""The log of matches, read back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.agentbbs.store.making import finished

from agentbbs.play.ports import FinishedMatch, Strike
from agentbbs.protocol.agentgames import Termination
from agentbbs.store import accounts, history
from agentbbs.store.database import Database
from agentbbs.store.history import AmbiguousMatch, NoSuchMatch
from agentbbs.store.ledger import Ledger

Enrol = Callable[[int], list[int]]


@pytest.fixture
def played(database: Database, enrol: Enrol) -> list[FinishedMatch]:
    one, two, three = enrol(3)
    matches = [
        finished(one, two, match_id="aaaa-0001"),
        finished(two, three, -1, game="c4", match_id="aaaa-0002"),
        finished(None, one, 1, why="practice", match_id="bbbb-0003"),
        finished(three, one, 1, termination=Termination.TIMEOUT, moves="", match_id="cccc-0004"),
    ]
    with database.writing_connection() as conn:
        Ledger().commit(conn, matches)
    return matches


def _ids(database: Database, *, limit: int = 10, **wanted: object) -> list[str]:
    with database.connect() as conn:
        return [summary.id[-1] for summary in history.matches(conn, limit=limit, **wanted)]  # type: ignore[arg-type]


@pytest.mark.usefixtures("played")
def test_matches_are_listed_newest_first(database: Database) -> None:
    assert _ids(database) == ["4", "3", "2", "1"]
    assert _ids(database, limit=2) == ["4", "3"]
    assert _ids(database, before_seq=3) == ["2", "1"]
    assert _ids(database, game="c4") == ["2"]
    assert _ids(database, game="go") == []
    assert _ids(database, name="agent-001") == ["4", "3", "1"]
    assert _ids(database, name="AGENT-002") == ["2", "1"]
    assert _ids(database, name="agent-003", game="ttt") == ["4"]
    assert _ids(database, name="agent_003") == []
    assert _ids(database, name="nobody") == []


@pytest.mark.usefixtures("played")
def test_a_line_of_the_list_says_what_happened(database: Database) -> None:
    with database.connect() as conn:
        late, practice, draw, win = history.matches(conn, limit=4)
    assert (late.names, late.winner, late.termination, late.reason) == (
        ("agent-003", "agent-001"),
        1,
        "timeout",
        "forfeit: timeout",
    )
    assert (practice.names, practice.rated, practice.why) == (("greedy", "agent-001"), False, "practice")
    assert practice.ratings_before == practice.ratings_after == (None, 1516.0)
    assert (draw.game, draw.winner, draw.rated, draw.why) == ("c4", -1, True, None)
    assert (win.seq, win.ratings_before, win.ratings_after) == (1, (1500.0, 1500.0), (1516.0, 1484.0))
    assert win.ended_ms - win.started_ms == 1000


def test_a_match_is_found_by_its_id_or_the_beginning_of_it(database: Database, played: list[FinishedMatch]) -> None:
    with database.connect() as conn:
        for match in played:
            assert history.match(conn, match.id).match == match
        assert history.match(conn, "bbbb").match == played[2]
        assert history.match(conn, "aaaa-0002").seq == 2
        with pytest.raises(AmbiguousMatch, match="give more of it"):
            history.match(conn, "aaaa")
        for unknown in ("", "b", "bbb", "bbbb-00033", "BBBB", "bbbb%", "b_bb", "zzzz", "\x1b[2J" * 3):
            with pytest.raises(NoSuchMatch, match="agentbbs matches") as fault:
                history.match(conn, unknown)
            assert str(fault.value).isprintable()


def test_an_id_that_begins_another_is_found_all_the_same(database: Database, enrol: Enrol) -> None:
    one, two = enrol(2)
    short, long = finished(one, two, match_id="abcd"), finished(one, two, match_id="abcde")
    with database.writing_connection() as conn:
        Ledger().commit(conn, [short, long])
    with database.connect() as conn:
        assert history.match(conn, "abcd").match == short
        assert history.match(conn, "abcde").match == long


@pytest.mark.usefixtures("played")
def test_a_removed_accounts_name_is_struck_out_and_its_matches_stay(database: Database) -> None:
    with database.begin() as conn:
        accounts.remove(conn, "agent-001", now_ms=9)
        assert [summary.names for summary in history.matches(conn, limit=10)] == [
            ("agent-003", "(removed)"),
            ("greedy", "(removed)"),
            ("agent-002", "agent-003"),
            ("(removed)", "agent-002"),
        ]
        players = history.match(conn, "aaaa-0001").match.players
        assert [player.name for player in players] == ["(removed)", "agent-002"]
        assert players[0].account is not None
    assert _ids(database, name="agent-001") == ["4", "3", "1"]


def test_strikes_and_times_are_kept(database: Database, enrol: Enrol) -> None:
    one, two = enrol(2)
    match = finished(one, two, termination=Termination.STRIKES, unplayed=(Strike("illegal_move", 4, "x9"),) * 3)
    with database.writing_connection() as conn:
        Ledger().commit(conn, [match])
    with database.connect() as conn:
        assert history.match(conn, match.id).match == match
