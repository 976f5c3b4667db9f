"""Telnet over loopback: raw sockets, and the client of GNU inetutils on a terminal."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Callable

import pytest

from agentbbs.calls.identity import Stranger
from agentbbs.calls.line import LineGone, Size
from agentbbs.calls.reception import Call
from agentbbs.servers.switchboard import STOPPING
from agentbbs.servers.telnet import telnet_endpoint
from agentbbs.servers.telnet_options import MAX_COMMAND_BYTES_IN_A_ROW, TelnetOptions

from .conftest import SOON_S, until
from .exchange import GREETING, Exchange, at_a_terminal, exchanges, shows

TELNET = shutil.which("inetutils-telnet")
OPENING = TelnetOptions().opening()
PROMPT_S = 0.3


@pytest.fixture
async def exchange() -> AsyncIterator[Callable[..., Exchange]]:
    async with exchanges() as make:
        yield make


async def silent(call: Call) -> None:
    """Says nothing and reads until the end."""
    with contextlib.suppress(LineGone):
        while True:
            await call.line.read()


class TestACallerWhoNegotiatesNothing:
    async def test_has_a_prompt_within_300_ms(self, exchange: Callable[..., Exchange]) -> None:
        """Case 108."""
        door = await exchange().open(telnet_endpoint)
        began = asyncio.get_running_loop().time()
        async with door.caller() as caller:
            assert await caller.hear(GREETING) == OPENING + GREETING
            assert asyncio.get_running_loop().time() - began < PROMPT_S

    async def test_is_a_stranger_on_a_screen_of_80x24(self, exchange: Callable[..., Exchange]) -> None:
        """Case 110."""
        board = exchange()
        door = await board.open(telnet_endpoint)
        async with door.caller() as caller:
            call = await board.reception.call()
            line = call.line
            assert (call.identity, call.door) == (Stranger(), None)
            assert (line.transport, line.address, line.terminal, line.private) == ("telnet", "127.0.0.1", "", True)
            assert (line.size, line.size_known) == (Size(80, 24), False)
            await caller.say(b"hello\r\0q")
            assert await caller.hear_all() == OPENING + GREETING + b"hello\r\0\0qbye\r\n"

    async def test_what_is_typed_before_the_prompt_is_kept(self, exchange: Callable[..., Exchange]) -> None:
        door = await exchange().open(telnet_endpoint)
        async with door.caller() as caller:
            await caller.say(b"early")
            assert (await caller.hear(b"early")).endswith(GREETING + b"early")

    async def test_late_options_are_taken(self, exchange: Callable[..., Exchange]) -> None:
        board = exchange()
        door = await board.open(telnet_endpoint)
        async with door.caller() as caller:
            line = await board.reception.line()
            sizes: asyncio.Queue[Size] = asyncio.Queue()
            line.on_resize(sizes.put_nowait)
            await caller.say(b"\xff\xfb\x1f\xff\xfa\x1f\0\x84\0\x32\xff\xf0\xff\xfa\x18\0VT220\xff\xf0")
            async with asyncio.timeout(SOON_S):
                assert await sizes.get() == Size(132, 50)
            await until(lambda: line.terminal == "vt220")
            assert line.size_known


class TestACallerWhoNegotiates:
    async def test_is_put_through_as_soon_as_the_terminal_is_known(
        self, exchange: Callable[..., Exchange], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("agentbbs.servers.caller_endpoint.SETTLE_S", 2 * SOON_S)
        board = exchange()
        door = await board.open(telnet_endpoint)
        async with door.caller() as caller:
            await caller.say(b"\xff\xfb\x18\xff\xfb\x1f\xff\xfa\x1f\0\0\0\0\xff\xf0")
            await caller.hear(b"\xff\xfa\x18\1\xff\xf0")
            await caller.say(b"\xff\xfa\x18\0ANSI\xff\xf0")
            line = await board.reception.line()
            assert (line.terminal, line.size, line.size_known) == ("ansi", Size(80, 24), False)

    async def test_are_you_there(self, exchange: Callable[..., Exchange]) -> None:
        door = await exchange().open(telnet_endpoint)
        async with door.caller() as caller:
            await caller.hear(GREETING)
            await caller.say(b"\xff\xf6")
            assert await caller.hear(b"[Yes]\r\n") == b"\r\n[Yes]\r\n"

    async def test_every_byte_passes_both_ways(self, exchange: Callable[..., Exchange]) -> None:
        every = bytes(byte for byte in range(256) if byte != ord("q"))
        doubled = every.replace(b"\xff", b"\xff\xff")
        door = await exchange().open(telnet_endpoint)
        async with door.caller() as caller:
            await caller.say(b"\xff\xfd\x00\xff\xfb\x00")
            await caller.hear(GREETING)
            await caller.say(doubled)
            assert await caller.hear(doubled) == doubled


class TestFloods:
    @pytest.mark.parametrize("piece", [b"\xff\xf1" * 512, b"\xff\xfb\x1f\xff\xfc\x1f" * 170, b"x" * 1024])
    async def test_of_commands_are_cut_off(self, exchange: Callable[..., Exchange], piece: bytes) -> None:
        board = exchange(silent)
        door = await board.open(telnet_endpoint)
        async with door.caller() as caller:
            await board.reception.call()
            begin = b"\xff\xfa\x18\0" if piece[0] != 0xFF else b""
            with contextlib.suppress(ConnectionError):
                await caller.say(begin)
                for _ in range(2 * MAX_COMMAND_BYTES_IN_A_ROW // len(piece) + 1):
                    await caller.say(piece)
            await until(lambda: door.endpoint.connections == 0)

    async def test_of_typing_wait_for_the_reader(self, exchange: Callable[..., Exchange]) -> None:
        going = asyncio.Event()
        heard = 0

        async def slow(call: Call) -> None:
            nonlocal heard
            await going.wait()
            with contextlib.suppress(LineGone):
                while True:
                    heard += len(await call.line.read())

        board = exchange(slow)
        door = await board.open(telnet_endpoint)
        size = 8 * 1024 * 1024
        async with door.caller() as caller:
            await board.reception.call()
            saying = asyncio.create_task(caller.say(b"x" * size))
            await asyncio.wait([saying], timeout=0.3)
            assert not saying.done()
            going.set()
            await saying
            await until(lambda: heard == size)

    async def test_of_output_wait_for_the_caller(self, exchange: Callable[..., Exchange]) -> None:
        full = asyncio.Event()

        async def flood(call: Call) -> None:
            while not full.is_set():
                call.line.write(b"x" * 4096)
                draining = asyncio.ensure_future(call.line.drain())
                await asyncio.sleep(0)
                if not draining.done():
                    full.set()
                await draining
            call.line.write(b"the last of it")
            call.line.hang_up()

        door = await exchange(flood).open(telnet_endpoint)
        async with door.caller() as caller:
            async with asyncio.timeout(SOON_S):
                await full.wait()
            assert (await caller.hear_all()).endswith(b"xthe last of it")

    async def test_who_takes_no_output_that_does_not_wait_is_cut_off(self, exchange: Callable[..., Exchange]) -> None:
        cut: asyncio.Queue[str] = asyncio.Queue()

        async def flood(call: Call) -> None:
            reading = asyncio.ensure_future(call.line.read())
            while not reading.done():
                call.line.write(b"x" * 65536)
                await asyncio.sleep(0)
            cut.put_nowait(str(reading.exception()))

        door = await exchange(flood).open(telnet_endpoint)
        async with door.caller(), asyncio.timeout(SOON_S):
            assert "unread" in await cut.get()


class TestTheEnd:
    async def test_the_last_words_arrive_although_the_caller_types_on(self, exchange: Callable[..., Exchange]) -> None:
        """Typed after a close they would be answered by a reset."""
        hung_up = asyncio.Event()

        async def brief(call: Call) -> None:
            call.line.write(b"x" * 200_000 + b"bye")
            call.line.hang_up()
            hung_up.set()

        door = await exchange(brief).open(telnet_endpoint)
        async with door.caller() as caller:
            async with asyncio.timeout(SOON_S):
                await hung_up.wait()
            for _ in range(20):
                await caller.say(b"typed on")
                await asyncio.sleep(0)
            assert (await caller.hear_all()).endswith(b"bye")

    async def test_who_does_not_hang_up_is_cut_off(
        self, exchange: Callable[..., Exchange], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("agentbbs.servers.bounded.CLOSE_TIMEOUT_S", 0.05)
        door = await exchange().open(telnet_endpoint)
        async with door.caller() as caller:
            await caller.say(b"q")
            await caller.hear(b"bye\r\n")
            await until(lambda: door.endpoint.connections == 0)

    async def test_a_caller_who_hangs_up_ends_the_visit(self, exchange: Callable[..., Exchange]) -> None:
        board = exchange()
        door = await board.open(telnet_endpoint)
        async with door.caller():
            line = await board.reception.line()
            assert board.tally.calls["telnet"] == 1
        with pytest.raises(LineGone):
            await line.read()
        await until(lambda: not board.tally.calls["telnet"] and not door.endpoint.connections)
        assert board.tally.calls_total["telnet"] == 1

    async def test_a_stop_tells_the_callers_and_closes(self, exchange: Callable[..., Exchange]) -> None:
        board = exchange()
        door = await board.open(telnet_endpoint)
        async with door.caller() as caller:
            await board.reception.call()
            stop = asyncio.create_task(door.endpoint.shut_down(SOON_S))
            assert (await caller.hear_all()).endswith(f"\r\n{STOPPING}\r\n".encode())
        await stop
        await board.switchboard.shut_down(SOON_S)
        assert not board.tally.calls["telnet"]
        with pytest.raises(ConnectionRefusedError):
            async with door.caller():
                pass

    async def test_who_asks_for_the_port_and_goes_is_no_call(self, exchange: Callable[..., Exchange]) -> None:
        board = exchange()
        door = await board.open(telnet_endpoint)
        async with door.caller() as caller:
            await caller.hear(OPENING)
        await until(lambda: not door.endpoint.connections)
        assert board.reception.calls.empty()


@pytest.mark.skipif(TELNET is None, reason="the telnet client of inetutils is not installed")
class TestInetutils:
    async def test_a_visit(self, exchange: Callable[..., Exchange]) -> None:
        board = exchange()
        door = await board.open(telnet_endpoint)
        async with at_a_terminal(TELNET or "", door.host, str(door.port)) as session:
            line = await board.reception.line()
            assert (line.terminal, line.size, line.size_known) == ("xterm-256color", Size(100, 30), True)
            await shows(session, "Welcome!")
            await session.write(b"ab")
            await shows(session, "Welcome! ab")
            await session.resize(132, 40)
            await until(lambda: line.size == Size(132, 40))
            await session.write(b"q")
            await shows(session, "Welcome! abqbye")
            await until(lambda: session.end is not None)

    async def test_enter_is_a_cr(self, exchange: Callable[..., Exchange]) -> None:
        typed: asyncio.Queue[bytes] = asyncio.Queue()

        async def listen(call: Call) -> None:
            call.line.write(GREETING)
            with contextlib.suppress(LineGone):
                while True:
                    typed.put_nowait(await call.line.read())

        door = await exchange(listen).open(telnet_endpoint)
        async with at_a_terminal(TELNET or "", door.host, str(door.port)) as session:
            await shows(session, "Welcome!")
            await session.write(b"\r")
            async with asyncio.timeout(SOON_S):
                assert await typed.get() in (b"\r", b"\r\0")
