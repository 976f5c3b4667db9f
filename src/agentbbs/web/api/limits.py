"""How much of the API anybody may ask: so many at once, then so many a minute, by account or else by address.

Whoever sends a valid token is counted as that account, wherever it calls from; everybody else as the address that the
request came from, as trusted proxies tell it. Reads and writes are counted apart. Every answer says where the caller
stands, in the fields of draft-ietf-httpapi-ratelimit-headers (its form since draft 08):

    RateLimit-Policy: "reads";q=100;w=10     100 at once, and these come back within 10 s
    RateLimit: "reads";r=97;t=1              97 are left, and all of them are back in 1 s

and not in `X-RateLimit-Reset` and its kin, of which some are seconds, some are moments, and nobody says which.
Pages, the events of matches and preflights are not counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

import msgspec
from aiohttp import web

from agentbbs.calls.address import client_address, source
from agentbbs.store.throttle import Throttle
from agentbbs.web.api.errors import ApiError
from agentbbs.web.api.operation import READS, WRITES
from agentbbs.web.callers import Caller
from agentbbs.web.venue_view import WebSettings

BURST_S: Final = 10
"""What comes back in this time may be asked at once: a program reads a list and everything that stands in it."""

MINUTE_S: Final = 60.0

STANDING: Final = web.RequestKey("standing", dict[str, str])
"""The fields that the answer to this request must have."""

POLICY: Final = "RateLimit-Policy"
LEFT: Final = "RateLimit"


class Limit(msgspec.Struct, frozen=True):
    """So many requests of one kind."""

    key: str
    per_minute: int

    @property
    def refill_s(self) -> float:
        """How soon one comes back."""
        return MINUTE_S / self.per_minute

    @property
    def burst(self) -> int:
        """How many may be asked at once."""
        return max(1, int(BURST_S / self.refill_s))

    @property
    def policy(self) -> str:
        """As the header says it."""
        return f'"{self.key}";q={self.burst};w={math.ceil(self.burst * self.refill_s)}'


def of_venue(settings: WebSettings) -> tuple[Limit, Limit]:
    """The limits of reads and of writes."""
    return Limit(READS, settings.reads_per_minute), Limit(WRITES, settings.writes_per_minute)


class Limits:
    """Counts requests; `clock` is monotonic, in seconds."""

    def __init__(self, settings: WebSettings, clock: Callable[[], float]) -> None:
        self._trusted = settings.trusted_proxies
        self._buckets: Mapping[str, tuple[Limit, Throttle]] = {
            limit.key: (limit, Throttle(burst=limit.burst, refill_s=limit.refill_s, clock=clock))
            for limit in of_venue(settings)
        }

    def take(self, request: web.Request, key: str, caller: Caller | None) -> None:
        """Count one request against the limit `key`. Raises ApiError if it is one too many."""
        limit, bucket = self._buckets[key]
        who = f"account {caller.account}" if caller is not None else source(_address(request, self._trusted))
        wait_s = math.ceil(bucket.take(who))
        request[STANDING] = {
            POLICY: limit.policy,
            LEFT: f'"{key}";r={bucket.left(who)};t={math.ceil(bucket.full_s(who))}',
        }
        if wait_s:
            why = f"more than {limit.per_minute} {key} a minute, or {limit.burst} at once: wait {wait_s} s"
            raise ApiError("rate_limited", why, key=key, retry_after_s=wait_s)


def _address(request: web.Request, trusted: tuple[str, ...]) -> str:
    return client_address(request.remote or "", ",".join(request.headers.getall("X-Forwarded-For", ())), trusted)
