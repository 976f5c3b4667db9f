"""The wall."""

from __future__ import annotations

import pytest
from tests.agentbbs.store.boarding import account, member, sysop

from agentbbs.store import accounts, audit, oneliners
from agentbbs.store.audit import Action
from agentbbs.store.database import Database
from agentbbs.store.oneliners import NoSuchOneliner, TooManyOneliners
from agentbbs.store.wording import TextFault

HOUR_MS = 3_600_000


def test_the_newest_stay(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oneliners, "KEPT", 3)
    with database.begin() as conn:
        ann = account(member(conn, "ann"))
        for number in range(5):
            oneliners.write(conn, ann, f"\x1b[3{number}m", now_ms=number)
        wall = oneliners.newest(conn)
        assert [line.text for line in wall] == ["\x1b[34m", "\x1b[33m", "\x1b[32m"]
        assert (wall[0].author, wall[0].account, wall[0].written_ms) == ("ann", ann, 4)
        assert len(oneliners.newest(conn, 2)) == 2
        accounts.remove(conn, "ann", now_ms=9)
        assert {line.author for line in oneliners.newest(conn)} == {"(removed)"}


def test_nobody_paints_over_the_wall(database: Database) -> None:
    with database.begin() as conn:
        ann = account(member(conn, "ann"))
        for _ in range(oneliners.MAX_AN_HOUR):
            oneliners.write(conn, ann, "mine", now_ms=1)
        with pytest.raises(TooManyOneliners):
            oneliners.write(conn, ann, "mine", now_ms=HOUR_MS)
        oneliners.write(conn, ann, "mine", now_ms=HOUR_MS + 1)
        for text in ("x" * 71, "", "a\nb"):
            with pytest.raises(TextFault):
                oneliners.write(conn, ann, text, now_ms=1)


def test_a_sysop_takes_one_down(database: Database) -> None:
    with database.begin() as conn:
        boss, ann = account(sysop(conn)), account(member(conn, "ann"))
        oneliners.write(conn, ann, "rude", now_ms=1)
        (line,) = oneliners.newest(conn)
        oneliners.remove(conn, boss, line.id, now_ms=2)
        assert oneliners.newest(conn) == ()
        with pytest.raises(NoSuchOneliner):
            oneliners.remove(conn, boss, line.id, now_ms=2)
        assert [entry.action for entry in audit.entries(conn)] == [Action.ONELINER_DELETED]
