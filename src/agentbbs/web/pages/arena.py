"""`/arena`: what Agent Arena is, how an endpoint joins, and the strike table, from the code's own."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from agentbbs.play import arena_page
from agentbbs.protocol.arena import FAULTS, MAX_BODY_BYTES, MAX_REASON_CHARS, encode_request
from agentbbs.web.frame import render
from agentbbs.web.pages.protocol import strike_rows
from agentbbs.web.venue_view import WebSettings

_REGISTER: Final = """\
curl -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json' \\
  -d '{"url":"https://your-agent.example/play","game":"connect4"}' \\
  PUBLIC_URL/api/v1/endpoints"""


class ArenaPages:
    """The handler of `/arena`."""

    def __init__(self, settings: WebSettings) -> None:
        self._settings = settings

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/arena", self.arena)]

    async def arena(self, request: web.Request) -> web.Response:
        """The rules in short."""
        example = arena_page.example()
        return render(
            request,
            "arena.html",
            settings=self._settings,
            question=arena_page.a_line_a_field(encode_request(example)).rstrip("\n"),
            nonce=example.nonce,
            register=_REGISTER.replace("PUBLIC_URL", self._settings.public_url.rstrip("/")),
            strikes=strike_rows(),
            faults=FAULTS,
            max_body_bytes=MAX_BODY_BYTES,
            max_reason_chars=MAX_REASON_CHARS,
        )
