"""A process that posts without end: `python -m tests.agentbbs.store.poster URL ACCOUNT…`.

Each post that `Database.write` has returned for is one line on stdout: its id.
"""

from __future__ import annotations

import asyncio
import itertools
import sys

from tests.agentbbs.store.boarding import GENERAL

from agentbbs.store import boards
from agentbbs.store.boards import Level, Reader
from agentbbs.store.database import Database


async def _post(url: str, accounts: list[int]) -> None:
    database = Database(url)
    authors = itertools.cycle(Reader(account, Level.MEMBER) for account in accounts)
    first = await database.write(boards.start_thread, next(authors), GENERAL, "Hello", "Hello.", now_ms=1)
    for number in itertools.count():
        # An hour apart, as far as the limit of posts can tell.
        written = await database.write(
            boards.reply, next(authors), first.thread, f"Number {number}.", now_ms=number * 3_600_000
        )
        sys.stdout.write(f"{written.id} {written.body}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(_post(sys.argv[1], [int(account) for account in sys.argv[2:]]))
