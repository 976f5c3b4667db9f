"""`/practice` at a browser: from the form to the page of a match that is on."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest

from agentbbs.referee.practice import PER_HOUR
from agentbbs.store import endpoints
from agentbbs.web.entry.own_account import now_ms

from .site import Endpoint, Site
from .test_practice_api import stored
from .visitor import FORM_TYPE, Answer, Visitor


async def signed_in(site: Site, name: str = "gremlin") -> Visitor:
    visitor = Visitor(site)
    await visitor.sign_in(name)
    return visitor


async def begin(visitor: Visitor, **fields: str) -> Answer:
    shown = await visitor.get("/practice")
    return await visitor.post("/practice/match", {"bot": "greedy", **fields}, key=shown.form_key())


async def register(site: Site, endpoint: Endpoint, name: str = "gremlin", game: str = "ttt") -> str:
    """The id of an endpoint that is registered."""
    body = {"url": endpoint.url, "game": game}
    status, answer = await site.call("POST", "/api/v1/endpoints", site.token(name), body)
    assert status == 201, answer
    return str(answer["endpoint"]["id"])


def wrong_fields(answer: Answer) -> list[str | None]:
    marked = answer.page.all("input", "select")
    return [one.get("name") for one in marked if one.get("aria-invalid") == "true"]


def chosen(answer: Answer, name: str) -> str | None:
    (field,) = [one for one in answer.page.all("select") if one.get("name") == name]
    picked = [one.get("value") for one in field.iter("option") if "selected" in one.attrib]
    return picked[0] if picked else None


async def test_a_reader_without_an_account_sees_what_it_is_and_how_to_get_there(site: Site) -> None:
    page = (await Visitor(site).get("/practice")).page
    assert page.all("form") == []
    assert {"/sign-in?then=practice", "/join", "/arena"} <= set(page.links)
    commands = " ".join(page.texts("pre"))
    assert "curl -H" in commands
    assert "/practice" in commands
    assert "agentbbs check-agent" in commands


async def test_its_form_sends_who_is_not_signed_in_to_sign_in(site: Site) -> None:
    answer = await Visitor(site).post("/practice/match", {"url": "https://a.example/", "game": "ttt"})
    assert answer.leads_to == "/sign-in?then=practice"


async def test_from_the_form_to_the_match(site: Site, endpoint: Endpoint) -> None:
    visitor = await signed_in(site)
    endpoint.let.clear()
    answer = await begin(visitor, url=f" {endpoint.url} ", game="connect4")
    assert answer.leads_to.startswith("/m/")
    live = await visitor.get(answer.leads_to)
    assert (live.status, "gremlin" in live.text, "greedy" in live.text) == (200, True, True)
    endpoint.let.set()
    match = (await stored(site, answer.leads_to.removeprefix("/m/"))).match
    assert (match.rated, match.game) == (False, "c4")
    assert {player.name for player in match.players} == {"gremlin", "greedy"}


async def test_a_registered_endpoint_is_chosen_and_signed(site: Site, endpoint: Endpoint) -> None:
    number = await register(site, endpoint)
    visitor = await signed_in(site)
    page = (await visitor.get("/practice")).page
    assert f"tictactoe: {endpoint.url}" in page.text or f"ttt: {endpoint.url}" in page.text
    answer = await begin(visitor, endpoint=number, url="", game="connect4")
    match = (await stored(site, answer.leads_to.removeprefix("/m/"))).match
    assert match.game == "ttt"
    assert "webhook-signature" in endpoint.headers[-1]


async def test_anothers_endpoint_is_not_there(site: Site, endpoint: Endpoint) -> None:
    number = await register(site, endpoint, "goblin")
    visitor = await signed_in(site)
    with site.database.begin() as conn:
        account = conn.exec_driver_sql("SELECT id FROM accounts WHERE name = 'gremlin'").scalar_one()
        endpoints.register(conn, account, "c4", "https://a.example/", "hmac", "whsec_x", now_ms())
    answer = await begin(visitor, endpoint=number)
    assert (answer.status, wrong_fields(answer), endpoint.url in answer.text) == (404, ["endpoint"], False)
    for wrong in ("x", "-1", "٣", "9" * 20):
        answer = await begin(visitor, endpoint=wrong)
        assert (answer.status in {404, 422}, wrong_fields(answer)) == (True, ["endpoint"])


@pytest.mark.parametrize(
    ("fields", "status", "wrong"),
    [
        ({"url": "http://127.0.0.1/", "game": "ttt"}, 422, ["url"]),
        ({"url": "https://10.0.0.1/", "game": "ttt"}, 422, ["url"]),
        ({"url": '"><script>alert(1)</script>', "game": "ttt"}, 422, ["url"]),
        ({"url": "", "game": "ttt"}, 422, ["url"]),
        ({"url": "https://127.0.0.1/", "game": "chess"}, 422, ["game"]),
        ({"url": "https://127.0.0.1/", "game": "ttt", "bot": "nobody"}, 422, ["bot"]),
        ({"url": "https://127.0.0.1/" + "a" * 4096, "game": "ttt"}, 422, ["url"]),
    ],
)
async def test_refusals_are_shown_in_place_with_what_was_typed(
    site: Site, fields: dict[str, str], status: int, wrong: list[str]
) -> None:
    visitor = await signed_in(site)
    answer = await begin(visitor, **fields)
    assert (answer.status, wrong_fields(answer)) == (status, wrong)
    if len(fields["url"]) <= 4096:
        assert answer.field("url") == fields["url"]
        assert chosen(answer, "game") == (fields["game"] if fields["game"] == "ttt" else None)
    assert "That did not work." in answer.page.text


async def test_one_match_at_a_time(site: Site, endpoint: Endpoint) -> None:
    visitor = await signed_in(site)
    endpoint.let.clear()
    first = await begin(visitor, url=endpoint.url, game="ttt")
    answer = await begin(visitor, url=endpoint.url, game="ttt")
    assert (answer.status, answer.headers["retry-after"], answer.field("url")) == (409, "1", endpoint.url)
    assert "plays a practice match already" in answer.page.text
    endpoint.let.set()
    await stored(site, first.leads_to.removeprefix("/m/"))


async def test_so_many_an_hour_whichever_way_they_began(site: Site, endpoint: Endpoint) -> None:
    visitor, token = await signed_in(site), site.token("gremlin")
    for number in range(PER_HOUR):
        if number % 2:
            assert (await begin(visitor, url=f"{endpoint.url}{number}", game="ttt")).status == 303
        else:
            body = {"url": f"{endpoint.url}{number}", "game": "ttt"}
            assert (await site.call("POST", "/practice", token, body))[0] == 201
    answer = await begin(visitor, url=f"{endpoint.url}x", game="ttt")
    assert (answer.status, int(answer.headers["retry-after"]) > 0) == (429, True)
    assert "matches an hour" in answer.page.text


async def test_a_cookie_begins_nothing_over_the_api(site: Site, endpoint: Endpoint) -> None:
    visitor = await signed_in(site)
    key = (await visitor.get("/practice")).form_key()
    wanted = {"url": endpoint.url, "game": "ttt"}
    for kind, body in (
        ("application/json", json.dumps(wanted)),
        ("application/json", json.dumps({**wanted, "form_key": key})),
        ("text/plain", json.dumps(wanted)),
        (FORM_TYPE, urlencode({**wanted, "form_key": key})),
    ):
        answer = await visitor.send("/practice", body.encode(), {"Content-Type": kind})
        assert answer.status in {401, 403, 415}, (kind, answer.status)
    assert endpoint.heard == []


async def test_the_address_of_the_form_leads_to_the_page(site: Site) -> None:
    assert (await Visitor(site).get("/practice/match")).leads_to == "/practice"
