"""Endpoints of Agent Arena in the store."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import Connection, select
from sqlalchemy.exc import IntegrityError

from agentbbs.store import accounts, bans, endpoints
from agentbbs.store.database import Database
from agentbbs.store.endpoints import Endpoint, EndpointTaken, NoSuchEndpoint, Status
from agentbbs.store.schema import arena_endpoints

Enrol = Callable[[int], list[int]]

URL = "https://agent.example/play"
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_AAAA9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def register(conn: Connection, account: int, game: str = "c4", now_ms: int = 10) -> Endpoint:
    return endpoints.register(conn, account, game, URL, "hmac", SECRET, now_ms, latency_ms=80)


def test_an_endpoint_is_there_as_it_was_registered(database: Database, enrol: Enrol) -> None:
    (ada,) = enrol(1)
    with database.begin() as conn:
        made = register(conn, ada)
    expected = Endpoint(
        id=made.id,
        account_id=ada,
        name="agent-001",
        game="c4",
        url=URL,
        scheme="hmac",
        secret=SECRET,
        old_secret=None,
        old_secret_until_ms=None,
        status="active",
        why=None,
        forfeits=0,
        latency_ms=80,
        created_ms=10,
        updated_ms=10,
        removed_ms=None,
    )
    assert made == expected
    with database.connect() as conn:
        assert endpoints.get(conn, made.id) == endpoints.find(conn, ada, "c4") == expected
        assert endpoints.of_account(conn, ada) == endpoints.active(conn) == endpoints.every(conn) == (expected,)


def test_an_account_has_one_endpoint_for_a_game(database: Database, enrol: Enrol) -> None:
    ada, bob = enrol(2)
    with database.begin() as conn:
        first = register(conn, ada)
        with pytest.raises(EndpointTaken, match=rf"an endpoint for c4 already \({first.id}\): change its URL, or"):
            register(conn, ada)
        others = register(conn, ada, "ttt"), register(conn, bob)
        assert endpoints.every(conn) == (first, *others)
        assert endpoints.of_account(conn, ada) == (first, others[0])


def test_the_database_itself_keeps_it_to_one(database: Database, enrol: Enrol) -> None:
    (ada,) = enrol(1)
    with database.begin() as conn:
        first = register(conn, ada)
    copy = select(*(column for column in arena_endpoints.c if column.name != "id"))
    names = [column.name for column in arena_endpoints.c if column.name != "id"]
    with pytest.raises(IntegrityError), database.begin() as conn:
        conn.execute(arena_endpoints.insert().from_select(names, copy))
    with database.begin() as conn:
        endpoints.remove(conn, first.id, 20)
        conn.execute(arena_endpoints.insert().from_select(names, copy))


def test_a_removed_endpoint_is_gone_with_its_secrets_and_its_id_stays_taken(database: Database, enrol: Enrol) -> None:
    (ada,) = enrol(1)
    with database.begin() as conn:
        first = register(conn, ada)
        endpoints.rotate(conn, first.id, OTHER, 99, 20)
        assert endpoints.remove(conn, first.id, 30).url == URL
        assert endpoints.every(conn) == ()
        row = conn.execute(select(arena_endpoints)).one()
        assert (row.secret, row.old_secret, row.old_secret_until_ms, row.removed_ms) == ("", None, None, 30)
        assert register(conn, ada).id > first.id


def test_what_is_not_there_is_refused_everywhere(database: Database, enrol: Enrol) -> None:
    (ada,) = enrol(1)
    with database.begin() as conn:
        gone = register(conn, ada).id
        endpoints.remove(conn, gone, 20)
        for key in (gone, 999):
            for use in (
                lambda: endpoints.get(conn, key),  # noqa: B023 - called at once
                lambda: endpoints.pause(conn, key, "", 1),  # noqa: B023
                lambda: endpoints.resume(conn, key, 1),  # noqa: B023
                lambda: endpoints.change_url(conn, key, URL, 1),  # noqa: B023
                lambda: endpoints.rotate(conn, key, OTHER, 1, 1),  # noqa: B023
                lambda: endpoints.remove(conn, key, 1),  # noqa: B023
                lambda: endpoints.note_forfeit(conn, key, 1),  # noqa: B023
                lambda: endpoints.note_latency(conn, key, 1),  # noqa: B023
            ):
                with pytest.raises(NoSuchEndpoint, match=f"there is no endpoint {key}"):
                    use()
            endpoints.note_sound(conn, key)
        with pytest.raises(NoSuchEndpoint, match="there is no endpoint for 'c4': register one"):
            endpoints.find(conn, ada, "c4")


def test_a_paused_endpoint_is_not_called_until_it_is_resumed(database: Database, enrol: Enrol) -> None:
    (ada,) = enrol(1)
    with database.begin() as conn:
        made = register(conn, ada)
        assert endpoints.note_forfeit(conn, made.id, 20) == 1
        paused = endpoints.pause(conn, made.id, "three forfeits in a row" + "." * 1000, 30)
        assert (paused.status, paused.updated_ms) == (Status.PAUSED, 30)
        assert paused.why is not None
        assert len(paused.why) == endpoints.MAX_WHY_CHARS
        assert endpoints.active(conn) == ()
        assert endpoints.every(conn) == endpoints.of_account(conn, ada) == (paused,)
        resumed = endpoints.resume(conn, made.id, 40)
        assert (resumed.status, resumed.why, resumed.forfeits, resumed.updated_ms) == ("active", None, 0, 40)
        assert endpoints.active(conn) == (resumed,)


def test_forfeits_count_in_a_row(database: Database, enrol: Enrol) -> None:
    ada, bob = enrol(2)
    with database.begin() as conn:
        one, other = register(conn, ada).id, register(conn, bob).id
        assert [endpoints.note_forfeit(conn, one, 20) for _ in range(2)] == [1, 2]
        assert endpoints.get(conn, other).forfeits == 0
        endpoints.note_sound(conn, one)
        assert endpoints.note_forfeit(conn, one, 30) == 1


def test_another_url_forgets_what_was_known_of_the_one_before(database: Database, enrol: Enrol) -> None:
    (ada,) = enrol(1)
    with database.begin() as conn:
        made = register(conn, ada)
        endpoints.note_forfeit(conn, made.id, 20)
        changed = endpoints.change_url(conn, made.id, "https://other.example/", 30)
        assert (changed.url, changed.forfeits, changed.latency_ms) == ("https://other.example/", 0, None)
        endpoints.note_latency(conn, made.id, 120)
        assert endpoints.get(conn, made.id).latency_ms == 120


def test_after_a_rotation_the_former_secret_signs_beside_the_new_one_for_a_while(
    database: Database, enrol: Enrol
) -> None:
    (ada,) = enrol(1)
    with database.begin() as conn:
        made = register(conn, ada)
        assert made.secrets(10) == (SECRET,)
        rotated = endpoints.rotate(conn, made.id, OTHER, 1_000, 20)
        assert rotated.secrets(999) == (OTHER, SECRET)
        assert rotated.secrets(1_000) == (OTHER,)
        again = endpoints.rotate(conn, made.id, "whsec_third", 2_000, 30)
        assert again.secrets(40) == ("whsec_third", OTHER)


def test_the_endpoints_of_the_banned_and_the_removed_are_not_called(database: Database, enrol: Enrol) -> None:
    ada, bob, cyd = enrol(3)
    with database.begin() as conn:
        register(conn, ada)
        kept = register(conn, bob)
        of_cyd = register(conn, cyd)
        bans.ban_account(conn, None, "agent-001", reason="rude", now_ms=20)
        bans.ban_account(conn, None, "agent-003", reason="rude", until_ms=1_000, now_ms=20)
        assert endpoints.active(conn, 999) == (kept,)
        assert endpoints.active(conn, 1_001) == endpoints.active(conn) == (kept, of_cyd)
        accounts.remove(conn, "agent-002", now_ms=30)
        assert endpoints.active(conn, 999) == ()
        assert endpoints.of_account(conn, bob) == ()
        assert kept.id not in {endpoint.id for endpoint in endpoints.every(conn)}


def test_an_endpoint_in_a_log_shows_no_secret(database: Database, enrol: Enrol) -> None:
    (ada,) = enrol(1)
    with database.begin() as conn:
        made = endpoints.rotate(conn, register(conn, ada).id, OTHER, 99, 20)
    assert repr(made) == f"<Endpoint {made.id} of 'agent-001' for c4: active>"
    assert "whsec" not in f"{made} {made!r}"
