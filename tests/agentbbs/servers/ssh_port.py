"""The SSH door beside a game port in the test's own loop, and agents that come to it by OpenSSH and by asyncssh."""

from __future__ import annotations

import asyncio
import json
import shutil
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from agentbbs.servers.host_key import host_key
from agentbbs.servers.ssh import SshEndpoint

from .conftest import Account, GamePort

LIMIT_S = 30
"""An OpenSSH client is a process: on a busy machine it takes a second to be there."""

needs_openssh = pytest.mark.skipif(
    shutil.which("ssh") is None or shutil.which("ssh-keygen") is None, reason="OpenSSH's client is not installed"
)


class KeysInMemory:
    """Who has which key, by fingerprint."""

    def __init__(self) -> None:
        self.accounts: dict[str, Account] = {}
        self.asked = 0
        self.broken = False
        self.gate = asyncio.Event()
        self.gate.set()

    async def check(self, fingerprint: str) -> Account | None:
        self.asked += 1
        await self.gate.wait()
        if self.broken:
            raise OSError("the disk is gone")
        return self.accounts.get(fingerprint)


class SshPort:
    """A game port with an SSH door to the same lobby."""

    def __init__(self, game: GamePort, folder: Path, **options: Any) -> None:
        self.game = game
        self.folder = folder
        self.keys = KeysInMemory()
        self.endpoint = SshEndpoint(
            self.keys, game.lobby, game.alarms, game.tally, stopping=lambda: game.stopping, **options
        )
        self.host, self.port = "127.0.0.1", 0
        self._agents: list[OpenSsh] = []
        self._clients: list[asyncssh.SSHClientConnection] = []

    async def open(self) -> SshPort:
        key = host_key(self.folder)
        self.host, self.port = await self.endpoint.listen(self.host, 0, key)
        self._known_hosts = self.folder / "known_hosts"
        return self

    async def close(self) -> None:
        for client in self._clients:
            client.abort()
            await client.wait_closed()
        for agent in self._agents:
            await agent.kill()
        await self.endpoint.shut_down(1)

    def key(self, name: str, *, account: bool = True, kind: str = "ssh-ed25519") -> Path:
        """The private key of `name`, with an account unless told otherwise. Made once."""
        path = self.folder / name
        if not path.exists():
            key = asyncssh.generate_private_key(kind)
            path.touch(0o600)
            path.write_bytes(key.export_private_key())
            path.with_suffix(".pub").write_bytes(key.export_public_key())
            if account:
                numbers = self.game.tokens.numbers
                number = numbers.setdefault(name, len(numbers) + 1)
                self.keys.accounts[key.get_fingerprint()] = Account(number, name)
        return path

    async def ssh(
        self,
        *command: str,
        options: tuple[str, ...] = (),
        key: Path | None = None,
        user: str = "game",
        stdin: int = PIPE,
    ) -> OpenSsh:
        """Start OpenSSH's client."""
        identity = ("-i", str(key)) if key is not None else ()
        process = await asyncio.create_subprocess_exec(
            *("ssh", "-F", "/dev/null", "-p", str(self.port), *identity, *options),
            *("-o", f"UserKnownHostsFile={self._known_hosts}", "-o", "StrictHostKeyChecking=accept-new"),
            *("-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes", "-o", "IdentityAgent=none", "-o", "LogLevel=ERROR"),
            *(f"{user}@{self.host}", *command),
            stdin=stdin,
            stdout=PIPE,
            stderr=PIPE,
        )
        self._agents.append(OpenSsh(process))
        return self._agents[-1]

    async def agent(self, name: str, *command: str, options: tuple[str, ...] = ()) -> OpenSsh:
        """`name`, who has an account, comes by OpenSSH."""
        return await self.ssh(*command, options=options, key=self.key(name))

    async def client(self, name: str, **options: Any) -> asyncssh.SSHClientConnection:
        """`name`, who has an account, comes by asyncssh; no session is open yet."""
        where = {} if "sock" in options else {"host": self.host, "port": self.port}
        options = {**where, "client_keys": [str(self.key(name))], **options}
        connection = await asyncssh.connect(username="game", known_hosts=None, config=None, agent_path=None, **options)
        self._clients.append(connection)
        return connection


@asynccontextmanager
async def ssh_ports(folder: Path) -> AsyncIterator[Callable[..., Awaitable[SshPort]]]:
    """Opens SSH doors, each beside a game port of its own: the game's times as a dict, the door's options by name."""
    opened: list[SshPort] = []

    async def make(game_times: dict[str, Any] | None = None, **options: Any) -> SshPort:
        own = folder / str(len(opened))
        own.mkdir()
        opened.append(await SshPort(await GamePort(**(game_times or {})).open(), own, **options).open())
        return opened[-1]

    yield make
    for port in opened:
        await port.close()
        await port.game.close()


class Lines:
    """Messages as lines."""

    def __init__(self, reader: Callable[[], Any]) -> None:
        self._read = reader

    async def hear(self) -> dict[str, Any]:
        """The next message."""
        line = await asyncio.wait_for(self._read(), LIMIT_S)
        assert line.endswith(b"\n"), line
        heard: dict[str, Any] = json.loads(line)
        return heard

    async def hear_until(self, kind: str) -> dict[str, Any]:
        """The next message of type `kind`; those before it are dropped."""
        while True:
            heard = await self.hear()
            if heard["type"] == kind:
                return heard

    async def say(self, **message: object) -> None:
        await self.write(json.dumps(message).encode() + b"\n")

    async def write(self, data: bytes) -> None:
        raise NotImplementedError


class OpenSsh(Lines):
    """An agent that is a process of OpenSSH's client."""

    def __init__(self, process: Process) -> None:
        assert process.stdout is not None
        super().__init__(process.stdout.readline)
        self.process = process

    async def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        await self.process.stdin.drain()

    def end_input(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    async def ended(self) -> tuple[int, list[dict[str, Any]], str]:
        """Wait for the end: the exit status, the messages not heard yet, what is on stderr. stdin stays open."""
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        out, err = await asyncio.wait_for(
            asyncio.gather(self.process.stdout.read(), self.process.stderr.read()), LIMIT_S
        )
        status = await asyncio.wait_for(self.process.wait(), LIMIT_S)
        return status, [json.loads(line) for line in out.splitlines()], err.decode()

    async def kill(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.communicate()


class Channel(Lines):
    """An agent on a session channel of asyncssh's client."""

    def __init__(self, channel: tuple[Any, Any, Any]) -> None:
        self.stdin, self.stdout, self.stderr = channel
        super().__init__(self.stdout.readline)

    @classmethod
    async def open(cls, connection: asyncssh.SSHClientConnection, command: str | None = None, **more: Any) -> Channel:
        return cls(await connection.open_session(command, encoding=None, **more))

    async def write(self, data: bytes) -> None:
        self.stdin.write(data)
        await self.stdin.drain()

    async def ended(self) -> int | None:
        """Wait for the close; the exit status."""
        await asyncio.wait_for(self.stdout.read(), LIMIT_S)
        await asyncio.wait_for(self.stdin.channel.wait_closed(), LIMIT_S)
        status: int | None = self.stdin.channel.get_exit_status()
        return status


async def channel(port: SshPort, name: str, command: str | None = "ttt", **more: Any) -> Channel:
    """A session of `name` on a connection of its own, by asyncssh."""
    return await Channel.open(await port.client(name), command, **more)


async def paired(one: Lines, other: Lines) -> tuple[Lines, Lines]:
    """Two agents that were paired, the one that moves first before the other."""
    first = (await one.hear_until("hello"))["player"] == 0
    await other.hear_until("hello")
    return (one, other) if first else (other, one)


async def finish(first: Any, second: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The player to move first wins at tic-tac-toe in five plies; both results."""
    for ply, move in enumerate("30415"):
        await (first, second)[ply % 2].say(type="move", move=move, ply=ply)
        for agent in (first, second):
            while (await agent.hear_until("state"))["ply"] <= ply:
                pass
    return await first.hear_until("result"), await second.hear_until("result")
