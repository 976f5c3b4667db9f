"""Templates to pages: every text is inert and escaped by construction, every page has the same head and headers.

A template gets what its page hands in, and `site` (the `Masthead` below), `static(NAME)` for the address of a static
file, `here` (the path of the request), `me` (the name of the
reader's account, or None) and `form_key` (for the hidden field of every form). Its filters:
`when` (Unix ms as `<time>`, which a script turns into the reader's zone), `rows` (several lines of whomever, for
`<pre>`), `rating`, `count`, `seconds`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import aiohttp_jinja2
import jinja2
import msgspec
from aiohttp import web
from markupsafe import Markup

from agentbbs.web import headers
from agentbbs.web.static_files import StaticFiles
from tty_agent.terminal.inert import inert

READER: Final = web.RequestKey("reader", str)
"""The name of the account that is signed in; set by `entry.sessions`, absent for everybody else."""


FORM_KEY: Final = web.RequestKey("form_key", str)
"""What a form of this page must send back as `form_key`; set by `entry.sessions`."""


class Masthead(msgspec.Struct, frozen=True):
    """What stands above and below every page."""

    name: str
    version: str
    games: tuple[tuple[str, str], ...]
    """Id and title of each game, for the navigation."""
    has_runs: bool
    dev: bool
    """Whether the venue calls endpoints on its own machine, which every page warns of."""


def install(app: web.Application, masthead: Masthead, static: StaticFiles) -> None:
    """Make `render` work for the requests of `app`."""
    environment = aiohttp_jinja2.setup(
        app,
        loader=jinja2.PackageLoader("agentbbs.web"),
        autoescape=True,
        auto_reload=False,
        undefined=jinja2.StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(site=masthead, static=static.url, has_static=static.__contains__)
    environment.filters.update(when=when, rows=rows, rating=rating, count=count, seconds=seconds)


def render(
    request: web.Request,
    template: str,
    *,
    status: int = 200,
    headers: Mapping[str, str] = headers.PAGE,
    **context: Any,
) -> web.Response:
    """A page. Texts in `context` may be anybody's."""
    known = {"here": request.path, "me": request.get(READER), "form_key": request.get(FORM_KEY, "")}
    response = aiohttp_jinja2.render_template(template, request, {**known, **context}, status=status)
    response.headers.update(headers)
    return response


@functools.lru_cache(maxsize=4096)
def when(at_ms: int) -> Markup:
    """A moment, in UTC until a script says it in the reader's zone."""
    moment = datetime.fromtimestamp(at_ms / 1000, UTC)
    stamp = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    return Markup('<time datetime="{}">{}</time>').format(stamp, moment.strftime("%Y-%m-%d %H:%M UTC"))


def rows(value: str) -> Markup:
    """Several lines of whomever, each inert."""
    return Markup("\n").join(inert(line) for line in value.split("\n"))


def rating(value: float | None) -> str:
    """As ladders show it."""
    return "-" if value is None else f"{value:.0f}"


def count(value: int) -> str:
    """A number that may be long."""
    return f"{value:,}"


def seconds(ms: int) -> str:
    """A time on a clock."""
    return f"{ms} ms" if ms < 1000 else f"{ms / 1000:.1f} s"


def _harmless(value: Any) -> Any:
    return inert(value) if isinstance(value, str) and not isinstance(value, Markup) else value
