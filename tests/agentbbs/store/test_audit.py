"""The audit log."""

from __future__ import annotations

import pytest
from tests.agentbbs.store.boarding import account, sysop

from agentbbs.store import accounts, audit
from agentbbs.store.audit import Action, Entry
from agentbbs.store.database import Database


def test_entries_are_kept_newest_first(database: Database) -> None:
    with database.begin() as conn:
        boss = account(sysop(conn))
        audit.note(conn, boss, Action.KICKED, "node 3", "idle", now_ms=10)
        audit.note(conn, None, Action.BROADCAST, now_ms=20)
        accounts.remove(conn, "boss", now_ms=30)
        entries = audit.entries(conn)
        assert entries == (
            Entry(2, 20, None, "(house)", Action.BROADCAST, "", ""),
            Entry(1, 10, boss, "boss", Action.KICKED, "node 3", "idle"),
        )
        assert audit.entries(conn, limit=1) == entries[:1]
        assert audit.entries(conn, before=2) == entries[1:]
        assert isinstance(entries[0].action, Action)


def test_an_entry_never_fails_for_its_text(database: Database) -> None:
    with database.begin() as conn:
        audit.note(conn, None, Action.KICKED, "n\0de" * 50, "\ud800" * 1000, now_ms=1)
        (entry,) = audit.entries(conn)
        assert entry.target == ("n?de" * 50)[: audit.MAX_TARGET_CHARS]
        assert entry.detail == "?" * audit.MAX_DETAIL_CHARS


def test_the_actor_is_somebody(database: Database) -> None:
    with database.begin() as conn, pytest.raises(accounts.NoSuchAccount):
        audit.note(conn, 99, Action.KICKED, now_ms=1)
