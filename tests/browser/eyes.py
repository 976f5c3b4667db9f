"""A page in a real browser, and what is wrong with it: errors on its console, breaches of its policy, axe's finds."""

from __future__ import annotations

import io
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from PIL import Image, ImageChops, ImageStat
from playwright.async_api import Browser, ConsoleMessage, Page, Response

HERE: Final = Path(__file__).parent
REFERENCE: Final = HERE / "reference"
AXE: Final = HERE / "node_modules" / "axe-core" / "axe.min.js"

WIDE: Final = 1200
NARROW: Final = 360
SOON_MS: Final = 20_000
"""No page takes nearly as long on the slowest machine."""

_SERIOUS: Final = frozenset({"serious", "critical"})
_MAX_DIFFERENCE: Final = 8.0
"""Mean difference of a pixel (of 255) between a page and its reference, both at a quarter of their size: letters may
be drawn otherwise, a part that is missing or moved shows."""

needs_axe: Final = pytest.mark.skipif(not AXE.is_file(), reason="run `npm install` in tests/browser first")


class Eyes:
    """One page, watched. Use `looking`."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.faults: list[str] = []
        page.on("console", self._heard)
        page.on("pageerror", lambda fault: self.faults.append(f"script: {fault}"))
        page.on("response", self._answered)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and not message.text.startswith("Failed to load resource"):
            self.faults.append(f"console: {message.text}")

    def _answered(self, response: Response) -> None:
        if response.status >= 400 and response.request.resource_type != "document":
            self.faults.append(f"HTTP {response.status}: {response.url}")

    async def axe(self) -> list[str]:
        """The serious faults that axe-core finds, each with where it is."""
        await self.page.evaluate(AXE.read_text())
        found: dict[str, Any] = await self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{violation['id']}: {violation['help']}: {node['html'][:200]}"
            for violation in found["violations"]
            if violation["impact"] in _SERIOUS
            for node in violation["nodes"]
        ]

    async def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        beyond: int = await self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        return beyond

    async def picture(self) -> bytes:
        """The whole page as PNG."""
        return await self.page.screenshot(full_page=True, animations="disabled", caret="hide")


@asynccontextmanager
async def looking(
    browser: Browser, base: str, *, width: int = WIDE, dark: bool = False, script: bool = True
) -> AsyncIterator[Eyes]:
    """A fresh reader with an empty browser, in UTC. What went wrong on its pages fails the test in the end."""
    context = await browser.new_context(
        base_url=base,
        viewport={"width": width, "height": 900},
        color_scheme="dark" if dark else "light",
        java_script_enabled=script,
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="UTC",
    )
    context.set_default_timeout(SOON_MS)
    eyes = Eyes(await context.new_page())
    try:
        yield eyes
    finally:
        await context.close()
    assert not eyes.faults, eyes.faults


def like_reference(picture: bytes, name: str) -> str:
    """What differs from the picture that is kept under that name; "" if it looks the same. With
    AGENTBBS_KEEP_SCREENSHOTS=1 this one is kept from now on: look at it."""
    path = REFERENCE / f"{name}.png"
    seen = Image.open(io.BytesIO(picture)).convert("RGB")
    if os.environ.get("AGENTBBS_KEEP_SCREENSHOTS"):
        path.parent.mkdir(exist_ok=True)
        seen.quantize(64).save(path, optimize=True)
        return ""
    if not path.is_file():
        return f"there is no {path.name}: keep one with AGENTBBS_KEEP_SCREENSHOTS=1, and look at it"
    kept = Image.open(path).convert("RGB")
    if abs(seen.height - kept.height) > kept.height * 0.05 or seen.width != kept.width:
        return f"{name} is {seen.width}x{seen.height}, its reference {kept.width}x{kept.height}"
    size = (kept.width // 4, min(seen.height, kept.height) // 4)
    crop = (0, 0, kept.width, size[1] * 4)
    difference = ImageChops.difference(seen.crop(crop).resize(size), kept.crop(crop).resize(size))
    mean = sum(ImageStat.Stat(difference).mean) / 3
    return f"{name} differs from its reference by {mean:.1f}" if mean > _MAX_DIFFERENCE else ""
