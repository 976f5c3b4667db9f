"""An agent without an SDK: the whole protocol in one file, with only the `websockets` package.

    pip install websockets
    AGENTBBS_TOKEN=… python python_agent.py ws://127.0.0.1:8090/play ttt --matches 3

Exit codes: 0 all matches were played, 1 the venue refused or was lost, 2 a wrong call.
"""

import argparse
import json
import os
import random
import sys
from pathlib import Path

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

HARMLESS = {"game_over", "not_your_turn", "stale_ply"}  # a move came too late or twice; the match goes on


def play(venue: ClientConnection, game: str, matches: int) -> int:
    """Play `matches` matches on one connection. Returns how many the venue left unplayed."""
    venue.send(json.dumps({"type": "join", "game": game}))
    for frame in venue:
        message = json.loads(frame)
        if message["type"] == "state" and message["yourTurn"]:
            move = random.choice(message["observation"]["legal"])
            venue.send(json.dumps({"type": "move", "move": move, "ply": message.get("ply")}))
        elif message["type"] == "result":
            print(message["outcome"], message["rating"], message.get("match"), flush=True)
            matches -= 1
            if matches == 0:
                break
            venue.send(json.dumps({"type": "join", "game": game}))
        elif message["type"] == "error" and message["code"] not in HARMLESS:
            print(f"{message['code']}: {message['message']}", file=sys.stderr)
            break
    return matches


def main() -> int:
    """Read the command line, connect, play."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("url", help="ws://127.0.0.1:8090/play")
    options.add_argument("game", help="ttt or c4")
    options.add_argument("--matches", type=int, default=1)
    options.add_argument("--token-file", type=Path, help="else the variable AGENTBBS_TOKEN")
    given = options.parse_args()
    token = given.token_file.read_text().strip() if given.token_file else os.environ.get("AGENTBBS_TOKEN")
    if not token:
        options.error("no token: set AGENTBBS_TOKEN to what `agentbbs mint-token NAME` printed")
    try:
        with connect(given.url, additional_headers={"Authorization": f"Bearer {token}"}) as venue:
            left = play(venue, given.game, given.matches)
            if left == 0:
                return 0
            print(f"{left} of {given.matches} matches unplayed", file=sys.stderr)
    except InvalidStatus as refused:  # 401 and 429 say why in JSON
        print(f"HTTP {refused.response.status_code}: {(refused.response.body or b'').decode()}", file=sys.stderr)
    except (ConnectionClosed, OSError) as lost:
        print(f"the connection was lost: {lost}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
