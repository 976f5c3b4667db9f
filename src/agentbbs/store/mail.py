"""Letters between accounts. Each side keeps its own view of a letter: what one deletes, the other still has.

The name of an account that was removed is struck out. A letter is on the disk when the transaction of `send` has been
committed.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Select, delete, func, insert, select, update

from agentbbs.store import accounts, wording
from agentbbs.store.boards import MAX_BODY_CHARS, MAX_BODY_LINES, MAX_SUBJECT_CHARS
from agentbbs.store.schema import accounts as account_rows
from agentbbs.store.schema import mail

MAX_INBOX: Final = 500
"""Letters in an inbox; 4 MB at most. Beyond it letters are refused, so that nobody's mail pushes out another's."""

MAX_UNREAD_FROM_ONE: Final = 20
"""Letters that one sender may have waiting unread in an inbox: nobody can fill another's alone."""

MAX_SENT: Final = 200
"""Letters that a sender's own list keeps; the oldest leave it when more are sent."""

MAX_LETTERS_AN_HOUR: Final = 60
"""Of one sender: one a minute."""

HOUSE: Final = "(house)"
"""The sender where it was no account."""

PAGE: Final = 50
"""Letters that a query brings at a time, unless it is told otherwise."""

_HOUR_MS: Final = 3_600_000


class Letter(msgspec.Struct, frozen=True):
    """One letter. Times are Unix milliseconds; `read_ms` is None while the recipient has not read it. A `sender_id` of
    None is the house, which takes no answer."""

    id: int
    sender_id: int | None
    sender: str
    recipient_id: int
    recipient: str
    subject: str
    body: str
    sent_ms: int
    read_ms: int | None


class MailFault(Exception):
    """Why a letter can't be sent or read; the text says what to do."""


class NoSuchLetter(MailFault):
    """There is none with this id among those of the account."""


class MailboxFull(MailFault):
    """The recipient's inbox is full, or too much of it is the sender's."""


class TooManyLetters(MailFault):
    """`MAX_LETTERS_AN_HOUR` were sent."""


def send(conn: Connection, sender_id: int | None, to: str, subject: str, body: str, *, now_ms: int) -> Letter:
    """Send a letter to the account called `to`, in any case; `sender_id` None is the house, which no limit but the
    inbox's holds. Raises NoSuchAccount, MailboxFull, TooManyLetters, and TextFault."""
    subject = wording.one_line(subject, what="a subject", max_chars=MAX_SUBJECT_CHARS)
    body = wording.lines(body, what="a letter", max_chars=MAX_BODY_CHARS, max_lines=MAX_BODY_LINES)
    recipient = accounts.find(conn, to)
    _check_room(conn, sender_id, recipient)
    sender = HOUSE
    if sender_id is not None:
        sender = _sender(conn, sender_id, now_ms)
        _trim_sent(conn, sender_id)
    letter_id = conn.execute(
        insert(mail)
        .values(
            sender_id=sender_id,
            sender=sender,
            recipient_id=recipient.id,
            recipient=recipient.name,
            subject=subject,
            body=body,
            sent_ms=now_ms,
            sender_keeps=sender_id is not None,
            recipient_keeps=True,
        )
        .returning(mail.c.id)
    ).scalar_one()
    return Letter(letter_id, sender_id, sender, recipient.id, recipient.name, subject, body, now_ms, None)


def inbox(conn: Connection, account_id: int, *, before: int | None = None, limit: int = PAGE) -> tuple[Letter, ...]:
    """The letters that the account got, newest first; with `before`, a letter's id, older ones."""
    return _page(conn, _SELECT.where(mail.c.recipient_id == account_id, mail.c.recipient_keeps), before, limit)


def sent(conn: Connection, account_id: int, *, before: int | None = None, limit: int = PAGE) -> tuple[Letter, ...]:
    """The letters that the account wrote, newest first; with `before`, a letter's id, older ones."""
    return _page(conn, _SELECT.where(mail.c.sender_id == account_id, mail.c.sender_keeps), before, limit)


def count_unread(conn: Connection, account_id: int) -> int:
    """How many letters wait for the account."""
    count: int = conn.execute(
        select(func.count()).where(mail.c.recipient_id == account_id, mail.c.recipient_keeps, mail.c.read_ms.is_(None))
    ).scalar_one()
    return count


def letter(conn: Connection, account_id: int, letter_id: int) -> Letter:
    """One letter that the account got or wrote, and keeps. Raises NoSuchLetter."""
    row = conn.execute(_SELECT.where(mail.c.id == letter_id, _theirs(account_id))).one_or_none()
    if row is None:
        raise NoSuchLetter(f"there is no letter {letter_id} in your mail: the list shows them")
    return Letter(*row)


def mark_read(conn: Connection, account_id: int, letter_id: int, *, now_ms: int) -> None:
    """The recipient has read it. For the sender's own letters, and for those read before, nothing changes."""
    conn.execute(
        update(mail)
        .where(mail.c.id == letter_id, mail.c.recipient_id == account_id, mail.c.read_ms.is_(None))
        .values(read_ms=now_ms)
    )


def discard(conn: Connection, account_id: int, letter_id: int) -> None:
    """Delete a letter from the account's own mail. Raises NoSuchLetter."""
    found = letter(conn, account_id, letter_id)
    here = mail.c.id == letter_id
    if found.sender_id == account_id:
        conn.execute(update(mail).where(here).values(sender_keeps=False))
    if found.recipient_id == account_id:
        conn.execute(update(mail).where(here).values(recipient_keeps=False))
    conn.execute(delete(mail).where(here, mail.c.sender_keeps.is_(False), mail.c.recipient_keeps.is_(False)))


_sender_holder = account_rows.alias("sender_holder")
_recipient_holder = account_rows.alias("recipient_holder")

_SELECT: Final[Select[Any]] = (
    select(
        mail.c.id,
        mail.c.sender_id,
        accounts.shown_name(mail.c.sender, _sender_holder),
        mail.c.recipient_id,
        accounts.shown_name(mail.c.recipient, _recipient_holder),
        mail.c.subject,
        mail.c.body,
        mail.c.sent_ms,
        mail.c.read_ms,
    )
    .outerjoin(_sender_holder, _sender_holder.c.id == mail.c.sender_id)
    .join(_recipient_holder, _recipient_holder.c.id == mail.c.recipient_id)
)


def _theirs(account_id: int) -> Any:
    got = (mail.c.recipient_id == account_id) & mail.c.recipient_keeps
    wrote = (mail.c.sender_id == account_id) & mail.c.sender_keeps
    return got | wrote


def _page(conn: Connection, query: Select[Any], before: int | None, limit: int) -> tuple[Letter, ...]:
    if before is not None:
        query = query.where(mail.c.id < before)
    return tuple(Letter(*row) for row in conn.execute(query.order_by(mail.c.id.desc()).limit(limit)))


def _check_room(conn: Connection, sender_id: int | None, recipient: accounts.Account) -> None:
    kept = select(func.count()).where(mail.c.recipient_id == recipient.id, mail.c.recipient_keeps)
    if conn.execute(kept).scalar_one() >= MAX_INBOX:
        raise MailboxFull(f"the mailbox of {recipient.name} is full: try again when some of it has been deleted")
    if sender_id is None:
        return
    waiting = kept.where(mail.c.sender_id == sender_id, mail.c.read_ms.is_(None))
    if conn.execute(waiting).scalar_one() >= MAX_UNREAD_FROM_ONE:
        raise MailboxFull(f"{recipient.name} has {MAX_UNREAD_FROM_ONE} unread letters of yours: wait for an answer")


def _sender(conn: Connection, sender_id: int, now_ms: int) -> str:
    account = accounts.get(conn, sender_id)
    if account.removed_ms is not None:
        raise accounts.NoSuchAccount(account.name)
    lately = conn.execute(
        select(func.count()).where(mail.c.sender_id == sender_id, mail.c.sent_ms > now_ms - _HOUR_MS)
    ).scalar_one()
    if lately >= MAX_LETTERS_AN_HOUR:
        raise TooManyLetters(f"{MAX_LETTERS_AN_HOUR} letters in an hour are the limit: write again later")
    return account.name


def _trim_sent(conn: Connection, sender_id: int) -> None:
    """Make room for one more in the sender's own list."""
    kept = (mail.c.sender_id == sender_id) & mail.c.sender_keeps
    newest = select(mail.c.id).where(kept).order_by(mail.c.id.desc()).limit(MAX_SENT - 1)
    conn.execute(update(mail).where(kept, mail.c.id.not_in(newest)).values(sender_keeps=False))
    conn.execute(
        delete(mail).where(
            mail.c.sender_id == sender_id, mail.c.sender_keeps.is_(False), mail.c.recipient_keeps.is_(False)
        )
    )
