"""Tokens checked at the speed of memory, and refused from the moment that they are revoked.

Every check makes sure, by a query that begins after it, that `auth_epoch` is what it was when the cache was
filled; if anybody, in whatever process, has changed an account, key or token since, the cache is emptied.
The query is shared by all checks that gather meanwhile, and brings the tokens that are not cached as well.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from typing import Final

import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from agentbbs.store.database import Database, driver_execute
from agentbbs.store.gathering import Gathering
from agentbbs.store.tokens import Principal, authenticate_digests, digest, note_last_use

MAX_TOKENS: Final = 10_000
"""Tokens kept (about 400 bytes each); beyond that the one used longest ago is looked up again."""

_EPOCH: Final = "SELECT epoch FROM auth_epoch"

_log = structlog.get_logger(__name__)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


class TokenCache:
    """Checks tokens in one event loop. Unknown tokens are never kept."""

    def __init__(
        self, database: Database, *, max_tokens: int = MAX_TOKENS, now_ms: Callable[[], int] = _now_ms
    ) -> None:
        self._database = database
        self._max_tokens = max_tokens
        self._now_ms = now_ms
        self._gathering = Gathering(self._query)
        self._epoch: int | None = None
        self._principals: OrderedDict[str, Principal] = OrderedDict()
        self._used_ms: dict[int, int] = {}

    async def check(self, token: str) -> Principal | None:
        """Whose token this is; None if it is not valid. A token that was revoked before the call is refused."""
        key = digest(token)
        principal = self._kept(key) or await self._gathering.ask(key)
        if principal is not None:
            self._used_ms[principal.token_id] = self._now_ms()
        return principal

    def _kept(self, key: str) -> Principal | None:
        """What is kept of a token, if nothing has changed since: one look at the epoch, on this thread."""
        principal = self._principals.get(key)
        if principal is None or self._database.glance(_EPOCH) != (self._epoch,):
            return None
        self._principals.move_to_end(key)
        return principal

    async def flush_last_use(self) -> None:
        """Write when tokens were last used, all that were since the last call; call it every few seconds.
        What can't be written now is logged, kept, and written by a later call."""
        used, self._used_ms = self._used_ms, {}
        if not used:
            return
        try:
            await self._database.write(note_last_use, used)
        except SQLAlchemyError as fault:
            self._used_ms = used | self._used_ms
            _log.warning("last_use_not_stored", tokens=len(used), fault=str(fault))

    async def _query(self, digests: Collection[str]) -> Mapping[str, Principal]:
        kept = {key: self._principals[key] for key in digests if key in self._principals}
        epoch, found = await self._database.look_up(_look_up, self._epoch, list(digests), kept)
        if epoch != self._epoch:
            self._principals.clear()
            self._epoch = epoch
        for key, principal in found.items():
            self._principals[key] = principal
            self._principals.move_to_end(key)
        while len(self._principals) > self._max_tokens:
            self._principals.popitem(last=False)
        return found


def _look_up(
    conn: Connection, epoch: int | None, digests: Collection[str], kept: Mapping[str, Principal]
) -> tuple[int, Mapping[str, Principal]]:
    """The epoch, and the principals of those tokens that are valid: those in `kept` are not looked up again
    if the epoch is `epoch` still.

    The epoch is read first: a token that is found after it was valid at that epoch or a later one, so that
    nothing is ever kept under an epoch later than its own.
    """
    (current,) = driver_execute(conn, _EPOCH) or (0,)
    if current != epoch:
        return current, authenticate_digests(conn, digests)
    unknown = [key for key in digests if key not in kept]
    return current, {**kept, **authenticate_digests(conn, unknown)} if unknown else kept
