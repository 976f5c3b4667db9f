"""Telnet as a transport: `telnet_options.py` on a TCP line."""

from __future__ import annotations

from tty_agent.terminal.dialect import ANSI_BBS
from tty_agent.transports.stream import TcpTransport
from tty_agent.transports.telnet_options import TelnetOptions
from tty_agent.transports.transport import DEFAULT_OPEN_TIMEOUT_S

TELNET_PORT = 23


class Telnet(TcpTransport):
    """A telnet client. `ask_binary` asks for BINARY both ways at once, for a server that strips the eighth bit
    without it; a server that speaks no telnet sees the request as typed text, so it is off."""

    name = "telnet"
    dialect = ANSI_BBS

    def __init__(
        self,
        host: str,
        port: int = TELNET_PORT,
        *,
        terminal_type: str = "ansi-bbs",
        ask_binary: bool = False,
        open_timeout_s: float = DEFAULT_OPEN_TIMEOUT_S,
    ) -> None:
        super().__init__(host, port, open_timeout_s=open_timeout_s)
        self._terminal_type = terminal_type
        self._ask_binary = ask_binary
        self._options = TelnetOptions(terminal_type, 0, 0)

    @property
    def metadata(self) -> dict[str, object]:
        """As the contract says."""
        return super().metadata | {"terminal_type": self._terminal_type}

    @property
    def options(self) -> TelnetOptions:
        """What was agreed with the server."""
        return self._options

    def _greeting(self) -> bytes:
        self._options = TelnetOptions(self._terminal_type, *self._size)
        return self._options.ask_binary() if self._ask_binary else b""

    def _incoming(self, data: bytes) -> tuple[bytes, bytes]:
        return self._options.receive(data)

    def _outgoing(self, data: bytes) -> bytes:
        return self._options.send(data)

    def _resized(self) -> bytes:
        return self._options.resize(*self._size)
