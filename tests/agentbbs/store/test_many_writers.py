"""One agent whose matches finish everywhere at once, and a writer that is killed.

The processes are real ones, see `recorder.py`.
"""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import func, select
from tests.agentbbs.store.making import Results, finished

from agentbbs.store import rebuild
from agentbbs.store.database import Database
from agentbbs.store.history import match as stored_match
from agentbbs.store.ladder import standing
from agentbbs.store.matches import MatchWriter
from agentbbs.store.schema import game_matches

Enrol = Callable[[int], list[int]]

ROOT = Path(__file__).parents[3]


def _recorder(database: Database, count: int, ids: list[int]) -> subprocess.Popen[str]:
    arguments = [database.url.render_as_string(), str(count), *map(str, ids)]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.agentbbs.store.recorder", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


async def test_200_finishes_in_threads_and_processes_on_one_agent(database: Database, enrol: Enrol) -> None:
    one, *others = enrol(6)
    recorders = [_recorder(database, 30, [one, *others]) for _ in range(4)]
    loop = asyncio.get_running_loop()
    writers = [MatchWriter(database, loop) for _ in range(4)]
    results = Results()
    for writer in writers:
        writer.start()
    for number in range(20):
        for writer in writers:
            match = finished(others[number % 5], one, number % 3 - 1)
            writer.record(match, results(match))
        await asyncio.sleep(0.001)
    for writer in writers:
        assert await writer.close(60) == 0
    told = [recorder.communicate(timeout=100)[0] for recorder in recorders]
    assert [recorder.returncode for recorder in recorders] == [0] * 4
    assert [len(lines.splitlines()) for lines in told] == [30] * 4
    assert len([settled for _, settled in results.told if settled is not None]) == 80

    with database.connect() as conn:
        agent = standing(conn, one, "ttt")
        assert agent.played == agent.wins + agent.draws + agent.losses == 200
        assert agent.firsts == 120
        assert rebuild.check(conn) == ()
    # Each finish saw the one before it: every count from 1 to 200 was told exactly once.
    counts = [int(line.split()[2]) for lines in told for line in lines.splitlines()]
    counts += [settled.after[1].played for _, settled in results.told if settled and settled.after[1]]
    assert sorted(counts) == list(range(1, 201))
    await database.close()


def _kill_after(database: Database, ids: list[int], lines: int) -> list[str]:
    """Kill a recorder once it has told that many results; returns every line that it got out."""
    recorder = _recorder(database, 0, ids)
    assert recorder.stdout is not None
    told = [recorder.stdout.readline() for _ in range(lines)]
    recorder.send_signal(signal.SIGKILL)
    told += recorder.stdout.readlines()
    assert recorder.wait(timeout=30) == -signal.SIGKILL
    recorder.stdout.close()
    return [line for line in told if line.endswith("\n")]


def _assert_all_kept(database: Database, told: list[str], one: int) -> None:
    with database.connect() as conn:
        for line in told:
            match_id, rating, _ = line.split()
            assert stored_match(conn, match_id).ratings_after[0] == float(rating)
        total, distinct = conn.execute(select(func.count(), func.count(game_matches.c.id.distinct()))).one()
        assert total == distinct >= len(told)
        assert standing(conn, one, "ttt").played == total
        assert rebuild.check(conn) == ()


@pytest.mark.parametrize("lines", [1, 40])
def test_what_was_told_is_stored_when_the_writer_is_killed(database: Database, enrol: Enrol, lines: int) -> None:
    ids = enrol(5)
    _assert_all_kept(database, _kill_after(database, ids, lines), ids[0])


@pytest.mark.slow
def test_killed_again_and_again_at_random_points(database: Database, enrol: Enrol) -> None:
    ids = enrol(5)
    told: list[str] = []
    for _ in range(6):
        told += _kill_after(database, ids, random.randrange(1, 400))
        _assert_all_kept(database, told, ids[0])
