"""Every page, as a reader meets it: light and dark, wide and narrow, with and without scripts."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Final

import pytest
from _pytest.mark import ParameterSet
from playwright.async_api import Browser, Response

from .conftest import Venue
from .eyes import HERE, NARROW, WIDE, like_reference, looking, needs_axe

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAGES: Final = {
    "home": "/",
    "ladders": "/ladders",
    "ladder": "/ladders/c4",
    "ladder-empty": "/ladders/c4?q=nobody-is-called-that",
    "agent": "/agents/gauss",
    "agent-idle": "/agents/hopper",
    "matches": "/matches",
    "match": "match of c4",
    "match-struck": "match with strikes",
    "boards": "/boards",
    "board": "/boards/1",
    "thread": "/boards/threads/1",
    "practice": "/practice",
    "sign-in": "/sign-in",
    "join": "/join",
    "protocol": "/protocol",
    "arena": "/arena",
    "api": "/api",
    "runs": "/runs",
    "nowhere": "/nowhere",
}
"""By the name of the picture; those of matches are looked up."""

PICTURED: Final = ("home", "ladder", "agent", "match", "thread", "sign-in", "nowhere")

HTML_VALIDATE: Final = HERE / "node_modules" / ".bin" / "html-validate"
MAX_PAGE_BYTES: Final = 100_000


async def address(browser: Browser, venue: Venue, name: str) -> str:
    """Where a page is."""
    path = PAGES[name]
    if path.startswith("/"):
        return path
    wanted = {"match of c4": "game=c4", "match with strikes": "game=ttt&agent=gauss"}[path]
    async with looking(browser, venue.web) as eyes:
        answer = await eyes.page.request.get(f"/api/v1/matches?{wanted}&limit=100")
        found = json.loads(await answer.text())["matches"]
        if path == "match with strikes":
            found = [match for match in found if match["termination"] == "strikes"] or found
        return f"/m/{found[0]['id']}"


def shades() -> list[ParameterSet]:
    """Every page in light, and in dark: those without a picture in `make test-all` only."""
    return [
        pytest.param(name, dark, id=f"{name}-{'dark' if dark else 'light'}", marks=[pytest.mark.slow] if rare else [])
        for name in PAGES
        for dark in (False, True)
        for rare in (dark and name not in PICTURED,)
    ]


@needs_axe
@pytest.mark.parametrize(("name", "dark"), shades())
async def test_it_is_sound_wide_and_narrow(browser: Browser, venue: Venue, name: str, *, dark: bool) -> None:
    """axe finds nothing serious, nothing is cut off, and it looks as it did."""
    shade = "dark" if dark else "light"
    async with looking(browser, venue.web, dark=dark) as eyes:
        await eyes.page.goto(await address(browser, venue, name))
        for width in (WIDE, NARROW):
            await eyes.page.set_viewport_size({"width": width, "height": 900})
            if width == WIDE or name in PICTURED:
                assert await eyes.axe() == []
            assert await eyes.overflow() <= 0
            if name in PICTURED:
                assert like_reference(await eyes.picture(), f"{name}-{width}-{shade}") == ""


@pytest.mark.parametrize("name", PAGES)
async def test_it_reads_without_scripts_and_weighs_little(browser: Browser, venue: Venue, name: str) -> None:
    path = await address(browser, venue, name)
    weights: dict[str, int] = {}

    async def weigh(response: Response) -> None:
        weights[response.url] = len(await response.body())

    async with looking(browser, venue.web, script=False) as eyes:
        eyes.page.on("response", weigh)
        await eyes.page.goto(path, wait_until="load")
        assert await eyes.page.locator("h1").count() == 1
        assert await eyes.page.locator("main").inner_text() != ""
        scripts = await eyes.page.locator("script[src]").evaluate_all("all => all.map(one => one.src)")
        while scripts:
            url = scripts.pop()
            source = await (await eyes.page.request.get(url)).text()
            weights[url] = len(source)
            scripts += [url.rpartition("/")[0] + f"/{name}" for name in re.findall(r'from "\./([\w.-]+)"', source)]
    assert sum(weights.values()) < MAX_PAGE_BYTES, weights


@needs_axe
async def test_the_html_is_valid(browser: Browser, venue: Venue, tmp_path: Path) -> None:
    async with looking(browser, venue.web) as eyes:
        for name in PAGES:
            answer = await eyes.page.request.get(await address(browser, venue, name))
            (tmp_path / f"{name}.html").write_text(await answer.text())
    config = HERE / "htmlvalidate.json"
    done = await asyncio.create_subprocess_exec(
        *(
            str(HTML_VALIDATE),
            "--config",
            str(config),
            "--formatter",
            "text",
            *(str(tmp_path / f"{name}.html") for name in PAGES),
        ),
        stdout=asyncio.subprocess.PIPE,
    )
    said, _ = await done.communicate()
    assert done.returncode == 0, said.decode()[-8000:]


async def test_every_link_of_the_site_leads_somewhere(browser: Browser, venue: Venue) -> None:
    """A walk over all pages that can be reached from the first, a few of each kind."""
    seen: set[str] = set()
    todo = ["/"]
    per_kind: dict[str, int] = {}
    broken = []
    async with looking(browser, venue.web) as eyes:
        while todo:
            path = todo.pop()
            answer = await eyes.page.request.get(path)
            if answer.status >= 400:
                broken.append(f"{answer.status} {path}")
            if not answer.headers["content-type"].startswith("text/html"):
                continue
            for found in re.findall(r'<(?:a|link|script|iframe)\b[^>]*?(?:href|src)="(/[^"#]*)', await answer.text()):
                link = found.replace("&amp;", "&")
                kind = re.sub(r"[0-9a-f-]{20,}|\d+|(?<=/agents/)[^?/]+", "*", link.partition("?")[0])
                kind += "?" + ",".join(sorted(re.findall(r"(\w+)=", link)))
                if link not in seen and per_kind.get(kind, 0) < 3:
                    seen.add(link)
                    per_kind[kind] = per_kind.get(kind, 0) + 1
                    todo.append(link)
    assert broken == []
    assert len(seen) > 30
