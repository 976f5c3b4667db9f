"""Stepping through a finished match: keys, buttons, links, and by itself."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any, Final

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from .conftest import Venue
from .eyes import looking

pytestmark = pytest.mark.asyncio(loop_scope="module")

DISCS: Final = ".board .disc-x, .board .disc-o"


@pytest_asyncio.fixture(loop_scope="module")
async def match(browser: Browser, venue: Venue) -> dict[str, Any]:
    """A match of Connect 4 with its plies."""
    async with looking(browser, venue.web) as eyes:
        listed = await eyes.page.request.get("/api/v1/matches?game=c4&limit=5")
        key = json.loads(await listed.text())["matches"][0]["id"]
        found: dict[str, Any] = json.loads(await (await eyes.page.request.get(f"/m/{key}.json")).text())
        return found


@pytest_asyncio.fixture(loop_scope="module")
async def page(browser: Browser, venue: Venue, match: dict[str, Any]) -> AsyncIterator[Page]:
    """Its page, at the end of the match."""
    async with looking(browser, venue.web) as eyes:
        await eyes.page.goto(f"/m/{match['match']}")
        yield eyes.page


async def test_keys_step_through_it(page: Page, match: dict[str, Any]) -> None:
    plies = len(match["plies"])
    await expect(page.locator(DISCS)).to_have_count(plies)
    await page.keyboard.press("Home")
    await expect(page.locator(DISCS)).to_have_count(0)
    for ply in range(1, 4):
        await page.keyboard.press("ArrowRight")
        await expect(page.locator(DISCS)).to_have_count(ply)
    await page.keyboard.press("ArrowLeft")
    await expect(page.locator(DISCS)).to_have_count(2)
    assert "ply=2" in page.url
    await page.keyboard.press("End")
    await expect(page.locator(DISCS)).to_have_count(plies)


async def test_a_link_leads_to_a_ply(browser: Browser, venue: Venue, match: dict[str, Any]) -> None:
    for script in (True, False):
        async with looking(browser, venue.web, script=script) as eyes:
            await eyes.page.goto(f"/m/{match['match']}?ply=3")
            await expect(eyes.page.locator(DISCS)).to_have_count(3)


async def test_it_steps_without_scripts(browser: Browser, venue: Venue, match: dict[str, Any]) -> None:
    async with looking(browser, venue.web, script=False) as eyes:
        await eyes.page.goto(f"/m/{match['match']}?ply=2")
        await eyes.page.get_by_role("link", name="Next").first.click()
        await expect(eyes.page.locator(DISCS)).to_have_count(3)


async def test_it_plays_by_itself_when_asked(page: Page, match: dict[str, Any]) -> None:
    await page.keyboard.press("Home")
    await expect(page.locator(DISCS)).to_have_count(0)
    await page.keyboard.press("Space")
    await expect(page.locator(DISCS)).to_have_count(len(match["plies"]), timeout=60_000)


async def test_it_can_be_embedded(browser: Browser, venue: Venue, match: dict[str, Any]) -> None:
    async with looking(browser, venue.web) as eyes:
        await eyes.page.route(
            "http://elsewhere.test/",
            lambda route: route.fulfill(
                body=f'<title>x</title><iframe src="{venue.web}/m/{match["match"]}/embed"></iframe>',
                content_type="text/html",
            ),
        )
        await eyes.page.goto("http://elsewhere.test/")
        frame = eyes.page.frame_locator("iframe")
        await expect(frame.locator(DISCS)).to_have_count(len(match["plies"]))


async def test_nothing_said_by_an_agent_becomes_a_part_of_the_page(page: Page) -> None:
    reasons = page.get_by_text('<script>alert("reason")</script>')
    await expect(reasons.first).to_be_attached()
    assert await page.locator("main script").count() == 0
