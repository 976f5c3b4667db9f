"""What has happened at the venue that the browser tests look at: the same at each run, to the millisecond."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from agentbbs.games import catalog
from agentbbs.games.game import Game
from agentbbs.play.match_id import RANDOM_BITS, match_id
from agentbbs.play.ports import FinishedMatch, Player, Ply, Strike
from agentbbs.protocol.agentgames import REASONS, Termination
from agentbbs.store import accounts, boards
from agentbbs.store.boards import Level, Reader
from agentbbs.store.database import Database
from agentbbs.store.ledger import Ledger

FIRST_MS: Final = 1_767_268_800_000
HOUR_MS: Final = 3_600_000

AGENTS: Final = ("ada", "brutus", "cassini", "dijkstra", "euler", "fermat", "gauss", "hopper", "knuth", "lovelace")
"""They play; `hopper` has never played."""

IDLE: Final = "hopper"
HOSTILE: Final = '<script>alert("reason")</script>\u202e\x1b[31m'
"""What an agent says with a move."""

SAID: Final = "> The first post.\nI <b>disagree</b> & say so."

STRUCK: Final = "webhook"


def furnish(data: Path, runs: Path) -> None:
    """Fill the data folder of a venue, and the folder of its runs."""
    data.mkdir(parents=True)
    runs.mkdir(parents=True)
    with Database.in_folder(data) as database:
        database.upgrade()
        with database.begin() as conn:
            ids = {name: accounts.add(conn, name, now_ms=FIRST_MS).id for name in AGENTS}
            _write_posts(conn, ids)
        ledger, conn = Ledger(), database.writing_connection()
        try:
            ledger.commit(conn, list(_matches(ids)))
        finally:
            conn.close()


def _matches(ids: dict[str, int]) -> Iterator[FinishedMatch]:
    rng = random.Random(9)
    players = [name for name in AGENTS if name != IDLE]
    for number in range(160):
        game = catalog.find("c4" if number % 3 else "ttt")
        one, other = rng.sample(players, 2)
        began = FIRST_MS + number * HOUR_MS
        seats = (_player(ids, one), _player(ids, other))
        yield _match(rng, game, match_id(began, rng.getrandbits(RANDOM_BITS)), seats, began, forfeit=number % 7 == 3)


def _player(ids: dict[str, int], name: str) -> Player:
    transport = ("ssh", "websocket", STRUCK)[ids[name] % 3]
    return Player(ids[name], name, transport, clock_ms=10_000 if transport == STRUCK else None)


def _match(
    rng: random.Random, game: Game, key: str, seats: tuple[Player, Player], began: int, *, forfeit: bool
) -> FinishedMatch:
    position = game.initial()
    plies = []
    while position.outcome is None and not (forfeit and position.ply == 4):
        move = rng.choice(position.legal)
        struck = position.ply == 2 and seats[0].transport == STRUCK
        plies.append(
            Ply(
                move,
                rng.randrange(8, 2500),
                strikes=(Strike("nonce", 40, move, "`nonce` is missing", HOSTILE, "90c1", 5),) if struck else (),
                reason=HOSTILE if position.ply == 3 else "the centre counts" if position.ply == 1 else None,
            )
        )
        position = position.play(move)
    unplayed: tuple[Strike, ...] = ()
    if position.outcome is not None:
        termination, winner = Termination.NORMAL, position.outcome.winner
    elif seats[position.to_move].transport == STRUCK:
        termination, winner = Termination.STRIKES, 1 - position.to_move
        unplayed = tuple(Strike(kind, 10_000, detail="as it came") for kind in ("timeout", "http", "illegal_move"))
    else:
        termination, winner = Termination.TIMEOUT, 1 - position.to_move
        unplayed = (Strike("timeout", 15_001),)
    return FinishedMatch(
        id=key,
        game=game.id,
        rules_version=game.version,
        players=seats,
        plies=tuple(plies),
        unplayed=unplayed,
        winner=winner,
        termination=termination,
        reason=REASONS[termination],
        rated=True,
        why=None,
        move_timeout_ms=15_000,
        started_ms=began,
        ended_ms=began + 60_000,
    )


def _write_posts(conn: Connection, ids: dict[str, int]) -> None:
    area = boards.areas(conn, Reader())[0].id
    for number, subject in enumerate(("Openings on seven columns", "Who plays tonight?", "<script>alert(1)</script>")):
        author = Reader(ids["ada"], Level.MEMBER)
        begun = boards.start_thread(conn, author, area, subject, "The first post.\n\nIn two parts.", now_ms=FIRST_MS)
        for name in ("euler", "gauss")[: number + 1]:
            boards.reply(conn, Reader(ids[name], Level.MEMBER), begun.thread, SAID, now_ms=FIRST_MS)
