"""Tests of waiting for a turn: its timer, on the loops that the commands run on."""

from __future__ import annotations

import asyncio

import pytest

from tty_agent.observation.observation import ReadyReason
from tty_agent.observer.observer import Observer
from tty_agent.observer.readiness import Fixed
from tty_agent.session.turn_wait import TIMER_GRAIN_S, TurnWait
from tty_agent.terminal.screen import Screen

QUICK = Fixed(quiet_s=TIMER_GRAIN_S / 4)


async def turn_with_a_deadline_nearer_than_any_timer() -> ReadyReason:
    loop = asyncio.get_running_loop()
    screen = Screen()
    observer = Observer(screen, QUICK)
    wait = TurnWait(observer)
    waiting = asyncio.create_task(wait.ready(QUICK, ()))
    await asyncio.sleep(0)  # it has begun, and set its timer
    for piece in (b"Comm", b"an", b"d", b"?", b" "):
        screen.feed(piece)
        observer.received(piece, loop.time())
        wait.heard()
    async with asyncio.timeout(5):
        return (await waiting).reason


@pytest.mark.parametrize("name", ["asyncio", "uvloop"])
def test_a_deadline_within_the_grain_of_the_loops_timers_ends_the_turn(name: str) -> None:
    module = pytest.importorskip(name, reason=f"{name} is not installed")
    with asyncio.Runner(loop_factory=module.new_event_loop) as runner:
        assert runner.run(turn_with_a_deadline_nearer_than_any_timer()) is ReadyReason.STABLE
