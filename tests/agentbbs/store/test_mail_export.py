"""The letters as records."""

from __future__ import annotations

import json

from tests.agentbbs.store.boarding import member

from agentbbs.store import accounts, mail, mail_export
from agentbbs.store.database import Database


def test_all_letters_are_exported_in_one_order(database: Database) -> None:
    with database.begin() as conn:
        ann, bob = member(conn, "ann").account, member(conn, "bob").account
        first = mail.send(conn, ann, "bob", "Terms", "Half each?\n\x1b[2J", now_ms=10)
        mail.mark_read(conn, bob or 0, first.id, now_ms=15)
        mail.send(conn, bob, "ann", "Re: Terms", "Done.", now_ms=20)
        mail.send(conn, None, "ann", "Welcome", "From the house.", now_ms=30)
        mail.discard(conn, bob or 0, first.id)
        accounts.remove(conn, "bob", now_ms=40)
    with database.connect() as conn:
        records = list(mail_export.records(conn))
        assert list(mail_export.records(conn)) == records
    assert json.loads(json.dumps(records)) == records
    assert records[0] == {"type": "mail", "format": "agentbbs-mail", "version": 1}
    assert records[1] == {
        "type": "letter",
        "id": first.id,
        "senderAccount": ann,
        "sender": "ann",
        "recipientAccount": bob,
        "recipient": "(removed)",
        "subject": "Terms",
        "sent": 10,
        "read": 15,
        "senderKeeps": True,
        "recipientKeeps": False,
        "body": "Half each?\n\x1b[2J",
    }
    assert [(one["sender"], one["recipient"], one["subject"]) for one in records[2:]] == [
        ("(removed)", "ann", "Re: Terms"),
        ("(house)", "ann", "Welcome"),
    ]
