"""`/api/v1/live`: what is on, as programs and the pages' own script read it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentbbs.games.catalog import find
from agentbbs.play.lobby import Queue
from agentbbs.play.match import Match
from agentbbs.web.live.on_now import MAX_WAITING, on_now

from .live_tables import Table
from .site import FirstMove, Site


async def asked(site: Site, query: str = "") -> dict[str, Any]:
    status, _, text = await site.ask("GET", f"/api/v1/live{query}")
    assert status == 200, text
    found: dict[str, Any] = json.loads(text)
    return found


async def test_nothing_is_on(site: Site) -> None:
    assert await asked(site) == {"matches": [], "total": 0, "waiting": [], "waiting_total": 0, "next": None}


async def test_a_match_with_who_plays_and_how_far_it_is(site: Site) -> None:
    table = Table(site)
    table.play("4")
    found = await asked(site)
    assert found["total"] == 1
    (match,) = found["matches"]
    assert match == {
        "id": table.id,
        "game": "ttt",
        "title": "Tic-Tac-Toe",
        "players": [
            {"name": "ann", "mark": "X", "transport": "hub", "account": True},
            {"name": "bob", "mark": "O", "transport": "hub", "account": True},
        ],
        "ply": 1,
        "to_move": 1,
        "started_ms": table.match.started_ms,
        "rated": False,
        "href": f"/m/{table.id}",
        "events": f"/api/v1/live/{table.id}/events",
    }


async def test_pages_lead_through_all_of_them(site: Site) -> None:
    tables = [Table(site) for _ in range(7)]
    found, seen = await asked(site, "?limit=3"), []
    while True:
        seen += [match["id"] for match in found["matches"]]
        if found["next"] is None:
            break
        found = await asked(site, found["next"].removeprefix("/api/v1/live"))
    assert seen == sorted((table.id for table in tables), reverse=True)


async def test_what_has_not_changed_is_not_sent_again(site: Site) -> None:
    table = Table(site)
    _, headers, _ = await site.ask("GET", "/api/v1/live")
    tag = {"If-None-Match": headers["etag"]}
    assert (await site.ask("GET", "/api/v1/live", headers=tag))[0] == 304
    table.play("4")
    assert (await site.ask("GET", "/api/v1/live", headers=tag))[0] == 200


@pytest.mark.parametrize("query", ["?limit=0", "?limit=201", "?limit=x", "?before=", f"?before={'a' * 65}", "?more=1"])
async def test_wrong_queries_are_refused(site: Site, query: str) -> None:
    status, _, text = await site.ask("GET", f"/api/v1/live{query}")
    assert (status, json.loads(text)["error"]["code"]) == (400, "bad_request")


def test_only_so_many_who_wait_are_named() -> None:
    queue = [Queue("c4", f"agent{number}", number, 1500, 1.0, 100) for number in range(MAX_WAITING + 5)]
    found = on_now((), queue, limit=10)
    assert (len(found.waiting), found.waiting_total) == (MAX_WAITING, MAX_WAITING + 5)
    assert found.waiting[0].title == "Connect 4"


def test_a_house_bot_has_no_page() -> None:
    bot = FirstMove("greedy").player
    match = Match("01a2", find("c4"), (bot, bot), (FirstMove.policy,) * 2, move_timeout_ms=1, started_ms=0)
    (found,) = on_now((match,), (), limit=10).matches
    assert [player.account for player in found.players] == [False, False]
