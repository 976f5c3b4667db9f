"""Letters: each side has its own view of one."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select
from tests.agentbbs.store.boarding import account, member

from agentbbs.store import accounts, mail
from agentbbs.store.accounts import NoSuchAccount
from agentbbs.store.database import Database
from agentbbs.store.mail import MailboxFull, NoSuchLetter, TooManyLetters
from agentbbs.store.schema import mail as letters
from agentbbs.store.wording import TextFault

HOUR_MS = 3_600_000


def test_a_letter_is_sent_and_read(database: Database) -> None:
    with database.begin() as conn:
        ann, bob, eve = (account(member(conn, name)) for name in ("Ann", "Bob", "Eve"))
        sent = mail.send(conn, ann, "bOB", "Hello", "How are you?\r\n", now_ms=10)
        assert mail.inbox(conn, bob) == mail.sent(conn, ann) == (sent,)
        assert (sent.sender, sent.recipient, sent.body, sent.read_ms) == ("Ann", "Bob", "How are you?\n", None)
        assert (mail.count_unread(conn, bob), mail.count_unread(conn, ann)) == (1, 0)
        mail.mark_read(conn, ann, sent.id, now_ms=20)
        assert mail.count_unread(conn, bob) == 1, "its sender can't read it for him"
        mail.mark_read(conn, bob, sent.id, now_ms=20)
        mail.mark_read(conn, bob, sent.id, now_ms=30)
        assert mail.letter(conn, ann, sent.id).read_ms == 20
        assert mail.count_unread(conn, bob) == 0
        for look in (mail.letter, mail.discard):
            with pytest.raises(NoSuchLetter):
                look(conn, eve, sent.id)
        assert mail.inbox(conn, eve) == mail.sent(conn, bob) == ()


def test_what_one_side_deletes_the_other_keeps(database: Database) -> None:
    with database.begin() as conn:
        ann, bob = (account(member(conn, name)) for name in ("ann", "bob"))
        sent = mail.send(conn, ann, "bob", "Hello", "x", now_ms=1)
        mail.discard(conn, bob, sent.id)
        assert (mail.inbox(conn, bob), mail.count_unread(conn, bob)) == ((), 0)
        with pytest.raises(NoSuchLetter):
            mail.letter(conn, bob, sent.id)
        assert mail.sent(conn, ann) == (sent,)
        mail.discard(conn, ann, sent.id)
        assert conn.execute(select(func.count()).select_from(letters)).scalar_one() == 0
        assert mail.send(conn, ann, "bob", "Hello", "x", now_ms=1).id > sent.id, "an id never means another letter"


def test_a_letter_to_oneself(database: Database) -> None:
    with database.begin() as conn:
        ann = account(member(conn, "ann"))
        note = mail.send(conn, ann, "ann", "Milk", "x", now_ms=1)
        assert mail.inbox(conn, ann) == mail.sent(conn, ann) == (note,)
        mail.discard(conn, ann, note.id)
        assert mail.inbox(conn, ann) == mail.sent(conn, ann) == ()


def test_lists_come_in_pages_newest_first(database: Database) -> None:
    with database.begin() as conn:
        ann, bob = (account(member(conn, name)) for name in ("ann", "bob"))
        for number in range(5):
            mail.send(conn, ann, "bob", f"S{number}", "x", now_ms=number)
        for page in (mail.inbox(conn, bob, limit=2), mail.sent(conn, ann, limit=2)):
            assert [letter.subject for letter in page] == ["S4", "S3"]
            rest = mail.inbox(conn, bob, before=page[-1].id)
            assert [letter.subject for letter in rest] == ["S2", "S1", "S0"]


def test_a_removed_accounts_letters_stay_with_the_others(database: Database) -> None:
    with database.begin() as conn:
        ann, bob = (account(member(conn, name)) for name in ("ann", "bob"))
        mail.send(conn, ann, "bob", "To bob", "x", now_ms=1)
        mail.send(conn, bob, "ann", "From bob", "x", now_ms=1)
        dropped = mail.send(conn, bob, "ann", "Dropped", "x", now_ms=1)
        mail.discard(conn, ann, dropped.id)
        accounts.remove(conn, "bob", now_ms=2)
        (got,), (wrote,) = mail.inbox(conn, ann), mail.sent(conn, ann)
        assert (got.sender, wrote.recipient) == ("(removed)", "(removed)")
        assert mail.inbox(conn, bob) == mail.sent(conn, bob) == ()
        assert conn.execute(select(func.count()).select_from(letters)).scalar_one() == 2
        with pytest.raises(NoSuchAccount):
            mail.send(conn, ann, "bob", "Again", "x", now_ms=3)
        with pytest.raises(NoSuchAccount):
            mail.send(conn, bob, "ann", "Again", "x", now_ms=3)


def test_nobody_fills_anothers_inbox(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail, "MAX_INBOX", 30)
    with database.begin() as conn:
        ann, bob, _ = (account(member(conn, name)) for name in ("ann", "bob", "eve"))
        for _number in range(mail.MAX_UNREAD_FROM_ONE):
            last = mail.send(conn, ann, "bob", "S", "x", now_ms=1)
        with pytest.raises(MailboxFull, match="20 unread letters of yours"):
            mail.send(conn, ann, "bob", "S", "x", now_ms=1)
        mail.send(conn, ann, "eve", "S", "x", now_ms=1)
        mail.mark_read(conn, bob, last.id, now_ms=2)
        mail.send(conn, ann, "bob", "S", "x", now_ms=3)
        for _number in range(9):
            mail.send(conn, None, "bob", "News", "x", now_ms=4)
        with pytest.raises(MailboxFull, match="is full"):
            mail.send(conn, None, "bob", "News", "x", now_ms=5)
        mail.discard(conn, bob, last.id)
        assert mail.send(conn, None, "bob", "News", "x", now_ms=6).sender == "(house)"


def test_letters_are_bounded_in_number_and_length(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail, "MAX_SENT", 3)
    monkeypatch.setattr(mail, "MAX_LETTERS_AN_HOUR", 5)
    with database.begin() as conn:
        ann, bob = (account(member(conn, name)) for name in ("ann", "bob"))
        for number in range(5):
            mail.send(conn, ann, "bob", f"S{number}", "x", now_ms=1)
        assert [letter.subject for letter in mail.sent(conn, ann)] == ["S4", "S3", "S2"]
        assert len(mail.inbox(conn, bob)) == 5
        with pytest.raises(TooManyLetters):
            mail.send(conn, ann, "bob", "S", "x", now_ms=HOUR_MS)
        mail.send(conn, ann, "bob", "S", "x", now_ms=HOUR_MS + 1)
        for subject, body in (("s" * 73, "x"), ("s", "x" * 8001), ("s", "\n" * 300), ("a\nb", "x")):
            with pytest.raises(TextFault):
                mail.send(conn, ann, "bob", subject, body, now_ms=1)
