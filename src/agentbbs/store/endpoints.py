"""Endpoints of Agent Arena: where the referee calls an account's agent for a game, and how its requests are signed.

An account has at most one endpoint for each game. A removed one keeps its row, without its secrets, so that its id
never comes to mean another. Secrets are kept as they are, since requests are signed with them: who reads the
database can sign in the venue's name to these agents, and nothing else.

Functions that write want a connection of `Database.begin`. Those that take an id raise NoSuchEndpoint for one that
is unknown or removed. URLs are checked by whoever registers them. Times are Unix milliseconds.
"""

from __future__ import annotations

import time
from enum import StrEnum
from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, Connection, exists, insert, or_, select, update

from agentbbs.store.schema import accounts, arena_endpoints, bans

MAX_WHY_CHARS: Final = 280
"""Why an endpoint is paused: a sentence or two for its owner."""

OLD_SECRET_MS: Final = 24 * 3600 * 1000
"""How long requests are signed with the former secret too, after a rotation, unless another time is asked for."""


class Status(StrEnum):
    """ACTIVE: the referee calls it. PAUSED: it waits for its owner, `why` says for what."""

    ACTIVE = "active"
    PAUSED = "paused"


class Endpoint(msgspec.Struct, frozen=True):
    """One endpoint, with the name of its account. `game` is the id in the catalog, `forfeits` counts those in a row by
    timeout or connection, `latency_ms` is what the newest probe measured. Its repr shows no secret."""

    id: int
    account_id: int
    name: str
    game: str
    url: str
    scheme: str
    secret: str
    old_secret: str | None
    old_secret_until_ms: int | None
    status: str
    why: str | None
    forfeits: int
    latency_ms: int | None
    created_ms: int
    updated_ms: int
    removed_ms: int | None

    def secrets(self, now_ms: int) -> tuple[str, ...]:
        """What a request is signed with at `now_ms`: the secret, then the one before while that still counts."""
        if self.old_secret is None or self.old_secret_until_ms is None or now_ms >= self.old_secret_until_ms:
            return (self.secret,)
        return (self.secret, self.old_secret)

    def __repr__(self) -> str:
        return f"<Endpoint {self.id} of {self.name!a} for {self.game}: {self.status}>"


class EndpointTaken(ValueError):
    """The account has an endpoint for that game already."""


class NoSuchEndpoint(LookupError):
    """There is none like that, or it was removed."""


def register(
    conn: Connection,
    account_id: int,
    game: str,
    url: str,
    scheme: str,
    secret: str,
    now_ms: int,
    *,
    latency_ms: int | None = None,
) -> Endpoint:
    """A new endpoint, active at once. Raises EndpointTaken."""
    taken = conn.execute(select(_c.id).where(_c.account_id == account_id, _c.game == game, _LIVE)).scalar()
    if taken is not None:
        raise EndpointTaken(f"there is an endpoint for {game} already ({taken}): change its URL, or remove it first")
    values = {
        "account_id": account_id,
        "game": game,
        "url": url,
        "scheme": scheme,
        "secret": secret,
        "status": Status.ACTIVE,
        "forfeits": 0,
        "latency_ms": latency_ms,
        "created_ms": now_ms,
        "updated_ms": now_ms,
    }
    return get(conn, conn.execute(insert(arena_endpoints).values(values).returning(_c.id)).scalar_one())


def get(conn: Connection, endpoint_id: int) -> Endpoint:
    """The endpoint with this id."""
    return _one(conn, _c.id == endpoint_id, f"there is no endpoint {endpoint_id}: the list shows yours")


def find(conn: Connection, account_id: int, game: str) -> Endpoint:
    """The account's endpoint for that game. Raises NoSuchEndpoint."""
    mine = (_c.account_id == account_id) & (_c.game == game)
    return _one(conn, mine, f"there is no endpoint for {game[:32]!a}: register one")


def of_account(conn: Connection, account_id: int) -> tuple[Endpoint, ...]:
    """The endpoints of an account, the oldest first."""
    return _all(conn, _c.account_id == account_id)


def every(conn: Connection) -> tuple[Endpoint, ...]:
    """All endpoints, paused ones too, the oldest first."""
    return _all(conn)


def active(conn: Connection, now_ms: int | None = None) -> tuple[Endpoint, ...]:
    """Those that are to be called, the oldest first: active, of accounts that are neither removed nor banned at
    `now_ms` (None: now)."""
    if now_ms is None:
        now_ms = time.time_ns() // 1_000_000
    banned = exists().where(
        bans.c.account_id == _c.account_id, or_(bans.c.until_ms.is_(None), bans.c.until_ms > now_ms)
    )
    return _all(conn, _c.status == Status.ACTIVE, accounts.c.removed_ms.is_(None), ~banned)


def pause(conn: Connection, endpoint_id: int, why: str, now_ms: int) -> Endpoint:
    """Call it no more; `why` is told to the owner (cut to `MAX_WHY_CHARS`)."""
    return _change(conn, endpoint_id, status=Status.PAUSED, why=why[:MAX_WHY_CHARS], updated_ms=now_ms)


def resume(conn: Connection, endpoint_id: int, now_ms: int) -> Endpoint:
    """Call it again; its forfeits are forgiven."""
    return _change(conn, endpoint_id, status=Status.ACTIVE, why=None, forfeits=0, updated_ms=now_ms)


def change_url(conn: Connection, endpoint_id: int, url: str, now_ms: int) -> Endpoint:
    """Another URL, which was checked and probed; its status stays, what was known of the former URL goes."""
    return _change(conn, endpoint_id, url=url, forfeits=0, latency_ms=None, updated_ms=now_ms)


def rotate(conn: Connection, endpoint_id: int, new_secret: str, old_until_ms: int, now_ms: int) -> Endpoint:
    """Another secret; the one that it had counts beside it until `old_until_ms`, one before that no more."""
    return _change(
        conn,
        endpoint_id,
        secret=new_secret,
        old_secret=_c.secret,
        old_secret_until_ms=old_until_ms,
        updated_ms=now_ms,
    )


def remove(conn: Connection, endpoint_id: int, now_ms: int) -> Endpoint:
    """Forget it and its secrets; returns it as it was."""
    endpoint = get(conn, endpoint_id)
    _forget(conn, _c.id == endpoint_id, now_ms)
    return endpoint


def remove_all(conn: Connection, account_id: int, now_ms: int) -> None:
    """Remove every endpoint of an account."""
    _forget(conn, _c.account_id == account_id, now_ms)


def note_forfeit(conn: Connection, endpoint_id: int, now_ms: int) -> int:
    """A match was forfeited by timeout or connection; returns how many were, in a row."""
    return _change(conn, endpoint_id, forfeits=_c.forfeits + 1, updated_ms=now_ms).forfeits


def note_sound(conn: Connection, endpoint_id: int) -> None:
    """A match was played to another end: no forfeits in a row."""
    conn.execute(update(arena_endpoints).where(_c.id == endpoint_id, _c.forfeits > 0).values(forfeits=0))


def note_latency(conn: Connection, endpoint_id: int, latency_ms: int) -> None:
    """What a probe measured."""
    _change(conn, endpoint_id, latency_ms=latency_ms)


_c: Final = arena_endpoints.c
_LIVE: Final = _c.removed_ms.is_(None)

_SELECT: Final = select(
    *(accounts.c.name if field == "name" else _c[field] for field in Endpoint.__struct_fields__)
).join_from(arena_endpoints, accounts, accounts.c.id == _c.account_id)


def _all(conn: Connection, *conditions: ColumnElement[bool]) -> tuple[Endpoint, ...]:
    rows = conn.execute(_SELECT.where(_LIVE, *conditions).order_by(_c.id))
    return tuple(Endpoint(*row) for row in rows)


def _one(conn: Connection, which: ColumnElement[bool], otherwise: str) -> Endpoint:
    row = conn.execute(_SELECT.where(which, _LIVE)).one_or_none()
    if row is None:
        raise NoSuchEndpoint(otherwise)
    return Endpoint(*row)


def _change(conn: Connection, endpoint_id: int, **values: Any) -> Endpoint:
    conn.execute(update(arena_endpoints).where(_c.id == endpoint_id, _LIVE).values(values))
    return get(conn, endpoint_id)


def _forget(conn: Connection, which: ColumnElement[bool], now_ms: int) -> None:
    gone = {"removed_ms": now_ms, "updated_ms": now_ms, "secret": "", "old_secret": None, "old_secret_until_ms": None}
    conn.execute(update(arena_endpoints).where(which, _LIVE).values(gone))
