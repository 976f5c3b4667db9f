"""Tokens: random, shown once, only hashed."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from unittest import mock

import pytest
from sqlalchemy import select

from agentbbs.store import accounts, tokens
from agentbbs.store.database import Database
from agentbbs.store.schema import tokens as table
from agentbbs.store.tokens import AmbiguousPrefix, NoSuchToken, Principal

Enrol = Callable[[int], list[int]]


def test_a_token_is_its_mark_and_256_random_bits(database: Database, enrol: Enrol) -> None:
    [account] = enrol(1)
    with database.begin() as conn:
        minted = [tokens.mint(conn, account, 1) for _ in range(20)]
    assert len(set(minted)) == 20
    for token in minted:
        assert token.startswith("abbs_")
        assert len(base64.urlsafe_b64decode(token[5:] + "=")) == 32
        assert len(token) == 48


def test_only_the_hash_is_kept(database: Database, enrol: Enrol) -> None:
    [account] = enrol(1)
    with database.begin() as conn:
        token = tokens.mint(conn, account, 7)
        row = conn.execute(select(table)).one()
    assert row.hash == hashlib.sha256(token.encode()).hexdigest()
    assert row.prefix == token[:11]
    assert not any(token[11:] in str(value) for value in row)
    database.dispose()
    for file in database.path.parent.iterdir():
        assert token[11:].encode() not in file.read_bytes()


def test_a_valid_token_stands_for_its_account(database: Database, enrol: Enrol) -> None:
    one, other = enrol(2)
    with database.begin() as conn:
        token = tokens.mint(conn, one, 1)
        tokens.mint(conn, other, 1)
        [info] = tokens.of_account(conn, one)
        assert tokens.authenticate(conn, token) == Principal(one, "agent-001", info.id)
        assert info == tokens.TokenInfo(info.id, one, token[:11], 1, None, None)


@pytest.mark.parametrize(
    "change", [str.upper, lambda t: t[:-1], lambda t: t + "x", lambda t: t[5:], lambda _: "", lambda t: t[:11]]
)
def test_nothing_but_the_token_is_the_token(database: Database, enrol: Enrol, change: Callable[[str], str]) -> None:
    [account] = enrol(1)
    with database.begin() as conn:
        token = tokens.mint(conn, account, 1)
        assert tokens.authenticate(conn, change(token)) is None


@pytest.mark.parametrize("text", ["\ud800", "x" * 100_000, "' OR 1=1 --", "\x00"])
def test_any_text_can_be_tried(database: Database, text: str) -> None:
    with database.begin() as conn:
        assert tokens.authenticate(conn, text) is None
        with pytest.raises(NoSuchToken):
            tokens.revoke(conn, text, 1)


def test_a_token_is_revoked_by_itself_or_its_prefix(database: Database, enrol: Enrol) -> None:
    [account] = enrol(1)
    with database.begin() as conn:
        one, other, third = (tokens.mint(conn, account, 1) for _ in range(3))
        assert tokens.revoke(conn, one, 5).revoked_ms == 5
        assert tokens.revoke(conn, other[: tokens.PREFIX_CHARS], 6).revoked_ms == 6
        assert [tokens.authenticate(conn, token) is not None for token in (one, other, third)] == [False, False, True]
        for gone in (one, other[:11], third[:10], "abbs_", "", "abbs_%"):
            with pytest.raises(NoSuchToken, match="first 11 characters"):
                tokens.revoke(conn, gone, 7)
        assert tokens.revoke_all(conn, account, 8) == 1
        assert tokens.authenticate(conn, third) is None
        assert [info.revoked_ms for info in tokens.of_account(conn, account)] == [5, 6, 8]


def test_a_prefix_of_two_tokens_names_neither(database: Database, enrol: Enrol) -> None:
    [account] = enrol(1)
    with database.begin() as conn:
        with mock.patch("secrets.token_urlsafe", side_effect=["same--" + "a" * 37, "same--" + "b" * 37]):
            one, other = tokens.mint(conn, account, 1), tokens.mint(conn, account, 1)
        with pytest.raises(AmbiguousPrefix, match="give the whole token"):
            tokens.revoke(conn, one[:11], 2)
        tokens.revoke(conn, one, 2)
        tokens.revoke(conn, other[:11], 3)


def test_many_tokens_are_checked_at_once(database: Database, enrol: Enrol) -> None:
    ids = enrol(3)
    with database.begin() as conn:
        minted = [tokens.mint(conn, ids[number % 3], 1) for number in range(1203)]
        tokens.revoke(conn, minted[0], 2)
        accounts.remove(conn, "agent-003", now_ms=2)
        digests = [tokens.digest(token) for token in minted]
        found = tokens.authenticate_digests(conn, [*digests, tokens.digest("unknown")])
    assert set(found) == {digest for number, digest in enumerate(digests) if number and number % 3 != 2}
    assert all(found[digests[number]].account == ids[number % 3] for number in (1, 3, 4, 1200))


def test_the_last_use_is_written_for_many_at_once(database: Database, enrol: Enrol) -> None:
    [account] = enrol(1)
    with database.begin() as conn:
        for _ in range(3):
            tokens.mint(conn, account, 1)
        first, second, third = (info.id for info in tokens.of_account(conn, account))
        tokens.note_last_use(conn, {first: 100, third: 300})
        tokens.note_last_use(conn, {})
        assert [info.last_used_ms for info in tokens.of_account(conn, account)] == [100, None, 300]
        assert second
