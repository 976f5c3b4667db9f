"""Who gets through the SSH door and how far: places, times, keys; and what becomes of faults of our own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import asyncssh
import pytest
import structlog

from agentbbs.play.session import Session
from agentbbs.servers.admission import Admission
from agentbbs.servers.ssh_connection import SshConnection

from .conftest import until
from .ssh_port import LIMIT_S, Channel, SshPort, channel, ssh_ports

OpenPort = Callable[..., Any]


@pytest.fixture
async def open_port(tmp_path: Path) -> AsyncIterator[OpenPort]:
    """Open SSH doors with times of one's own."""
    async with ssh_ports(tmp_path) as make:
        yield make


@pytest.fixture
async def port(open_port: OpenPort) -> SshPort:
    """An SSH door with the default times."""
    made: SshPort = await open_port()
    return made


class TestTheDoor:
    async def test_of_one_address_lets_few_in_at_a_time(self, port: SshPort) -> None:
        port.endpoint.admission = Admission(total=8, each=2, waiting=4, waiting_each=1)
        silent = [await asyncio.open_connection(port.host, port.port) for _ in range(4)]
        for reader, _ in silent[:2]:
            assert await reader.readline() == b"SSH-2.0-AgentBBS\r\n"
        assert await asyncio.wait_for(silent[3][0].read(), LIMIT_S) == b""
        waiting = asyncio.create_task(silent[2][0].readline())
        await asyncio.sleep(0)
        assert not waiting.done()
        silent[0][1].close()
        assert await asyncio.wait_for(waiting, LIMIT_S) == b"SSH-2.0-AgentBBS\r\n"
        for _, writer in silent:
            writer.close()
        await until(lambda: not port.endpoint.connections)

    async def test_takes_a_fleet_that_comes_at_once(self, port: SshPort) -> None:
        port.endpoint.admission = Admission(total=3, each=3)
        fleet = await asyncio.gather(*(channel(port, f"agent-{number}", None) for number in range(30)))
        for agent in fleet:
            await agent.say(type="ping")
            assert await agent.hear() == {"type": "pong"}

    @pytest.mark.parametrize("logged_in", [False, True])
    async def test_is_closed_on_who_begins_no_session(self, open_port: OpenPort, *, logged_in: bool) -> None:
        port = await open_port(login_timeout_s=1.0)
        if logged_in:
            await asyncio.wait_for((await port.client("ann")).wait_closed(), LIMIT_S)
        else:
            reader, writer = await asyncio.open_connection(port.host, port.port)
            await asyncio.wait_for(reader.read(), LIMIT_S)
            writer.close()
        await until(lambda: not port.endpoint.connections)

    async def test_leaves_a_session_alone_after_the_log_in_time(self, open_port: OpenPort) -> None:
        port = await open_port(login_timeout_s=1.0)
        one = await channel(port, "ann")
        await one.hear_until("queued")
        waited = asyncio.Event()
        asyncio.get_running_loop().call_later(1.5, waited.set)
        await waited.wait()
        assert len(port.game.lobby) == 1

    async def test_outlasts_who_hangs_up_while_the_key_is_looked_up(self, port: SshPort) -> None:
        port.keys.gate.clear()
        connection = await port.client("ann")
        opening = asyncio.create_task(Channel.open(connection, "ttt"))
        await until(lambda: port.keys.asked == 1)
        connection.abort()
        with pytest.raises((asyncssh.Error, OSError)):
            await opening
        await until(lambda: not port.endpoint.connections)
        port.keys.gate.set()
        assert (await (await channel(port, "bob")).hear())["type"] == "queued"

    async def test_speaks_plain_nonsense_with_nobody(self, port: SshPort) -> None:
        for nonsense in (b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01" * 100 + b"\n", b"x" * 20_000, b"SSH-1.5-old\r\n"):
            reader, writer = await asyncio.open_connection(port.host, port.port)
            writer.write(nonsense)
            said = await asyncio.wait_for(reader.read(), LIMIT_S)
            assert said.startswith(b"SSH-2.0-AgentBBS\r\n")
            writer.close()
        await until(lambda: not port.endpoint.connections)


class TestKeys:
    async def test_a_signature_with_sha_1_proves_nothing(self, port: SshPort) -> None:
        port.key("ann", kind="ssh-rsa")
        with pytest.raises(asyncssh.PermissionDenied):
            await port.client("ann", signature_algs=["ssh-rsa"])
        await port.client("ann", signature_algs=["rsa-sha2-256"])

    async def test_a_key_that_no_account_can_have_is_passed_over(self, port: SshPort) -> None:
        """A client with two keys, the first of which could never be registered, gets in by the second."""
        connection = await port.client(
            "ann", client_keys=[asyncssh.generate_private_key("ssh-ed448"), str(port.key("ann"))]
        )
        assert (await (await Channel.open(connection, "ttt")).hear())["type"] == "queued"

    async def test_a_key_that_was_only_shown_is_nobodys_pass(self, port: SshPort) -> None:
        """Who shows bob's public key and proves his own is himself."""
        bobs = asyncssh.load_keypairs(str(port.key("bob")))[0]
        bobs.sign = lambda data: b"\0\0\0\x0bssh-ed25519\0\0\0\x40" + bytes(64)  # type: ignore[method-assign]
        connection = await port.client("ann", client_keys=[bobs, str(port.key("ann"))])
        await (await Channel.open(connection, "ttt")).hear_until("queued")
        assert [entry.name for entry in port.game.lobby.queues()] == ["ann"]

    async def test_a_key_that_is_shown_later_changes_nothing(self, port: SshPort) -> None:
        """A request about bob's key, sent right behind ann's proof, must not be taken for what was proved."""
        await port.client("ann")
        (pipe,) = port.endpoint._pipes
        connection = pipe._speaker
        assert isinstance(connection, SshConnection)
        anns = connection.fingerprint
        bobs = asyncssh.read_private_key(port.key("bob"))
        assert await connection.validate_public_key("game", bobs.public_data, b"", b"")
        forged = b"\0\0\0\x0bssh-ed25519\0\0\0\x40" + bytes(64)
        assert not await connection.validate_public_key("game", bobs.public_data, b"request", forged)
        assert connection.fingerprint == anns == asyncssh.read_private_key(port.key("ann")).get_fingerprint()


class TestFaultsOfOurs:
    async def test_in_a_session_are_logged_and_end_the_connection(
        self, port: SshPort, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one = await channel(port, "ann")
        await one.hear_until("queued")

        def fail(self: Session, message: bytes) -> None:
            raise RuntimeError("a bug")

        monkeypatch.setattr(Session, "receive", fail)
        with structlog.testing.capture_logs() as logs:
            await one.say(type="ping")
            await until(lambda: not port.endpoint.connections)
        assert [(entry["event"], entry["log_level"]) for entry in logs] == [("ssh_connection_failed", "error")]
        assert not len(port.game.lobby)

    async def test_at_the_end_of_a_session_are_logged(self, port: SshPort, monkeypatch: pytest.MonkeyPatch) -> None:
        one = await channel(port, "ann")
        await one.hear_until("queued")

        def fail(self: Session) -> None:
            raise RuntimeError("a bug")

        monkeypatch.setattr(Session, "lost", fail)
        with structlog.testing.capture_logs() as logs:
            one.stdin.channel.get_connection().abort()
            await until(lambda: not port.endpoint.connections)
        assert [entry["event"] for entry in logs] == ["session_not_ended"]
