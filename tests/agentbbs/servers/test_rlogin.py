"""Rlogin over loopback: raw sockets, and netkit's client on a terminal."""

from __future__ import annotations

import asyncio
import shutil
import socket
from collections.abc import AsyncIterator, Callable

import pytest
from structlog.testing import capture_logs

from agentbbs.calls.identity import Guest, Identity, Newcomer, Offered, Stranger
from agentbbs.calls.line import Size
from agentbbs.calls.reception import Call
from agentbbs.servers import caller_endpoint
from agentbbs.servers.rlogin import IN_THE_CLEAR, rlogin_endpoint
from agentbbs.servers.switchboard import STOPPING

from .conftest import SOON_S, until
from .exchange import GREETING, Exchange, at_a_terminal, exchanges, shows

RLOGIN = shutil.which("netkit-rlogin")
WINDOW = b"\xff\xffss\0\x32\0\x84\0\0\0\0"


@pytest.fixture
async def exchange() -> AsyncIterator[Callable[..., Exchange]]:
    async with exchanges() as make:
        yield make


class TestTheHandshake:
    @pytest.mark.parametrize(
        ("sent", "identity", "terminal", "into"),
        [
            (b"\0pw\0ann\0ansi-bbs/115200\0", Offered("ann", "pw"), "ansi-bbs", None),
            (b"\0pw\0ann\0xtrn=TW2002/115200\0", Offered("ann", "pw"), "", "TW2002"),
            (b"\0root\0guest\0vt100/9600\0", Guest(), "vt100", None),
            (b"\0root\0NEW\0vt100/9600\0", Newcomer(), "vt100", None),
            (b"\0\0ann\0vt100/9600\0", Stranger(), "vt100", None),
            (b"\0\0\0\0", Stranger(), "", None),
        ],
    )
    async def test_says_who_calls_and_where_to(
        self, exchange: Callable[..., Exchange], sent: bytes, identity: Identity, terminal: str, into: str | None
    ) -> None:
        board = exchange()
        door = await board.open(rlogin_endpoint)
        async with door.caller() as caller:
            await caller.say(sent)
            assert await caller.hear(GREETING) == b"\0" + GREETING
            call = await board.reception.call()
            assert (call.identity, call.line.terminal, call.door) == (identity, terminal, into)
            assert (call.line.transport, call.line.address, call.line.private) == ("rlogin", "127.0.0.1", True)
            assert (call.line.size, call.line.size_known) == (Size(80, 24), False)
            await caller.say(b"caf\xe9\r\xff.q")
            assert await caller.hear_all() == b"caf\xe9\r\xff.qbye\r\n"

    async def test_shows_and_logs_nothing_of_it(self, exchange: Callable[..., Exchange]) -> None:
        board = exchange()
        door = await board.open(rlogin_endpoint)
        with capture_logs() as logs:
            for swapped_or_not in (b"\0s3cret\0ann\0vt100/9600\0", b"\0ann\0s3cret\0vt100/9600\0"):
                async with door.caller() as caller:
                    await caller.say(swapped_or_not + b"q")
                    assert b"s3cret" not in await caller.hear_all()
                call = await board.reception.call()
                assert "s3cret" not in repr(call)
            async with door.caller() as caller:
                await caller.say(b"s3cret\0ann\0vt100\0")
                await until(lambda: not door.endpoint.connections)
            await until(lambda: not board.tally.calls["rlogin"])
        assert len(logs) >= 5
        assert "s3cret" not in repr(logs)

    @pytest.mark.parametrize("sent", [b"GET / HTTP/1.0\r\n\r\n", b"\0" + b"x" * 1000])
    async def test_anything_else_is_cut_off(self, exchange: Callable[..., Exchange], sent: bytes) -> None:
        door = await exchange().open(rlogin_endpoint)
        async with door.caller() as caller:
            await caller.say(sent)
            await until(lambda: not door.endpoint.connections)

    async def test_one_that_is_never_complete_is_cut_off(self, exchange: Callable[..., Exchange]) -> None:
        board = exchange()
        door = await board.open(rlogin_endpoint, login_timeout_s=0.05)
        async with door.caller() as caller:
            await caller.say(b"\0pw\0ann")
            await until(lambda: not door.endpoint.connections)
        assert board.reception.calls.empty()

    async def test_byte_by_byte(self, exchange: Callable[..., Exchange]) -> None:
        board = exchange()
        door = await board.open(rlogin_endpoint)
        async with door.caller() as caller:
            for byte in b"\0pw\0ann\0vt100/9600\0":
                await caller.say(bytes([byte]))
                await asyncio.sleep(0)
            assert (await board.reception.call()).identity == Offered("ann", "pw")


class TestPasswordsInTheClear:
    @pytest.fixture(autouse=True)
    def _from_afar(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(caller_endpoint, "is_loopback", lambda address: False)

    async def test_are_not_taken_from_afar(self, exchange: Callable[..., Exchange]) -> None:
        board = exchange()
        door = await board.open(rlogin_endpoint)
        async with door.caller() as caller:
            await caller.say(b"\0pw\0ann\0vt100/9600\0")
            assert await caller.hear_all() == b"\0" + IN_THE_CLEAR
        assert board.reception.calls.empty()

    async def test_a_guest_from_afar_may_look(self, exchange: Callable[..., Exchange]) -> None:
        board = exchange()
        door = await board.open(rlogin_endpoint)
        async with door.caller() as caller:
            await caller.say(b"\0pw\0guest\0vt100/9600\0")
            call = await board.reception.call()
            assert (call.identity, call.line.private) == (Guest(), False)

    async def test_are_taken_where_the_operator_takes_them(self, exchange: Callable[..., Exchange]) -> None:
        board = exchange(plaintext_login=True)
        door = await board.open(rlogin_endpoint)
        async with door.caller() as caller:
            await caller.say(b"\0pw\0ann\0vt100/9600\0")
            call = await board.reception.call()
            assert (call.identity, call.line.private) == (Offered("ann", "pw"), True)


class TestTheWindow:
    async def test_is_asked_for_by_an_urgent_byte(self, exchange: Callable[..., Exchange]) -> None:
        door = await exchange().open(rlogin_endpoint)
        async with door.caller() as caller:
            sock = caller.writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_OOBINLINE, 1)
            await caller.say(b"\0pw\0ann\0vt100/9600\0")
            assert await caller.hear(GREETING) == b"\0\x80" + GREETING

    async def test_told_in_band(self, exchange: Callable[..., Exchange], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(caller_endpoint, "SETTLE_S", 2 * SOON_S)
        board = exchange()
        door = await board.open(rlogin_endpoint)
        async with door.caller() as caller:
            await caller.say(b"\0pw\0ann\0vt100/9600\0" + WINDOW + b"typed")
            line = await board.reception.line()
            assert (line.size, line.size_known) == (Size(132, 50), True)
            assert await caller.hear(b"typed") == b"\0" + GREETING + b"typed"

    async def test_a_lone_ff_is_typed_a_moment_later(self, exchange: Callable[..., Exchange]) -> None:
        door = await exchange().open(rlogin_endpoint)
        async with door.caller() as caller:
            await caller.say(b"\0pw\0ann\0vt100/9600\0")
            await caller.hear(GREETING)
            await caller.say(b"\xff")
            assert await caller.hear(b"\xff") == b"\xff"


class TestTheEnd:
    async def test_a_stop_tells_the_callers_and_closes(self, exchange: Callable[..., Exchange]) -> None:
        board = exchange()
        door = await board.open(rlogin_endpoint)
        async with door.caller() as caller, door.caller():
            await caller.say(b"\0pw\0ann\0vt100/9600\0")
            await board.reception.call()
            stop = asyncio.create_task(door.endpoint.shut_down(SOON_S))
            assert (await caller.hear_all()).endswith(f"\r\n{STOPPING}\r\n".encode())
        await stop


@pytest.mark.skipif(RLOGIN is None, reason="netkit-rlogin is not installed")
class TestNetkit:
    async def test_a_visit(self, exchange: Callable[..., Exchange]) -> None:
        board = exchange()
        door = await board.open(rlogin_endpoint)
        command = (RLOGIN or "", "-8", "-i", "s3cret", "-l", "ann", "-p", str(door.port), door.host)
        async with at_a_terminal(*command) as session:
            call: Call = await board.reception.call()
            assert call.identity == Offered("ann", "s3cret")
            assert call.line.terminal == "xterm-256color"
            assert (call.line.size, call.line.size_known) == (Size(100, 30), True)
            await shows(session, "Welcome!")
            await session.write(b"ab")
            await shows(session, "Welcome! ab")
            await session.resize(132, 40)
            await until(lambda: call.line.size == Size(132, 40))
            await session.write(b"q")
            await shows(session, "Welcome! abqbye")
            await until(lambda: session.end is not None)
            assert "s3cret" not in session.screen.text()
