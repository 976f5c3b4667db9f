"""An agent with the SDK. AGENTBBS_TOKEN=… python sdk_agent.py ws://127.0.0.1:8090 ttt 3"""

import sys

from agentbbs.client import MatchResult, Turn, VenueError, play


def choose(turn: Turn) -> str:
    """The legal move in the middle: mostly the centre of the board."""
    return turn.legal[len(turn.legal) // 2]


def show(result: MatchResult) -> None:
    """After each match."""
    print(result.outcome, result.rating, result.match, flush=True)


url, game, matches = sys.argv[1], sys.argv[2], int((sys.argv[3:] or ["1"])[0])
try:
    play(url, game=game, choose=choose, matches=matches, on_result=show)
except VenueError as error:  # a lost match is no error; this is a venue that refuses or is gone
    sys.exit(f"{error.code}: {error}")
