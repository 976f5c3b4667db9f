"""Runs of the gym in a browser: every page light, dark, narrow and without scripts, and a recording that plays."""

from __future__ import annotations

import re
from typing import Final

import pytest
from playwright.async_api import Browser, expect
from tests.agentbbs.web import run_samples as samples

from agentbbs.web.pages.runs import PLAYER
from agentbbs.web.static_files import FOLDER

from .conftest import Venue
from .eyes import NARROW, WIDE, looking, needs_axe

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAGES: Final = (
    "/runs",
    "/runs?campaign=spring",
    "/runs/duel-1?events=every",
    "/runs/first",
    "/runs/first/ann",
    "/runs/first/ann/1",
    "/runs/first/ann/2",
    "/runs/first/ann/playback",
)

MAX_PAGE_BYTES: Final = 100_000

needs_player: Final = pytest.mark.skipif(
    not all((FOLDER / name).is_file() for name in PLAYER), reason="run `make player` first"
)


@pytest.fixture(scope="module")
def gym(venue: Venue) -> Venue:
    """The venue, with runs of every kind."""
    root = venue.data.parent / "runs"
    samples.single(root, decisions=[samples.decision(1), samples.repaired(2), samples.decision(3)])
    samples.match(root)
    samples.campaign(root)
    return venue


@needs_axe
@pytest.mark.parametrize(("width", "dark"), [(WIDE, False), (NARROW, True)])
async def test_no_page_has_a_fault(browser: Browser, gym: Venue, width: int, dark: bool) -> None:
    async with looking(browser, gym.web, width=width, dark=dark) as eyes:
        for path in PAGES:
            answer = await eyes.page.goto(path, wait_until="networkidle")
            assert answer is not None
            assert answer.status == 200, path
            assert len(await answer.body()) < MAX_PAGE_BYTES, path
            assert await eyes.overflow() == 0, path
            for part in await eyes.page.locator("details").all():
                await part.evaluate("part => { part.open = true; }")
            assert await eyes.axe() == [], path


async def test_keys_go_from_decision_to_decision(browser: Browser, gym: Venue) -> None:
    async with looking(browser, gym.web) as eyes:
        await eyes.page.goto("/runs/first/ann/2")
        await eyes.page.keyboard.press(".")
        await expect(eyes.page).to_have_url(re.compile("/runs/first/ann/3$"))
        await eyes.page.keyboard.press(",")
        await expect(eyes.page).to_have_url(re.compile("/runs/first/ann/2$"))


@needs_player
async def test_a_recording_plays_under_the_policy_of_its_page(browser: Browser, gym: Venue) -> None:
    async with looking(browser, gym.web) as eyes:
        await eyes.page.goto("/runs/first/ann/playback")
        await expect(eyes.page.locator("#no-player")).to_be_hidden()
        await eyes.page.locator(".ap-overlay-start, .ap-play-button").first.click()
        await expect(eyes.page.locator(".ap-term")).to_contain_text("Sector 1")


async def test_without_scripts_the_recording_can_still_be_had(browser: Browser, gym: Venue) -> None:
    async with looking(browser, gym.web, script=False) as eyes:
        await eyes.page.goto("/runs/first/ann/playback")
        async with eyes.page.expect_download() as download:
            await eyes.page.get_by_role("link", name="Download the .cast").click()
        assert (await download.value).suggested_filename == "first-ann.cast"
