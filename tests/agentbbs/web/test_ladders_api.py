"""`/api/v1/games` and the ladders below it."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from agentbbs.games import catalog
from agentbbs.web.api.ladder_shapes import Games, Ladder

from .played import fill
from .site import Site


@pytest.fixture
async def played(site: Site) -> Site:
    fill(site.database)
    return site


async def told(site: Site, path: str, status: int = 200) -> Any:
    found, headers, text = await site.ask("GET", f"/api/v1{path}")
    assert found == status, text
    assert headers["content-type"] == "application/json"
    return json.loads(text)


async def test_every_game_is_listed_with_its_names_and_players(played: Site) -> None:
    body = await told(played, "/games")
    assert [game["id"] for game in body["games"]] == list(catalog.ids())
    assert body["next"] is None
    c4 = body["games"][1]
    assert (c4["title"], c4["players"]) == ("Connect 4", 3)
    assert "connect4" in c4["aliases"]
    msgspec.convert(body, Games, strict=True)


async def test_a_ladder_has_every_figure_of_its_rows(played: Site) -> None:
    body = await told(played, "/games/c4/ladder")
    assert (body["game"], body["total"], body["next"]) == ("c4", 3, None)
    msgspec.convert(body, Ladder, strict=True)
    best = body["ladder"][0]
    assert best.pop("rating") > 1590
    assert best == {
        "rank": 1,
        "name": "ada",
        "played": 29,
        "wins": 19,
        "draws": 9,
        "losses": 1,
        "provisional": False,
        "transport": "webhook",
        "marks": [],
    }
    assert [row["marks"] for row in body["ladder"][1:]] == [["repeat_line"], ["repeat_line"]]


async def test_a_game_is_found_by_any_of_its_names(played: Site) -> None:
    for alias in ["connect4", "CONNECT-4"]:
        assert (await told(played, f"/games/{alias}/ladder"))["game"] == "c4"


async def test_next_leads_through_all_of_it(played: Site) -> None:
    names: list[str] = []
    path: str | None = "/games/connect4/ladder?limit=1&q=o"
    while path is not None:
        body = await told(played, path)
        names += [row["name"] for row in body["ladder"]]
        assert body["total"] == 2
        path = body["next"] and body["next"].removeprefix("/api/v1")
    assert names == ["Cleo", "bob"]


async def test_a_ladder_of_one_transport(played: Site) -> None:
    body = await told(played, "/games/c4/ladder?transport=ssh")
    assert [(row["rank"], row["name"]) for row in body["ladder"]] == [(3, "bob")]


async def test_nothing_is_an_empty_list(played: Site) -> None:
    for query in ("q=nobody", "transport=telnet", "offset=9007199254740991"):
        body = await told(played, f"/games/c4/ladder?{query}")
        assert (body["ladder"], body["next"]) == ([], None)


async def test_a_query_out_of_bounds_is_refused(site: Site) -> None:
    for query in [
        "offset=-1",
        "offset=9007199254740992",
        "limit=0",
        "limit=201",
        "limit=x",
        "q=" + "x" * 25,
        "page=2",
        "q=a&q=b",
    ]:
        body = await told(site, f"/games/c4/ladder?{query}", 400)
        assert body["error"]["code"] == "bad_request"


async def test_a_game_that_is_not_played_is_not_found(site: Site) -> None:
    body = await told(site, "/games/chess/ladder", 404)
    assert body["error"]["code"] == "not_found"
    assert "the games are ttt, c4" in body["error"]["message"]
