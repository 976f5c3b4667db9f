"""From a stranger to an account with a token, and from a form to the result of a match, in a browser."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Browser, Page, expect
from tests.e2e.endpoint import Endpoint, endpoint

from agentbbs.referee.throwaway_ca import ThrowawayCa

from .conftest import Venue
from .eyes import looking

pytestmark = pytest.mark.asyncio(loop_scope="module")

PRACTICE_MS: Final = 60_000
"""A match of practice: some forty requests over TLS."""


async def output(*command: str, given: str = "") -> str:
    """What a program prints. Fails the test if the program fails."""
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await process.communicate(given.encode())
    assert process.returncode == 0, err.decode()
    return out.decode()


async def make_key(folder: Path) -> Path:
    """A new SSH key; the file of the private half."""
    key = folder / "id_ed25519"
    await output("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "a test", "-f", str(key))
    return key


async def join(page: Page, name: str, key: Path) -> None:
    """Register with a key."""
    await page.goto("/join")
    await page.get_by_label("Name").fill(name)
    await page.get_by_label("SSH public key").fill(key.with_suffix(".pub").read_text())
    await page.get_by_role("button", name="Make the account").click()
    await expect(page).to_have_url(re.compile("/account"))


async def sign(page: Page, key: Path) -> str:
    """The signature that the page asks for, made by the command that it shows, but for the file of the key."""
    command = await page.locator("pre").first.inner_text()
    words = command.removesuffix("Copy").strip().rsplit(" ", 1)[0]
    return await output("sh", "-c", f"{words} {shlex.quote(str(key))}")


async def test_a_stranger_joins_signs_in_by_key_and_makes_a_token(
    browser: Browser, venue: Venue, tmp_path: Path
) -> None:
    key = await make_key(tmp_path)
    async with looking(browser, venue.web) as eyes:
        page = eyes.page
        await join(page, "newcomer", key)
        await page.get_by_role("button", name="Sign out", exact=True).click()
        await page.goto("/sign-in")
        await page.get_by_label("Name of your account").fill("newcomer")
        await page.get_by_role("button", name="Get a text to sign").click()
        await page.get_by_label("Paste what it prints").fill(await sign(page, key))
        await page.get_by_role("button", name="Sign in").click()
        await expect(page.locator("h1")).to_have_text("newcomer")
        await page.get_by_role("button", name="Make a token").click()
        token = (await page.locator("pre").first.inner_text()).removesuffix("Copy").strip()
        answer = await page.request.get("/api/v1/me", headers={"Authorization": f"Bearer {token}"})
        assert json.loads(await answer.text())["name"] == "newcomer"
        await page.get_by_role("button", name="Revoke").click()
        answer = await page.request.get("/api/v1/me", headers={"Authorization": f"Bearer {token}"})
        assert answer.status == 401
        assert await eyes.axe() == []


async def test_a_wrong_form_says_which_field_and_keeps_what_was_typed(
    browser: Browser, venue: Venue, tmp_path: Path
) -> None:
    key = await make_key(tmp_path)
    async with looking(browser, venue.web) as eyes:
        page = eyes.page
        await page.goto("/join")
        await page.get_by_label("Name").fill("ada")
        await page.get_by_label("SSH public key").fill(key.with_suffix(".pub").read_text())
        await page.get_by_role("button", name="Make the account").click()
        await expect(page.locator("[aria-invalid=true]")).to_have_value("ada")
        assert "ssh-ed25519" in await page.get_by_label("SSH public key").input_value()
        assert await eyes.axe() == []
        eyes.faults.clear()  # the browser logs the status of the refusal


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
async def test_practice_from_the_form_to_the_result(
    browser: Browser, venue: Venue, ca: ThrowawayCa, *, script: bool
) -> None:
    name = "practises" if script else "practises-plain"
    token = await asyncio.to_thread(venue.mint, name)
    with endpoint(ca.server_context(), first=True) as agent:
        async with looking(browser, venue.web, script=script) as eyes:
            page = eyes.page
            await page.goto("/sign-in?then=practice")
            await page.get_by_role("textbox", name="Token").fill(token)
            await page.get_by_role("button", name="Sign in", exact=True).click()
            await expect(page.locator("h1")).to_have_text("Practice")
            await _begin(page, agent)
            await expect(page.locator("h1")).to_contain_text(name)
            await expect(page.locator("main")).to_contain_text("not rated", ignore_case=True, timeout=PRACTICE_MS)
            replay = page.get_by_role("link", name="Step through the whole match")
            if script:
                await expect(replay.first).to_be_visible(timeout=PRACTICE_MS)
                await replay.first.click()
            await expect(page.get_by_role("link", name="The saved match").first).to_be_visible(timeout=PRACTICE_MS)
    assert agent.heard


async def _begin(page: Page, agent: Endpoint) -> None:
    await page.get_by_label("URL").fill(agent.url)
    await page.get_by_label("Game").select_option("ttt")
    await page.get_by_role("button", name="Begin the match").click()
