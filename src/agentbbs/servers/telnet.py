"""Telnet: `telnet_options.py` on a TCP connection.

Who calls is the hub's to ask. The options are asked for at once, and the call is put through as soon as the client
has told what its terminal is, or after `SETTLE_S`; what it tells later is taken then.
"""

from __future__ import annotations

from typing import Final

from agentbbs.calls.identity import Stranger
from agentbbs.play.alarms import Alarms
from agentbbs.servers.bounded import LOGIN_TIMEOUT_S, BoundedPipe
from agentbbs.servers.caller_endpoint import CallerConnection, CallerEndpoint
from agentbbs.servers.switchboard import Switchboard
from agentbbs.servers.telnet_options import TelnetOptions

TRANSPORT: Final = "telnet"


class TelnetConnection(CallerConnection):
    """One caller by telnet."""

    transport_name = TRANSPORT

    def __init__(self, pipe: BoundedPipe, switchboard: Switchboard) -> None:
        super().__init__(pipe, switchboard)
        self._options = TelnetOptions()
        self._told: tuple[str | None, tuple[int, int] | None] = (None, None)

    def _begin(self) -> None:
        self._wire(self._options.opening())
        self._settle(Stranger())

    def _receive(self, data: bytes) -> None:
        terminal, replies = self._options.receive(data)
        self._wire(replies)
        self._tell()
        self.line.feed(terminal)
        if self._options.flooding:
            self.cut("it sends telnet commands without end")
        elif self._options.settled:
            self._settled()

    def _outgoing(self, data: bytes) -> bytes:
        return self._options.send(data)

    def _tell(self) -> None:
        """Tell the line what is new of the terminal."""
        name, window = self._options.terminal_type, self._options.window
        if (name, window) == self._told:
            return
        self._told = (name, window)
        if name is not None:
            self.line.tell_terminal(name)
        if window is not None:
            self.line.tell_size(*window)


def telnet_endpoint(
    switchboard: Switchboard, alarms: Alarms, *, login_timeout_s: float = LOGIN_TIMEOUT_S
) -> CallerEndpoint:
    """The server of telnet callers; `listen` begins to serve."""
    return CallerEndpoint(TelnetConnection, TRANSPORT, switchboard, alarms, login_timeout_s=login_timeout_s)
