"""`POST /practice`: an unrated match against a house bot, watched at the link that comes back."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from aiohttp import web

from agentbbs.play.lobby import PRACTICE
from agentbbs.referee.practice import PER_HOUR
from agentbbs.store import history

from .html import valid
from .site import PUBLIC_URL, SOON_S, Endpoint, Site


async def stored(site: Site, match_id: str) -> history.StoredMatch:
    """The match, when it is over."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(SOON_S):
        while True:
            try:
                return await site.database.read(history.match, match_id)
            except history.NoSuchMatch:
                turned = loop.create_future()
                loop.call_later(0.01, turned.set_result, None)
                await turned


async def begin(site: Site, token: str, **wanted: Any) -> str:
    """The id of a match that has begun."""
    status, answer = await site.call("POST", "/practice", token, wanted)
    assert status == 201, answer
    assert answer["replay_url"] == f"{PUBLIC_URL}/m/{answer['match_id']}"
    return str(answer["match_id"])


async def test_a_url_plays_a_house_bot_unrated(site: Site, endpoint: Endpoint) -> None:
    match_id = await begin(site, site.token("gremlin"), url=endpoint.url, game="connect4", bot="greedy")
    found = (await stored(site, match_id)).match
    assert (found.id, found.rated, found.game) == (match_id, False, "c4")
    assert {player.name for player in found.players} == {"gremlin", "greedy"}
    assert {turn["match_id"] for turn in endpoint.heard} == {match_id}
    assert {turn["replay_url"] for turn in endpoint.heard} == {f"{PUBLIC_URL}/m/{match_id}"}
    status, _, text = await site.ask("GET", f"/m/{match_id}")
    assert status == 200
    assert PRACTICE in valid(text).text


async def test_a_registered_endpoint_plays_with_its_signatures(site: Site, endpoint: Endpoint) -> None:
    token = site.token("gremlin")
    _, answer = await site.call("POST", "/api/v1/endpoints", token, {"url": endpoint.url, "game": "ttt"})
    match_id = await begin(site, token, endpoint_id=answer["endpoint"]["id"])
    await stored(site, match_id)
    assert "webhook-signature" in endpoint.headers[-1]
    other = site.token("other")
    status, answer = await site.call("POST", "/practice", other, {"endpoint_id": answer["endpoint"]["id"]})
    assert (status, answer["error"]["code"]) == (404, "not_found")


async def test_one_match_at_a_time_a_target(site: Site, endpoint: Endpoint) -> None:
    token, other = site.token("gremlin"), site.token("other")
    endpoint.let.clear()
    match_id = await begin(site, token, url=endpoint.url, game="ttt")
    for one in (token, other):
        status, answer = await site.call("POST", "/practice", one, {"url": endpoint.url, "game": "ttt"})
        assert (status, answer["error"]["code"]) == (409, "busy")
    endpoint.let.set()
    await stored(site, match_id)


async def test_six_an_hour(site: Site, endpoint: Endpoint) -> None:
    token = site.token("gremlin")
    endpoint.behave = lambda _: web.Response(status=404)
    for number in range(PER_HOUR):
        await begin(site, token, url=f"{endpoint.url}{number}", game="ttt")
    status, answer = await site.call("POST", "/practice", token, {"url": f"{endpoint.url}x", "game": "ttt"})
    assert (status, answer["error"]["code"]) == (429, "rate_limited")
    assert 0 < answer["error"]["retry_after_s"] <= 3600


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({"url": "https://127.0.0.1/", "game": "ttt", "bot": "nobody"}, "unknown_bot"),
        ({"url": "https://127.0.0.1/", "game": "chess"}, "unknown_game"),
        ({"url": "http://127.0.0.1/", "game": "ttt"}, "url_refused"),
        ({"url": "https://10.0.0.1/", "game": "ttt"}, "url_refused"),
        ({"url": "https://127.0.0.1/"}, "bad_request"),
        ({"game": "ttt"}, "bad_request"),
        ({"endpoint_id": 1, "game": "ttt"}, "bad_request"),
        ({"endpoint_id": "1"}, "bad_request"),
        ({"endpoint_id": -1}, "not_found"),
        ({"endpoint_id": 10**30}, "not_found"),
        ({"url": "https://127.0.0.1/", "game": "ttt", "loopback": True}, "bad_request"),
        ({}, "bad_request"),
    ],
)
async def test_what_can_not_be_is_refused(site: Site, wanted: dict[str, Any], code: str) -> None:
    _, answer = await site.call("POST", "/practice", site.token("gremlin"), wanted)
    assert answer["error"]["code"] == code


async def test_no_request_opens_this_machine(strict_site: Site, endpoint: Endpoint) -> None:
    for more in ({}, {"loopback": True}, {"dev": 1}):
        body = {"url": endpoint.url, "game": "ttt", **more}
        status, answer = await strict_site.call("POST", "/practice", strict_site.token("gremlin"), body)
        assert (status, answer["error"]["code"]) in {(422, "url_refused"), (400, "bad_request")}
    assert endpoint.heard == []


async def test_a_form_and_no_token_begin_nothing(site: Site, endpoint: Endpoint) -> None:
    body = json.dumps({"url": endpoint.url, "game": "ttt"}).encode()
    kind = {"Content-Type": "application/json"}
    status, _, text = await site.ask("POST", "/practice", headers=kind, data=body)
    assert (status, json.loads(text)["error"]["code"]) == (401, "unauthorized")
    token = {"Authorization": f"Bearer {site.token('gremlin')}"}
    status, _, text = await site.ask(
        "POST", "/practice", headers=token, data=b"url=https%3A%2F%2Fa.example%2F&game=ttt"
    )
    assert (status, json.loads(text)["error"]["code"]) == (415, "unsupported_media_type")
    status, headers, _ = await site.ask("GET", "/practice", headers=token)
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    status, headers, text = await site.ask("PUT", "/practice", headers=token)
    assert (status, json.loads(text)["error"]["code"]) == (405, "method_not_allowed")
    assert headers["allow"] == "GET, HEAD, POST"
    assert endpoint.heard == []
