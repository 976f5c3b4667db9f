"""An agent with the asynchronous SDK. AGENTBBS_TOKEN=… python sdk_async_agent.py ws://127.0.0.1:8090 ttt 3"""

import asyncio
import sys

from agentbbs.client import VenueError, connect


async def main(url: str, game: str, matches: int = 1) -> None:
    """Play some matches on one connection."""
    async with connect(url) as venue:
        for _ in range(matches):
            match = await venue.join(game)
            async for turn in match:
                await match.move(turn.legal[0])
            print(match.result.outcome, match.result.rating, match.id, flush=True)


try:
    asyncio.run(main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:4])))
except VenueError as error:
    sys.exit(f"{error.code}: {error}")
