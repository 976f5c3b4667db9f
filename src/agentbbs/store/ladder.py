"""Ladders and standings, read from `game_ratings`."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec
from sqlalchemy import Connection, bindparam, func, select

from agentbbs.play.ports import Standing
from agentbbs.store.database import Database
from agentbbs.store.gathering import Gathering
from agentbbs.store.repeats import REPEAT_LINE, repeating
from agentbbs.store.schema import accounts, game_ratings


class LadderRow(msgspec.Struct, frozen=True):
    """One account on a ladder. Equal ratings share a rank, and the next rank is left out (1, 2, 2, 4).
    `marks` are words such as `repeat_line`, see `repeats.py`."""

    rank: int
    name: str
    rating: float
    played: int
    wins: int
    draws: int
    losses: int
    marks: tuple[str, ...]


def ladder(conn: Connection, game: str, *, limit: int | None = None, offset: int = 0) -> tuple[LadderRow, ...]:
    """The ladder of `game` (its canonical id), best first, of those who have played a rated match; removed
    accounts are left off. `limit` rows from the `offset`-th on."""
    ranked = (
        select(
            func.rank().over(order_by=game_ratings.c.rating.desc()).label("rank"),
            accounts.c.name,
            game_ratings.c.rating,
            game_ratings.c.played,
            game_ratings.c.wins,
            game_ratings.c.draws,
            game_ratings.c.losses,
            game_ratings.c.account_id,
        )
        .join(accounts, accounts.c.id == game_ratings.c.account_id)
        .where(game_ratings.c.game == game, game_ratings.c.played > 0, accounts.c.removed_ms.is_(None))
        .order_by(game_ratings.c.rating.desc(), func.lower(accounts.c.name))
        .offset(offset)
    )
    if limit is not None:
        ranked = ranked.limit(limit)
    rows = conn.execute(ranked).all()
    marked = repeating(conn, game) if rows else frozenset()
    return tuple(
        LadderRow(
            rank=row.rank,
            name=row.name,
            rating=row.rating,
            played=row.played,
            wins=row.wins,
            draws=row.draws,
            losses=row.losses,
            marks=(REPEAT_LINE,) if row.account_id in marked else (),
        )
        for row in rows
    )


def place(conn: Connection, account_id: int, game: str) -> tuple[int, int] | None:
    """The rank of an account on the ladder of `game`, as `ladder` has it, and how many are on that ladder; None if it
    is not there itself."""
    listed = (
        select(game_ratings.c.account_id, game_ratings.c.rating)
        .join(accounts, accounts.c.id == game_ratings.c.account_id)
        .where(game_ratings.c.game == game, game_ratings.c.played > 0, accounts.c.removed_ms.is_(None))
        .subquery()
    )
    own = select(listed.c.rating).where(listed.c.account_id == account_id).scalar_subquery()
    found = conn.execute(
        select(own, func.count(), func.count().filter(listed.c.rating > own)).select_from(listed)
    ).one()
    return None if found[0] is None else (found[2] + 1, found[1])


def standing(conn: Connection, account_id: int, game: str) -> Standing:
    """The standing of one account; `Standing()` if it has played no rated match of `game`."""
    return standings(conn, {(account_id, game)}).get((account_id, game), Standing())


def standings(conn: Connection, wanted: Collection[tuple[int, str]]) -> dict[tuple[int, str], Standing]:
    """The standings of (account, game) pairs; those without a rated match are not in it."""
    by_game: dict[str, list[int]] = {}
    for account, game in wanted:
        by_game.setdefault(game, []).append(account)
    return {
        (row[0], game): Standing(*row[1:])
        for game, ids in by_game.items()
        for row in conn.execute(STANDINGS, {"game": game, "accounts": ids})
    }


STANDINGS = select(
    game_ratings.c.account_id,
    game_ratings.c.rating,
    game_ratings.c.played,
    game_ratings.c.wins,
    game_ratings.c.draws,
    game_ratings.c.losses,
    game_ratings.c.firsts,
).where(game_ratings.c.game == bindparam("game"), game_ratings.c.account_id.in_(bindparam("accounts", expanding=True)))
"""Account and standing of those of `accounts` who have played `game`."""


class LadderReader:
    """Standings for the lobby (`play.ports.Ladders`); those asked for together are read together."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._gathering: Gathering[tuple[int, str], Standing] = Gathering(self._query)

    async def standing(self, account: int, game: str) -> Standing:
        """The standing as last committed when this is called."""
        found = await self._gathering.ask((account, game))
        return Standing() if found is None else found

    async def _query(self, wanted: Collection[tuple[int, str]]) -> Mapping[tuple[int, str], Standing]:
        return await self._database.look_up(standings, list(wanted))
