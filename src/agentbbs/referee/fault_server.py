"""The fault server: an endpoint on this machine that does wrong on purpose, each row of the strike table by a path.

It plays legally otherwise: the first legal move, with the nonce. HTTP is written by hand over TLS, so that it can lie;
`faults/table.py` lists what it does. For tests, and for whoever writes a referee or an agent.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import ssl
from collections import deque
from types import TracebackType
from typing import Final, Self
from urllib.parse import parse_qs

import msgspec
import structlog

from agentbbs.referee.faults import raw_http
from agentbbs.referee.faults.answers import ANSWERS
from agentbbs.referee.faults.bodies import MAX_LEGAL, Turn
from agentbbs.referee.faults.conversation import Conversation
from agentbbs.referee.faults.due import Memory, is_due
from agentbbs.referee.faults.handshakes import HANDSHAKES, DeadPort, Handshake, contexts, wants_certificate
from agentbbs.referee.faults.raw_http import BadRequest, Request
from agentbbs.referee.faults.table import FAULTS, Fault
from agentbbs.referee.throwaway_ca import LOCAL, ThrowawayCa

__all__ = ["FAULTS", "Asked", "Fault", "FaultServer", "NotHere"]

HOST: Final = "127.0.0.1"

MAX_CONNECTIONS: Final = 256
"""On all ports together; more are cut at once. A tool for one person."""

IDLE_S: Final = 120.0
"""How long a connection waits for its next request: longer than a referee keeps one."""

HANDSHAKE_S: Final = 30.0
"""For TLS, of whoever calls."""

MAX_KEPT: Final = 1000
"""Requests that are remembered for whoever asks what came."""

MAX_AFTER: Final = 1000
"""Of `?after=N`: no match is as long."""

_log = structlog.get_logger(__name__)

Behind = ssl.SSLContext | Handshake
"""What a port does with a connection before any request: TLS, or something else in its place."""


class NotHere(ValueError):
    """It would listen where others could reach it, and was not told to."""


class Asked(msgspec.Struct, frozen=True):
    """One move request as it came."""

    path: str
    turn: Turn
    headers: dict[str, str]
    body: bytes


class FaultServer:
    """Serves every fault of the table; an async context manager, which ends it whatever is going on.

    It listens on loopback; elsewhere only with `anywhere`, else NotHere is raised. `ca` makes its certificates.
    """

    def __init__(self, ca: ThrowawayCa, host: str = HOST, port: int = 0, *, anywhere: bool = False) -> None:
        if not (anywhere or _is_loopback(host)):
            raise NotHere(f"{host} can be reached by others, and this server does wrong on purpose")
        self.ca = ca
        self.requests: deque[Asked] = deque(maxlen=MAX_KEPT)
        """What was asked, the newest last."""
        self.connections = 0
        """Taken so far, on all ports."""
        self._host = host
        self._port = port
        self._ports: dict[str, int] = {}
        self._memory = Memory()
        self._servers: list[asyncio.Server] = []
        self._dead: list[DeadPort] = []
        self._talks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """The base of the paths, without a slash at its end. Only while it serves."""
        return self._base(self._port)

    def url_of(self, path: str) -> str:
        """The whole URL of a fault. Raises KeyError for one that is not there. Only while it serves."""
        fault = FAULTS[path]
        return f"{self._base(self._ports[path]) if fault.own_port else self.url}{path}"

    async def __aenter__(self) -> Self:
        """Listen. Raises OSError."""
        try:
            await self._open()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Cut every connection, whatever it is in, and wait until all are gone. A second call does nothing."""
        for server in self._servers:
            server.close()
        for dead in self._dead:
            dead.close()
        self._dead.clear()
        for talk in self._talks:
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)
        self._servers.clear()

    async def _open(self) -> None:
        names = tuple(dict.fromkeys((*LOCAL, *(() if _is_wildcard(self._host) else (self._host,)))))
        self._port = await self._listen(self.ca.server_context(*names), self._port)
        behind: dict[str, Behind] = {**contexts(self.ca, names), **HANDSHAKES}
        behind["/client-certificate"] = wants_certificate(self.ca, names)
        for path, what in behind.items():
            self._ports[path] = await self._listen(what, 0)
        for path in ("/refused", "/black-hole"):
            self._dead.append(DeadPort(self._host, black_hole=path == "/black-hole"))
            self._ports[path] = self._dead[-1].port

    async def _listen(self, behind: Behind, port: int) -> int:
        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if len(self._talks) >= MAX_CONNECTIONS:
                writer.transport.abort()
                return
            self.connections += 1
            task = asyncio.get_running_loop().create_task(self._talk(Conversation(reader, writer), behind))
            self._talks.add(task)
            task.add_done_callback(self._talks.discard)

        server = await asyncio.start_server(connected, self._host, port)
        self._servers.append(server)
        bound: int = server.sockets[0].getsockname()[1]
        return bound

    def _base(self, port: int) -> str:
        host = {"0.0.0.0": HOST, "::": "::1"}.get(self._host, self._host)  # noqa: S104 - compared with, not bound
        return f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"

    async def _talk(self, line: Conversation, behind: Behind) -> None:
        """One connection, from its first byte to its last."""
        cut = True
        try:
            if isinstance(behind, ssl.SSLContext):
                # TLS begins in this task, so that whoever stalls in it can be cut. Nothing has been read so far.
                line.in_handshake = True
                await line.writer.start_tls(behind, ssl_handshake_timeout=HANDSHAKE_S)
                line.in_handshake = False
                await self._serve(line)
            else:
                await behind(line)
            cut = False
        except (OSError, EOFError, TimeoutError) as fault:  # the other side went, or wanted no such TLS: all is well
            _log.debug("fault_server_left", why=type(fault).__name__)
        except Exception:
            _log.exception("fault_server_failed")
        finally:
            await line.close(at_once=cut)

    async def _serve(self, line: Conversation) -> None:
        while line.open:
            try:
                async with asyncio.timeout(IDLE_S):
                    request = await raw_http.read_request(line.reader)
                path, turn, after = _understood(request)
            except BadRequest as refused:
                await line.send(_refusal(400, str(refused)))
                return
            fault = FAULTS.get(path)
            if fault is None or fault.own_port:
                await line.send(_refusal(404, self._where(fault)))
                continue
            self.requests.append(Asked(path, turn, request.headers, request.body))
            line.asked += 1
            asked_before, line.old_nonce = self._memory.note(fault, turn)
            does = (fault.does or path) if is_due(fault, turn, asked_before, after) else "/ok"
            await ANSWERS[does](line, turn)

    def _where(self, fault: Fault | None) -> str:
        if fault is None:
            return "no such fault: `agentbbs fault-server` lists them as it starts"
        return f"this fault has a port of its own: {self.url_of(fault.path)}"


def _understood(request: Request) -> tuple[str, Turn, int | None]:
    """Path, move request, and what the URL says of `after`. Raises BadRequest."""
    path, _, query = request.target.partition("?")
    after = parse_qs(query).get("after", [None])[-1]
    if after is not None and not (after.isascii() and after.isdecimal() and len(after) < 5 and int(after) <= MAX_AFTER):
        raise BadRequest(f"`after` should be a number up to {MAX_AFTER}")
    if request.method != "POST":
        raise BadRequest("a move request is a POST")
    try:
        turn = msgspec.json.decode(request.body, type=Turn)
    except (msgspec.MsgspecError, UnicodeError) as fault:
        raise BadRequest(f"this is no move request: {fault}") from fault
    if not 0 < len(turn.legal) <= MAX_LEGAL or not 0 <= turn.deadline_ms <= 600_000:
        raise BadRequest("a move request has legal moves, and up to ten minutes of time")
    return path, turn, None if after is None else int(after)


def _refusal(status: int, why: str) -> bytes:
    return raw_http.answer(json.dumps({"error": why}).encode(), status=status)


def _is_loopback(host: str) -> bool:
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def _is_wildcard(host: str) -> bool:
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_unspecified
    return False
