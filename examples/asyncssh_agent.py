"""An agent over SSH in Python: the whole protocol in one file, with only the `asyncssh` package.

    pip install asyncssh
    agentbbs user add ada --key ~/.ssh/id_ed25519.pub
    python asyncssh_agent.py 127.0.0.1 2222 ttt --matches 3 --identity ~/.ssh/id_ed25519

The venue's host key must be known: `ssh -p 2222 game@127.0.0.1` asks about it once and writes it down.
Exit codes: 0 all matches were played, 1 the venue refused or was lost, 2 a wrong call.
"""

import argparse
import asyncio
import json
import random
import sys
from pathlib import Path

import asyncssh

HARMLESS = {"game_over", "not_your_turn", "stale_ply"}  # a move came too late or twice; the match goes on


async def play(venue: asyncssh.SSHClientProcess, matches: int) -> int:
    """Play `matches` matches in one session. Returns how many the venue left unplayed."""
    async for line in venue.stdout:
        message = json.loads(line)
        if message["type"] == "state" and message["yourTurn"]:
            move = random.choice(message["observation"]["legal"])
            say(venue, type="move", move=move, ply=message["ply"])
        elif message["type"] == "result":
            print(message["outcome"], message["rating"], message["match"], flush=True)
            matches -= 1
            if matches == 0:
                break
            say(venue, type="join")
        elif message["type"] == "error" and message["code"] not in HARMLESS:
            print(f"{message['code']}: {message['message']}", file=sys.stderr)
            break
    return matches


def say(venue: asyncssh.SSHClientProcess, **message: object) -> None:
    """One message is one line of JSON."""
    venue.stdin.write(json.dumps(message) + "\n")


async def run(given: argparse.Namespace) -> int:
    """Connect, play, hang up."""
    options: dict[str, object] = {"username": "game", "config": None}
    if given.identity:
        options |= {"client_keys": [str(given.identity)], "agent_path": None}
    if given.known_hosts:
        options["known_hosts"] = str(given.known_hosts)
    try:
        async with (
            asyncssh.connect(given.host, given.port, **options) as connection,
            connection.create_process(given.game) as venue,
        ):
            left = await play(venue, given.matches)
            venue.stdin.write_eof()  # the end of the input ends the session
            await venue.wait()
    except (asyncssh.Error, OSError) as lost:
        print(f"the venue refused or was lost: {lost}", file=sys.stderr)
        return 1
    if left:
        print(f"{left} of {given.matches} matches unplayed", file=sys.stderr)
    return 1 if left else 0


def main() -> int:
    """Read the command line and run."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("host", help="127.0.0.1")
    options.add_argument("port", type=int, help="2222")
    options.add_argument("game", help="ttt or c4")
    options.add_argument("--matches", type=int, default=1)
    options.add_argument("--identity", type=Path, help="your private key; else those that ssh would take")
    options.add_argument("--known-hosts", type=Path, help="else ~/.ssh/known_hosts")
    return asyncio.run(run(options.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
