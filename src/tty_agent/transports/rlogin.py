"""Rlogin as a transport: `rlogin_handshake.py` on a TCP line.

The window's size is told only after the server asked for it by urgent data. A request that comes all by itself is
seen with the next byte, or when the window changes: see `TcpLine`. Enter is CR and nothing else; the bytes pass as
they are, 0xFF too.
"""

from __future__ import annotations

from tty_agent.terminal.dialect import ANSI_BBS
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
    dialect = ANSI_BBS
    _watch_urgent = True

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
        self._size_told = False
        self._acknowledgement = Acknowledgement()

    @property
    def metadata(self) -> dict[str, object]:
        """As the contract says; the user's name, not the password."""
        return super().metadata | {"user": self._user, "terminal_type": self._terminal_type}

    def _greeting(self) -> bytes:
        try:
            return greeting(user=self._user, password=self._password, terminal_type=self._terminal_type)
        except ValueError as error:
            raise CannotConnect(str(error)) from None  # the field's value is in no message

    def _incoming(self, data: bytes) -> tuple[bytes, bytes]:
        replies = self._told_size() if not self._size_told and self._size_wanted() else b""
        return self._acknowledgement.receive(data), replies

    def _outgoing(self, data: bytes) -> bytes:
        return data

    def _resized(self) -> bytes:
        self._opened().look_for_urgent()
        return self._told_size() if self._size_wanted() else b""

    def _size_wanted(self) -> bool:
        return any(byte & WINDOW_SIZE_REQUEST for byte in self._opened().urgent)

    def _told_size(self) -> bytes:
        self._size_told = True
        return window_size(*self._size)
