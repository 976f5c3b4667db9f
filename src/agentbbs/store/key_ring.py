"""Whose SSH key this is, for callers at the door: asked of the database each time, many callers a query."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec
from sqlalchemy import Connection, select

from agentbbs.store.database import Database
from agentbbs.store.gathering import Gathering
from agentbbs.store.schema import accounts, ssh_keys


class KeyHolder(msgspec.Struct, frozen=True):
    """The account that a key belongs to."""

    account: int
    name: str
    sysop: bool = False


class KeyRing:
    """Looks keys up in one event loop. A key that was taken away before the call is refused."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._gathering = Gathering(self._query)

    async def check(self, fingerprint: str) -> KeyHolder | None:
        """The holder of the key with this fingerprint (`SHA256:…`), None if it is nobody's."""
        return await self._gathering.ask(fingerprint)

    async def _query(self, fingerprints: Collection[str]) -> Mapping[str, KeyHolder]:
        return await self._database.look_up(_holders, tuple(fingerprints))


def _holders(conn: Connection, fingerprints: Collection[str]) -> Mapping[str, KeyHolder]:
    rows = conn.execute(
        select(ssh_keys.c.fingerprint, accounts.c.id, accounts.c.name, accounts.c.sysop)
        .join(accounts, accounts.c.id == ssh_keys.c.account_id)
        .where(ssh_keys.c.fingerprint.in_(fingerprints), accounts.c.removed_ms.is_(None))
    )
    return {row.fingerprint: KeyHolder(row.id, row.name, row.sysop) for row in rows}
