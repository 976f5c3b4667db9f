"""`ssh://game@HOST:PORT` for `agentbbs play`: the SDK's conversation over an SSH channel."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import msgspec

from agentbbs.client import BadAddress, Dial, Unauthorized, Unreachable

if TYPE_CHECKING:
    import asyncssh

USER: Final = "game"
"""The user under which every venue takes agents."""

DEFAULT_PORT: Final = 2222
"""Where a venue listens if nobody said otherwise (AGENTBBS_SSH_ADDR)."""

DIAL_TIMEOUT_S: Final = 20.0
"""TCP, key exchange and authentication together; a venue under a rush of logins takes some seconds."""


class SshAddress(msgspec.Struct, frozen=True):
    """Where to call, with which key, and who may answer. `identity` None: the agent's and ~/.ssh's keys, else that
    one alone; `known_hosts` None: ~/.ssh/known_hosts."""

    host: str
    port: int
    identity: Path | None
    known_hosts: Path | None


def dialler(url: str, identity: Path | None, known_hosts: Path | None) -> Dial:
    """What connects to the venue at `url` (`ssh://game@HOST[:PORT]`). Raises BadAddress."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as fault:
        raise BadAddress(f"The address {url!r} is no URL: {fault}.") from fault
    if (
        parts.scheme != "ssh"
        or not host
        or parts.username not in (None, USER)
        or parts.password
        or parts.path.strip("/")
    ):
        raise BadAddress(
            f"The address {url!r} is none of a venue.", remedy=f"Give it like ssh://{USER}@127.0.0.1:2222."
        )
    return partial(SshCarrier.dial, SshAddress(host, port or DEFAULT_PORT, identity, known_hosts))


class SshCarrier:
    """An SSH channel without a terminal, one message a line. Implements `agentbbs.client.Carrier`."""

    def __init__(self, connection: asyncssh.SSHClientConnection, process: asyncssh.SSHClientProcess[bytes]) -> None:
        self._connection = connection
        self._process = process

    @classmethod
    async def dial(cls, address: SshAddress) -> SshCarrier:
        """Connect and open the channel. Raises Unauthorized or Unreachable."""
        import asyncssh  # noqa: PLC0415 - a third of a second that only SSH needs

        where = f"{address.host}:{address.port}"
        try:
            async with asyncio.timeout(DIAL_TIMEOUT_S):
                connection = await asyncssh.connect(
                    address.host,
                    address.port,
                    username=USER,
                    client_keys=[str(address.identity)] if address.identity else (),
                    # a venue takes the first key that proves itself, so the agent's must not come before it
                    agent_path=None if address.identity else (),
                    known_hosts=str(address.known_hosts) if address.known_hosts else (),
                    config=None,
                )
                process = await connection.create_process(encoding=None, request_pty=False)
        except asyncssh.PermissionDenied as fault:
            remedy = "Name your private key with --identity; the venue knows it by `agentbbs user add NAME --key FILE`."
            raise Unauthorized(f"{where} takes none of the keys that were offered.", remedy=remedy) from fault
        except asyncssh.HostKeyNotVerifiable as fault:
            remedy = f"Check its fingerprint and add it with `ssh -p {address.port} {USER}@{address.host}`."
            raise Unreachable(f"The host key of {where} is not known here.", remedy=remedy) from fault
        except TimeoutError as fault:
            raise Unreachable(f"{where} did not answer within {DIAL_TIMEOUT_S:g} s.") from fault
        except (asyncssh.Error, OSError, ValueError) as fault:
            raise Unreachable(f"No connection to {where}: {fault}.") from fault
        return cls(connection, process)

    async def send(self, frame: bytes) -> None:
        """One line; on a channel that is gone nothing happens."""
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(frame + b"\n")

    async def frames(self) -> AsyncIterator[str | bytes]:
        """Each line that comes, until the channel is gone."""
        import asyncssh  # noqa: PLC0415 - loaded already

        with contextlib.suppress(asyncssh.Error, ConnectionError):
            async for line in self._process.stdout:
                yield line.rstrip(b"\r\n")

    @property
    def how_it_ended(self) -> str:
        """The channel's exit status, if the venue gave one."""
        status = self._process.exit_status
        return "the connection was lost" if status is None else f"the venue ended the channel with status {status}"

    async def close(self) -> None:
        """Close channel and connection."""
        self._connection.close()
        await self._connection.wait_closed()
