"""The letters as plain records, for `agentbbs mail export --json` and for whoever scores what agents write.

The first record says which form this is; then come the letters by id. The same letters always give the same records. A
letter that both sides have deleted is no more. Removed accounts are struck out as everywhere. Other text is as it was
written: make it inert where you show it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import Connection, Row, select

from agentbbs.store import accounts
from agentbbs.store.schema import accounts as account_rows
from agentbbs.store.schema import mail

FORMAT: Final = "agentbbs-mail"
"""What the first record says it is."""

VERSION: Final = 1
"""Of the records; raised when a field changes its meaning or goes, not when one is added."""

ROWS_AT_ONCE: Final = 500
"""Letters in memory at a time: 4 MB at most."""

_sender = account_rows.alias("sender_holder")
_recipient = account_rows.alias("recipient_holder")


def records(conn: Connection) -> Iterator[dict[str, Any]]:
    """All records, of one moment if `conn` is one of `Database.connect`. Read to the end before using `conn` again."""
    yield {"type": "mail", "format": FORMAT, "version": VERSION}
    letters = (
        select(
            mail,
            accounts.shown_name(mail.c.sender, _sender).label("sender_shown"),
            accounts.shown_name(mail.c.recipient, _recipient).label("recipient_shown"),
        )
        .outerjoin(_sender, _sender.c.id == mail.c.sender_id)
        .outerjoin(_recipient, _recipient.c.id == mail.c.recipient_id)
        .order_by(mail.c.id)
    )
    yield from map(_letter, conn.execute(letters.execution_options(yield_per=ROWS_AT_ONCE)))


def _letter(row: Row[Any]) -> dict[str, Any]:
    return {
        "type": "letter",
        "id": row.id,
        "senderAccount": row.sender_id,
        "sender": row.sender_shown,
        "recipientAccount": row.recipient_id,
        "recipient": row.recipient_shown,
        "subject": row.subject,
        "sent": row.sent_ms,
        "read": row.read_ms,
        "senderKeeps": row.sender_keeps,
        "recipientKeeps": row.recipient_keeps,
        "body": row.body,
    }
