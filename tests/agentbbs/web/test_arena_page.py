"""`/`, `/arena` and `/healthz`."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import pytest

from agentbbs.protocol.strikes import STRIKES

from .reader import Reader
from .site import DEADLINE_MS, PUBLIC_URL, Site

DEVELOPMENT = "switch for development"


async def test_the_strike_table_is_the_codes_own(site: Site) -> None:
    status, _, text = await site.ask("GET", "/arena")
    assert status == 200
    cells = Reader(text).inside("td")
    for info in STRIKES.values():
        assert info.row in cells
        assert info.says in "".join(cells)
        assert info.remedy in "".join(cells)
    said = Reader(text).text
    assert f"{DEADLINE_MS} ms" in said
    assert f"{PUBLIC_URL}/api/v1/endpoints" in said


@pytest.mark.parametrize("path", ["/", "/arena"])
async def test_the_switch_for_development_is_told(site: Site, strict_site: Site, path: str) -> None:
    assert DEVELOPMENT in (await site.ask("GET", path))[2]
    assert DEVELOPMENT not in (await strict_site.ask("GET", path))[2]


@pytest.mark.parametrize("path", ["/", "/arena", "/m/none", "/none"])
async def test_a_browser_runs_nothing_and_loads_nothing(site: Site, path: str) -> None:
    _, headers, text = await site.ask("GET", path)
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy, "the page's own style counts"
    assert "prefers-color-scheme:dark" in style[1]
    assert 'name="viewport"' in text
    assert " style=" not in text
    Reader(text)


async def test_health_is_told_to_machines(site: Site) -> None:
    status, _, text = await site.ask("GET", "/healthz")
    assert (status, json.loads(text)) == (200, {"status": "ok"})
    site.stopping = True
    status, _, text = await site.ask("GET", "/healthz")
    assert (status, json.loads(text)) == (503, {"status": "stopping"})


async def test_a_fault_of_the_venue_is_a_page_or_json_and_tells_nothing(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("secret of the house")

    token = site.token("gremlin")
    monkeypatch.setattr(site.database, "read", broken)
    status, headers, text = await site.ask("GET", "/m/some-match")
    assert (status, headers["content-type"].partition(";")[0]) == (500, "text/html")
    assert "secret" not in text
    status, answer = await site.call("GET", "/api/v1/endpoints", token)
    assert (status, answer["error"]["code"]) == (500, "internal")
    assert "secret" not in json.dumps(answer)


async def test_only_get_and_head_read_a_page(site: Site) -> None:
    status, headers, text = await site.ask("POST", "/arena")
    assert (status, set(headers["allow"].split(","))) == (405, {"GET", "HEAD"})
    Reader(text)
    assert (await site.ask("HEAD", "/arena"))[0] == 200
