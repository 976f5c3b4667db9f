"""Rlogin as a transport: `rlogin_handshake.py` on a TCP line.

The window's size is told only after the server asked for it by urgent data. asyncio has no event for that, so it is
looked for whenever bytes come and before a new size would be told: a request that comes all by itself is seen with
the next byte. Enter is CR and nothing else; the bytes pass as they are, 0xFF too.
"""

from __future__ import annotations

import socket

from tty_agent.transports.rlogin_handshake import WINDOW_SIZE_REQUEST, Acknowledgement, greeting, window_size
from tty_agent.transports.stream import TcpTransport
from tty_agent.transports.transport import DEFAULT_OPEN_TIMEOUT_S, CannotConnect

RLOGIN_PORT = 513
DEFAULT_TERMINAL_TYPE = "ansi-bbs/115200"


class Rlogin(TcpTransport):
    """An rlogin client, as Synchronet and the BBSes like it expect one. User and password go by name only, since
    swapped they show the password to everyone who is looking. `terminal_type` `xtrn=CODE/115200` leads straight
    into a door of Synchronet."""

    name = "rlogin"

    def __init__(
        self,
        host: str,
        port: int = RLOGIN_PORT,
        *,
        user: str,
        password: str,
        terminal_type: str = DEFAULT_TERMINAL_TYPE,
        open_timeout_s: float = DEFAULT_OPEN_TIMEOUT_S,
    ) -> None:
        super().__init__(host, port, open_timeout_s=open_timeout_s)
        self._user = user
        self._password = password
        self._terminal_type = terminal_type
        self._size_wanted = False
        self._acknowledgement = Acknowledgement()
        self._urgent: socket.socket | None = None

    @property
    def metadata(self) -> dict[str, object]:
        """As the contract says; the user's name, not the password."""
        return super().metadata | {"user": self._user, "terminal_type": self._terminal_type}

    async def open(self, columns: int, rows: int) -> None:
        """As the contract says."""
        await super().open(columns, rows)
        self._urgent = self._opened().socket()

    async def close(self) -> None:
        """As the contract says."""
        if self._urgent is not None:
            self._urgent.close()
            self._urgent = None
        await super().close()

    def _greeting(self) -> bytes:
        try:
            return greeting(user=self._user, password=self._password, terminal_type=self._terminal_type)
        except ValueError as error:
            raise CannotConnect(str(error)) from None  # the field's value is in no message

    def _incoming(self, data: bytes) -> tuple[bytes, bytes]:
        wanted_before = self._size_wanted
        self._look_for_request()
        replies = window_size(*self._size) if self._size_wanted and not wanted_before else b""
        return self._acknowledgement.receive(data), replies

    def _outgoing(self, data: bytes) -> bytes:
        return data

    def _resized(self) -> bytes:
        self._look_for_request()
        return window_size(*self._size) if self._size_wanted else b""

    def _look_for_request(self) -> None:
        if self._urgent is None or self._size_wanted:
            return
        try:
            urgent = self._urgent.recv(1, socket.MSG_OOB | socket.MSG_DONTWAIT)
        except OSError:  # there is none, as nearly always
            return
        self._size_wanted = bool(urgent) and bool(urgent[0] & WINDOW_SIZE_REQUEST)
