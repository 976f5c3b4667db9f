"""What onlookers and operators read on the game port: live matches, one match as it is played, health,
queues and metrics. Everything here is read-only and needs no token; only `/play` belongs behind a proxy."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Final, Protocol

import msgspec
from aiohttp import WSMsgType, web

from agentbbs import __version__
from agentbbs.play.lobby import Lobby
from agentbbs.play.match import Match
from agentbbs.play.runner import Runner
from agentbbs.play.spectators import Audience, Subscription
from agentbbs.servers.metrics import Health, exposition

MAX_LISTED: Final = 200
"""Matches and waiting entries in one answer."""


class LiveMatch(msgspec.Struct, frozen=True, rename="camel"):
    """One match that is on, as `/live` lists it."""

    match: str
    game: str
    players: tuple[str, str]
    ply: int
    rated: bool


class OnNode(Protocol):
    """Somebody on a node of the BBS; `hub.presence.Present` is such a one."""

    @property
    def node(self) -> int:
        """From 1."""
        ...

    @property
    def account(self) -> int | None:
        """None for a guest."""
        ...

    @property
    def name(self) -> str:
        """As the others see it."""
        ...

    @property
    def transport(self) -> str:
        """`ssh`, `telnet` or `rlogin`."""
        ...

    @property
    def since_ms(self) -> int:
        """Unix milliseconds."""
        ...

    @property
    def doing(self) -> str:
        """A few words."""
        ...


class TakenNode(msgspec.Struct, frozen=True, rename="camel"):
    """One node that somebody is on, as `/nodes` lists it. No address: that is for sysops on the board."""

    node: int
    account: int | None
    name: str
    transport: str
    since_ms: int
    doing: str


class WatchEndpoints:
    """The handlers of `/watch/ID`, `/live`, `/lobby`, `/nodes`, `/healthz` and `/metrics`."""

    def __init__(
        self,
        runner: Runner,
        lobby: Lobby,
        audience: Audience,
        health: Health,
        nodes: Callable[[], Sequence[OnNode]] | None = None,
    ) -> None:
        """`nodes` is who is on the BBS, by node; None where there is no BBS."""
        self._runner = runner
        self._lobby = lobby
        self._audience = audience
        self._health = health
        self._nodes = nodes
        self.upgraded: Callable[[web.Request], None] = lambda _: None
        """Told of each request that became a WebSocket."""

    async def live(self, _: web.Request) -> web.Response:
        """The matches that are on, the newest first."""
        matches = self._runner.live[::-1][:MAX_LISTED]
        return _json([LiveMatch(m.id, m.game.id, _names(m), m.position.ply, m.why_unrated is None) for m in matches])

    async def lobby(self, _: web.Request) -> web.Response:
        """Who waits for which game, the longest first."""
        return _json(self._lobby.queues()[:MAX_LISTED])

    async def nodes(self, _: web.Request) -> web.Response:
        """Who is on which node of the BBS, by node; as many as there are nodes at most."""
        there = () if self._nodes is None else self._nodes()
        return _json([TakenNode(p.node, p.account, p.name, p.transport, p.since_ms, p.doing) for p in there])

    async def healthz(self, _: web.Request) -> web.Response:
        """200 while the venue serves and stores, else 503; JSON either way."""
        body = {
            "status": self._health.status,
            "version": __version__,
            "live": len(self._runner.live),
            "waiting": len(self._lobby),
            "unstored": self._health.writer.pending,
        }
        return _json(body, status=200 if self._health.status == "ok" else 503)

    async def metrics(self, _: web.Request) -> web.Response:
        """Prometheus text format."""
        body, content_type = exposition(self._health, self._runner, self._lobby, self._audience)
        return web.Response(body=body, headers={"Content-Type": content_type})

    async def watch(self, request: web.Request) -> web.StreamResponse:
        """One match as it is played: `watching`, a `state` a ply, `over`. Onlookers who read too slowly
        miss positions; they never slow the match."""
        match = self._runner.match(request.match_info["match"])
        if match is None:
            text = '{"error":"no match with that id is on: `agentbbs replay ID` shows finished ones"}'
            raise web.HTTPNotFound(text=text, content_type="application/json")
        ws: web.WebSocketResponse[bool] = web.WebSocketResponse(heartbeat=20.0, compress=False, max_msg_size=1024)
        if not ws.can_prepare(request):
            raise web.HTTPUpgradeRequired(text="connect with ws://\n")
        await ws.prepare(request)
        self.upgraded(request)
        subscription = self._audience.watch(match, self._runner.now())
        try:
            await _tell(ws, subscription)
        finally:
            self._audience.leave(match.id, subscription)
        return ws


async def _tell(ws: web.WebSocketResponse[bool], subscription: Subscription) -> None:
    """Send what comes until the match is over or the onlooker leaves."""

    async def send() -> None:
        with contextlib.suppress(ConnectionResetError):
            async for message in subscription:
                await ws.send_frame(message, WSMsgType.TEXT)
        await ws.close()

    sender = asyncio.create_task(send())
    try:
        while (await ws.receive()).type in (WSMsgType.TEXT, WSMsgType.BINARY):
            pass
    finally:
        sender.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await sender


def _names(match: Match) -> tuple[str, str]:
    return match.players[0].name, match.players[1].name


def _json(value: object, status: int = 200) -> web.Response:
    return web.Response(body=msgspec.json.encode(value), status=status, content_type="application/json")
