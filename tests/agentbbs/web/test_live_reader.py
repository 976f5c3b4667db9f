"""A reader's line: straight into the connection while it keeps up, bounded and in order when it does not."""

from __future__ import annotations

import asyncio

import pytest
from tests.agentbbs.play.virtual_time import in_virtual_time, turn

from agentbbs.web.live.reader import MAX_UNSENT_BYTES, Event, Reader, event


class Transport(asyncio.WriteTransport):
    """Keeps what is written, and is as full as it is told to be."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.unsent = 0
        self.closing = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written.append(bytes(data))

    def get_write_buffer_size(self) -> int:
        return self.unsent

    def is_closing(self) -> bool:
        return self.closing


def numbered(count: int) -> list[Event]:
    return [event(b"%d" % number) for number in range(count)]


async def rest(reader: Reader) -> list[bytes]:
    return [body async for body in reader]


def test_an_event_has_the_frame_of_a_chunk() -> None:
    assert event(b"x" * 26) == (b"x" * 26, b"1a\r\n" + b"x" * 26 + b"\r\n")


def test_what_comes_before_the_connection_waits_for_it() -> None:
    async def work() -> None:
        reader, transport = Reader(), Transport()
        first, second, third = numbered(3)
        reader.put(first)
        reader.connect(transport)
        reader.put(second)
        assert transport.written == [], "the first goes first"
        reading = asyncio.create_task(rest(reader))
        await turn()
        reader.put(third)
        assert transport.written == [third.chunk]
        reader.end()
        assert await reading == [first.body, second.body]

    in_virtual_time(work())


@pytest.mark.parametrize("most", [1, 3])
def test_a_full_connection_keeps_the_newest(most: int) -> None:
    async def work() -> None:
        reader, transport = Reader(most), Transport()
        reader.connect(transport)
        transport.unsent = MAX_UNSENT_BYTES + 1
        events = numbered(5)
        for one in events:
            reader.put(one)
        assert transport.written == []
        assert reader.dropped == 5 - most
        transport.unsent = 0
        reader.put(event(b"last"))
        assert transport.written == [], "nothing overtakes what waits"
        reader.end()
        assert await rest(reader) == [*(one.body for one in events[6 - most :]), b"last"]

    in_virtual_time(work())


def test_a_connection_that_is_gone_ends_the_reader() -> None:
    async def work() -> None:
        reader, transport = Reader(), Transport()
        reader.connect(transport)
        reading = asyncio.create_task(rest(reader))
        await turn()
        transport.closing = True
        reader.put(event(b"x"))
        assert await reading == []
        assert transport.written == []

    in_virtual_time(work())


def test_nothing_is_written_after_the_end() -> None:
    async def work() -> None:
        reader, transport = Reader(), Transport()
        reader.connect(transport)
        reader.end()
        reader.put(event(b"x"))
        assert transport.written == []
        assert await rest(reader) == []

    in_virtual_time(work())
