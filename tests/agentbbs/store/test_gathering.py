"""Questions that gather: who shares a query with whom."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping

import pytest

from agentbbs.store.gathering import Gathering


class Library:
    """A query that waits until it is let through, and sees the facts as they are when it begins."""

    def __init__(self) -> None:
        self.facts: dict[str, int] = {}
        self.queries: list[set[str]] = []
        self.begun = asyncio.Event()
        self.gate = asyncio.Semaphore(0)
        self.fault: Exception | None = None

    async def query(self, keys: Collection[str]) -> Mapping[str, int]:
        self.queries.append(set(keys))
        seen = dict(self.facts)
        self.begun.set()
        await self.gate.acquire()
        self.begun.clear()
        if self.fault is not None:
            fault, self.fault = self.fault, None
            raise fault
        return {key: seen[key] for key in keys if key in seen}


async def test_a_burst_of_questions_costs_two_queries() -> None:
    library = Library()
    library.facts = {str(number): number for number in range(200)}
    gathering = Gathering(library.query)
    first = asyncio.create_task(gathering.ask("0"))
    await library.begun.wait()
    others = [asyncio.create_task(gathering.ask(str(number % 200))) for number in range(1, 401)]
    await asyncio.sleep(0)
    library.gate.release()
    library.gate.release()
    assert await first == 0
    assert await asyncio.gather(*others) == [number % 200 for number in range(1, 401)]
    assert library.queries == [{"0"}, {str(number) for number in range(200)}]


async def test_an_answer_never_comes_from_a_query_that_began_before_the_question() -> None:
    library = Library()
    gathering = Gathering(library.query)
    before = asyncio.create_task(gathering.ask("token"))
    await library.begun.wait()
    library.facts["token"] = 1
    after = asyncio.create_task(gathering.ask("token"))
    await asyncio.sleep(0)
    library.gate.release()
    library.gate.release()
    assert await before is None
    assert await after == 1


async def test_a_query_that_fails_fails_for_those_who_share_it_only() -> None:
    library = Library()
    library.facts["token"] = 1
    library.fault = OSError("the disk is gone")
    gathering = Gathering(library.query)
    sharing = [asyncio.create_task(gathering.ask("token")) for _ in range(3)]
    await library.begun.wait()
    later = asyncio.create_task(gathering.ask("token"))
    await asyncio.sleep(0)
    library.gate.release()
    library.gate.release()
    for task in sharing:
        with pytest.raises(OSError, match="the disk is gone"):
            await task
    assert await later == 1


async def test_who_stops_waiting_does_not_disturb_the_others() -> None:
    library = Library()
    library.facts["token"] = 1
    gathering = Gathering(library.query)
    leaving, staying = (asyncio.create_task(gathering.ask("token")) for _ in range(2))
    await library.begun.wait()
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    library.gate.release()
    assert await staying == 1
    library.gate.release()
    assert await gathering.ask("token") == 1


async def test_a_query_that_is_cancelled_leaves_nobody_waiting() -> None:
    library = Library()
    gathering = Gathering(library.query)
    waiting = asyncio.create_task(gathering.ask("token"))
    await library.begun.wait()
    assert gathering._asking is not None
    gathering._asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    library.gate.release()
    assert await gathering.ask("token") is None
