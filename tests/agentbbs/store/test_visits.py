"""The last callers."""

from __future__ import annotations

import pytest
from tests.agentbbs.store.boarding import account, member

from agentbbs.store import accounts, visits
from agentbbs.store.database import Database
from agentbbs.store.visits import PastVisit


def test_who_called_is_listed_newest_first(database: Database) -> None:
    with database.begin() as conn:
        ann = account(member(conn, "ann"))
        first = visits.begin(conn, ann, "ann", node=1, transport="ssh", now_ms=10)
        second = visits.begin(conn, None, "guest", node=2, transport="telnet", now_ms=20)
        visits.end(conn, first, now_ms=30)
        visits.end(conn, first, now_ms=99)
        assert visits.last_callers(conn) == (
            PastVisit(second, None, "guest", 2, "telnet", 20, None),
            PastVisit(first, ann, "ann", 1, "ssh", 10, 30),
        )
        assert [visit.name for visit in visits.last_callers(conn, guests=False)] == ["ann"]
        assert [visit.name for visit in visits.last_callers(conn, limit=1)] == ["guest"]
        assert visits.last_seen_ms(conn, ann) == 10
        assert visits.last_seen_ms(conn, 99) is None
        accounts.remove(conn, "ann", now_ms=40)
        assert visits.last_callers(conn)[1].name == "(removed)"


def test_the_newest_stay(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visits, "KEPT", 3)
    with database.begin() as conn:
        for number in range(5):
            visits.begin(conn, None, f"guest {number}", node=1, transport="ssh", now_ms=number)
        assert [visit.began_ms for visit in visits.last_callers(conn)] == [4, 3, 2]


def test_visits_that_a_kill_left_open_are_closed(database: Database) -> None:
    with database.begin() as conn:
        visits.end(conn, visits.begin(conn, None, "guest", node=1, transport="ssh", now_ms=1), now_ms=5)
        visits.begin(conn, None, "guest", node=1, transport="ssh", now_ms=7)
        assert visits.end_lost(conn) == 1
        assert [visit.ended_ms for visit in visits.last_callers(conn)] == [7, 5]
        assert visits.end_lost(conn) == 0
