"""One step a turn of the loop."""

from __future__ import annotations

import asyncio

from agentbbs.servers.turnstile import Turnstile


async def test_steps_run_in_order_one_a_turn() -> None:
    turnstile, passed = Turnstile(asyncio.get_running_loop()), list[int]()
    for number in range(5):
        turnstile.line_up(lambda number=number: passed.append(number))  # type: ignore[misc]
    assert passed == []
    for turn in range(5):
        await asyncio.sleep(0)
        assert passed == list(range(turn + 1))
    turnstile.line_up(lambda: passed.append(5))
    await asyncio.sleep(0)
    assert passed == list(range(6))


async def test_a_step_may_line_up_another() -> None:
    turnstile, passed = Turnstile(asyncio.get_running_loop()), list[str]()

    def first() -> None:
        passed.append("first")
        turnstile.line_up(lambda: passed.append("again"))

    turnstile.line_up(first)
    turnstile.line_up(lambda: passed.append("second"))
    for _ in range(3):
        await asyncio.sleep(0)
    assert passed == ["first", "second", "again"]


async def test_a_step_that_fails_stops_no_other() -> None:
    loop = asyncio.get_running_loop()
    turnstile, passed, faults = Turnstile(loop), list[int](), list[object]()
    loop.set_exception_handler(lambda _, context: faults.append(context["exception"]))
    fault = ValueError("a bug")

    def fail() -> None:
        raise fault

    turnstile.line_up(fail)
    turnstile.line_up(lambda: passed.append(1))
    for _ in range(3):
        await asyncio.sleep(0)
    assert passed == [1]
    assert faults == [fault]
