"""One SSH connection, kept within bounds: asyncssh speaks the protocol, this file says how much of it at a time.

asyncssh handles everything that came in before it returns, lets output and requests pile up, and remembers
no key. Here input is handed on in small portions, one a turn of the loop; who has not proved who he is goes
through a turnstile besides, and may send little before a session begins; output that is not read ends the
connection. All of it is done in the methods that asyncio and asyncssh call by their public names
(docs/decisions/0012-ssh-within-bounds.md).
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
from typing import Final, Protocol, cast

import asyncssh
import structlog
from asyncssh.constants import MSG_IGNORE, MSG_KEX_LAST, MSG_KEXINIT, MSG_NEWKEYS
from asyncssh.packet import SSHPacketLogger

from agentbbs.play.alarms import Alarms
from agentbbs.servers.admission import Admission, Place, source
from agentbbs.servers.turnstile import Turnstile

LOGIN_TIMEOUT_S: Final = 20.0
"""From the first byte until a session begins. A log-in takes well under a second; this is a slow line's."""

CLOSE_TIMEOUT_S: Final = 5.0
"""How long a client may take to hang up once its session is over."""

BYTES_A_TURN: Final = 4096
"""Bytes that one connection may have handled before the loop turns to the others: some forty moves."""

MAX_LOGIN_BYTES: Final = 128 * 1024
"""What may come in before a session begins. A log-in takes 5 KiB, one with twenty RSA keys 25 KiB."""

MAX_EARLY_BYTES: Final = 16 * 1024
"""What may come in while a connection waits for its place: a version line and a key exchange's first message."""

MAX_UNREAD_BYTES: Final = 256 * 1024
"""What may lie unread for one peer in this process, beyond the kernel's buffers: some 1,000 positions.
A peer further behind is cut off."""

KEY_TYPES: Final = frozenset(
    (b"ssh-ed25519", b"ecdsa-sha2-nistp256", b"ecdsa-sha2-nistp384", b"ecdsa-sha2-nistp521", b"ssh-rsa")
)
"""The keys that an account can have (`store.keys`). A client that offers another is told to try its next."""

SIGNATURES: Final = tuple(
    (KEY_TYPES - {b"ssh-rsa"}) | {b"rsa-sha2-256", b"rsa-sha2-512"}
)
"""How such a key may sign: not with SHA-1, as `ssh-rsa` does (RFC 8332)."""

_log = structlog.get_logger(__name__)


class Door(Protocol):
    """What a connection needs of the server that it came to."""

    admission: Admission[SshConnection]
    turnstile: Turnstile
    alarms: Alarms
    login_timeout_s: float

    def gone(self, connection: SshConnection) -> None:
        """The connection is lost."""
        ...


class SshConnection(asyncssh.SSHServerConnection):
    """One connection of one caller, from the TCP accept to its end."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, options: asyncssh.SSHServerConnectionOptions, door: Door
    ) -> None:
        super().__init__(loop, options)
        self.fingerprint: str | None = None
        """Of the key that the caller proved to have, as `ssh-keygen -l` shows it."""
        self.address = ""
        self._turns = loop
        self._door = door
        self._pipe: asyncio.Transport
        self._alarm = door.alarms.add(self._too_late)
        self._speaking = False
        self._proven = False
        self._in_session = False
        self._rest = b""
        self._handled = 0
        self._scheduled = False
        self._login_bytes = 0
        self._keys_changing = False
        self._held_bytes = 0

    # What the server calls

    def proved(self) -> None:
        """The caller has an account: it no longer counts as a stranger."""
        self._proven = True
        self._leave_the_door()

    def session_began(self) -> None:
        """There is no hurry any more."""
        self._in_session = True
        self._door.alarms.clear(self._alarm)

    def session_ended(self) -> None:
        """The client is expected to hang up, and soon."""
        self._set_alarm(CLOSE_TIMEOUT_S)

    def cut(self) -> None:
        """End the connection without a word."""
        if self._speaking:
            self.abort()
        else:
            self._pipe.abort()

    # What asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._pipe = cast("asyncio.Transport", transport)  # uvloop's is one without being of the class
        self.address = (transport.get_extra_info("peername") or ("",))[0]
        self._set_alarm(self._door.login_timeout_s)
        place = self._door.admission.arrive(self, source(self.address))
        if place is Place.IN:
            self._speak()
        elif place is Place.REFUSED:
            _log.info("ssh_refused", address=self.address, why="too many connections that have not logged in")
            self._pipe.abort()

    def data_received(self, data: bytes, datatype: int | None = None) -> None:  # noqa: ARG002 - asyncssh's signature
        self._rest = self._rest[self._handled :] + data if self._rest else data
        self._handled = 0
        if self._proven and not self._scheduled:
            self._handle()
        elif self._speaking:
            self._schedule()
        else:
            self._pipe.pause_reading()
            if len(self._rest) > MAX_EARLY_BYTES:
                self._pipe.abort()

    def pause_writing(self) -> None:
        self.unread(self._pipe.get_write_buffer_size())

    def connection_lost(self, exc: Exception | None = None) -> None:
        self._rest = b""
        self._door.alarms.drop(self._alarm)
        self._leave_the_door()
        super().connection_lost(exc)
        self._door.gone(self)

    # What asyncssh calls

    async def reload_config(self) -> None:
        """There are no configuration files to look into again for each user, in a thread."""

    async def validate_public_key(self, username: str, key_data: bytes, msg: bytes, signature: bytes) -> bool:
        """Whether the key is taken, and if `signature` is there, proved: only then is its fingerprint kept."""
        if _first_string(key_data) not in KEY_TYPES or (msg and _first_string(signature) not in SIGNATURES):
            return False
        valid = await super().validate_public_key(username, key_data, msg, signature)
        if valid and msg:
            digest = base64.b64encode(hashlib.sha256(key_data).digest()).rstrip(b"=")
            self.fingerprint = f"SHA256:{digest.decode()}"
        return valid

    def send_packet(self, pkttype: int, *args: bytes, handler: SSHPacketLogger | None = None) -> None:
        """Leave out the empty packet that asyncssh puts before each (it is of use only to ciphers in CBC mode,
        and doubles the work), and bound what is held back while keys are exchanged."""
        if pkttype == MSG_IGNORE:
            return
        if pkttype == MSG_KEXINIT:
            self._keys_changing, self._held_bytes = True, 0
        elif pkttype == MSG_NEWKEYS:
            self._keys_changing = False
        elif self._keys_changing and pkttype > MSG_KEX_LAST:
            self._held_bytes += sum(map(len, args))
            if self._held_bytes > MAX_UNREAD_BYTES:
                self.unread(self._held_bytes)
                return
        super().send_packet(pkttype, *args, handler=handler)

    def unread(self, unread_bytes: int) -> None:
        """The peer does not read what was sent to it: cut it off."""
        _log.info("slow_reader_cut", address=self.address, unread_bytes=unread_bytes)
        self.abort()

    def _speak(self) -> None:
        """Begin the protocol; what came in meanwhile is handled first."""
        self._speaking = True
        self._set_alarm(self._door.login_timeout_s)
        self._pipe.set_write_buffer_limits(high=MAX_UNREAD_BYTES)
        super().connection_made(self._pipe)
        if self._rest:
            self._schedule()

    def _leave_the_door(self) -> None:
        following = self._door.admission.leave(self)
        if following is not None:
            following._speak()

    def _schedule(self) -> None:
        """Handle a portion in a later turn; read nothing more until then."""
        if not self._pipe.is_closing():
            self._pipe.pause_reading()
        if not self._scheduled:
            self._scheduled = True
            if self._proven:
                self._turns.call_soon(self._handle)
            else:
                self._door.turnstile.line_up(self._handle)

    def _handle(self) -> None:
        """Hand one portion to asyncssh."""
        self._scheduled = False
        if self._pipe.is_closing():
            self._rest = b""
            return
        portion = self._rest[self._handled : self._handled + BYTES_A_TURN]
        self._handled += len(portion)
        if self._handled == len(self._rest):
            self._rest, self._handled = b"", 0
            self._pipe.resume_reading()
        else:
            self._schedule()
        if not self._in_session:
            self._login_bytes += len(portion)
            if self._login_bytes > MAX_LOGIN_BYTES:
                _log.info("ssh_refused", address=self.address, why="too much was sent before a session began")
                self.cut()
                return
        super().data_received(portion)

    def _set_alarm(self, after_s: float) -> None:
        alarms = self._door.alarms
        alarms.set(self._alarm, alarms.now() + after_s)

    def _too_late(self) -> None:
        if not self._in_session:
            _log.info("ssh_refused", address=self.address, why="no session began in time")
        self.cut()


def _first_string(data: bytes) -> bytes:
    """The first field of an SSH structure, its type (RFC 4251, section 5)."""
    return data[4 : 4 + int.from_bytes(data[:4], "big")]
