"""`/healthz` and `/readyz`: for what watches the venue, and for what sends readers to it. Metrics are on the game port.

`/healthz` says what `status` does, without asking anything: a venue that answers is alive. `/readyz` asks: it is 200
only while the database answers, results are stored, and the venue does not stop.
"""

from __future__ import annotations

import asyncio
from typing import Final

import msgspec
import structlog
from aiohttp import web

from agentbbs.store.accounts import rights_epoch
from agentbbs.web.api.errors import json_response
from agentbbs.web.venue_view import VenueView

READY_S: Final = 2.0
"""How soon the database must answer one short query: less than those who ask wait, more than a checkpoint takes."""

OK: Final = "ok"
RETRYING: Final = "retrying"
STOPPING: Final = "stopping"
UNKNOWN: Final = "unknown"

_log = structlog.get_logger(__name__)


class Checks(msgspec.Struct, frozen=True):
    """What each check found: `ok`, or what is wrong."""

    database: str
    writer: str
    venue: str


class Readiness(msgspec.Struct, frozen=True):
    """The answer of `/readyz`."""

    ready: bool
    checks: Checks


class HealthPages:
    """The handlers of `/healthz` and `/readyz`."""

    def __init__(self, view: VenueView, *, ready_s: float = READY_S) -> None:
        self._database = view.database
        self._status = view.status
        self._ready_s = ready_s
        self._asked: asyncio.Task[str] | None = None

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/healthz", self.healthz), web.get("/readyz", self.readyz)]

    async def healthz(self, _: web.Request) -> web.Response:
        """Whether the venue serves and stores."""
        found = self._status()
        return json_response({"status": found}, status=200 if found == OK else 503)

    async def readyz(self, _: web.Request) -> web.Response:
        """Whether readers and agents may be sent here."""
        status = self._status()
        stopping = status == STOPPING
        checks = Checks(
            database=await self._database_answers(),
            writer=UNKNOWN if stopping else status,
            venue=STOPPING if stopping else OK,
        )
        ready = checks == Checks(OK, OK, OK)
        return json_response(Readiness(ready, checks), status=200 if ready else 503)

    async def _database_answers(self) -> str:
        """`ok`, or why not. All who ask while a query is on wait for that one: none is added to what is stuck."""
        if self._asked is None or self._asked.done():
            self._asked = asyncio.create_task(self._query())
        try:
            async with asyncio.timeout(self._ready_s):
                return await asyncio.shield(self._asked)
        except TimeoutError:
            return f"no answer within {self._ready_s:g} s"

    async def _query(self) -> str:
        try:
            await self._database.look_up(rights_epoch)
        except Exception:
            _log.exception("database_not_ready")
            return "failed: the venue's log says why"
        return OK
