"""How much of the API anybody may ask, and what every answer says of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from agentbbs.store.database import Database
from agentbbs.web.api.errors import ApiError
from agentbbs.web.api.limits import STANDING, Limit, Limits, of_venue
from agentbbs.web.venue_view import WebSettings

from .site import Site


class Account(NamedTuple):
    account: int
    name: str = "ada"


class Clock:
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def settings(*, reads: int = 60, writes: int = 12, proxies: tuple[str, ...] = ()) -> WebSettings:
    return WebSettings(
        public_url="https://arena.example",
        deadline_ms=1,
        matches_per_hour=1,
        dev=False,
        trusted_proxies=proxies,
        reads_per_minute=reads,
        writes_per_minute=writes,
    )


def asked(peer: str = "192.0.2.7", forwarded: str | None = None) -> web.Request:
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    return make_mocked_request("GET", "/api/v1/", headers=headers).clone(remote=peer)


def left(limits: Limits, request: web.Request, key: str = "reads", caller: Account | None = None) -> str:
    """How the caller stands after one more request."""
    limits.take(request, key, caller)
    return request[STANDING]["RateLimit"]


def seconds_to_wait(limits: Limits, request: web.Request, key: str = "reads", caller: Account | None = None) -> int:
    with pytest.raises(ApiError) as refused:
        limits.take(request, key, caller)
    assert refused.value.code == "rate_limited"
    assert refused.value.more["key"] == key
    return int(refused.value.more["retry_after_s"])


@pytest.mark.parametrize(
    ("per_minute", "burst", "policy"),
    [
        (600, 100, '"reads";q=100;w=10'),
        (60, 10, '"reads";q=10;w=10'),
        (7, 1, '"reads";q=1;w=9'),
        (1, 1, '"reads";q=1;w=60'),
    ],
)
def test_what_ten_seconds_give_may_come_at_once(per_minute: int, burst: int, policy: str) -> None:
    limit = Limit("reads", per_minute)
    assert (limit.burst, limit.policy) == (burst, policy)


def test_a_venue_has_a_limit_for_reads_and_one_for_writes() -> None:
    reads, writes = of_venue(settings(reads=60, writes=12))
    assert (reads.key, reads.per_minute, writes.key, writes.per_minute) == ("reads", 60, "writes", 12)


def test_a_burst_is_counted_down_and_then_one_comes_back_at_a_time() -> None:
    clock = Clock()
    limits = Limits(settings(reads=60), clock)
    told = [left(limits, asked()) for _ in range(10)]
    assert told[0] == '"reads";r=9;t=1'
    assert told[-1] == '"reads";r=0;t=10'
    assert seconds_to_wait(limits, asked()) == 1
    clock.now_s += 0.4
    assert seconds_to_wait(limits, asked()) == 1, "whole seconds, and never none"
    clock.now_s += 0.6
    assert left(limits, asked()) == '"reads";r=0;t=10'


def test_reads_and_writes_are_counted_apart() -> None:
    limits = Limits(settings(reads=6, writes=6), Clock())
    left(limits, asked())
    assert left(limits, asked(), "writes") == '"writes";r=0;t=10'
    assert seconds_to_wait(limits, asked(), "writes") == 10


def test_an_account_is_counted_wherever_it_calls_from_and_apart_from_its_address() -> None:
    limits = Limits(settings(reads=6), Clock())
    left(limits, asked())
    left(limits, asked(), caller=Account(1))
    assert seconds_to_wait(limits, asked("192.0.2.8"), caller=Account(1)) == 10
    left(limits, asked(), caller=Account(2))


def test_a_host_with_many_ipv6_addresses_is_one() -> None:
    limits = Limits(settings(reads=6), Clock())
    left(limits, asked("2001:db8:0:1::1"))
    assert seconds_to_wait(limits, asked("2001:db8:0:1:ffff::2")) == 10
    left(limits, asked("2001:db8:0:2::1"))


def test_a_trusted_proxy_says_who_asks_and_nobody_else_does() -> None:
    limits = Limits(settings(reads=6, proxies=("10.0.0.0/8",)), Clock())
    left(limits, asked("10.0.0.1", "203.0.113.5"))
    left(limits, asked("10.0.0.1", "203.0.113.6"))
    assert seconds_to_wait(limits, asked("10.0.0.2", "198.51.100.1, 203.0.113.5, 10.0.0.9")) == 10
    left(limits, asked("192.0.2.7", "203.0.113.5"))
    assert seconds_to_wait(limits, asked("192.0.2.7", "203.0.113.77")) == 10, "who is no proxy is not believed"


@pytest.fixture
async def tight_site(migrated: Path, tmp_path: Path) -> AsyncIterator[Site]:
    """A site that one request of a kind fills for ten seconds."""
    database = Database(f"sqlite:///{shutil.copy(migrated, tmp_path / 'venue.db')}").open()
    async with Site(database, None, per_minute=6).served() as served:
        yield served


async def test_one_too_many_is_told_when_to_come_again(tight_site: Site) -> None:
    status, headers, _ = await tight_site.ask("GET", "/api/v1/")
    assert (status, headers["ratelimit-policy"], headers["ratelimit"]) == (200, '"reads";q=1;w=10', '"reads";r=0;t=10')
    status, headers, text = await tight_site.ask("GET", "/api/v1/")
    error = json.loads(text)["error"]
    assert (status, error["code"], error["key"]) == (429, "rate_limited", "reads")
    assert 0 < error["retry_after_s"] <= 10
    assert headers["retry-after"] == str(error["retry_after_s"])
    assert headers["ratelimit"].startswith('"reads";r=0;t=')
    assert headers["access-control-allow-origin"] == "*", "a page of another site may read why not"


async def test_refusals_count_and_say_so(tight_site: Site) -> None:
    status, headers, _ = await tight_site.ask("GET", "/api/v1/endpoints")
    assert (status, headers["ratelimit"]) == (401, '"reads";r=0;t=10')
    assert (await tight_site.ask("GET", "/api/v1/?nobody=knows"))[0] == 429


async def test_a_token_is_counted_by_itself(tight_site: Site) -> None:
    await tight_site.ask("GET", "/api/v1/")
    token = {"Authorization": f"Bearer {tight_site.token('ada')}"}
    assert (await tight_site.ask("GET", "/api/v1/", headers=token))[0] == 200
    assert (await tight_site.ask("GET", "/api/v1/", headers=token))[0] == 429
    assert (await tight_site.ask("GET", "/api/v1/"))[0] == 429


async def test_pages_and_preflights_and_events_of_pages_are_not_counted(tight_site: Site) -> None:
    await tight_site.ask("GET", "/api/v1/")
    for method, path, wanted in (
        ("GET", "/api", 200),
        ("GET", "/arena", 200),
        ("OPTIONS", "/api/v1/", 204),
        ("GET", "/m/nobody/events", 404),
        ("GET", "/healthz", 200),
    ):
        for _ in range(3):
            status, headers, _ = await tight_site.ask(method, path)
            assert (status, path, "ratelimit" in headers) == (wanted, path, False)
