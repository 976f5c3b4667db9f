"""A session channel: lines to a play session, its messages back as lines, and an exit status at the end.

The exit status tells a shell script how it went: 0 when the last thing that counted was a `result` and the
agent then ended its input or let the idle time pass, 1 in every other case. The end of the input in the
queue or in a match is a disconnect: an agent that can send nothing more can't play.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Final, Protocol

import asyncssh
import structlog

from agentbbs.play.session import Session, Wire
from agentbbs.protocol.agentgames import MAX_MESSAGE_BYTES, CloseCode, Error
from agentbbs.protocol.codec import encode
from agentbbs.protocol.conversation import Stage
from agentbbs.protocol.errors import Code
from agentbbs.servers.bounded import MAX_UNREAD_BYTES, BoundedPipe
from agentbbs.servers.line_reader import LineReader, Overlong
from agentbbs.servers.ssh_connection import SshConnection

MESSAGES_A_TURN: Final = 32
"""Lines of one connection that are handled at once. The rest takes turns with the floods."""

WINDOW_BYTES: Final = 64 * 1024
"""What a client may send ahead (RFC 4254, section 5.2): some 700 moves, and all that waits of one connection."""

MAX_PACKET_BYTES: Final = 32 * 1024
"""The largest piece of it; RFC 4253, section 6.1 has every implementation take that much."""

PLAYED: Final = 0
FAILED: Final = 1
"""Exit statuses."""

_RESULT: Final = b'{"type":"result"'
_ERROR: Final = b'{"type":"error"'

_log = structlog.get_logger(__name__)


class Lounge(Protocol):
    """Where a session is made for who may play."""

    def admit(self, wire: Wire) -> Session | Error:
        """The session of who called, or why there is none."""
        ...

    def gone(self, session: Session) -> None:
        """The session is over."""
        ...


class SshWire:
    """The outgoing half of one channel. Implements `play.session.Wire`."""

    def __init__(self, channel: asyncssh.SSHServerChannel[bytes], pipe: BoundedPipe) -> None:
        self.told: Callable[[], None] = lambda: None
        """Called in the loop's next turn after a `result` or an error was sent."""
        self._channel = channel
        self._pipe = pipe
        self._status = FAILED

    def write(self, *messages: bytes) -> None:
        if self._channel.is_closing():
            return
        for message in messages:
            if message.startswith((_RESULT, _ERROR)):
                self._status = PLAYED if message.startswith(_RESULT) else FAILED
                asyncio.get_running_loop().call_soon(self.told)
        self._channel.write(b"\n".join(messages) + b"\n")

    def close(self, code: int, reason: str) -> None:  # noqa: ARG002 - SSH has a status and no words for it
        if not self._channel.is_closing():
            self._channel.exit(self._status if code == CloseCode.NORMAL else FAILED)
        self._pipe.session_ended()


class SshChannel(asyncssh.SSHServerSession[bytes]):
    """The one session channel of a connection. asyncssh calls every method."""

    def __init__(self, connection: SshConnection, lounge: Lounge) -> None:
        self._connection = connection
        self._lounge = lounge
        self._lines = LineReader()
        self._command = ""
        self._session: Session | None = None
        self._busy = False
        self._ended = False
        self._channel: asyncssh.SSHServerChannel[bytes]

    def connection_made(self, chan: asyncssh.SSHServerChannel[bytes]) -> None:
        self._channel = chan
        chan.set_write_buffer_limits(high=MAX_UNREAD_BYTES)

    def pty_requested(
        self,
        term_type: str,  # noqa: ARG002 - there is no terminal, of whatever type
        term_size: tuple[int, int, int, int],
        term_modes: Mapping[int, int],  # noqa: ARG002
    ) -> bool:
        """Refuse a terminal, so that a person's own one stays in line mode and shows what is typed.

        Where no terminal is at the other end (its size is 0 x 0) the request is granted, and nothing is done:
        it comes from `ssh -tt` in a program, which would give up if it were refused.
        """
        return term_size[:2] == (0, 0)

    def shell_requested(self) -> bool:
        return True

    def exec_requested(self, command: str) -> bool:
        self._command = command
        return True

    def session_started(self) -> None:
        self._connection.session_channel = self._channel
        self._connection.pipe.session_began()
        wire = SshWire(self._channel, self._connection.pipe)
        admitted = self._lounge.admit(wire)
        if isinstance(admitted, Error):
            wire.write(encode(admitted))
            wire.close(CloseCode.POLICY, admitted.code)
            return
        self._session = admitted
        wire.told = self._look_for_the_end
        admitted.opened(*asked(self._command))

    def data_received(self, data: bytes, datatype: int | None) -> None:  # noqa: ARG002 - a client has only one stream
        self._lines.feed(data)
        if not self._busy:
            self._take()

    def eof_received(self) -> bool:
        self._ended = True
        if not self._busy:
            self._look_for_the_end()
        return True  # the other direction stays open: a result may still be on its way

    def pause_writing(self) -> None:
        self._connection.pipe.cut(f"it leaves {self._channel.get_write_buffer_size()} bytes unread")

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - why does not matter to a match
        self._connection.pipe.session_ended()
        session, self._session = self._session, None
        if session is None:
            return
        try:
            session.lost()
        except Exception:  # asyncssh would say nothing of it
            _log.exception("session_not_ended", account=session.account)
        finally:
            self._lounge.gone(session)

    def _take(self) -> None:
        """Give the session the lines that are there, so many a turn."""
        resumed, self._busy = self._busy, False
        for _ in range(MESSAGES_A_TURN):
            line = self._lines.read()
            if line is None:
                break
            self._give(line)
        else:
            self._busy = True
            self._channel.pause_reading()
            self._connection.pipe.later(self._take)
            return
        if self._ended:
            self._look_for_the_end()
        if resumed:
            self._channel.resume_reading()

    def _give(self, line: bytes | Overlong) -> None:
        session = self._session
        if session is None or session.closed:
            return
        if line is Overlong.LINE:
            why = f"the line is over {MAX_MESSAGE_BYTES} bytes and was skipped to its end"
            session.bad_message(Code.LINE_TOO_LONG, why)
        elif line.strip():
            session.receive(line)

    def _look_for_the_end(self) -> None:
        """If the input is over, close as soon as nothing of it is left to answer."""
        session = self._session
        if not self._ended or self._busy or session is None or session.closed:
            return
        last = self._lines.end()
        if last is not None:
            self._give(last)
        if session.stage in (Stage.QUEUED, Stage.PLAYING):
            session.refuse(Code.BAD_MESSAGE, "the input ended before the result: keep it open until the match is over")
        if session.stage is not Stage.SETTLING:
            session.close(CloseCode.NORMAL, "end of input")


def asked(command: str) -> tuple[str | None, str | None]:
    """The game and the practice opponent that a command names: `GAME` or `GAME practice=BOT`.

    Anything else is taken for the name of a game, which no game has.
    """
    words = command.split()
    if len(words) == 2 and words[1].startswith("practice="):
        return words[0], words[1].removeprefix("practice=")
    return " ".join(words) or None, None
