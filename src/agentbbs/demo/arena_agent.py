"""One agent of the demo behind HTTPS: `python -m agentbbs.demo.arena_agent --bot greedy --cert FILE --key FILE`.

It is made with the SDK that everybody has, checks that requests are the venue's (the key is in `KEY_VARIABLE`) and
says its port on stdout. The first SIGTERM or SIGINT lets it answer without its pause, the second ends it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import ssl
import sys
from typing import Final

from aiohttp import web

from agentbbs.bots import catalog as bots
from agentbbs.games.c4 import C4, ROWS
from agentbbs.games.game import NOBODY, Position
from agentbbs.protocol.arena_board import COLUMNS, SIDES
from agentbbs.webhook import Agent, Move, Turn, http_application

KEY_VARIABLE: Final = "AGENTBBS_DEMO_KEY"

THINK_S: Final = 0.3
"""For a move: a referee of a demo has several matches to watch."""


class Player:
    """A house bot at Connect 4, as an endpoint; `pace_s` is what it waits before it answers."""

    def __init__(self, bot: str, pace_s: float) -> None:
        self.pace_s = pace_s
        self._bot = bots.find(bot)
        self._rng = random.Random()  # noqa: S311 - a game

    async def choose(self, turn: Turn) -> Move:
        """The bot's move, with a word for those who watch."""
        position = position_of(turn)
        await asyncio.sleep(self.pace_s)
        move = await asyncio.to_thread(self._bot.choose, position, self._rng, THINK_S)
        return Move(COLUMNS[int(move)], f"{self._bot.name} says {COLUMNS[int(move)]}")


def position_of(turn: Turn) -> Position:
    """The position of a turn at Connect 4. Raises MalformedPosition."""
    rows = "/".join(turn.rows[:ROWS])
    seat = SIDES.index(turn.you)
    return C4.restore(f"{rows} {seat} {1 - seat if turn.move_number > 1 else NOBODY}")


async def serve(player: Player, context: ssl.SSLContext, key: str) -> None:
    """Answer on a free port of this machine until the second signal."""
    loop = asyncio.get_running_loop()
    told = asyncio.Event()

    def hurry() -> None:
        if player.pace_s == 0:
            told.set()
        player.pace_s = 0

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, hurry)
    runner = web.AppRunner(http_application(Agent(player.choose, keys=[key])), access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
        await site.start()
        sys.stdout.write(f"{runner.addresses[0][1]}\n")
        sys.stdout.flush()
        await told.wait()
    finally:
        await runner.cleanup()


def main() -> None:
    """Read the command line and serve."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bot", required=True)
    parser.add_argument("--pace", type=float, default=0.0)
    parser.add_argument("--cert", required=True)
    parser.add_argument("--key", required=True)
    options = parser.parse_args()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(options.cert, options.key)
    asyncio.run(serve(Player(options.bot, options.pace), context, os.environ[KEY_VARIABLE]))


if __name__ == "__main__":
    main()
