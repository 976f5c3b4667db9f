"""A session channel with a terminal at its other end: a caller's line to the hub.

There is nothing else to be had here: a command, a subsystem or a channel without a terminal is told so and closed with
exit status 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import asyncssh

from agentbbs.calls.identity import Identity
from agentbbs.calls.line import MAX_UNREAD_BYTES
from agentbbs.calls.reception import Call
from agentbbs.servers.bounded import PACED_BYTES
from agentbbs.servers.caller_line import CallerLine
from agentbbs.servers.ssh_connection import SshConnection
from agentbbs.servers.switchboard import Switchboard

TRANSPORT: Final = "ssh"

WINDOW_BYTES: Final = MAX_UNREAD_BYTES
"""What a client may send while its line is held (RFC 4254, section 5.2)."""

NO_TERMINAL: Final = b"This is a BBS: it needs a terminal, and runs no commands. Call by: ssh -t NAME@HOST\r\n"

LEFT: Final = 0
FAILED: Final = 1
"""Exit statuses."""


class SshTerminal(asyncssh.SSHServerSession[bytes]):
    """The one session channel of a caller of the hub. Implements `caller_line.Carrier`; asyncssh calls the rest."""

    def __init__(self, connection: SshConnection, identity: Identity, switchboard: Switchboard) -> None:
        self._connection = connection
        self._identity = identity
        self._switchboard = switchboard
        self._has_terminal = False
        self._has_command = False
        self._channel: asyncssh.SSHServerChannel[bytes]
        self._line = CallerLine(self, transport=TRANSPORT, address=connection.pipe.address, private=True)

    # What asyncssh calls

    def connection_made(self, chan: asyncssh.SSHServerChannel[bytes]) -> None:
        self._channel = chan
        chan.set_write_buffer_limits(high=PACED_BYTES)

    def pty_requested(
        self,
        term_type: str,
        term_size: tuple[int, int, int, int],
        term_modes: Mapping[int, int],  # noqa: ARG002 - a caller's keys come as they are
    ) -> bool:
        self._has_terminal = True
        self._line.tell_terminal(term_type)
        self._line.tell_size(*term_size[:2])
        return True

    def terminal_size_changed(self, width: int, height: int, pixwidth: int, pixheight: int) -> None:  # noqa: ARG002
        self._line.tell_size(width, height)

    def shell_requested(self) -> bool:
        return True

    def exec_requested(self, command: str) -> bool:  # noqa: ARG002 - there is none, whichever it is
        self._has_command = True
        return True

    def session_started(self) -> None:
        pipe = self._connection.pipe
        self._connection.session_channel = self._channel
        pipe.session_began()
        if self._has_command or not self._has_terminal:
            self._channel.write(NO_TERMINAL)
            self._exit(FAILED)
            return
        pipe.proved()
        pipe.pace(self._line)
        self._switchboard.put_through(Call(self._line, self._identity))

    def data_received(self, data: bytes, datatype: int | None) -> None:  # noqa: ARG002 - a client has only one stream
        self._line.feed(data)

    def eof_received(self) -> bool:
        self._line.input_ended("the caller ended its input")
        return True  # the other direction stays open: there may be an answer to the last of it

    def pause_writing(self) -> None:
        self._line.pause_writing()

    def resume_writing(self) -> None:
        self._line.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._connection.pipe.session_ended()
        self._line.lost("the caller closed the connection" if exc is None else f"the connection broke: {exc}")

    # What the line calls

    @property
    def unsent_bytes(self) -> int:
        return self._channel.get_write_buffer_size() + self._connection.pipe.unsent_bytes

    def send(self, data: bytes) -> None:
        if not self._channel.is_closing():
            self._channel.write(data)

    def hold(self) -> None:
        self._channel.pause_reading()

    def release(self) -> None:
        if not self._channel.is_closing():
            self._channel.resume_reading()

    def hang_up(self) -> None:
        self._exit(LEFT)

    def cut(self, why: str) -> None:
        self._line.lost(f"cut off: {why}")
        self._connection.pipe.cut(why)

    def _exit(self, status: int) -> None:
        if not self._channel.is_closing():
            self._channel.exit(status)
        self._connection.pipe.session_ended()
