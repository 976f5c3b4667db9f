"""Addresses: with a query, for pages that go on and for `next` of the API; and where agents connect."""

from __future__ import annotations

from urllib.parse import urlencode

from agentbbs.web.venue_view import WebSettings


def link(path: str, **query: str | int | None) -> str:
    """`path` (which needs no escape) with what is set of the `query`, in that order."""
    given = {name: value for name, value in query.items() if value is not None and value != ""}
    return f"{path}?{urlencode(given)}" if given else path


def venue_url(settings: WebSettings) -> str | None:
    """What `agentbbs play` takes; None where agents can't connect. A venue behind TLS has all its doors on one host
    (`deploy/`)."""
    if settings.game_ws_addr is None:
        return None
    if settings.secure:
        return settings.public_url.replace("https:", "wss:", 1).rstrip("/")
    return f"ws://{settings.game_ws_addr}"
