"""All that is shown of one agent at one game, by one look-up of the database: a page waits for its queries once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from agentbbs.play.ports import Standing
from agentbbs.store import accounts, careers, ladder, names
from agentbbs.store.careers import Career, FaultCount, HeadToHead, RatingMark
from agentbbs.store.database import one_moment
from agentbbs.store.history import MatchSummary
from agentbbs.store.standings_board import as_of
from agentbbs.web.drawing.charts import MOST_POINTS

if TYPE_CHECKING:
    from sqlalchemy import Connection

MATCHES: Final = 20
"""On one page; older ones are a link away."""

OPPONENTS: Final = 20
"""On one page."""


class Agent(msgspec.Struct, frozen=True):
    """An account, as everybody may see it."""

    id: int
    name: str
    created_ms: int


class Part(msgspec.Struct, frozen=True):
    """What to show of lists that may be long."""

    before_seq: int | None = None
    """Matches older than that; None: from the newest on."""
    opponents_from: int = 0


class Sheet(msgspec.Struct, frozen=True):
    """An agent at `game`, which is None if it has played nothing at all."""

    agent: Agent
    careers: tuple[Career, ...]
    game: str | None
    record: Record | None
    """None if it has not played that game."""


class Dated(msgspec.Struct, frozen=True):
    """A sheet, and what it is of: this changes with each match of the agent, each rebuild of the ladders, and whenever
    an account comes or goes."""

    of: bytes
    sheet: Sheet


class Record(msgspec.Struct, frozen=True):
    """What an agent has done at one game. `matches` and `opponents` are one longer than a page if there are more."""

    career: Career
    standing: Standing
    ratings: tuple[RatingMark, ...]
    opponents: tuple[HeadToHead, ...]
    faults: tuple[FaultCount, ...]
    matches: tuple[MatchSummary, ...]


def agent(conn: Connection, name: str) -> Agent:
    """The account of that name, in any case. Raises accounts.NoSuchAccount."""
    if len(name) > names.MAX_CHARS:
        raise accounts.NoSuchAccount(name[: names.MAX_CHARS])
    found = accounts.find(conn, name)
    return Agent(found.id, found.name, found.created_ms)


def sheet(conn: Connection, name: str, game: str | None, part: Part, known: Dated | None = None) -> Dated:
    """What is shown of the account called `name` at `game` (an id; None: the game it played last): `known` itself if
    nothing of it has changed. Raises accounts.NoSuchAccount."""
    with one_moment(conn):
        found = agent(conn, name)
        played = careers.careers(conn, found.id)
        _, *epochs = as_of(conn)
        of = msgspec.json.encode((found, played, epochs))
        return known if known is not None and known.of == of else Dated(of, _sheet(conn, found, played, game, part))


def _sheet(conn: Connection, found: Agent, played: tuple[Career, ...], game: str | None, part: Part) -> Sheet:
    if game is None and played:
        game = played[0].game
    career = next((one for one in played if one.game == game), None)
    return Sheet(found, played, game, None if career is None else _record(conn, found.id, career, part))


def _record(conn: Connection, account_id: int, career: Career, part: Part) -> Record:
    game = career.game
    return Record(
        career=career,
        standing=ladder.standing(conn, account_id, game),
        ratings=careers.ratings(conn, account_id, game, most=MOST_POINTS),
        opponents=careers.opponents(conn, account_id, game, limit=OPPONENTS + 1, offset=part.opponents_from),
        faults=careers.faults(conn, account_id, game),
        matches=careers.matches(conn, account_id, game=game, before_seq=part.before_seq, limit=MATCHES + 1),
    )
