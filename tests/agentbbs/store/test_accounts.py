"""Accounts: made, found, struck out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, create_engine, insert, select

from agentbbs.store import accounts, keys, names, tokens
from agentbbs.store.accounts import NoSuchAccount
from agentbbs.store.database import Database
from agentbbs.store.names import NameReserved, NameTaken
from agentbbs.store.schema import auth_epoch, metadata

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIL/uYtAJYFYwCMmjw0vDgEiHWTlPRY9oAJiOV78sRLbl agent@work"


def _epoch(conn: Connection) -> int:
    epoch: int = conn.execute(select(auth_epoch.c.epoch)).scalar_one()
    return epoch


def test_an_account_is_found_by_its_name_in_any_case(database: Database) -> None:
    with database.begin() as conn:
        made = accounts.add(conn, "Deep-Thought", sysop=True, now_ms=42)
    with database.connect() as conn:
        assert accounts.find(conn, "deep-thought") == made
        assert accounts.find(conn, "DEEP-THOUGHT") == made
        assert accounts.get(conn, made.id) == made
    assert made == accounts.Account(made.id, "Deep-Thought", True, None, 42, None)


@pytest.mark.parametrize("name", ["deep_thought", "deep.thought", "deepthought", "dee", "", "nobody\x1b[2J", "%"])
def test_a_name_that_is_like_another_is_not_it(database: Database, name: str) -> None:
    with database.begin() as conn:
        accounts.add(conn, "Deep-Thought", now_ms=1)
        with pytest.raises(NoSuchAccount, match="agentbbs user list"):
            accounts.find(conn, name)


@pytest.mark.parametrize(
    ("second", "says"),
    [
        ("modern", "an account 'modern' already"),
        ("Modern", "looks like that of the account 'modern'"),
        ("rnodem", "looks like that of the account 'modern'"),
        ("M0DERN", "looks like that of the account 'modern'"),
    ],
)
def test_a_name_that_reads_like_an_account_is_taken(database: Database, second: str, says: str) -> None:
    with database.begin() as conn:
        accounts.add(conn, "modern", now_ms=1)
        with pytest.raises(NameTaken, match=f"{says}.*choose another"):
            accounts.add(conn, second, now_ms=1)


def test_a_name_of_the_house_is_refused(database: Database) -> None:
    with database.begin() as conn, pytest.raises(NameReserved):
        accounts.add(conn, "5ysop", now_ms=1)


def test_accounts_are_listed_by_name(database: Database) -> None:
    with database.begin() as conn:
        for name in ("zoe", "Anna", "bob"):
            accounts.add(conn, name, now_ms=1)
        accounts.remove(conn, "bob", now_ms=2)
    with database.connect() as conn:
        assert [account.name for account in accounts.all_accounts(conn)] == ["Anna", "zoe"]
        assert [account.name for account in accounts.all_accounts(conn, removed=True)] == ["Anna", "bob", "zoe"]


def test_a_removed_account_can_do_nothing_and_its_name_stays_taken(database: Database) -> None:
    with database.begin() as conn:
        bob = accounts.add(conn, "bob", sysop=True, now_ms=1)
        accounts.set_password_hash(conn, bob.id, "$argon2id$")
        keys.add(conn, bob.id, keys.parse(KEY), now_ms=1)
        token = tokens.mint(conn, bob.id, 1)
        gone = accounts.remove(conn, "BOB", now_ms=9)
    assert gone == accounts.Account(bob.id, "bob", False, None, 1, 9)
    with database.begin() as conn:
        assert tokens.authenticate(conn, token) is None
        assert [info.revoked_ms for info in tokens.of_account(conn, bob.id)] == [9]
        assert keys.of_account(conn, bob.id) == ()
        with pytest.raises(NoSuchAccount):
            accounts.find(conn, "bob")
        with pytest.raises(NoSuchAccount):
            accounts.remove(conn, "bob", now_ms=10)
        with pytest.raises(NoSuchAccount):
            accounts.set_password_hash(conn, bob.id, "$argon2id$")
        with pytest.raises(NameTaken, match="has been removed, and stays taken"):
            accounts.add(conn, "b0b", now_ms=11)
        rob = accounts.add(conn, "rob", now_ms=12)
        assert keys.add(conn, rob.id, keys.parse(KEY), now_ms=12).account_id == rob.id


def test_every_change_raises_the_epoch_in_its_own_transaction(database: Database) -> None:
    with database.begin() as conn:
        seen = [_epoch(conn)]

        def changed() -> None:
            seen.append(_epoch(conn))
            assert seen[-1] > seen[-2]

        bob = accounts.add(conn, "bob", now_ms=1)
        changed()
        accounts.set_password_hash(conn, bob.id, None)
        changed()
        keys.add(conn, bob.id, keys.parse(KEY), now_ms=1)
        changed()
        keys.remove_all(conn, bob.id)
        changed()
        token = tokens.mint(conn, bob.id, 1)
        changed()
        tokens.revoke(conn, token, 2)
        changed()
        tokens.mint(conn, bob.id, 1)
        tokens.revoke_all(conn, bob.id, 2)
        changed()
        accounts.remove(conn, "bob", now_ms=2)
        changed()
    committed = seen[-1]
    with pytest.raises(NameReserved), database.begin() as conn:
        _add_all(conn, "rob", "sysop")
    with database.connect() as conn:
        assert _epoch(conn) == committed
        assert [account.name for account in accounts.all_accounts(conn)] == []


def _add_all(conn: Connection, *names: str) -> None:
    for name in names:
        accounts.add(conn, name, now_ms=1)


def test_what_changes_nothing_raises_no_epoch(database: Database) -> None:
    with database.begin() as conn:
        bob = accounts.add(conn, "bob", now_ms=1)
        before = _epoch(conn)
        assert keys.remove_all(conn, bob.id) == 0
        assert tokens.revoke_all(conn, bob.id, 2) == 0
        tokens.note_last_use(conn, {1: 2})
        assert _epoch(conn) == before


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(st.sampled_from("o0l1irnmvw-."), min_size=1, max_size=5), max_size=12))
def test_whatever_is_tried_no_two_accounts_look_alike(tried: list[str]) -> None:
    engine = create_engine("sqlite://")
    with engine.begin() as conn:
        metadata.create_all(conn)
        conn.execute(insert(auth_epoch).values(epoch=0))
        for name in tried:
            try:
                accounts.add(conn, name, now_ms=1)
            except names.NameFault:
                continue
        made = [names.skeleton(account.name) for account in accounts.all_accounts(conn)]
        assert len(set(made)) == len(made)
        legal = {names.skeleton(name) for name in tried if _legal(name)}
        assert set(made) == legal
    engine.dispose()


def _legal(name: str) -> bool:
    try:
        names.check(name)
    except names.NameFault:
        return False
    return True
