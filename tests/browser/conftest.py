"""A venue with a history, and a browser, both for as long as a module's tests last."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright, expect
from tests.e2e.conftest import VenueProcess

from agentbbs.referee.throwaway_ca import ThrowawayCa

from .eyes import SOON_MS
from .history import furnish

CHROMIUM: Final = shutil.which("chromium")

_FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--font-render-hinting=none",
    "--disable-features=LocalNetworkAccessChecks",
)
"""The browser asks nobody but the venue, and a page from elsewhere may show what is on this machine."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without a browser there is nothing to look with."""
    if CHROMIUM is None:
        skip = pytest.mark.skip(reason="chromium is not installed")
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(skip)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    """Debian's Chromium."""
    expect.set_options(timeout=SOON_MS)
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=CHROMIUM, args=list(_FLAGS))
        yield chromium
        await chromium.close()


@pytest.fixture(scope="module")
def ca(tmp_path_factory: pytest.TempPathFactory) -> ThrowawayCa:
    """Whom the venue trusts for endpoints."""
    return ThrowawayCa.make(tmp_path_factory.mktemp("ca"))


class Venue(VenueProcess):
    """A venue whose pages are at `web`."""

    @property
    def web(self) -> str:
        return f"http://{json.loads((self.data / 'venue.json').read_text())['web']}"


@pytest.fixture(scope="module")
def venue(tmp_path_factory: pytest.TempPathFactory, ca: ThrowawayCa) -> Iterator[Venue]:
    """A venue where a good deal has happened already."""
    folder = tmp_path_factory.mktemp("venue")
    furnish(folder / "data", folder / "runs")
    opened = Venue(
        folder / "data",
        AGENTBBS_ARENA_DEV="1",
        AGENTBBS_ARENA_CA_FILE=str(ca.ca_file),
        AGENTBBS_RUNS=str(folder / "runs"),
        AGENTBBS_GAME_MOVE_TIMEOUT="60",
    )
    opened.start()
    yield opened
    opened.kill()
