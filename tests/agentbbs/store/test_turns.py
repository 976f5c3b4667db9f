"""Turns at something dear: so many at once, each source in its line."""

from __future__ import annotations

import asyncio

import pytest
from tests.agentbbs.store.making import until

from agentbbs.store.turns import LineFull, Turns


class Callers:
    """Each has a turn for as long as the test wants."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self.having: dict[str, asyncio.Event] = {}
        self.order: list[str] = []
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def call(self, *names: str) -> None:
        """Each name's first letter is its source."""
        for name in names:
            self._tasks[name] = asyncio.create_task(self._have(name))
            await asyncio.sleep(0)

    async def finish(self, *names: str) -> None:
        for name in names:
            await until(lambda name=name: name in self.having)  # type: ignore[misc]
            self.having.pop(name).set()
            await self._tasks.pop(name)

    async def give_up(self, name: str) -> None:
        task = self._tasks.pop(name)
        task.cancel()
        await asyncio.wait([task])

    async def end(self) -> None:
        for name in list(self._tasks):
            await self.give_up(name)

    async def _have(self, name: str) -> None:
        async with self._turns.turn(name[0]):
            self.order.append(name)
            done = self.having[name] = asyncio.Event()
            await done.wait()


async def test_so_many_at_once_and_the_sources_take_turns() -> None:
    callers = Callers(Turns(2, waiting=10, waiting_each=10))
    await callers.call("a1", "a2", "a3", "a4", "a5", "b1", "b2", "c1")
    assert callers.order == ["a1", "a2"]
    for name in ("a1", "a2", "a3", "b1", "c1", "a4", "b2", "a5"):
        await callers.finish(name)
    assert callers.order == ["a1", "a2", "a3", "b1", "c1", "a4", "b2", "a5"]
    await callers.call("d1", "d2")
    assert callers.order[-2:] == ["d1", "d2"], "the places are free again"
    await callers.end()


async def test_lines_are_bounded() -> None:
    turns = Turns(1, waiting=3, waiting_each=2)
    callers = Callers(turns)
    await callers.call("a1", "a2", "a3")
    with pytest.raises(LineFull):
        async with turns.turn("a"):
            pass
    await callers.call("b1")
    for source in "bc":
        with pytest.raises(LineFull):
            async with turns.turn(source):
                pass
    await callers.end()
    assert (turns._waiting, turns._free, len(turns._lines)) == (0, 1, 0)


async def test_who_gives_up_leaves_no_gap() -> None:
    turns = Turns(1, waiting=3, waiting_each=3)
    callers = Callers(turns)
    await callers.call("a1", "a2", "a3", "b1")
    await callers.give_up("a2")
    await callers.give_up("a1")
    await callers.finish("a3", "b1")
    assert (turns._waiting, turns._free, len(turns._lines)) == (0, 1, 0)


async def test_who_gives_up_as_the_turn_comes_passes_it_on() -> None:
    turns = Turns(1, waiting=3, waiting_each=3)
    callers = Callers(turns)
    await callers.call("a1", "a2", "a3")
    callers.having["a1"].set()
    await asyncio.sleep(0)  # a1 ends, and its turn is a2's, who has not heard of it yet
    await callers.give_up("a2")
    await callers.finish("a3")
    assert "a2" not in callers.order
    assert (turns._waiting, turns._free) == (0, 1)


async def test_a_turn_that_fails_is_over() -> None:
    turns = Turns(1, waiting=0, waiting_each=0)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            async with turns.turn("a"):
                raise ZeroDivisionError
