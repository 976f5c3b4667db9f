"""Ways to log in, changed by their owner or by a sysop."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agentbbs.store import accounts, audit, credentials, keys, tokens
from agentbbs.store.audit import Action
from agentbbs.store.database import Database

KEYS = (
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHdpvaPpLvUvjF1CFLEVsB5sVMVxBDmRsrjAbsSvsbRA",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
)


def deeds(database: Database) -> list[tuple[str, Action, str, str]]:
    with database.connect() as conn:
        return [(one.actor, one.action, one.target, one.detail) for one in reversed(audit.entries(conn))]


def test_a_password_that_is_set_is_noted(database: Database, enrol: Callable[[int], list[int]]) -> None:
    own, boss = enrol(2)
    with database.begin() as conn:
        credentials.set_password(conn, own, "hash-1", by=own, now_ms=1)
        credentials.set_password(conn, own, "hash-2", by=boss, now_ms=2)
        assert accounts.get(conn, own).password_hash == "hash-2"
    assert deeds(database) == [
        ("agent-001", Action.PASSWORD_SET, "agent-001", ""),
        ("agent-002", Action.PASSWORD_SET, "agent-001", ""),
    ]


def test_keys_come_and_go_but_not_the_last_way_in(database: Database, enrol: Callable[[int], list[int]]) -> None:
    (own,) = enrol(1)
    with database.begin() as conn:
        first, second = (credentials.add_key(conn, own, keys.parse(key), now_ms=1) for key in KEYS)
        assert credentials.remove_key(conn, own, first.id, now_ms=2) == first
        with pytest.raises(credentials.NoSuchKey):
            credentials.remove_key(conn, own, first.id, now_ms=2)
        with pytest.raises(credentials.LastWayIn, match="your only way in"):
            credentials.remove_key(conn, own, second.id, now_ms=2)
        accounts.set_password_hash(conn, own, "hash")
        before = accounts.rights_epoch(conn)
        credentials.remove_key(conn, own, second.id, now_ms=3)
        assert accounts.rights_epoch(conn) == before + 1
        assert not keys.of_account(conn, own)
    assert [(action, detail) for _, action, _, detail in deeds(database)] == [
        (Action.KEY_ADDED, first.fingerprint),
        (Action.KEY_ADDED, second.fingerprint),
        (Action.KEY_REMOVED, first.fingerprint),
        (Action.KEY_REMOVED, second.fingerprint),
    ]


def test_another_accounts_key_is_out_of_reach(database: Database, enrol: Callable[[int], list[int]]) -> None:
    own, other = enrol(2)
    with database.begin() as conn:
        key = credentials.add_key(conn, own, keys.parse(KEYS[0]), now_ms=1)
        with pytest.raises(credentials.NoSuchKey):
            credentials.remove_key(conn, other, key.id, now_ms=1)
        with pytest.raises(keys.KeyTaken):
            credentials.add_key(conn, other, keys.parse(KEYS[0]), now_ms=1)


def test_there_are_only_so_many_keys(
    database: Database, enrol: Callable[[int], list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(credentials, "MAX_KEYS", 1)
    (own,) = enrol(1)
    with database.begin() as conn:
        credentials.add_key(conn, own, keys.parse(KEYS[0]), now_ms=1)
        with pytest.raises(credentials.TooManyKeys):
            credentials.add_key(conn, own, keys.parse(KEYS[1]), now_ms=1)


def test_tokens_are_minted_and_revoked_by_their_owner(database: Database, enrol: Callable[[int], list[int]]) -> None:
    own, other = enrol(2)
    with database.begin() as conn:
        token = credentials.mint_token(conn, own, now_ms=1)
        assert tokens.authenticate(conn, token) is not None
        (info,) = credentials.valid_tokens(conn, own)
        with pytest.raises(credentials.NoSuchOwnToken):
            credentials.revoke_token(conn, other, info.id, now_ms=2)
        before = accounts.rights_epoch(conn)
        assert credentials.revoke_token(conn, own, info.id, now_ms=2) == info
        assert accounts.rights_epoch(conn) == before + 1
        assert tokens.authenticate(conn, token) is None
        assert not credentials.valid_tokens(conn, own)
        with pytest.raises(credentials.NoSuchOwnToken):
            credentials.revoke_token(conn, own, info.id, now_ms=2)
    assert [(action, detail) for _, action, _, detail in deeds(database)] == [
        (Action.TOKEN_MINTED, info.prefix),
        (Action.TOKEN_REVOKED, info.prefix),
    ]
    assert token not in str(deeds(database))


def test_there_are_only_so_many_tokens(database: Database, enrol: Callable[[int], list[int]]) -> None:
    (own,) = enrol(1)
    with database.begin() as conn:
        for _ in range(credentials.MAX_TOKENS):
            credentials.mint_token(conn, own, now_ms=1)
        with pytest.raises(credentials.TooManyTokens):
            credentials.mint_token(conn, own, now_ms=1)


def test_a_sysop_removes_others_alone(database: Database, enrol: Callable[[int], list[int]]) -> None:
    own, _ = enrol(2)
    with database.begin() as conn:
        assert credentials.remove_account(conn, own, "AGENT-002", now_ms=5).removed_ms == 5
        with pytest.raises(credentials.OwnAccount):
            credentials.remove_account(conn, own, "agent-001", now_ms=5)
        with pytest.raises(accounts.NoSuchAccount):
            credentials.remove_account(conn, own, "agent-002", now_ms=5)
    assert deeds(database) == [("agent-001", Action.ACCOUNT_REMOVED, "agent-002", "")]
