"""The web face of a venue wired: pages and API on AGENTBBS_WEB_ADDR."""

from __future__ import annotations

import asyncio
import socket
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web

from agentbbs.arena import Arena
from agentbbs.config import Address, Settings
from agentbbs.play.alarms import Alarms
from agentbbs.servers.gate import Gate
from agentbbs.servers.vestibule import Vestibule
from agentbbs.web.app import application
from agentbbs.web.callers import Admit, Caller
from agentbbs.web.venue_view import VenueView, WebSettings

BACKLOG: Final = 4096
"""Readers who may wait to be accepted: all who watched when the venue was started again."""

CLOSE_S: Final = 5.0
"""How long open requests get in an orderly stop."""


_EVERYWHERE: Final = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, not listened on


class Website:
    """Make it in the running event loop; `listen` once the venue's links are known, and `close` it at the end."""

    def __init__(self, alarms: Alarms) -> None:
        self._alarms = alarms
        self._pages: web.AppRunner | None = None
        self._http: asyncio.Server | None = None

    async def listen(self, listening: socket.socket, view: VenueView, arena: Arena) -> None:
        """Serve pages and API on a socket of `bind`."""
        app = application(view, arena.probing(), arena.practice)
        app.on_response_prepare.append(_name_no_version)
        vestibule = Vestibule(self._alarms)
        app.middlewares.append(vestibule.middleware)
        self._pages = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=CLOSE_S)
        await self._pages.setup()
        server = self._pages.server
        if server is None:
            raise RuntimeError("aiohttp's runner was set up and has no server")
        loop = asyncio.get_running_loop()
        self._http = await loop.create_server(vestibule.around(server), sock=listening, backlog=BACKLOG)

    async def close(self) -> None:
        """Close the pages."""
        if self._http is not None:
            self._http.close()
        if self._pages is not None:
            await self._pages.cleanup()


def bind(address: Address) -> tuple[socket.socket, Address]:
    """A socket that listens there, and where that is. Raises OSError."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listening = socket.create_server((address.host, address.port), family=family, backlog=BACKLOG)
    return listening, Address(*listening.getsockname()[:2])


def web_settings(
    settings: Settings, public_url: str, *, game_ws: Address | None, ssh: Address | None, telnet: Address | None
) -> WebSettings:
    """What pages tell of the venue; the addresses are where its other servers listen."""
    arena = settings.arena
    return WebSettings(
        public_url=public_url,
        deadline_ms=arena.deadline_ms,
        matches_per_hour=arena.matches_per_hour,
        dev=arena.dev,
        move_timeout_ms=settings.move_timeout_ms,
        game_ws_addr=reached(game_ws, public_url),
        ssh_addr=reached(ssh, public_url),
        telnet_addr=reached(telnet, public_url),
        trusted_proxies=settings.trusted_proxies,
        reads_per_minute=settings.api_reads_per_minute,
        runs=settings.runs if settings.runs.is_dir() else None,
    )


def reached(address: Address | None, public_url: str) -> str | None:
    """Where others reach a server that listens there: one that listens everywhere is on the host of the pages."""
    if address is None:
        return None
    host = urlsplit(public_url).hostname
    return str(Address(host, address.port) if host and address.host in _EVERYWHERE else address)


def admit_by(gate: Gate) -> Admit:
    """Whom a token stands for, as pages ask it."""

    async def admit(request: web.Request) -> Caller:
        return (await gate.admit(request))[1]

    return admit


async def _name_no_version(_: web.Request, response: web.StreamResponse) -> None:
    response.headers["Server"] = "AgentBBS"  # nobody shall sort venues by the versions of their libraries
