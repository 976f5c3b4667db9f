"""What callers proved themselves with, and whether it still does."""

from __future__ import annotations

from typing import Final

from agentbbs.store import accounts, keys, proofs
from agentbbs.store.database import Database

NOON_MS: Final = 1_767_268_800_000
KEY: Final = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHdpvaPpLvUvjF1CFLEVsB5sVMVxBDmRsrjAbsSvsbRA"


def test_a_password_holds_until_another_is_set(database: Database) -> None:
    with database.begin() as conn:
        bob = accounts.add(conn, "bob", now_ms=NOON_MS).id
        old, new = proofs.of_password("stored of the old"), proofs.of_password("stored of the new")
        assert not proofs.hold(conn, bob, [old])
        accounts.set_password_hash(conn, bob, "stored of the old")
        assert proofs.hold(conn, bob, [old])
        accounts.set_password_hash(conn, bob, "stored of the new")
        assert not proofs.hold(conn, bob, [old])
        assert proofs.hold(conn, bob, [old, new])


def test_a_key_holds_while_it_is_the_accounts_own(database: Database) -> None:
    with database.begin() as conn:
        bob, eve = (accounts.add(conn, name, now_ms=NOON_MS).id for name in ("bob", "eve"))
        key = keys.add(conn, bob, keys.parse(KEY), now_ms=NOON_MS)
        assert proofs.hold(conn, bob, [key.fingerprint])
        assert not proofs.hold(conn, eve, [key.fingerprint])
        keys.remove_all(conn, bob)
        assert not proofs.hold(conn, bob, [key.fingerprint])
