"""`/play` over WebSocket: frames to a session and back, nothing else.

Who calls is settled before the upgrade (401 or 429 as JSON). aiohttp reads the frames and does the closing
handshake. Outgoing text frames are written by this file straight to
the transport: they are unmasked and uncompressed (RFC 6455, section 5.2), so a frame is two to ten bytes of
header, and a send is then one call that cannot wait (docs/decisions/0006-frames-written-inline.md).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import structlog
from aiohttp import WSMsgType, web

from agentbbs.play.alarms import Alarms
from agentbbs.play.ports import Player
from agentbbs.play.session import Desk, Session
from agentbbs.play.tally import Tally
from agentbbs.protocol.agentgames import MAX_MESSAGE_BYTES
from agentbbs.protocol.errors import Code
from agentbbs.servers.gate import Gate, Principal
from agentbbs.servers.heartbeat import Heartbeat
from agentbbs.servers.rights import recheck

HEARTBEAT_S: Final = 20.0
"""A peer that is silent this long is pinged; without a pong within half of it, it is gone."""

CLOSE_TIMEOUT_S: Final = 5.0
"""How long the closing handshake may take before the transport is closed."""

MAX_UNREAD_BYTES: Final = 256 * 1024
"""What may lie unread for one peer in this process, beyond the kernel's buffers: some 1,000 positions.
A peer further behind is cut off."""

MESSAGES_A_TURN: Final = 32
"""Messages that one connection may have handled before the loop turns to the others."""

TRANSPORT: Final = "websocket"

_log = structlog.get_logger(__name__)


_PING: Final = b"\x89\x00"
"""A ping without content (RFC 6455, section 5.5.2)."""


def text_frame(payload: bytes) -> bytes:
    """One unfragmented, unmasked text frame (RFC 6455, section 5.2)."""
    size = len(payload)
    if size < 126:
        return b"\x81" + size.to_bytes(1, "big") + payload
    if size < 65536:
        return b"\x81\x7e" + size.to_bytes(2, "big") + payload
    return b"\x81\x7f" + size.to_bytes(8, "big") + payload


def pong_frame(content: bytes) -> bytes:
    """The answer to a ping: its content, at most 125 bytes (RFC 6455, section 5.5.3)."""
    return b"\x8a" + len(content).to_bytes(1, "big") + content


class WebSocketWire:
    """The outgoing half of one connection. Implements `play.session.Wire` and `heartbeat.Pulse`."""

    def __init__(self, ws: web.WebSocketResponse[bool], transport: asyncio.Transport) -> None:
        self._ws = ws
        self._transport = transport
        self._closing: asyncio.Task[bool] | None = None
        self.heard = True
        self.pinged = False

    def ping(self) -> None:
        self._frame(_PING)

    def pong(self, content: bytes) -> None:
        """Answer a ping of the peer's."""
        self._frame(pong_frame(content))

    def cut(self) -> None:
        _log.info("half_open_peer_cut")
        self._transport.abort()

    def write(self, *messages: bytes) -> None:
        self._frame(text_frame(messages[0]) if len(messages) == 1 else b"".join(map(text_frame, messages)))

    def _frame(self, frames: bytes) -> None:
        transport = self._transport
        if transport.is_closing():
            return
        if transport.get_write_buffer_size() > MAX_UNREAD_BYTES:
            _log.info("slow_reader_cut", unread_bytes=transport.get_write_buffer_size())
            transport.abort()
            return
        transport.write(frames)

    def close(self, code: int, reason: str) -> None:
        if self._closing is None and not self._ws.closed:
            self._closing = asyncio.create_task(self._ws.close(code=code, message=reason.encode()))

    async def closed(self) -> None:
        """Wait for a close that was begun here."""
        if self._closing is not None:
            await self._closing


class PlayEndpoint:
    """Serves `GET /play` and knows its open sessions."""

    def __init__(
        self, gate: Gate, desk: Desk, alarms: Alarms, tally: Tally, *, heartbeat_s: float = HEARTBEAT_S
    ) -> None:
        self._gate = gate
        self._desk = desk
        self._alarms = alarms
        self._tally = tally
        self._heartbeat = Heartbeat(alarms, heartbeat_s)
        self._sessions: dict[Session, str] = {}
        self._empty = asyncio.Event()
        self._empty.set()
        self.upgraded: Callable[[web.Request], None] = lambda _: None
        """Told of each request that became a WebSocket."""

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """The handler of the route."""
        token, principal = await self._gate.admit(request)
        ws: web.WebSocketResponse[bool] = web.WebSocketResponse(
            timeout=CLOSE_TIMEOUT_S,
            autoping=False,
            compress=False,
            max_msg_size=MAX_MESSAGE_BYTES + 1,  # aiohttp refuses at this size and above
            decode_text=False,  # invalid UTF-8 is answered by the session, not closed with 1007
        )
        if not ws.can_prepare(request):
            raise upgrade_required()
        await ws.prepare(request)
        self.upgraded(request)
        transport = request.transport
        if transport is None:
            return ws
        wire = WebSocketWire(ws, transport)
        session = self._open(principal, wire, token)
        self._heartbeat.watch(wire)
        try:
            session.opened(request.query.get("game"), request.query.get("practice"))
            await _read(ws, wire, session)
        finally:
            self._heartbeat.forget(wire)
            self._sessions.pop(session, None)
            session.lost()
            if not self._sessions:
                self._empty.set()
        await wire.closed()
        return ws

    async def recheck(self) -> None:
        """Accounts or tokens have changed: expel those who may not be here any more."""
        await recheck(self._sessions, self._gate.tokens.check)

    def _open(self, principal: Principal, wire: WebSocketWire, token: str) -> Session:
        player = Player(principal.account, principal.name, TRANSPORT)
        session = Session(principal.account, player, wire, self._desk, self._alarms, self._tally)
        self._sessions[session] = token
        self._empty.clear()
        return session

    async def shut_down(self, timeout_s: float) -> None:
        """Tell every open connection that the venue stops, and wait for them to close."""
        for session in tuple(self._sessions):
            session.shut_down()
        try:
            async with asyncio.timeout(timeout_s):
                await self._empty.wait()
        except TimeoutError:
            _log.info("connections_left_open", count=len(self._sessions))


async def _read(ws: web.WebSocketResponse[bool], wire: WebSocketWire, session: Session) -> None:
    """Hand every message to the session until the connection is gone."""
    handled = 0
    while True:
        message = await ws.receive()
        wire.heard = True
        if message.type is WSMsgType.TEXT:
            session.receive(message.data)
        elif message.type is WSMsgType.PING:
            wire.pong(message.data)
        elif message.type is WSMsgType.PONG:
            pass  # heard: that is all there is to it
        elif message.type is WSMsgType.BINARY:
            session.bad_message(Code.BAD_MESSAGE, "a binary frame: send text frames, one JSON object each")
        else:
            return
        handled += 1
        if handled % MESSAGES_A_TURN == 0:
            await asyncio.sleep(0)


def upgrade_required() -> web.HTTPException:
    """426: this address speaks WebSocket only."""
    return web.HTTPUpgradeRequired(
        headers={"Upgrade": "websocket", "Connection": "Upgrade"},
        text='{"type":"error","code":"bad_message","message":"this address speaks WebSocket: connect with ws:// or wss://"}',
        content_type="application/json",
    )
