"""The deadline of a request, and what came before it while nobody looked."""

from __future__ import annotations

import asyncio
import socket
import time

import pytest

from agentbbs.referee.deadline import Deadline


async def test_what_takes_too_long_ends() -> None:
    with pytest.raises(TimeoutError):
        async with Deadline(0.02) as deadline:
            await asyncio.Event().wait()

    assert deadline.expired()


async def test_what_is_in_time_is_left_alone() -> None:
    async with Deadline(0.02) as deadline:
        await asyncio.sleep(0)
    waited = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_later(0.05, waited.set_result, None)
    await waited  # a deadline that ran on would cancel this

    assert not deadline.expired()


async def test_a_fault_goes_through() -> None:
    with pytest.raises(KeyError):
        async with Deadline(1.0) as deadline:
            raise KeyError
    assert not deadline.expired()


async def test_being_cancelled_from_outside_is_no_deadline() -> None:
    async def wait() -> None:
        async with Deadline(5.0):
            await asyncio.Event().wait()

    task = asyncio.create_task(wait())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def decoded(reader: asyncio.StreamReader) -> str:
    """A line, through as many hands as TLS and HTTP are."""
    line = await reader.readline()
    for _ in range(3):
        await asyncio.sleep(0)
    return line.decode().strip()


async def test_an_answer_that_waited_while_the_loop_was_busy_is_in_time() -> None:
    here, there = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=here)
    try:
        async with Deadline(0.05) as deadline:
            there.sendall(b"move\n")
            time.sleep(0.1)  # noqa: ASYNC251 - the venue is busy, that is the case
            assert await asyncio.create_task(decoded(reader)) == "move"
        assert not deadline.expired()
    finally:
        there.close()
        writer.close()
        await writer.wait_closed()


async def test_drips_do_not_move_the_deadline() -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()

    async def drip() -> None:
        async with Deadline(0.05):
            while True:  # noqa: ASYNC110 - something keeps happening
                await asyncio.sleep(0)

    with pytest.raises(TimeoutError):
        await drip()
    assert loop.time() - began < 2
