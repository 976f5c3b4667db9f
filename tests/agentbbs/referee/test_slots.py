"""Who may be asked now: one request an agent, a few a host and port, and nobody is forgotten."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.agentbbs.play.virtual_time import in_virtual_time, pass_time, turn

from agentbbs.referee.slots import PER_TARGET, Slots

from .dial import url

Visit = tuple[int, int, int, int, int | None]
"""Agent, path, when it comes, how long it takes, and when it is called off (all in ms)."""


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 3),
            st.integers(0, 3),
            st.integers(0, 30),
            st.integers(0, 10),
            st.none() | st.integers(0, 40),
        ),
        max_size=30,
    ),
    st.integers(1, 3),
)
def test_never_two_requests_at_once_whatever_comes_and_goes(visits: list[Visit], per_target: int) -> None:
    async def work() -> None:
        slots = Slots(per_target)
        busy: Counter[str] = Counter()
        done: list[int] = []

        async def visit(number: int, agent: int, path: int, after_ms: int, takes_ms: int) -> None:
            await pass_time(after_ms / 1000)
            async with slots.hold(str(agent), url(f"https://host.example/{path}")):
                keys = (f"agent {agent}", f"path {path}", "host")
                busy.update(keys)
                try:
                    assert busy[keys[0]] == busy[keys[1]] == 1
                    assert busy["host"] <= per_target
                    await pass_time(takes_ms / 1000)
                finally:
                    busy.subtract(keys)
            done.append(number)

        async def call_off(task: asyncio.Task[None], at_ms: int) -> None:
            await pass_time(at_ms / 1000)
            task.cancel()

        tasks = [
            asyncio.create_task(visit(number, agent, path, after, takes))
            for number, (agent, path, after, takes, _) in enumerate(visits)
        ]
        offs = [
            asyncio.create_task(call_off(task, off))
            for task, (*_, off) in zip(tasks, visits, strict=True)
            if off is not None
        ]
        results = await asyncio.gather(*tasks, *offs, return_exceptions=True)
        assert [result for result in results if isinstance(result, Exception)] == []
        stayed = {number for number, (*_, off) in enumerate(visits) if off is None}
        assert stayed <= set(done), "who is not called off has its turn"
        assert len(slots) == 0, "nothing is kept of those who have gone"

    in_virtual_time(work())


def test_eight_agents_of_one_host_and_port_are_asked_at_once_and_the_ninth_waits() -> None:
    async def work() -> None:
        slots = Slots()
        held: list[int] = []
        gate = asyncio.Event()

        async def visit(number: int, host: str) -> None:
            async with slots.hold(f"agent {number}", url(f"https://{host}/{number}")):
                held.append(number)
                await gate.wait()

        tasks = [asyncio.create_task(visit(number, "shared.example")) for number in range(PER_TARGET + 2)]
        tasks.append(asyncio.create_task(visit(100, "shared.example:8443")))
        tasks.append(asyncio.create_task(visit(101, "other.example")))
        await turn()
        assert held == [*range(PER_TARGET), 100, 101]
        gate.set()
        await asyncio.gather(*tasks)
        assert held[-2:] == [PER_TARGET, PER_TARGET + 1]

    in_virtual_time(work())


def test_two_agents_of_one_url_take_turns() -> None:
    async def work() -> None:
        slots = Slots()
        async with slots.hold("one", url()):
            other = asyncio.create_task(slots.hold("other", url()).__aenter__())
            await turn()
            assert not other.done()
        await other

    in_virtual_time(work())


def test_first_come_first_served() -> None:
    async def work() -> None:
        slots = Slots()
        order: list[int] = []

        async def visit(number: int) -> None:
            async with slots.hold("one", url()):
                order.append(number)
                await pass_time(0.01)

        await asyncio.gather(*(visit(number) for number in range(20)))
        assert order == list(range(20))

    in_virtual_time(work())


def test_who_is_called_off_while_it_waits_leaves_its_place_to_the_next() -> None:
    async def work() -> None:
        slots = Slots()
        order: list[int] = []

        async def visit(number: int) -> None:
            async with slots.hold("one", url()):
                order.append(number)
                await pass_time(0.01)

        tasks = [asyncio.create_task(visit(number)) for number in range(4)]
        await turn()
        tasks[1].cancel()
        tasks[2].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert order == [0, 3]
        assert len(slots) == 0

    in_virtual_time(work())


def test_who_fails_gives_its_place_back() -> None:
    async def work() -> None:
        slots = Slots()
        for _ in range(2):
            with pytest.raises(OSError, match="gone"):
                async with slots.hold("one", url()):
                    raise OSError("gone")
        assert len(slots) == 0

    in_virtual_time(work())
