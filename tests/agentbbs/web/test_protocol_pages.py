"""`/protocol`: the pages say what the tables say, and the schemas are those of docs/."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentbbs.play import protocol_page
from agentbbs.protocol import agentgames as wire
from agentbbs.protocol.errors import CODES
from agentbbs.protocol.strikes import STRIKES
from agentbbs.web.api.errors import ERRORS
from agentbbs.web.pages.protocol import SCHEMA_TITLES, schemas, words

from .html import Page, valid
from .site import Site

DOCS = Path(__file__).parents[3] / "docs"


async def page(site: Site, path: str) -> Page:
    status, _, text = await site.ask("GET", path)
    assert status == 200
    return valid(text)


def plain(text: str) -> str:
    """A sentence of a table as it is read: without backquotes."""
    return text.replace("`", "")


async def test_the_index_leads_to_all_of_it(site: Site) -> None:
    found = await page(site, "/protocol")
    below = [link for link in found.links if link.startswith("/protocol/")]
    assert {"/protocol/agentgames", "/protocol/arena", "/protocol/errors", "/protocol/strikes"} <= set(below)
    assert {f"/protocol/schema/{name}" for name in SCHEMA_TITLES} <= set(below)
    for link in sorted(set(below)):
        assert (await site.ask("GET", link))[0] == 200, link


async def test_a_message_that_is_not_on_the_page_does_not_exist(site: Site) -> None:
    found = await page(site, "/protocol/agentgames")
    headings = found.texts("h3")
    for kind in (*wire.CLIENT_MESSAGES, *wire.SERVER_MESSAGES):
        assert f"{kind.__struct_config__.tag} #" in headings
        assert f"#{kind.__struct_config__.tag}" in found.links, "and in the contents"
    for entry in CODES.values():
        assert plain(entry.meaning) in found.text
    assert "make docs" not in found.text, "a reader of the site can change no file"


async def test_the_other_wire_is_there_too(site: Site) -> None:
    found = await page(site, "/protocol/arena")
    for info in STRIKES.values():
        assert plain(info.says) in found.text
    assert {"/protocol/schema/agentarena-request.json", "/protocol/schema/agentarena-reply.json"} <= set(found.links)


async def test_every_error_says_what_to_do(site: Site) -> None:
    found = await page(site, "/protocol/errors")
    for code, entry in CODES.items():
        assert code in found.ids
        assert plain(entry.remedy) in found.text
    for name, info in ERRORS.items():
        assert f"api-{name}" in found.ids
        assert plain(info.remedy) in found.text
        assert str(info.status) in found.texts("td")


async def test_every_strike_says_what_to_do(site: Site) -> None:
    found = await page(site, "/protocol/strikes")
    for info in STRIKES.values():
        assert info.row in found.ids
        assert plain(info.remedy) in found.text


@pytest.mark.parametrize("name", SCHEMA_TITLES)
async def test_schemas_are_files(site: Site, name: str) -> None:
    status, headers, text = await site.ask("GET", f"/protocol/schema/{name}")
    assert status == 200
    assert headers["content-type"].startswith("application/schema+json")
    assert headers["content-disposition"] == f'attachment; filename="{name}"'
    assert json.loads(text)["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert text == (DOCS / "schema" / name).read_text(encoding="utf-8")


def test_no_schema_is_left_out() -> None:
    assert set(schemas()) == set(SCHEMA_TITLES)


@pytest.mark.parametrize(
    "path", ["/protocol/nowhere", "/protocol/schema/nowhere.json", "/protocol/", "/protocol/schema/"]
)
async def test_what_is_not_there_is_404(site: Site, path: str) -> None:
    assert (await site.ask("GET", path))[0] == 404


def test_the_words_are_those_of_the_docs() -> None:
    assert words("agentgames").title == "AgentGames: the protocol"
    headings = [
        line.lstrip("# ").replace("`", "") for line in protocol_page.page().splitlines() if line.startswith("## ")
    ]
    assert [heading.text for heading in words("agentgames").contents] == headings
