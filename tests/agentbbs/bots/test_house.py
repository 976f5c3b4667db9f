"""House bots in their worker process: they play, and what breaks voids a practice match and no more."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections.abc import AsyncIterator
from typing import Any

import pytest

from agentbbs.bots import house
from agentbbs.games.game import Position
from agentbbs.games.ttt import TTT
from agentbbs.play.session import UnknownBot
from agentbbs.protocol.agentgames import Hello, State

SOON_S = 30
HELLO = Hello(player=0, game="ttt", opponent="ann", match="m-1", move_timeout_ms=15_000)
STATE = State(observation={}, your_turn=True, ply=0, last_move=None, remaining_ms=15_000)


class Chair:
    """Keeps what the bot does. Implements `play.seat.Chair` as far as a house bot calls it."""

    def __init__(self) -> None:
        self.game = "ttt"
        self.position: Position = TTT.initial()
        self.moves: list[str] = []
        self.failed: list[str] = []
        self.news = asyncio.Event()

    def move(self, move: str, ply: int | None = None, reason: str | None = None) -> None:
        self.moves.append(move)
        self.news.set()

    def fail(self, reason: str) -> None:
        self.failed.append(reason)
        self.news.set()

    async def hears(self) -> None:
        await asyncio.wait_for(self.news.wait(), SOON_S)
        self.news.clear()


@pytest.fixture
async def seats() -> AsyncIterator[house.HouseSeats]:
    made = house.HouseSeats()
    yield made
    made.close()


def asked(seats: house.HouseSeats, bot: str = "random") -> Chair:
    """A chair whose bot has just been asked for its first move."""
    chair: Any = Chair()
    seat = seats.seat(bot)
    seat.seated(chair, HELLO)
    assert seat.ask(STATE, 0) is False, "the clock of a house bot does not run"
    kept: Chair = chair
    return kept


def the_worker() -> int:
    (worker,) = multiprocessing.active_children()
    assert worker.pid is not None
    return worker.pid


@pytest.mark.parametrize("bot", ["random", "greedy", "minimax"])
async def test_a_bot_moves(seats: house.HouseSeats, bot: str) -> None:
    chair = asked(seats, bot)
    await chair.hears()
    assert chair.moves[0] in TTT.initial().legal


async def test_an_unknown_bot_is_named_with_those_there_are(seats: house.HouseSeats) -> None:
    with pytest.raises(UnknownBot, match="random, greedy, minimax"):
        seats.seat("deep-blue")


async def test_a_worker_that_died_voids_the_match_and_the_next_gets_a_new_one(seats: house.HouseSeats) -> None:
    await asked(seats).hears()
    os.kill(the_worker(), signal.SIGSTOP)
    chair = asked(seats)
    os.kill(the_worker(), signal.SIGKILL)
    await chair.hears()
    assert (chair.moves, chair.failed) == ([], [house.BROKEN])
    again = asked(seats)
    await again.hears()
    assert again.moves


async def test_a_worker_that_hangs_voids_the_match_and_is_replaced(
    seats: house.HouseSeats, monkeypatch: pytest.MonkeyPatch
) -> None:
    await asked(seats).hears()
    hung = the_worker()
    os.kill(hung, signal.SIGSTOP)
    monkeypatch.setattr(house, "STUCK_S", 0.2)
    chair = asked(seats)
    await chair.hears()
    assert chair.failed == [house.BROKEN]
    monkeypatch.undo()
    again = asked(seats)
    await again.hears()
    assert again.moves
    assert the_worker() != hung


async def test_no_process_to_be_had_voids_the_match(seats: house.HouseSeats, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object, **__: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(house, "ProcessPoolExecutor", none)
    chair = asked(seats)
    await chair.hears()
    assert chair.failed == [house.BROKEN]


async def test_closing_ends_a_worker_that_hangs(seats: house.HouseSeats) -> None:
    await asked(seats).hears()
    os.kill(the_worker(), signal.SIGSTOP)
    workers = multiprocessing.active_children()
    seats.close()
    for worker in workers:
        await asyncio.to_thread(worker.join, SOON_S)
        assert not worker.is_alive()
