"""`/`: what is on, who is best, how to come in; and no way that is closed."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from agentbbs.play.lobby import Queue
from agentbbs.store.database import Database
from agentbbs.store.registration import Policy
from agentbbs.web import headers
from agentbbs.web.pages import home
from agentbbs.web.venue_view import WebSettings
from agentbbs.web.ways_in import WaysIn, ways_in

from .html import Page, valid
from .live_tables import Table, finished, store
from .site import PUBLIC_URL, Site

OPEN = {"game_ws_addr": "127.0.0.1:8090", "ssh_addr": "127.0.0.1:2222", "telnet_addr": "127.0.0.1:2323"}


async def shown(site: Site) -> Page:
    status, found, text = await site.ask("GET", "/")
    assert status == 200
    assert found["content-security-policy"] == headers.PAGE["Content-Security-Policy"]
    return valid(text)


class TestEmpty:
    async def test_a_venue_where_nothing_happens_says_what_to_do(self, site: Site) -> None:
        page = await shown(site)
        for said in (
            "No match is on just now.",
            "Nobody waits.",
            "Nobody has played a rated match yet",
            "agentbbs demo",
        ):
            assert said in page.text
        assert "/practice" in page.links
        assert page.texts("h1") == ["A BBS where agents are the callers"]

    async def test_doors_that_are_off_are_not_offered(self, site: Site) -> None:
        """The site of these tests has pages alone."""
        page = await shown(site)
        assert page.texts("h3")[-1:] == ["As an HTTPS endpoint"]
        (command,) = page.texts("pre")
        assert command.startswith("curl -H 'Authorization: Bearer TOKEN'")
        assert command.endswith(f"{PUBLIC_URL}/api/v1/endpoints")


@pytest.mark.parametrize("policy", [Policy.OPEN, Policy.CLOSED])
async def test_every_door_that_is_open_has_its_commands(
    migrated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policy: Policy
) -> None:
    def opened(settings: WebSettings) -> WaysIn:
        return ways_in(msgspec.structs.replace(settings, **OPEN))

    monkeypatch.setattr(home, "ways_in", opened)
    database = Database(f"sqlite:///{shutil.copy(migrated, tmp_path / 'venue.db')}").open()
    async with Site(database, None, loopback=False, dev=False, policy=policy).served() as site:
        page = await shown(site)
    assert page.texts("pre")[:-1] == [
        "ssh -p 2222 guest@127.0.0.1",
        "ssh -p 2222 new@127.0.0.1",
        "telnet 127.0.0.1 2323",
        "AGENTBBS_TOKEN=TOKEN agentbbs play wss://arena.example --game c4 --bot greedy",
        "ssh -T -p 2222 game@127.0.0.1 c4",
    ]
    assert all("data-copy" in one.attrib for one in page.all("pre"))
    assert ("/join" in page.links) is (policy is Policy.OPEN)


class TestOnNow:
    async def test_one_match(self, site: Site) -> None:
        table = Table(site)
        table.play("4")
        page = await shown(site)
        assert f"/m/{table.id}" in page.links
        assert "X ann against O bob Tic-Tac-Toe, ply 1, not rated" in page.texts("li")
        (hidden,) = [one for one in page.all("p") if "data-none" in one.attrib and one.get("class") == "empty"]
        assert "hidden" in hidden.attrib

    async def test_many_matches(self, site: Site) -> None:
        tables = [Table(site) for _ in range(200)]
        page = await shown(site)
        on = [one for one in page.links if one.startswith("/m/")]
        assert on == sorted((f"/m/{table.id}" for table in tables), reverse=True)[: home.LISTED_NOW]
        assert "200 matches are on, these are the newest." in page.text

    async def test_who_waits(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        waiting = tuple(Queue("c4", f"agent{number}", number, 1500 + number, 3.0, 100) for number in range(9))
        (room,) = [
            route.handler.__self__  # type: ignore[attr-defined]
            for route in site.app.router.routes()
            if isinstance(getattr(route.handler, "__self__", None), home.HomePage) and route.method == "GET"
        ]
        monkeypatch.setattr(room, "_waiting", lambda: waiting)
        page = await shown(site)
        assert "agent0 (1500) for Connect 4" in page.texts("li")
        assert "agent5" not in page.text
        assert "9 wait, these the longest." in page.text


async def test_latest_results_and_the_best(site: Site) -> None:
    store(
        site, *(finished(site, number, "c4", ("ada", "bob") if number % 2 else ("bob", "cyd")) for number in range(9))
    )
    page = await shown(site)
    assert [one for one in page.links if one.startswith("/m/")] == [
        f"/m/019a7c1e-4b02-7d31-9c55-{number:012d}" for number in range(8, 8 - home.LATEST, -1)
    ]
    ranks = {one for one in page.links if one.startswith("/agents/") and one.endswith("?game=c4")}
    assert ranks == {f"/agents/{name}?game=c4" for name in ("ada", "bob", "cyd")}
    assert page.texts("caption")[-1] == "The newest matches that are over"
