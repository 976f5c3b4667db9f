"""`/healthz` and `/readyz`: each reason not to be ready, by name, and no answer that waits for ever."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from aiohttp import web

from agentbbs.web.pages.health import HealthPages

from .site import Site


async def ask(site: Site, path: str) -> tuple[int, Any]:
    status, headers, text = await site.ask("GET", path)
    assert headers["content-type"].startswith("application/json")
    assert headers["cache-control"] == "no-store"
    return status, json.loads(text)


async def test_a_venue_that_is_well_says_so(site: Site) -> None:
    assert await ask(site, "/healthz") == (200, {"status": "ok"})
    checks = {"database": "ok", "writer": "ok", "venue": "ok"}
    assert await ask(site, "/readyz") == (200, {"ready": True, "checks": checks})
    assert (await site.ask("HEAD", "/readyz"))[0] == 200


async def test_a_venue_that_stops_is_not_ready(site: Site) -> None:
    site.stopping = True
    assert await ask(site, "/healthz") == (503, {"status": "stopping"})
    status, told = await ask(site, "/readyz")
    assert (status, told["ready"]) == (503, False)
    assert told["checks"] == {"database": "ok", "writer": "unknown", "venue": "stopping"}


async def test_results_that_can_not_be_stored_are_told(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room_of(site), "_status", lambda: "retrying")
    assert await ask(site, "/healthz") == (503, {"status": "retrying"})
    status, told = await ask(site, "/readyz")
    assert (status, told["checks"]["writer"], told["checks"]["venue"]) == (503, "retrying", "ok")


async def test_a_database_that_fails_is_told_without_its_reason(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("secret of the house")

    monkeypatch.setattr(site.database, "look_up", broken)
    status, told = await ask(site, "/readyz")
    assert (status, told["checks"]["database"]) == (503, "failed: the venue's log says why")


async def test_a_database_that_hangs_is_asked_once_and_not_waited_for(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    let, asked = asyncio.Event(), 0

    async def stuck(*_: object) -> None:
        nonlocal asked
        asked += 1
        await let.wait()

    monkeypatch.setattr(site.database, "look_up", stuck)
    monkeypatch.setattr(room_of(site), "_ready_s", 0.01)
    for _ in range(2):
        status, told = await ask(site, "/readyz")
        assert (status, told["checks"]["database"]) == (503, "no answer within 0.01 s")
    assert asked == 1
    let.set()
    monkeypatch.undo()
    assert (await ask(site, "/readyz"))[0] == 200


async def test_metrics_are_not_on_this_address(site: Site) -> None:
    assert (await site.ask("GET", "/metrics"))[0] == 404


def room_of(site: Site) -> HealthPages:
    """The room that answers."""
    (healthz,) = (route for route in site.app.router.routes() if route.method == "GET" and _path(route) == "/healthz")
    room = getattr(healthz.handler, "__self__", None)
    assert isinstance(room, HealthPages)
    return room


def _path(route: web.AbstractRoute) -> str:
    return "" if route.resource is None else route.resource.canonical
