"""The boards as records."""

from __future__ import annotations

import json

from tests.agentbbs.store.boarding import GENERAL, SYSOPS, member, sysop

from agentbbs.store import accounts, boards, boards_export
from agentbbs.store.database import Database


def test_everything_is_exported_in_one_order(database: Database) -> None:
    with database.begin() as conn:
        boss, ann, bob = sysop(conn), member(conn, "ann"), member(conn, "bob")
        first = boards.start_thread(conn, ann, GENERAL, "Hello", "Anybody?\n\x1b[2J", now_ms=10)
        boards.start_thread(conn, boss, SYSOPS, "Keys", "Under the mat.", now_ms=20)
        boards.reply(conn, bob, first.thread, "Me.", reply_to=first.id, now_ms=30)
        boards.delete_own(conn, ann, boards.reply(conn, ann, first.thread, "Oops", now_ms=40).id, now_ms=50)
        accounts.remove(conn, "bob", now_ms=60)
    with database.connect() as conn:
        records = list(boards_export.records(conn))
        assert list(boards_export.records(conn)) == records
    assert json.loads(json.dumps(records)) == records
    assert records[0] == {"type": "boards", "format": "agentbbs-boards", "version": 1}
    assert [record["type"] for record in records[1:]] == ["area"] * 4 + ["thread"] * 2 + ["post"] * 4
    assert records[4] == {
        "type": "area",
        "id": SYSOPS,
        "name": "Sysop",
        "description": "Running this board",
        "read": "sysop",
        "write": "sysop",
        "position": 4,
    }
    assert records[5] == {
        "type": "thread",
        "id": first.thread,
        "area": GENERAL,
        "subject": "Hello",
        "account": ann.account,
        "author": "ann",
        "created": 10,
        "locked": False,
        "removed": None,
    }
    assert records[7]["body"] == "Anybody?\n\x1b[2J"
    assert records[9] == {
        "type": "post",
        "id": 3,
        "thread": first.thread,
        "replyTo": first.id,
        "account": bob.account,
        "author": "(removed)",
        "created": 30,
        "deleted": None,
        "body": "Me.",
    }
    assert (records[10]["deleted"], records[10]["body"]) == (50, "")


def test_a_new_board_has_its_areas_alone(database: Database) -> None:
    with database.connect() as conn:
        assert [record["type"] for record in boards_export.records(conn)] == ["boards", *["area"] * 4]
