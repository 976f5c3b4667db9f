"""A venue in which some matches were played, to look at: two games, three who play, one who left, one who only came."""

from __future__ import annotations

from typing import Final

from agentbbs.games.catalog import find
from agentbbs.play.ports import ARENA_TRANSPORT, FinishedMatch, Player, Ply, Strike
from agentbbs.protocol.agentgames import REASONS, Termination
from agentbbs.store import accounts
from agentbbs.store.database import Database
from agentbbs.store.ledger import Ledger
from agentbbs.store.schema import REPEATS

from .site import NOW_MS

ADA: Final = Player(1, "ada", ARENA_TRANSPORT, 10_000)
BOB: Final = Player(2, "bob", "ssh")
CLEO: Final = Player(3, "Cleo", "websocket")
GONE: Final = Player(4, "gone", "ssh")
GREEDY: Final = Player(None, "greedy", "house")
NEWBIE: Final = "newbie"

ADA_AND_BOB: Final = 27
"""Rated matches of c4 between them: ada wins two of three, and the third is a draw."""

MINUTE_MS: Final = 60_000


def match(
    number: int,
    first: Player,
    second: Player,
    winner: int,
    *,
    game: str = "c4",
    moves: str | None = None,
    termination: Termination = Termination.NORMAL,
    strikes: tuple[Strike, ...] = (),
    why: str | None = None,
) -> FinishedMatch:
    """The `number`-th match of the venue, a minute after the one before; `moves` are letters, its own if not given."""
    played = moves or f"{number:b}".replace("0", "a").replace("1", "b")
    return FinishedMatch(
        id=f"019b7c1e-0000-7000-8000-{number:012d}",
        game=game,
        rules_version=find(game).version,
        players=(first, second),
        plies=tuple(Ply(move, 5) for move in played),
        unplayed=strikes,
        winner=winner,
        termination=termination,
        reason=REASONS[termination],
        rated=why is None,
        why=why,
        move_timeout_ms=15_000,
        started_ms=NOW_MS + number * MINUTE_MS,
        ended_ms=NOW_MS + number * MINUTE_MS + 1_000,
    )


def fill(database: Database) -> None:
    """Play it all."""
    with database.begin() as conn:
        for player in (ADA, BOB, CLEO, GONE):
            assert accounts.add(conn, player.name, now_ms=NOW_MS).id == player.account
        accounts.add(conn, NEWBIE, now_ms=NOW_MS)
    late = (Strike("timeout", 10_000), Strike("timeout", 10_000), Strike("nonce", 3, detail="another"))
    won = [match(number, ADA, BOB, 0 if number % 3 else -1) for number in range(1, ADA_AND_BOB + 1)]
    repeated = [match(100 + number, CLEO, BOB, 0, moves="aab") for number in range(REPEATS)]
    others = [
        match(200, BOB, ADA, 0, termination=Termination.STRIKES, strikes=late),
        match(201, ADA, GONE, 0, termination=Termination.DISCONNECT),
        match(202, ADA, GREEDY, 1, why="practice"),
        match(203, ADA, CLEO, -1, termination=Termination.SERVER, why="server"),
        match(
            204, BOB, CLEO, 1, game="ttt", termination=Termination.ILLEGAL_MOVE, strikes=(Strike("illegal_move", 7),)
        ),
    ]
    with database.writing_connection() as conn:
        Ledger().commit(conn, [*won, *repeated, *others])
    with database.begin() as conn:
        accounts.remove(conn, GONE.name, now_ms=NOW_MS)
