"""An event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor

import pytest

from bbs_gym.loop_thread import LoopThread

LIMIT_S = 10


@pytest.fixture
def loop() -> Iterator[LoopThread]:
    thread = LoopThread("a loop")
    yield thread
    thread.close()


async def answer(value: int) -> int:
    await asyncio.sleep(0)
    return value


def test_gives_results_and_faults(loop: LoopThread) -> None:
    assert loop.run(answer(42)) == 42

    async def fail() -> None:
        raise LookupError("no such thing")

    with pytest.raises(LookupError, match="no such thing"):
        loop.run(fail())


def test_serves_several_threads_at_once(loop: LoopThread) -> None:
    """Each waits until all are there, which one after the other never would be."""
    here, meeting = 0, asyncio.Event()

    async def meet() -> str:
        nonlocal here
        here += 1
        if here == 4:
            meeting.set()
        async with asyncio.timeout(LIMIT_S):
            await meeting.wait()
        return threading.current_thread().name

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: loop.run(meet()), range(4))) == {"a loop"}


def test_cancels_what_is_left_at_its_end(loop: LoopThread) -> None:
    begun, ended = threading.Event(), threading.Event()

    async def linger() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    def wait() -> None:
        with pytest.raises(CancelledError):
            loop.run(linger())

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert begun.wait(LIMIT_S)
    loop.close()
    assert ended.wait(LIMIT_S)
    waiting.join(LIMIT_S)
    assert not waiting.is_alive()
    loop.close()


def test_takes_nothing_after_its_end(loop: LoopThread) -> None:
    loop.run(answer(1))
    loop.close()
    assert loop.closed
    with pytest.raises(RuntimeError, match="closed"):
        loop.run(answer(1))


def test_takes_nothing_from_itself(loop: LoopThread) -> None:
    async def nested() -> int:
        return loop.run(answer(1))

    with pytest.raises(RuntimeError, match="own thread"):
        loop.run(nested())


def test_that_never_began_ends_too() -> None:
    LoopThread("idle").close()
