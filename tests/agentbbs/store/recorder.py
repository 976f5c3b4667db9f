"""A process that records matches: `python -m tests.agentbbs.store.recorder URL COUNT ACCOUNT ACCOUNT…`.

The first account plays all others in turn. Each settled match is one line on stdout: its id and the first
account's rating and number of matches after it. COUNT 0 means without end.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
from functools import partial

from tests.agentbbs.store.making import finished

from agentbbs.play.ports import Settled
from agentbbs.store.database import Database
from agentbbs.store.matches import MatchWriter

GATHER = 7
"""Matches recorded at once."""


def _tell(match_id: str, settled: Settled | None) -> None:
    if settled is not None and settled.after[0] is not None:
        sys.stdout.write(f"{match_id} {settled.after[0].rating!r} {settled.after[0].played}\n")
        sys.stdout.flush()


async def _record(url: str, count: int, one: int, others: list[int]) -> None:
    database = Database(url)
    writer = MatchWriter(database, asyncio.get_running_loop())
    writer.start()
    for number in range(count) if count else itertools.count():
        match = finished(one, others[number % len(others)], number % 3 - 1)
        writer.record(match, partial(_tell, match.id))
        if number % GATHER == 0:
            await asyncio.sleep(0.0005)
    await writer.close(60)
    await database.close()


if __name__ == "__main__":
    asyncio.run(_record(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), [int(account) for account in sys.argv[4:]]))
