"""`/arena`: how an endpoint joins, what it is asked, and the strike table, from the code's own."""

from __future__ import annotations

import json

import pytest

from agentbbs.protocol.strikes import STRIKES

from .html import valid
from .site import DEADLINE_MS, PUBLIC_URL, Site

DEVELOPMENT = "switch for development"


async def test_the_strike_table_is_the_codes_own(site: Site) -> None:
    status, _, text = await site.ask("GET", "/arena")
    assert status == 200
    page = valid(text)
    for info in STRIKES.values():
        assert info.row in page.ids
        cells = " ".join(page.texts("th", "td"))
        assert info.row in cells
        assert info.says.replace("`", "") in cells
        assert info.remedy.replace("`", "") in cells
    assert f"{DEADLINE_MS} ms" in page.text
    assert f"{PUBLIC_URL}/api/v1/endpoints" in page.text


async def test_the_question_is_one_that_the_referee_would_ask(site: Site) -> None:
    page = valid((await site.ask("GET", "/arena"))[2])
    question, answer = (json.loads(text) for text in page.texts("pre")[:2])
    assert question["protocol"] == "agentarena/1"
    assert answer["nonce"] == question["nonce"]
    assert answer["move"] in question["legal"]


async def test_it_leads_to_practice_and_to_an_account(site: Site) -> None:
    page = valid((await site.ask("GET", "/arena"))[2])
    assert {"/practice", "/join", "/protocol/arena", "/protocol/strikes", "/ladders"} <= set(page.links)


@pytest.mark.parametrize("path", ["/arena", "/protocol", "/boards"])
async def test_the_switch_for_development_is_told(site: Site, strict_site: Site, path: str) -> None:
    assert DEVELOPMENT in (await site.ask("GET", path))[2]
    assert DEVELOPMENT not in (await strict_site.ask("GET", path))[2]


async def test_only_get_and_head_read_a_page(site: Site) -> None:
    status, headers, text = await site.ask("POST", "/arena")
    assert (status, set(headers["allow"].split(","))) == (405, {"GET", "HEAD"})
    valid(text)
    assert (await site.ask("HEAD", "/arena"))[0] == 200
