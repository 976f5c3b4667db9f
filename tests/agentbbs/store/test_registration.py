"""How newcomers get in, and how they don't."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection, select

from agentbbs.store import accounts, audit, invites, keys, registration
from agentbbs.store.database import Database
from agentbbs.store.invites import NoSuchInvite
from agentbbs.store.keys import KeyTaken, NotAPublicKey
from agentbbs.store.names import NameReserved, NameTaken
from agentbbs.store.registration import (
    InviteWanted,
    NoCredential,
    Policy,
    RegistrationClosed,
    Registrations,
    TooManyRegistrations,
    register,
)
from agentbbs.store.schema import accounts as account_rows

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIL/uYtAJYFYwCMmjw0vDgEiHWTlPRY9oAJiOV78sRLbl agent@work"
HASH = "$argon2id$"


def test_an_open_board_takes_a_password_a_key_or_both(database: Database) -> None:
    with database.begin() as conn:
        ann = register(conn, "ann", policy=Policy.OPEN, password_hash=HASH, now_ms=1)
        bob = register(conn, "bob", policy=Policy.OPEN, public_key=KEY, now_ms=2)
        assert (ann.name, ann.sysop, ann.password_hash, ann.created_ms) == ("ann", False, HASH, 1)
        assert bob.password_hash is None
        assert [key.comment for key in keys.of_account(conn, bob.id)] == ["agent@work"]
        assert [(entry.actor, entry.target) for entry in audit.entries(conn)] == [("bob", "bob"), ("ann", "ann")]


def _refused(database: Database, fault: type[Exception], name: str = "ann", **given: Any) -> None:
    """Nothing is left of a registration that fails."""
    with database.connect() as conn:
        before = _everything(conn)
    with pytest.raises(fault), database.begin() as conn:
        register(conn, name, **{"policy": Policy.OPEN, "password_hash": HASH, "now_ms": 5, **given})
    with database.connect() as conn:
        assert _everything(conn) == before


def _everything(conn: Connection) -> list[object]:
    return [
        conn.execute(select(account_rows)).all(),
        accounts.rights_epoch(conn),
        audit.entries(conn),
        invites.open_invites(conn, now_ms=5),
    ]


def test_what_is_refused_leaves_nothing(database: Database) -> None:
    with database.begin() as conn:
        register(conn, "modern", policy=Policy.OPEN, public_key=KEY, now_ms=1)
        invites.mint(conn, None, now_ms=1)
    _refused(database, NameTaken, "rnodern")
    _refused(database, NameReserved, "sysop")
    _refused(database, NoCredential, password_hash=None)
    _refused(database, KeyTaken, public_key=KEY)
    _refused(database, NotAPublicKey, public_key="ssh-ed25519 AAAA")
    _refused(database, RegistrationClosed, policy=Policy.CLOSED)
    _refused(database, InviteWanted, policy=Policy.INVITE)
    _refused(database, InviteWanted, policy=Policy.INVITE, invite="")
    _refused(database, NoSuchInvite, "modern", policy=Policy.INVITE, invite="00000-00000-00000-00000")


def test_an_invite_lets_one_in(database: Database) -> None:
    with database.begin() as conn:
        code = invites.mint(conn, None, now_ms=1)
    _refused(database, NameReserved, "sysop", policy=Policy.INVITE, invite=code)
    with database.begin() as conn:
        register(conn, "ann", policy=Policy.OPEN, password_hash=HASH, invite=code, now_ms=2)
        assert invites.check(conn, code, now_ms=2).used_by is None, "nobody wanted it"
        register(conn, "bob", policy=Policy.INVITE, password_hash=HASH, invite=code.lower(), now_ms=2)
    _refused(database, NoSuchInvite, "eve", policy=Policy.INVITE, invite=code)


async def test_an_address_makes_so_many_accounts_and_then_waits(database: Database) -> None:
    now_s = 1000.0
    registrations = Registrations(database, Policy.OPEN, clock=lambda: now_s)
    for number in range(registration.BURST):
        with pytest.raises(NameReserved):
            await registrations.register("sysop", "192.0.2.7", password_hash=HASH, now_ms=1)
        await registrations.register(f"agent-{number:03}", "::ffff:192.0.2.7", password_hash=HASH, now_ms=1)
    assert registrations.wait_s("192.0.2.7") == registration.REFILL_S
    with pytest.raises(TooManyRegistrations) as refused:
        await registrations.register("ann", "192.0.2.7", password_hash=HASH, now_ms=1)
    assert refused.value.wait_s == registration.REFILL_S
    await registrations.register("bob", "192.0.2.8", password_hash=HASH, now_ms=1)
    now_s += registration.REFILL_S
    assert registrations.wait_s("192.0.2.7") == 0
    await registrations.register("ann", "192.0.2.7", password_hash=HASH, now_ms=1)
    await database.close()


async def test_invites_can_not_be_tried_without_end(database: Database) -> None:
    registrations = Registrations(database, Policy.INVITE, clock=lambda: 1000.0)
    for _ in range(registration.BURST):
        with pytest.raises(NoSuchInvite):
            await registrations.register("ann", "192.0.2.7", password_hash=HASH, invite="guess", now_ms=1)
    with pytest.raises(TooManyRegistrations):
        await registrations.register("ann", "192.0.2.7", password_hash=HASH, invite="guess", now_ms=1)
    await database.close()
