"""Rlogin: `rlogin_handshake.py` on a TCP connection.

The handshake names the caller and brings a password, in the clear, which the hub checks. A password is taken from this
machine only, unless the operator takes it from everywhere. Nothing of the handshake is ever logged or shown.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import Final, cast

import structlog

from agentbbs.calls.identity import GUEST_NAME, NEW_NAME, Guest, Identity, Newcomer, Offered, Stranger
from agentbbs.play.alarms import Alarms
from agentbbs.servers.bounded import LOGIN_TIMEOUT_S, BoundedPipe
from agentbbs.servers.caller_endpoint import CallerConnection, CallerEndpoint
from agentbbs.servers.rlogin_handshake import (
    ACKNOWLEDGEMENT,
    WINDOW_SIZE_REQUEST,
    BadHandshake,
    Greeting,
    Handshake,
    WindowSizes,
)
from agentbbs.servers.switchboard import Switchboard

TRANSPORT: Final = "rlogin"

LONE_BYTES_S: Final = 0.2
"""How long the beginning of a window's size waits for its rest, before it counts as typed."""

IN_THE_CLEAR: Final = b"\r\nPasswords in the clear are not taken from your address: call by ssh.\r\n"

_log = structlog.get_logger(__name__)


class RloginConnection(CallerConnection):
    """One caller by rlogin."""

    transport_name = TRANSPORT

    def __init__(self, pipe: BoundedPipe, switchboard: Switchboard) -> None:
        super().__init__(pipe, switchboard)
        self._handshake: Handshake | None = Handshake()
        self._sizes = WindowSizes()
        self._told: tuple[int, int] | None = None
        self._flushing: asyncio.TimerHandle | None = None

    def _receive(self, data: bytes) -> None:
        if self._handshake is not None:
            try:
                greeted = self._handshake.receive(data)
            except BadHandshake as fault:
                self.cut(f"it does not speak rlogin: {fault}")
                return
            if greeted is None:
                return
            self._handshake = None
            greeting, data = greeted
            self._greet(greeting)
        self._take(data)

    def _greet(self, greeting: Greeting) -> None:
        self._wire(ACKNOWLEDGEMENT)
        identity = _identity(greeting)
        if isinstance(identity, Offered) and not self.line.private:
            _log.info("login_refused", transport=TRANSPORT, address=self.line.address, why="a password in the clear")
            self.line.write(IN_THE_CLEAR)
            self.line.hang_up()
            return
        self._ask_size()
        self.line.tell_terminal(greeting.terminal)
        self._settle(identity, greeting.door)

    def _ask_size(self) -> None:
        sock = cast("socket.socket", self._transport.get_extra_info("socket").dup())
        with contextlib.closing(sock), contextlib.suppress(OSError):  # unanswered, the size is 80x24
            sock.send(WINDOW_SIZE_REQUEST, socket.MSG_OOB)

    def _take(self, data: bytes) -> None:
        terminal = self._sizes.receive(data)
        size = self._sizes.size
        if size is not None and size != self._told:
            self._told = size
            self.line.tell_size(*size)
            self._settled()
        self.line.feed(terminal)
        if self._flushing is not None:
            self._flushing.cancel()
            self._flushing = None
        if self._sizes.waits:
            self._flushing = asyncio.get_running_loop().call_later(LONE_BYTES_S, self._flush)

    def _flush(self) -> None:
        self._flushing = None
        self.line.feed(self._sizes.flush())

    def connection_lost(self, exc: Exception | None) -> None:
        if self._flushing is not None:
            self._flushing.cancel()
        super().connection_lost(exc)


def _identity(greeting: Greeting) -> Identity:
    """Who that is; a name without a password is asked for both, since some clients can't send them."""
    name = greeting.name.casefold()
    if name == GUEST_NAME:
        return Guest()
    if name == NEW_NAME:
        return Newcomer()
    if not greeting.name or not greeting.password:
        return Stranger()
    return Offered(greeting.name, greeting.password)


def rlogin_endpoint(
    switchboard: Switchboard, alarms: Alarms, *, login_timeout_s: float = LOGIN_TIMEOUT_S
) -> CallerEndpoint:
    """The server of rlogin callers; `listen` begins to serve."""
    return CallerEndpoint(RloginConnection, TRANSPORT, switchboard, alarms, login_timeout_s=login_timeout_s)
