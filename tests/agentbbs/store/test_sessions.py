"""Sessions of readers: as good as the token or key that began them, and no longer than thirty days."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import Connection, select

from agentbbs.store import accounts, bans, credentials, keys, sessions, tokens
from agentbbs.store.database import Database
from agentbbs.store.schema import web_sessions
from agentbbs.store.sessions import LASTS_MS, MAX_SESSIONS

ONE = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"
TWO = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBl4gfPEH/3/FVmzuz7rv8GkwzEk0W9h5jyC3gWsbaGK"
NOW = 1_000_000

Enrol = Callable[[int], list[int]]


def token_of(conn: Connection, account: int) -> int:
    """The id of a new token."""
    tokens.mint(conn, account, NOW)
    return tokens.of_account(conn, account)[-1].id


def test_a_cookie_is_somebody(database: Database, enrol: Enrol) -> None:
    (one,) = enrol(1)
    with database.begin() as conn:
        token_id = token_of(conn, one)
        cookie = sessions.begin(conn, one, token_id=token_id, now_ms=NOW)
        found = sessions.look(conn, cookie, now_ms=NOW + LASTS_MS - 1)
        assert found is not None
        assert (found.account, found.name, found.token_id, found.key_id) == (one, "agent-001", token_id, None)
        assert sessions.look(conn, cookie, now_ms=NOW + LASTS_MS) is None
        assert sessions.look(conn, cookie + "A", now_ms=NOW) is None
        assert sessions.look(conn, "", now_ms=NOW) is None


def test_the_cookie_itself_is_not_kept(database: Database, enrol: Enrol) -> None:
    (one,) = enrol(1)
    with database.begin() as conn:
        cookie = sessions.begin(conn, one, token_id=token_of(conn, one), now_ms=NOW)
        assert cookie not in str(conn.execute(select(web_sessions)).all())


def test_a_session_needs_one_proof(database: Database, enrol: Enrol) -> None:
    (one,) = enrol(1)
    with database.begin() as conn:
        for token_id, key_id in ((None, None), (1, 1)):
            with pytest.raises(ValueError, match="a token or with a key"):
                sessions.begin(conn, one, token_id=token_id, key_id=key_id, now_ms=NOW)


def test_a_revoked_token_ends_its_sessions_alone(database: Database, enrol: Enrol) -> None:
    (one,) = enrol(1)
    with database.begin() as conn:
        first, second = token_of(conn, one), token_of(conn, one)
        ended = sessions.begin(conn, one, token_id=first, now_ms=NOW)
        stays = sessions.begin(conn, one, token_id=second, now_ms=NOW)
        credentials.revoke_token(conn, one, first, now_ms=NOW)
        assert sessions.look(conn, ended, now_ms=NOW) is None
        assert sessions.look(conn, stays, now_ms=NOW) is not None


def test_a_removed_key_ends_its_sessions_for_good(database: Database, enrol: Enrol) -> None:
    """Also when another key comes to have its number."""
    (one,) = enrol(1)
    with database.begin() as conn:
        accounts.set_password_hash(conn, one, "some hash")
        key = keys.add(conn, one, keys.parse(ONE), now_ms=NOW)
        cookie = sessions.begin(conn, one, key_id=key.id, now_ms=NOW)
        assert sessions.look(conn, cookie, now_ms=NOW) is not None
        credentials.remove_key(conn, one, key.id, now_ms=NOW + 5)
        assert sessions.look(conn, cookie, now_ms=NOW + 5) is None
        assert keys.add(conn, one, keys.parse(TWO), now_ms=NOW + 5).id == key.id
        assert sessions.look(conn, cookie, now_ms=NOW + 5) is None


def test_a_clock_that_was_set_back_keeps_nobody_out(database: Database, enrol: Enrol) -> None:
    (one,) = enrol(1)
    with database.begin() as conn:
        key = keys.add(conn, one, keys.parse(ONE), now_ms=NOW + 10_000)
        cookie = sessions.begin(conn, one, key_id=key.id, now_ms=NOW)
        assert sessions.look(conn, cookie, now_ms=NOW) is not None


def test_nobody_is_signed_in_by_what_is_another_accounts(database: Database, enrol: Enrol) -> None:
    one, two = enrol(2)
    with database.begin() as conn:
        key = keys.add(conn, two, keys.parse(ONE), now_ms=NOW)
        for token_id, key_id in ((token_of(conn, two), None), (None, key.id)):
            cookie = sessions.begin(conn, one, token_id=token_id, key_id=key_id, now_ms=NOW)
            assert sessions.look(conn, cookie, now_ms=NOW) is None


def test_who_is_removed_or_banned_is_out(database: Database, enrol: Enrol) -> None:
    one, two = enrol(2)
    with database.begin() as conn:
        removed = sessions.begin(conn, one, token_id=token_of(conn, one), now_ms=NOW)
        banned = sessions.begin(conn, two, token_id=token_of(conn, two), now_ms=NOW)
        accounts.remove(conn, "agent-001", now_ms=NOW)
        bans.ban_account(conn, None, "agent-002", reason="spam", until_ms=NOW + 100, now_ms=NOW)
        assert sessions.look(conn, removed, now_ms=NOW) is None
        assert not sessions.end(conn, removed), "it went with the account"
        assert sessions.look(conn, banned, now_ms=NOW + 99) is None
        assert sessions.look(conn, banned, now_ms=NOW + 100) is not None


def test_signing_out_here_and_everywhere(database: Database, enrol: Enrol) -> None:
    one, two = enrol(2)
    with database.begin() as conn:
        mine, theirs = token_of(conn, one), token_of(conn, two)
        here, there = (sessions.begin(conn, one, token_id=mine, now_ms=NOW) for _ in range(2))
        other = sessions.begin(conn, two, token_id=theirs, now_ms=NOW)
        assert sessions.end(conn, here)
        assert not sessions.end(conn, here)
        assert sessions.look(conn, there, now_ms=NOW) is not None
        assert sessions.end_all(conn, one) == 1
        assert sessions.look(conn, there, now_ms=NOW) is None
        assert sessions.look(conn, other, now_ms=NOW) is not None


def test_the_session_before_makes_way(database: Database, enrol: Enrol) -> None:
    (one,) = enrol(1)
    with database.begin() as conn:
        token_id = token_of(conn, one)
        before = sessions.begin(conn, one, token_id=token_id, now_ms=NOW)
        after = sessions.begin(conn, one, token_id=token_id, instead_of=before, now_ms=NOW)
        assert before != after
        assert sessions.look(conn, before, now_ms=NOW) is None
        assert sessions.look(conn, after, now_ms=NOW) is not None


def test_the_table_is_bounded(database: Database, enrol: Enrol) -> None:
    one, two = enrol(2)
    with database.begin() as conn:
        mine, theirs = token_of(conn, one), token_of(conn, two)
        other = sessions.begin(conn, two, token_id=theirs, now_ms=NOW)
        cookies = [sessions.begin(conn, one, token_id=mine, now_ms=NOW + n) for n in range(MAX_SESSIONS + 3)]
        alive = [sessions.look(conn, cookie, now_ms=NOW + 30) is not None for cookie in cookies]
        assert alive == [False] * 3 + [True] * MAX_SESSIONS
        assert sessions.look(conn, other, now_ms=NOW) is not None
        sessions.begin(conn, two, token_id=theirs, now_ms=NOW + LASTS_MS + 1000)
        assert len(conn.execute(select(web_sessions)).all()) == 1
