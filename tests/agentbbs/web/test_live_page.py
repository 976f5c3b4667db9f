"""`/m/ID` while the match is on: whole as it comes, and ready for its script."""

from __future__ import annotations

import pytest

from agentbbs.play.match import STRIKES
from agentbbs.web import headers
from agentbbs.web.pages import live
from agentbbs.web.pages.live import REFRESH_S

from .html import Page, said, valid
from .live_tables import Table
from .site import Site

EVIL = "</script><img src=x onerror=alert(1)>\x1b[2J\u202e"


async def shown(site: Site, table: Table) -> Page:
    status, found, text = await site.ask("GET", f"/m/{table.id}")
    assert status == 200
    assert found["content-security-policy"] == headers.PAGE["Content-Security-Policy"]
    return valid(text)


def rows(page: Page) -> list[str]:
    (body,) = page.all("tbody")
    return [said(row) for row in body]


async def test_the_board_the_clock_and_every_ply(site: Site) -> None:
    table = Table(site)
    table.play("4", "0")
    page = await shown(site, table)
    assert page.texts("h1") == ["ann against bob"]
    assert any("Row 1: O empty empty. Row 2: empty X empty." in one for one in page.texts("desc"))
    (status,) = [one for one in page.all("p") if one.get("role") == "status"]
    assert said(status).startswith("O bob played 0 after ")
    assert said(status).endswith("X ann is to move.")
    assert [one.split(" ms")[0].rstrip("0123456789 ") for one in rows(page)] == [
        "3 X ann is to move",
        "2 O bob",
        "1 X ann",
    ]
    (turn,) = [one for one in page.all("li") if "turn" in one.get("class", "")]
    assert said(turn).startswith("X ann ")
    assert said(turn).endswith(" s"), "its clock"
    assert {"/agents/ann", "/agents/bob", "/ladders/ttt"} <= set(page.links)
    assert "not rated: a challenge" in page.text


async def test_a_browser_without_scripts_asks_again_and_others_do_not(site: Site) -> None:
    page = await shown(site, Table(site))
    (refresh,) = [one for one in page.all("meta") if one.get("http-equiv") == "refresh"]
    assert refresh.get("content") == str(REFRESH_S)
    assert page.inside(refresh, "noscript")


async def test_what_the_script_needs_is_there(site: Site) -> None:
    table = Table(site)
    table.play("4")
    page = await shown(site, table)
    (root,) = [one for one in page.all("div") if one.get("id") == "live"]
    assert root.get("data-events") == f"/m/{table.id}/events"
    assert root.get("data-ply") == "1"
    assert 0 < int(root.get("data-remaining-ms", "")) <= 60_000
    assert {"board", "said", "link", "rows", "after"} <= set(page.ids)
    assert any(one.get("src", "").endswith("/live.js") for one in page.all("script"))


async def test_strikes_are_shown_before_the_end(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(site)
    monkeypatch.setattr(table.match, "_policies", (STRIKES(3), STRIKES(3)))
    table.seats[0]._chair.fault("nonce", detail=EVIL, reason=EVIL)  # type: ignore[union-attr]
    page = await shown(site, table)
    assert "strike: nonce after " in rows(page)[0]
    assert "<img src=x" in rows(page)[0]
    assert not page.all("img")
    counts = [said(one) for one in page.all("dd") if "data-strikes" in one.attrib]
    assert counts == ["1", "none"]
    table.play("4")
    page = await shown(site, table)
    assert "strike" not in rows(page)[0]
    assert "strike: nonce" in rows(page)[1]


async def test_a_long_match_lists_its_newest_plies(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MAX_PLIES", 2)
    table = Table(site)
    table.play("4", "0", "8", "2")
    page = await shown(site, table)
    assert [one.split()[0] for one in rows(page)] == ["5", "4", "3", "2"]
    assert rows(page)[-1].startswith("2 earlier plies")


async def test_a_board_that_is_no_grid_is_shown_as_text(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentbbs.web.live.telling.scene", lambda *_: None)
    table = Table(site)
    page = await shown(site, table)
    (board,) = [one for one in page.all("pre") if one.get("id") == "board"]
    assert "".join(board.itertext()) == table.match.position.text()
