"""A caller's line over a carrier in memory."""

from __future__ import annotations

import asyncio

import pytest

from agentbbs.calls.line import MAX_UNREAD_BYTES, MAX_UNSENT_BYTES, READ_BYTES, LineGone, Size
from agentbbs.servers.caller_line import MAX_TERMINAL_CHARS, CallerLine


class Carrier:
    """Keeps what it is given until the test takes it."""

    def __init__(self) -> None:
        self.sent = bytearray()
        self.held = False
        self.hung_up = 0
        self.why = ""
        self.line: CallerLine

    @property
    def unsent_bytes(self) -> int:
        return len(self.sent)

    def send(self, data: bytes) -> None:
        self.sent += data

    def hold(self) -> None:
        assert not self.held
        self.held = True

    def release(self) -> None:
        assert self.held
        self.held = False

    def hang_up(self) -> None:
        self.hung_up += 1

    def cut(self, why: str) -> None:
        self.why = why
        self.line.lost(f"cut off: {why}")


@pytest.fixture
def carrier() -> Carrier:
    carrier = Carrier()
    carrier.line = CallerLine(carrier, transport="telnet", address="192.0.2.1", private=False)
    return carrier


class TestReading:
    async def test_what_came_in_pieces_of_a_bounded_size(self, carrier: Carrier) -> None:
        carrier.line.feed(b"x" * READ_BYTES + b"rest")
        assert len(await carrier.line.read()) == READ_BYTES
        assert await carrier.line.read() == b"rest"

    async def test_waits_for_input(self, carrier: Carrier) -> None:
        reading = asyncio.create_task(carrier.line.read())
        await asyncio.sleep(0)
        assert not reading.done()
        carrier.line.feed(b"a")
        assert await reading == b"a"

    async def test_holds_who_types_too_far_ahead(self, carrier: Carrier) -> None:
        carrier.line.feed(b"x" * MAX_UNREAD_BYTES)
        assert carrier.held
        carrier.line.feed(b"what was under way")
        for _ in range(MAX_UNREAD_BYTES // READ_BYTES // 2):
            assert carrier.held
            await carrier.line.read()
        assert carrier.held
        await carrier.line.read()
        assert [carrier.held] == [False]

    async def test_all_that_came_is_read_before_the_end(self, carrier: Carrier) -> None:
        carrier.line.feed(b"last words")
        carrier.line.lost("the caller closed the connection")
        assert await carrier.line.read() == b"last words"
        for _ in range(2):
            with pytest.raises(LineGone, match="the caller closed the connection"):
                await carrier.line.read()

    async def test_the_end_wakes_who_reads(self, carrier: Carrier) -> None:
        reading = asyncio.create_task(carrier.line.read())
        await asyncio.sleep(0)
        carrier.line.input_ended("the caller ended its input")
        with pytest.raises(LineGone, match="ended its input"):
            await reading
        carrier.line.write(b"still heard")
        assert carrier.sent == b"still heard"


class TestWriting:
    async def test_drain_waits_while_any_buffer_is_full(self, carrier: Carrier) -> None:
        carrier.line.pause_writing()
        carrier.line.pause_writing()
        draining = asyncio.create_task(carrier.line.drain())
        carrier.line.resume_writing()
        await asyncio.sleep(0)
        assert not draining.done()
        carrier.line.resume_writing()
        await draining

    async def test_drain_ends_with_the_line(self, carrier: Carrier) -> None:
        carrier.line.pause_writing()
        draining = asyncio.create_task(carrier.line.drain())
        await asyncio.sleep(0)
        carrier.line.lost("the connection broke: reset")
        with pytest.raises(LineGone, match="reset"):
            await draining
        with pytest.raises(LineGone, match="reset"):
            await carrier.line.drain()

    async def test_a_caller_who_takes_nothing_is_cut_off(self, carrier: Carrier) -> None:
        carrier.line.write(b"x" * MAX_UNSENT_BYTES)
        assert not carrier.why
        carrier.line.write(b"x")
        assert str(MAX_UNSENT_BYTES + 1) in carrier.why
        carrier.line.write(b"more")
        assert carrier.unsent_bytes == MAX_UNSENT_BYTES + 1
        with pytest.raises(LineGone, match="cut off"):
            await carrier.line.read()

    async def test_hanging_up_twice_is_hanging_up(self, carrier: Carrier) -> None:
        carrier.line.hang_up()
        carrier.line.hang_up()
        carrier.line.write(b"nobody hears")
        carrier.line.feed(b"nobody reads")
        assert (carrier.hung_up, bytes(carrier.sent)) == (1, b"")
        with pytest.raises(LineGone, match="we hung up"):
            await carrier.line.read()


class TestTheTerminal:
    async def test_name_is_lower_case_short_and_inert(self, carrier: Carrier) -> None:
        carrier.line.tell_terminal("XTERM-256COLOR")
        assert carrier.line.terminal == "xterm-256color"
        carrier.line.tell_terminal("\x1b[2J" + "x" * 1000)
        assert len(carrier.line.terminal) == MAX_TERMINAL_CHARS
        assert carrier.line.terminal.startswith(r"\x1b[2j")

    async def test_size_is_80x24_until_it_is_told(self, carrier: Carrier) -> None:
        """Case 110."""
        sizes: list[Size] = []
        carrier.line.on_resize(sizes.append)
        assert (carrier.line.size, carrier.line.size_known) == (Size(80, 24), False)
        carrier.line.tell_size(0, 0)
        assert (carrier.line.size, carrier.line.size_known) == (Size(80, 24), False)
        carrier.line.tell_size(132, 50)
        carrier.line.tell_size(132, 50)
        assert (carrier.line.size, carrier.line.size_known) == (Size(132, 50), True)
        carrier.line.on_resize(None)
        carrier.line.tell_size(65535, 1)
        assert carrier.line.size == Size(255, 12)
        assert sizes == [Size(132, 50)]
