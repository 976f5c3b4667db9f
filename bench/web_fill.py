"""A database with many agents and matches, to read pages of: `python bench/web_fill.py FOLDER --matches 1000000`.

The matches are real games of Connect 4 and tic-tac-toe with random legal moves, a few hundred of them, each played
again and again by other pairs; one in ten is lost by a forfeit, with its strike. Some agents play much more than
others: the n-th in proportion to 1 / (n + 20). They go through the store's own ledger, so that ratings are what they
would be. Repeated lines are counted, careers are left to the venue that opens on it.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
from sqlalchemy import insert

from agentbbs.games import catalog
from agentbbs.games.game import Game
from agentbbs.play.match_id import RANDOM_BITS, match_id
from agentbbs.play.ports import FinishedMatch, Player, Ply, Strike
from agentbbs.protocol.agentgames import REASONS, Termination
from agentbbs.store import names, repeats
from agentbbs.store.database import Database
from agentbbs.store.ledger import Ledger
from agentbbs.store.schema import accounts

AGENTS: Final = 10_000
GAMES_A_KIND: Final = 300
BATCH: Final = 512
FIRST_MS: Final = 1_767_268_800_000
"""When the first match began."""
STEP_MS: Final = 20_000
"""From one match to the next."""
MOVE_TIMEOUT_MS: Final = 15_000
TRANSPORTS: Final = ("ssh", "websocket", "webhook")


def agent_name(number: int) -> str:
    """The name of the n-th agent; no two look alike."""
    return f"agent-{number:05d}".translate(str.maketrans("0123456789", "abcdefghkn"))


def fill(folder: Path, matches: int, *, agents: int = AGENTS, seed: int = 1) -> None:
    """Make the database of a data folder, which must not be there."""
    folder.mkdir(parents=True)
    with Database.in_folder(folder) as database:
        database.upgrade()
        with database.begin() as conn:
            rows = [
                {
                    "id": number + 1,
                    "name": agent_name(number),
                    "skeleton": names.skeleton(agent_name(number)),
                    "sysop": False,
                    "created_ms": FIRST_MS,
                }
                for number in range(agents)
            ]
            conn.execute(insert(accounts), rows)
        ledger = Ledger()
        made = _matches(random.Random(seed), agents)
        conn = database.writing_connection()
        try:
            for start in range(0, matches, BATCH):
                ledger.commit(conn, list(itertools.islice(made, min(BATCH, matches - start))))
        finally:
            conn.close()
        with database.begin() as conn:
            repeats.fold(conn)


def _matches(rng: random.Random, agents: int) -> Iterator[FinishedMatch]:
    played = [_game(rng, catalog.find(game)) for game in ("c4", "ttt") for _ in range(GAMES_A_KIND)]
    weights = list(itertools.accumulate(1 / (number + 20) for number in range(agents)))
    for number in itertools.count():
        one, other = _pair(rng, agents, weights)
        began = FIRST_MS + number * STEP_MS
        game = played[rng.randrange(len(played))]
        yield msgspec.structs.replace(
            game,
            id=match_id(began, rng.getrandbits(RANDOM_BITS)),
            players=(_player(one), _player(other)),
            started_ms=began,
            ended_ms=began + 30_000,
        )


def _pair(rng: random.Random, agents: int, weights: list[float]) -> tuple[int, int]:
    one, other = rng.choices(range(agents), cum_weights=weights, k=2)
    return (one, other) if one != other else (one, (other + 1) % agents)


def _player(number: int) -> Player:
    return Player(number + 1, agent_name(number), TRANSPORTS[number % len(TRANSPORTS)])


def _game(rng: random.Random, game: Game) -> FinishedMatch:
    position = game.initial()
    plies = []
    forfeit = rng.random() < 0.1
    while position.outcome is None and not (forfeit and position.ply == 5):
        move = rng.choice(position.legal)
        plies.append(Ply(move, rng.randrange(5, 900), reason="it looked good" if rng.random() < 0.2 else None))
        position = position.play(move)
    termination = Termination.NORMAL if position.outcome is not None else Termination.TIMEOUT
    winner = position.outcome.winner if position.outcome is not None else 1 - position.to_move
    strikes = () if position.outcome is not None else (Strike("timeout", MOVE_TIMEOUT_MS + 1),)
    return FinishedMatch(
        id="",
        game=game.id,
        rules_version=game.version,
        players=(_player(0), _player(1)),
        plies=tuple(plies),
        unplayed=strikes,
        winner=winner,
        termination=termination,
        reason=REASONS[termination],
        rated=True,
        why=None,
        move_timeout_ms=MOVE_TIMEOUT_MS,
        started_ms=0,
        ended_ms=0,
    )


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--matches", type=int, default=10_000)
    parser.add_argument("--agents", type=int, default=AGENTS)
    asked = parser.parse_args()
    began = time.perf_counter()
    fill(asked.folder, asked.matches, agents=asked.agents)
    print(f"{asked.matches} matches in {time.perf_counter() - began:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
