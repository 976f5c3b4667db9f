"""The asyncssh side of the SSH transport: one connection with one channel that feeds an inbox.

Import it only where a connection is opened: asyncssh takes a third of a second to load.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from pathlib import Path
from typing import Final

import asyncssh

from tty_agent.terminal.inert import inert
from tty_agent.transports.inbox import Inbox
from tty_agent.transports.ssh_login import HostKeys, SshLogin
from tty_agent.transports.stream import is_refused, reason_of
from tty_agent.transports.transport import MAX_DETAIL_CHARS, CannotConnect, End, EndKind

KEEPALIVE_S: Final = 30
"""Between questions to a silent server; after three without an answer the connection is lost."""
CLOSE_TIMEOUT_S: Final = 1.0
"""A server that does not answer our farewell is left without it."""
ABORT_TIMEOUT_S: Final = 0.5
"""After an abort, which waits for nobody; only a fault could make it take longer."""
WINDOW_BYTES: Final = 256 * 1024
"""The server may send so much more than was read: what asyncssh holds while the inbox is full."""

_NO_KNOWN_HOSTS: Final = b"#\n"
"""asyncssh takes b"" for "the user's own file"."""


class SshChannel:
    """An open channel with a terminal on it."""

    def __init__(
        self, connection: asyncssh.SSHClientConnection, channel: asyncssh.SSHClientChannel[bytes], session: _Session
    ) -> None:
        self._connection = connection
        self._channel = channel
        self._session = session

    async def room(self) -> None:
        """Wait while too much is under way."""
        await self._session.writable.wait()

    async def write(self, data: bytes) -> None:
        """Send, once there is room."""
        await self._session.writable.wait()
        with contextlib.suppress(BrokenPipeError):  # closing: the inbox has the end, or will have it at once
            self._channel.write(data)

    def resize(self, columns: int, rows: int) -> None:
        """Tell the server the size of the window."""
        with contextlib.suppress(OSError):  # as in write
            self._channel.change_terminal_size(columns, rows)

    async def close(self) -> None:
        """Close the channel and the connection. Who waits for room waits no longer."""
        self._session.writable.set()
        await close_connection(self._connection)


class _Session(asyncssh.SSHClientSession[bytes]):
    """Hands what comes to the inbox."""

    def __init__(self, inbox: Inbox) -> None:
        self.inbox = inbox
        self.writable = asyncio.Event()
        self.writable.set()
        self._channel: asyncssh.SSHClientChannel[bytes] | None = None
        self._exit: End | None = None

    def connection_made(self, chan: asyncssh.SSHClientChannel[bytes]) -> None:
        self._channel = chan
        self.inbox.attach(chan.pause_reading, chan.resume_reading)

    def data_received(self, data: bytes, datatype: asyncssh.DataType) -> None:  # noqa: ARG002 - errors are text too
        self.inbox.feed(data)

    def pause_writing(self) -> None:
        self.writable.clear()

    def resume_writing(self) -> None:
        self.writable.set()

    def exit_status_received(self, status: int) -> None:
        self._exit = End(EndKind.EXITED, f"the remote program ended with exit status {status}", status)

    def exit_signal_received(self, signal: str, *_details: object) -> None:
        self._exit = End(EndKind.EXITED, f"the remote program was ended by SIG{signal}")

    def connection_lost(self, exc: Exception | None) -> None:
        self.writable.set()
        self._take_rest()
        if self._exit is not None:
            self.inbox.finish(self._exit)
        elif exc is not None:
            self.inbox.finish(End(EndKind.LOST, f"the connection broke: {exc}"))
        else:
            self.inbox.finish(End(EndKind.EOF, "the other side closed the channel"))

    def _take_rest(self) -> None:
        """What the channel holds since the inbox was full came before the end; it is a window at most."""
        if self._channel is not None:
            self.inbox.attach(lambda: None, lambda: None)
            with contextlib.suppress(OSError, asyncssh.Error):  # it wants to tell the other side, which is gone
                self._channel.resume_reading()


class _Client(asyncssh.SSHClient):
    """Decides about a host key that the known hosts do not have."""

    def __init__(self, login: SshLogin, known: bytes) -> None:
        self._login = login
        self._known = known

    def validate_host_public_key(self, host: str, _addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        if self._login.host_keys is not HostKeys.ACCEPT_NEW or self._knows_another(host, port):
            return False
        path = self._login.known_hosts_file
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        unended = path.exists() and path.read_bytes()[-1:] not in {b"", b"\n"}
        line = f"{_host_pattern(host, port)} ".encode() + key.export_public_key("openssh").strip() + b"\n"
        with path.open("ab") as file:
            file.write(b"\n" + line if unended else line)
        return True

    def _knows_another(self, host: str, port: int) -> bool:
        keys = asyncssh.import_known_hosts(self._known.decode()).match(_host_pattern(host, port), "", None)
        return any(keys)


async def open_channel(login: SshLogin, inbox: Inbox, columns: int, rows: int) -> SshChannel:
    """Connect, log in and ask for a terminal. Raises CannotConnect."""
    where = f"{login.host} port {login.port}"
    _check_key(login.key_file)
    try:
        async with asyncio.timeout(login.open_timeout_s):
            return await _open(login, inbox, columns, rows)
    except TimeoutError:
        why = f"{where} did not finish the login within {login.open_timeout_s:g} s: is it an SSH server?"
        raise CannotConnect(why) from None
    except asyncssh.HostKeyNotVerifiable as error:
        raise CannotConnect(_untrusted(login, error)) from error
    except asyncssh.PermissionDenied as error:
        why = f"{where} does not let {login.user} in: check the user's name and the password or key"
        raise CannotConnect(why) from error
    except socket.gaierror as error:
        raise CannotConnect(f"there is no host {login.host} ({error.strerror}): check the name") from error
    except OSError as error:
        if is_refused(error):
            why = f"{login.host}:{login.port} refuses the connection: start the SSH server, or check the port"
            raise CannotConnect(why) from error
        raise CannotConnect(f"cannot open SSH to {where}: {reason_of(error)}") from error
    except (asyncssh.Error, ValueError) as error:  # ValueError: known hosts that are none
        why = inert(str(error), max_chars=MAX_DETAIL_CHARS)  # a server may say anything, at any length
        raise CannotConnect(f"cannot open SSH to {where}: {why}") from error


async def close_connection(connection: asyncssh.SSHClientConnection) -> None:
    """Close it in order, or after a while without."""
    connection.close()
    try:
        async with asyncio.timeout(CLOSE_TIMEOUT_S):
            await connection.wait_closed()
    except TimeoutError:
        connection.abort()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ABORT_TIMEOUT_S):
                await connection.wait_closed()


async def _open(login: SshLogin, inbox: Inbox, columns: int, rows: int) -> SshChannel:
    known = _known_hosts(login.known_hosts_file)
    options: dict[str, object] = {}
    if login.key_file is not None:
        options["client_keys"] = [str(login.key_file)]
    elif login.password is not None:
        options |= {"client_keys": None, "agent_path": None}
    connection = await asyncssh.connect(
        login.host,
        login.port,
        username=login.user,
        password=login.password,
        known_hosts=None if login.host_keys is HostKeys.INSECURE else known,
        client_factory=lambda: _Client(login, known),
        config=None,
        keepalive_interval=KEEPALIVE_S,
        **options,
    )
    session = _Session(inbox)
    try:
        channel, _ = await connection.create_session(
            lambda: session,
            login.command,
            term_type=login.terminal_type,
            term_size=(columns, rows),
            encoding=None,
            window=WINDOW_BYTES,
        )
    except BaseException:
        connection.abort()
        raise
    return SshChannel(connection, channel, session)


def _check_key(path: Path | None) -> None:
    """Raise CannotConnect for a key that can't be used, before anybody is called."""
    if path is None:
        return
    try:
        asyncssh.read_private_key(path)
    except OSError as error:
        raise CannotConnect(f"cannot read the key file {path} (--key-file): {reason_of(error)}") from error
    except ValueError as error:  # asyncssh's faults of keys are kinds of it
        why = f"{path} (--key-file) is no private key that can be used: {error}"
        raise CannotConnect(why) from error


def _known_hosts(path: Path) -> bytes:
    return path.read_bytes() + b"\n" if path.exists() else _NO_KNOWN_HOSTS


def _host_pattern(host: str, port: int) -> str:
    return host if port == asyncssh.DEFAULT_PORT else f"[{host}]:{port}"


def _untrusted(login: SshLogin, error: Exception) -> str:
    if login.host_keys is HostKeys.ACCEPT_NEW:
        return (
            f"the host key of {login.host} is not the one in {login.known_hosts_file} ({error}): someone may be in "
            "between. If the host has a new key, remove the old line"
        )
    return (
        f"the host key of {login.host} is not in {login.known_hosts_file} ({error}): compare it with the host's and "
        "add it (ssh-keyscan), or accept keys of new hosts with --accept-new-host-key"
    )
