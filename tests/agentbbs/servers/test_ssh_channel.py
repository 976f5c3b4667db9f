"""What a client other than OpenSSH can do on the SSH door, well or ill: driven by asyncssh, down to single packets."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import asyncssh
import pytest
import uvloop
from asyncssh.packet import String, UInt32

from agentbbs.servers.admission import Admission
from agentbbs.servers.ssh_channel import asked
from agentbbs.servers.ssh_connection import MAX_VARIABLES

from .conftest import GamePort, until
from .ssh_port import LIMIT_S, Channel, SshPort, channel, finish, paired, ssh_ports
from .test_websocket import BAD_TEXTS

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


@pytest.mark.parametrize(
    ("command", "game", "practice"),
    [
        ("", None, None),
        ("  ", None, None),
        ("ttt", "ttt", None),
        (" Connect-4 ", "Connect-4", None),
        ("ttt practice=greedy", "ttt", "greedy"),
        ("ttt practice=", "ttt", ""),
        ("practice=greedy", "practice=greedy", None),
        ("ttt; ls", "ttt; ls", None),
        ("ttt practice=greedy now", "ttt practice=greedy now", None),
    ],
)
def test_what_a_command_asks_for(command: str, game: str | None, practice: str | None) -> None:
    assert asked(command) == (game, practice)


class TestRequestsBeforeTheCommand:
    @pytest.mark.parametrize("size", [(0, 0), (80, 24)], ids=["no terminal", "a terminal"])
    async def test_window_changes_do_not_block_it(self, port: SshPort, size: tuple[int, int]) -> None:
        """Case 46: pty-req, window-change, window-change, exec."""

        class Eager(asyncssh.SSHClientSession[bytes]):
            def __init__(self) -> None:
                self.heard = asyncio.Queue[bytes]()

            def connection_made(self, chan: asyncssh.SSHClientChannel[bytes]) -> None:
                sizes = b"".join(map(UInt32, (*size, 0, 0)))
                chan._send_request(b"pty-req", String("xterm"), sizes, String(b""))
                chan.change_terminal_size(100, 30)
                chan.change_terminal_size(120, 40)

            def data_received(self, data: bytes, datatype: int | None) -> None:
                self.heard.put_nowait(data)

        connection = await port.client("ann")
        eager = Eager()
        await connection.create_session(lambda: eager, "ttt", encoding=None)
        assert b'"queued"' in await asyncio.wait_for(eager.heard.get(), LIMIT_S)

    async def test_variables_are_ignored(self, port: SshPort) -> None:
        one = await channel(port, "ann", env={f"LC_{number}": "C" for number in range(20)})
        assert (await one.hear())["type"] == "queued"

    async def test_variables_without_end_are_cut_off(self, port: SshPort) -> None:
        one = await channel(port, "ann")
        await one.hear_until("queued")
        for number in range(MAX_VARIABLES + 1):
            one.stdin.channel._send_request(b"env", String(f"A{number}"), String("x" * 1000))
        await until(lambda: not len(port.game.lobby))
        await until(lambda: not port.endpoint.connections)

    async def test_large_variables_of_a_stranger_are_cut_off(self, port: SshPort) -> None:
        port.key("ann", account=False)
        connection = await port.client("ann")
        with pytest.raises((asyncssh.Error, OSError)):
            await Channel.open(connection, "ttt", env={f"A{number}": "x" * 30_000 for number in range(8)})
        await until(lambda: not port.endpoint.connections)


class TestChannels:
    async def test_one_session_is_all_there_is(self, port: SshPort) -> None:
        connection = await port.client("ann")
        one = await Channel.open(connection, "ttt")
        with pytest.raises(asyncssh.ChannelOpenError, match="one session a connection"):
            await Channel.open(connection, "ttt")
        assert (await one.hear())["type"] == "queued"

    async def test_nothing_is_forwarded(self, port: SshPort) -> None:
        connection = await port.client("ann")
        for attempt in (
            lambda: connection.open_connection("127.0.0.1", port.game.port),
            lambda: connection.open_unix_connection("/tmp/socket"),
            connection.open_tun,
            connection.open_tap,
            connection.start_sftp_client,
        ):
            with pytest.raises(asyncssh.ChannelOpenError):
                await attempt()
        with pytest.raises(asyncssh.ChannelListenError):
            await connection.forward_remote_port("", 0, "127.0.0.1", 1)
        with pytest.raises(asyncssh.ChannelListenError):
            await connection.forward_remote_path("/tmp/socket", "/tmp/socket")

    async def test_break_and_signal_change_nothing(self, port: SshPort) -> None:
        one = await channel(port, "ann")
        one.stdin.channel.send_break(100)
        one.stdin.channel.send_signal("TERM")
        await one.say(type="ping")
        assert (await one.hear_until("pong")) == {"type": "pong"}

    async def test_the_venue_hangs_up_on_a_client_that_stays_after_its_session(
        self, port: SshPort, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("agentbbs.servers.bounded.CLOSE_TIMEOUT_S", 0.05)
        one = await channel(port, "ann", "go")
        assert await one.ended() == 1
        await until(lambda: not port.endpoint.connections)


class TestBadInput:
    @pytest.mark.parametrize("text", [text for text in BAD_TEXTS if text], ids=lambda text: text[:32].decode("latin-1"))
    async def test_is_answered_and_the_match_goes_on(self, port: SshPort, text: bytes) -> None:
        """Case 42."""
        first, second = await paired(await channel(port, "ann"), await channel(port, "bob"))
        await first.hear_until("state")
        await first.write(text + b"\n")
        error = await first.hear()
        assert (error["type"], error["code"]) == ("error", "bad_message")
        won, _ = await finish(first, second)
        assert won["outcome"] == "win"

    async def test_without_an_end_is_told_once_and_skipped(self, port: SshPort) -> None:
        """Case 41, one of them."""
        one = await channel(port, "ann")
        await one.hear_until("queued")
        for _ in range(100):
            await one.write(b"x" * 100_000)
        await one.write(b'\n{"type":"ping"}\n')
        assert (await one.hear())["code"] == "line_too_long"
        assert await one.hear() == {"type": "pong"}

    async def test_of_many_floods_stops_no_match(self, port: SshPort) -> None:
        """Case 41; what it costs the others is measured by bench/ssh.py."""
        floods = [await channel(port, f"eve-{number}", None) for number in range(10)]
        writing = [asyncio.create_task(flood.write(b"x" * 500_000 + b"\n")) for flood in floods]
        won, _ = await finish(*await paired(await channel(port, "ann"), await channel(port, "bob")))
        assert won["outcome"] == "win"
        await asyncio.gather(*writing)
        for flood in floods:
            assert (await flood.hear())["code"] == "line_too_long"

    async def test_of_twenty_overlong_lines_closes(self, port: SshPort) -> None:
        one = await channel(port, "ann", None)
        for _ in range(20):
            await one.write(b"x" * 70_000 + b"\n")
            assert (await one.hear())["code"] == "line_too_long"
        assert await one.ended() == 1

    async def test_in_one_packet_is_answered_in_order(self, port: SshPort) -> None:
        """More lines than one turn handles, in few packets."""
        one = await channel(port, "ann", None)
        await one.write(b'{"type":"ping"}\n' * 5000 + b'{"type":"join","game":"ttt"}\n')
        for _ in range(5000):
            assert await one.hear() == {"type": "pong"}
        assert (await one.hear())["type"] == "queued"

    async def test_that_ends_with_many_lines_left_is_answered_to_the_last(self, port: SshPort) -> None:
        one = await channel(port, "ann", None)
        one.stdin.write(b'{"type":"ping"}\n' * 500)
        one.stdin.write_eof()
        for _ in range(500):
            assert await one.hear() == {"type": "pong"}
        assert await one.ended() == 1


class TestAPeerThatDoesNotRead:
    async def test_its_channel_is_cut_off(self, port: SshPort) -> None:
        """Case 43: the window is full, and nobody makes it wider."""
        one, two = await channel(port, "ann", window=1024, max_pktsize=1024), await channel(port, "bob")
        await two.hear_until("hello")
        one.stdin.channel.pause_reading()
        await _ping_until_lost(one)
        result = await two.hear_until("result")
        assert (result["outcome"], result["reason"]) == ("win", "forfeit: disconnect")

    async def test_nor_its_socket_is_cut_off(self, port: SshPort) -> None:
        """Its pings end with its window, but there are requests that no window counts."""
        with socket.socket() as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sock.connect((port.host, port.port))
            sock.setblocking(False)
            connection = await port.client("ann", sock=sock)
            await Channel.open(connection, "ttt")
            two = await channel(port, "bob")
            await two.hear_until("hello")
            for pipe in port.endpoint._pipes:
                pipe._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
            connection._transport.pause_reading()  # type: ignore[union-attr]
            await _ask_until_lost(connection)
            assert (await two.hear_until("result"))["reason"] == "forfeit: disconnect"

    async def test_nor_answers_is_gone_after_two_keepalives(self, open_port: OpenPort) -> None:
        """Case 39 on this transport: a half-open peer."""
        port = await open_port(keepalive_s=0.1)
        connection = await port.client("ann")
        one = await Channel.open(connection, "ttt")
        await one.hear_until("queued")
        connection._transport.pause_reading()
        await until(lambda: not len(port.game.lobby))
        await until(lambda: not port.endpoint.connections)

    async def test_but_answers_stays(self, open_port: OpenPort) -> None:
        port = await open_port(keepalive_s=0.02)
        one = await channel(port, "ann", None)
        waited = asyncio.Event()
        asyncio.get_running_loop().call_later(0.5, waited.set)
        await waited.wait()
        await one.say(type="ping")
        assert await one.hear() == {"type": "pong"}

    async def test_nor_ends_an_exchange_of_keys_is_cut_off(self, port: SshPort) -> None:
        connection = await port.client("ann")
        one = await Channel.open(connection, "ttt")
        await one.hear_until("queued")
        connection._transport.pause_reading()  # type: ignore[union-attr]
        connection._send_kexinit()
        connection._kex_complete = True  # and goes on as if nothing were
        await _ask_until_lost(connection)
        await until(lambda: not len(port.game.lobby))


async def _ask_until_lost(connection: asyncssh.SSHClientConnection) -> None:
    """Send requests that have to be answered until the connection is gone; nothing is read meanwhile."""
    transport = connection._transport
    assert transport is not None
    async with asyncio.timeout(LIMIT_S):
        while not transport.is_closing():
            if transport.get_write_buffer_size() < 1 << 18:
                for _ in range(500):
                    connection._send_global_request(b"keepalive@openssh.com", want_reply=True)
            await asyncio.sleep(0.001)


async def _ping_until_lost(agent: Channel) -> None:
    """Send pings until the connection is gone; nothing is read meanwhile."""
    connection = agent.stdin.channel.get_connection()
    transport = connection._transport
    async with asyncio.timeout(LIMIT_S):
        while not transport.is_closing():
            if transport.get_write_buffer_size() < 1 << 20:
                try:
                    agent.stdin.channel.write(b'{"type":"ping"}\n' * 1000)
                except OSError:
                    break
            await asyncio.sleep(0.001)


def test_everything_goes_on_uvloop_too(tmp_path: Path) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_on_uvloop(tmp_path))


async def _on_uvloop(folder: Path) -> None:
    port = await SshPort(await GamePort().open(), folder).open()
    port.endpoint.admission = Admission(total=2, each=2)
    names = ("ann", "bob", "cid", "dan")
    agents = await asyncio.gather(*(channel(port, name, None, window=2048, max_pktsize=1024) for name in names))
    for agent in agents[:2]:
        await agent.say(type="join", game="ttt")
    won, _ = await finish(*await paired(*agents[:2]))
    assert won["outcome"] == "win"
    await agents[2].write(b"x" * 3_000_000 + b'\n{"type":"ping"}\n' * 500)
    assert (await agents[2].hear())["code"] == "line_too_long"
    for _ in range(500):
        assert await agents[2].hear() == {"type": "pong"}
    agents[3].stdin.channel.pause_reading()
    await _ping_until_lost(agents[3])
    await until(lambda: port.endpoint.connections == 3)
    await port.close()
    await port.game.close()
