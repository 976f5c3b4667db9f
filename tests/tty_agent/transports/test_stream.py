"""What the transports over TCP share, seen through telnet."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable

import pytest
from tests.tty_agent.transports.loopback import LIMIT_S, Caller, calling, free_port, listening

from tty_agent.transports.stream import is_refused, reason_of
from tty_agent.transports.telnet import Telnet
from tty_agent.transports.transport import READ_BYTES, CannotConnect, EndKind


async def test_nobody_listens() -> None:
    telnet = Telnet("127.0.0.1", free_port())
    with pytest.raises(CannotConnect, match="nothing listens"):
        await telnet.open(80, 24)
    assert telnet.end is None
    await telnet.close()


@pytest.mark.parametrize(
    ("error", "refused"),
    [
        (ConnectionRefusedError(111, "Connect call failed"), True),
        (OSError(f"Multiple exceptions: [Errno {errno.ECONNREFUSED}] Connect call failed, [Errno 99] none"), True),
        (OSError(errno.EHOSTUNREACH, "No route to host"), False),
    ],
)
def test_a_refusal_is_known_at_any_number_of_addresses(error: OSError, refused: bool) -> None:
    assert is_refused(error) is refused


async def test_no_such_host(monkeypatch: pytest.MonkeyPatch) -> None:
    async def look_up(*_arguments: object, **_options: object) -> object:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", look_up)
    with pytest.raises(CannotConnect, match=r"no host bbs\.invalid"):
        await Telnet("bbs.invalid").open(80, 24)


async def test_a_host_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    async def connect(*_arguments: object, **_options: object) -> object:
        return await asyncio.get_running_loop().create_future()

    monkeypatch.setattr(asyncio.get_running_loop(), "create_connection", connect)
    with pytest.raises(CannotConnect, match=r"did not answer within 0\.01 s"):
        await Telnet("192.0.2.1", open_timeout_s=0.01).open(80, 24)


async def test_other_errors_are_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    async def connect(*_arguments: object, **_options: object) -> object:
        raise OSError(113, "No route to host")

    monkeypatch.setattr(asyncio.get_running_loop(), "create_connection", connect)
    with pytest.raises(CannotConnect, match="No route to host"):
        await Telnet("192.0.2.1").open(80, 24)
    assert reason_of(ValueError()) == "ValueError"


async def test_open_comes_first() -> None:
    with pytest.raises(RuntimeError, match="open"):
        await Telnet("127.0.0.1").read()


def has_ipv6() -> bool:
    with socket.socket(socket.AF_INET6) as sock:
        return sock.connect_ex(("::1", free_port())) == errno.ECONNREFUSED


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6 loopback")
async def test_ipv6() -> None:
    async with listening(socket.AF_INET6) as server, calling(server, Telnet("::1", server.port)) as (telnet, caller):
        await caller.say(b"six")
        assert await telnet.read() == b"six"


@pytest.mark.parametrize(
    ("hang_up", "kind"),
    [
        (lambda caller: caller.connection.shutdown(socket.SHUT_WR), EndKind.EOF),
        (lambda caller: caller.connection.close(), EndKind.EOF),
        (lambda caller: caller.reset(), EndKind.LOST),
    ],
    ids=["half closed", "closed", "reset"],
)
async def test_how_it_ended(hang_up: Callable[[Caller], None], kind: EndKind) -> None:
    async with listening() as server, calling(server, Telnet("127.0.0.1", server.port)) as (telnet, caller):
        await caller.say(b"Good-bye")
        assert await telnet.read() == b"Good-bye"
        assert [telnet.end] == [None]
        hang_up(caller)
        async with asyncio.timeout(LIMIT_S):
            assert await telnet.read() == b""
        assert telnet.end is not None
        assert telnet.end.kind is kind
        await telnet.write(b"after the end")
        await telnet.close()
        await telnet.close()
        assert telnet.end.kind is kind


async def test_last_words_before_a_reset_are_read() -> None:
    async with listening() as server, calling(server, Telnet("127.0.0.1", server.port)) as (telnet, caller):
        await caller.say(b"all nodes are in use")
        async with asyncio.timeout(LIMIT_S):
            while not telnet._opened().inbox._waiting:  # noqa: ASYNC110 - until it came
                await asyncio.sleep(0.001)
            caller.reset()
            await telnet._opened()._lost.wait()
        assert await telnet.read() == b"all nodes are in use"
        assert await telnet.read() == b""
        assert telnet.end is not None
        assert telnet.end.kind is EndKind.LOST
        await telnet.close()


async def test_closing_is_a_hang_up_and_what_was_typed_arrives() -> None:
    async with listening() as server, calling(server, Telnet("127.0.0.1", server.port)) as (telnet, caller):
        await telnet.write(b"q")
        await telnet.close()
        assert await caller.hear(2) == b"q"
        assert telnet.end is not None
        assert telnet.end.kind is EndKind.HUNG_UP
        assert await telnet.read() == b""


async def test_a_peer_that_does_not_read_holds_the_writer_and_closing_lets_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tty_agent.transports.stream.CLOSE_TIMEOUT_S", 0.05)
    async with listening() as server, calling(server, Telnet("127.0.0.1", server.port)) as (telnet, _):
        await telnet.write(b"x" * 20_000_000)
        writing = asyncio.create_task(telnet.write(b"y"))
        done, _ = await asyncio.wait({writing}, timeout=0.1)
        assert not done
        async with asyncio.timeout(LIMIT_S):
            await telnet.close()
            await writing


async def test_a_flood_is_read_in_pieces_and_waits_outside() -> None:
    async with listening() as server, calling(server, Telnet("127.0.0.1", server.port)) as (telnet, caller):
        saying = asyncio.create_task(caller.say(b"x" * 8_000_000))
        async with asyncio.timeout(LIMIT_S):
            while not telnet._opened().inbox._paused:  # noqa: ASYNC110 - until it is full
                await asyncio.sleep(0.001)
            total = 0
            while total < 8_000_000:
                piece = await telnet.read()
                assert 1 <= len(piece) <= READ_BYTES
                total += len(piece)
            await saying
        await telnet.close()
