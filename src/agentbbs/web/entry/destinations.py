"""Where a reader is sent after a form: a path of this site out of a closed table, never an address that came in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from aiohttp import web

AFTER: Final[Mapping[str, str]] = {
    "account": "/account",
    "practice": "/practice",
    "home": "/",
}
"""What `then` may say, in a query or a form."""


def after(then: str) -> str:
    """The path that is meant; the account's page for anything else."""
    return AFTER.get(then, AFTER["account"])


def named(then: str | None) -> str:
    """`then` itself if it is in the table, or the name of the account's page."""
    return then if then is not None and then in AFTER else "account"


def see_other(path: str) -> web.Response:
    """303: the browser asks for a page next, and a reload of that sends no form again."""
    return web.Response(status=303, headers={"Location": path, "Cache-Control": "no-store"})
