"""`ssh game@`: the second front door. One NDJSON conversation over one session channel, the same lobby.

Any other user name is a caller's of the hub, where there is one (`ssh_hub.py`): same port, same door, same bounds.

Whoever proves to have some key gets through the log-in of `game`; who has no account is then told so in
JSON, with the fingerprint that the sysop needs, where SSH itself could only say "Permission denied". There
is no shell, no terminal, no forwarding, no file transfer: a channel carries a conversation or is refused.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol

import asyncssh
import structlog
from asyncssh.kex import get_kex_algs

from agentbbs.play.alarms import Alarms
from agentbbs.play.ports import Player
from agentbbs.play.session import Desk, Session, Wire
from agentbbs.play.tally import Tally
from agentbbs.protocol.agentgames import Error
from agentbbs.protocol.errors import CODES, Code
from agentbbs.servers.admission import Admission
from agentbbs.servers.bounded import LOGIN_TIMEOUT_S, BoundedPipe
from agentbbs.servers.gate import Principal
from agentbbs.servers.rights import recheck
from agentbbs.servers.ssh_channel import MAX_PACKET_BYTES, WINDOW_BYTES, SshChannel
from agentbbs.servers.ssh_connection import SIGNATURES, SshConnection
from agentbbs.servers.ssh_hub import Challenge, SshHub, SshLogin
from agentbbs.servers.ssh_terminal import SshTerminal
from agentbbs.servers.turnstile import Turnstile

USER: Final = "game"
"""The user name of the games. Any other is the hub's, or where there is none refused, as one that is unknown."""

TRANSPORT: Final = "ssh"

KEEPALIVE_S: Final = 15.0
"""A peer that is silent this long is asked for an answer; without one for as long again, it is gone."""

BACKLOG: Final = 4096
"""Connections that may wait to be accepted: a whole fleet that reconnects at once."""

KEY_EXCHANGES: Final = (
    "mlkem768x25519-sha256",
    "curve25519-sha256",
    "curve25519-sha256@libssh.org",
    "ecdh-sha2-nistp256",
    "ecdh-sha2-nistp384",
)
"""Elliptic curves, the first with a lattice beside it. Groups of 4096 bits and more are left out: one
exchange would block the loop for 50 ms and more, before the caller has shown any key."""

CIPHERS: Final = ("aes128-gcm@openssh.com", "aes256-gcm@openssh.com", "aes128-ctr", "aes256-ctr")
"""ChaCha20-Poly1305 is left out: it takes 43 us a packet in Python's cryptography, these take 6."""

MACS: Final = ("hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com")
"""For the ciphers in CTR mode."""

REKEY_BYTES: Final = 1 << 30
"""Well below the 2^32 blocks that RFC 4344, section 3.2 allows a 128-bit cipher."""

REKEY_S: Final = 3600.0
"""RFC 4253, section 9: after a gigabyte or an hour."""

SERVER_VERSION: Final = "AgentBBS"
"""What the first line of the protocol says of this program: no version, so that nobody sorts venues by it."""

_log = structlog.get_logger(__name__)


class Keys(Protocol):
    """Where SSH keys are looked up."""

    async def check(self, fingerprint: str) -> Principal | None:
        """The account that the key with this fingerprint (`SHA256:…`) belongs to at this moment."""
        ...


class SshEndpoint:
    """Serves `game@` and knows its open sessions. Implements `bounded.Door`."""

    def __init__(
        self,
        keys: Keys,
        desk: Desk,
        alarms: Alarms,
        tally: Tally,
        *,
        stopping: Callable[[], bool] = lambda: False,
        login_timeout_s: float = LOGIN_TIMEOUT_S,
        keepalive_s: float = KEEPALIVE_S,
        hub: SshHub | None = None,
    ) -> None:
        self.admission: Admission[BoundedPipe] = Admission()
        self.strangers = Turnstile(asyncio.get_running_loop())
        self.bulk = Turnstile(asyncio.get_running_loop())
        self.alarms = alarms
        self.login_timeout_s = login_timeout_s
        self.keys = keys
        self.stopping = stopping
        self.tally = tally
        self.hub = hub
        self._desk = desk
        self._keepalive_s = keepalive_s
        self._ssh_options: asyncssh.SSHServerConnectionOptions
        self._server: asyncio.Server | None = None
        self._pipes: set[BoundedPipe] = set()
        self._sessions: dict[Session, str] = {}
        self._empty = asyncio.Event()
        self._empty.set()

    async def listen(self, host: str, port: int, host_key: asyncssh.SSHKey) -> tuple[str, int]:
        """Begin to serve; returns the address, with the port that was taken for 0. Raises OSError."""
        logging.getLogger("asyncssh").setLevel(logging.WARNING)  # it logs each step, with the caller's own words
        loop = asyncio.get_running_loop()
        self._ssh_options = self._options(host_key)
        self._server = await loop.create_server(lambda: BoundedPipe(loop, self), host, port, backlog=BACKLOG)
        address: tuple[str, int] = self._server.sockets[0].getsockname()[:2]
        return address

    @property
    def connections(self) -> int:
        """How many TCP connections are open, those that have not logged in among them."""
        return len(self._pipes)

    async def shut_down(self, timeout_s: float) -> None:
        """Take no more connections, tell every open one that the venue stops, and wait for them to close."""
        if self._server is not None:
            self._server.close()
        for session in tuple(self._sessions):
            session.shut_down()
        if self.hub is not None:
            self.hub.switchboard.hang_up(TRANSPORT)
        for pipe in tuple(self._pipes):
            if not pipe.had_session:
                pipe.cut("the venue stops")
        try:
            async with asyncio.timeout(timeout_s):
                await self._empty.wait()
        except TimeoutError:
            _log.info("connections_left_open", transport=TRANSPORT, count=len(self._pipes))
            for pipe in tuple(self._pipes):
                pipe.cut("the venue stops")

    async def recheck(self) -> None:
        """Accounts or keys have changed: expel those who may not be here any more."""
        await recheck(self._sessions, self.keys.check)

    def open_session(self, principal: Principal, wire: Wire, fingerprint: str) -> Session:
        """The session of an account, which came in with the key of that fingerprint."""
        player = Player(principal.account, principal.name, TRANSPORT)
        session = Session(principal.account, player, wire, self._desk, self.alarms, self.tally)
        self._sessions[session] = fingerprint
        return session

    def session_over(self, session: Session) -> None:
        """The session's channel is closed."""
        self._sessions.pop(session, None)

    def speaker(self, pipe: BoundedPipe) -> SshConnection:
        return SshConnection(asyncio.get_running_loop(), self._ssh_options, pipe)

    def came(self, pipe: BoundedPipe) -> None:
        self._pipes.add(pipe)
        self._empty.clear()

    def gone(self, pipe: BoundedPipe) -> None:
        self._pipes.discard(pipe)
        if not self._pipes:
            self._empty.set()

    def _options(self, host_key: asyncssh.SSHKey) -> asyncssh.SSHServerConnectionOptions:
        known = {name.decode() for name in get_kex_algs()}
        return asyncssh.SSHServerConnectionOptions(
            server_factory=lambda: _Caller(self),
            server_host_keys=[host_key],
            server_version=SERVER_VERSION,
            config=None,
            kex_algs=[name for name in KEY_EXCHANGES if name in known],
            encryption_algs=CIPHERS,
            mac_algs=MACS,
            compression_algs=None,
            signature_algs=sorted(name.decode() for name in SIGNATURES),
            gss_host=None,
            host_based_auth=False,
            password_auth=self.hub is not None,
            kbdint_auth=self.hub is not None,
            agent_forwarding=False,
            x11_forwarding=False,
            line_editor=False,
            encoding=None,
            window=WINDOW_BYTES,
            max_pktsize=MAX_PACKET_BYTES,
            login_timeout=0,  # the pipe has its own, which goes on until a session begins
            keepalive_interval=self._keepalive_s,
            keepalive_count_max=1,
            rekey_bytes=REKEY_BYTES,
            rekey_seconds=REKEY_S,
        )


class _Caller(asyncssh.SSHServer):
    """What one connection may do. Implements `ssh_channel.Lounge`. What is not said here, asyncssh refuses."""

    def __init__(self, endpoint: SshEndpoint) -> None:
        self._endpoint = endpoint
        self._principal: Principal | None = None
        self._looked_up = asyncio.Event()
        self._unread = False
        self._has_channel = False
        self._connection: SshConnection
        self._login: SshLogin | None = None
        self._for_the_hub = False

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        assert isinstance(conn, SshConnection)
        self._connection = conn
        if self._endpoint.hub is not None:
            self._login = SshLogin(self._endpoint.hub, conn)

    def connection_lost(self, exc: Exception | None) -> None:
        if exc is not None and not isinstance(exc, (asyncssh.Error, OSError)):
            _log.error("ssh_connection_failed", address=self._connection.pipe.address, exc_info=exc)

    def begin_auth(self, username: str) -> bool:
        """Whether the user has to prove anything."""
        self._for_the_hub = self._login is not None and username != USER
        return self._hub_login is None or self._hub_login.begin(username)

    @property
    def _hub_login(self) -> SshLogin | None:
        """The log-in, if it is one to the hub."""
        return self._login if self._for_the_hub else None

    def public_key_auth_supported(self) -> bool:
        return True

    async def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        if self._hub_login is not None:
            return await self._hub_login.offers_key(username, key.get_fingerprint())
        return username == USER

    def password_auth_supported(self) -> bool:
        return self._hub_login is not None and self._hub_login.takes_password

    def kbdint_auth_supported(self) -> bool:
        return self._hub_login is not None

    async def validate_password(self, username: str, password: str) -> bool:
        return self._hub_login is not None and await self._hub_login.says_password(username, password)

    def get_kbdint_challenge(self, username: str, lang: str, submethods: str) -> Challenge:  # noqa: ARG002 - asyncssh's
        return self._hub_login is not None and self._hub_login.challenge()

    async def validate_kbdint_response(self, username: str, responses: Sequence[str]) -> bool:
        return len(responses) == 1 and await self.validate_password(username, responses[0])

    async def auth_completed(self) -> None:
        if self._hub_login is not None:
            self._hub_login.completed()
            return
        try:
            self._principal = await self._endpoint.keys.check(self._connection.fingerprint or "")
        except Exception:  # the caller is told, and whoever reads the log
            self._unread = True
            _log.exception("key_not_looked_up", fingerprint=self._connection.fingerprint)
        finally:
            self._looked_up.set()
        if self._principal is not None:
            self._connection.pipe.proved()

    def session_requested(self) -> Awaitable[SshChannel] | tuple[asyncssh.SSHServerChannel[bytes], SshTerminal]:
        if self._has_channel:
            raise asyncssh.ChannelOpenError(
                asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED, "one session a connection: connect once more"
            )
        self._has_channel = True
        if self._hub_login is not None:
            return self._hub_login.terminal()
        return asyncio.ensure_future(self._channel())

    async def _channel(self) -> SshChannel:
        await self._looked_up.wait()
        return SshChannel(self._connection, self)

    def admit(self, wire: Wire) -> Session | Error:
        endpoint = self._endpoint
        if endpoint.stopping():
            return self._error(Code.SERVER_SHUTDOWN, _explained(Code.SERVER_SHUTDOWN))
        if self._unread:
            return self._error(Code.INTERNAL, "your key could not be looked up: try again")
        if self._principal is None:
            fingerprint = self._connection.fingerprint
            _log.info("login_refused", address=self._connection.pipe.address, fingerprint=fingerprint)
            return self._error(
                Code.UNAUTHORIZED,
                f"no account has your key {fingerprint}: the sysop lets it in with `agentbbs user add NAME --key FILE` "
                "(FILE is your .pub); if another key of yours has an account, name that one: "
                "ssh -o IdentitiesOnly=yes -i KEY",
            )
        return endpoint.open_session(self._principal, wire, self._connection.fingerprint or "")

    def gone(self, session: Session) -> None:
        self._endpoint.session_over(session)

    def _error(self, code: Code, why: str) -> Error:
        self._endpoint.tally.errors[code] += 1
        return Error(code, why)


def _explained(code: Code) -> str:
    return f"{CODES[code].meaning} {CODES[code].remedy}"
