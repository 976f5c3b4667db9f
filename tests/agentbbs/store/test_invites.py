"""Invites: shown once, good once."""

from __future__ import annotations

import pytest
from sqlalchemy import select
from tests.agentbbs.store.boarding import account, member, sysop

from agentbbs.store import accounts, audit, invites
from agentbbs.store.database import Database
from agentbbs.store.invites import NoSuchInvite, TooManyInvites
from agentbbs.store.schema import audit_log
from agentbbs.store.schema import invites as rows


def test_a_code_is_good_once(database: Database) -> None:
    with database.begin() as conn:
        boss, ann = account(sysop(conn)), account(member(conn, "ann"))
        code = invites.mint(conn, boss, now_ms=1)
        assert len(code.replace("-", "")) == invites.CODE_CHARS
        (kept,) = invites.open_invites(conn, now_ms=1)
        assert (kept.prefix, kept.minted_by) == (code[:5], boss)
        assert invites.check(conn, code, now_ms=2) == kept
        invites.use(conn, code, ann, now_ms=2)
        for again in (lambda: invites.use(conn, code, ann, now_ms=2), lambda: invites.check(conn, code, now_ms=2)):
            with pytest.raises(NoSuchInvite):
                again()
        assert invites.open_invites(conn, now_ms=2) == ()


def test_a_code_is_read_as_people_type_it(database: Database) -> None:
    with database.begin() as conn:
        code = invites.mint(conn, None, now_ms=1)
        typed = f" {code.lower().replace('-', ' ').replace('0', 'o').replace('1', 'l')}"
        assert invites.check(conn, typed, now_ms=1) == invites.check(conn, code, now_ms=1)


@pytest.mark.parametrize("code", ["", "x", "\ud800", "0" * 20, "0" * 1_000_000])
def test_other_codes_are_not_good(database: Database, code: str) -> None:
    with database.begin() as conn:
        invites.mint(conn, None, now_ms=1)
        with pytest.raises(NoSuchInvite, match="ask the sysop"):
            invites.check(conn, code, now_ms=1)


def test_a_code_is_written_nowhere(database: Database) -> None:
    with database.begin() as conn:
        code = invites.mint(conn, None, now_ms=1)
        kept = f"{conn.execute(select(rows)).all()} {conn.execute(select(audit_log)).all()}"
        assert code[:5] in kept
        assert code[6:11] not in kept
        assert code.replace("-", "") not in kept


def test_invites_end(database: Database) -> None:
    with database.begin() as conn:
        boss = account(sysop(conn))
        old = invites.mint(conn, boss, now_ms=1, valid_ms=10)
        revoked = invites.mint(conn, boss, now_ms=1)
        orphaned = invites.mint(conn, boss, now_ms=1)
        house = invites.mint(conn, None, now_ms=1)
        invites.check(conn, old, now_ms=10)
        invites.revoke(conn, boss, invites.check(conn, revoked, now_ms=2).id, now_ms=3)
        with pytest.raises(NoSuchInvite):
            invites.revoke(conn, boss, 99, now_ms=3)
        invites.check(conn, orphaned, now_ms=4)
        accounts.remove(conn, "boss", now_ms=5)
        for code in (old, revoked, orphaned):
            with pytest.raises(NoSuchInvite):
                invites.check(conn, code, now_ms=11)
        assert invites.check(conn, house, now_ms=11).minted_by is None
        assert [entry.action.value for entry in audit.entries(conn)] == ["invite_revoked", *["invite_minted"] * 4]


def test_open_invites_are_bounded(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invites, "MAX_OPEN", 1)
    with database.begin() as conn:
        invites.mint(conn, None, now_ms=1)
        with pytest.raises(TooManyInvites):
            invites.mint(conn, None, now_ms=1)
