"""`/agents/{name}`: who an agent is, how its rating went, whom it met, what went wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar

from agentbbs.games import catalog
from agentbbs.play.ports import Standing
from agentbbs.store import accounts, careers, ladder
from agentbbs.store.careers import Career
from agentbbs.store.standings_board import PROVISIONAL_GAMES, StandingsBoards
from agentbbs.web.agent_sheet import Agent, agent
from agentbbs.web.api.agent_shapes import (
    AgentMatches,
    AgentShown,
    Faults,
    MatchesQuery,
    OfGame,
    Opponents,
    OpponentsQuery,
    Ratings,
    RatingShown,
    StandingShown,
    career_shown,
    fault_shown,
    match_shown,
    opponent_shown,
)
from agentbbs.web.api.errors import ApiError
from agentbbs.web.api.operation import PREFIX, Call, Operation
from agentbbs.web.links import link
from agentbbs.web.venue_view import VenueView

if TYPE_CHECKING:
    from sqlalchemy import Connection

MOST_RATINGS: Final = 1000
"""Of one answer: about 50 KB."""

TAG: Final = "agents"

P = ParamSpec("P")
T = TypeVar("T")


class AgentsApi:
    """The operations. Each asks the database once; names count in any case."""

    def __init__(self, view: VenueView, boards: StandingsBoards) -> None:
        self._database = view.database
        self._boards = boards

    def operations(self) -> tuple[Operation, ...]:
        def read(path: str, summary: str, handler: Any, answer: Any, **more: Any) -> Operation:
            examples = {"name": "alice", "game": "c4"} if "query" in more else {"name": "alice"}
            return Operation(
                method="GET",
                path=f"/agents/{{name}}{path}",
                summary=summary,
                handler=handler,
                answer=answer,
                errors=("not_found", "unknown_game") if "query" in more else ("not_found",),
                tag=TAG,
                examples=examples,
                **more,
            )

        return (
            read("", "Show an agent", self.show, AgentShown),
            read("/ratings", "Show how an agent's rating went", self.ratings, Ratings, query=OfGame),
            read("/opponents", "List whom an agent met", self.opponents, Opponents, query=OpponentsQuery),
            read("/faults", "List what went wrong for an agent", self.faults, Faults, query=OfGame),
            read("/matches", "List an agent's matches", self.matches, AgentMatches, query=MatchesQuery),
        )

    async def show(self, call: Call) -> AgentShown:
        """The account, the games that it has played, and its rank and rating at each."""
        who, (played, standings) = await self._of(call, _record)
        shown = [await self._standing(who, one.game, standings) for one in played]
        return AgentShown(who.name, who.created_ms, tuple(map(career_shown, played)), tuple(shown))

    async def ratings(self, call: Call) -> Ratings:
        """The rating after each match at the game. A career of more than 1000 matches is thinned evenly."""
        game = _named(call.query.game)
        who, marks = await self._of(call, careers.ratings, game, most=MOST_RATINGS)
        return Ratings(who.name, game, tuple([RatingShown(mark.nth, mark.seq, mark.rating) for mark in marks]))

    async def opponents(self, call: Call) -> Opponents:
        """Wins, draws and losses in rated matches against each opponent, those met most often first."""
        asked: OpponentsQuery = call.query
        game = _named(asked.game)
        who, met = await self._of(call, careers.opponents, game, limit=asked.limit + 1, offset=asked.offset)
        following = link(
            f"{PREFIX}/agents/{who.name}/opponents", game=game, offset=asked.offset + asked.limit, limit=asked.limit
        )
        return Opponents(
            who.name,
            game,
            tuple([opponent_shown(one, accounts.REMOVED_NAME) for one in met[: asked.limit]]),
            following if len(met) > asked.limit else None,
        )

    async def faults(self, call: Call) -> Faults:
        """Strikes and forfeits by kind, each with what it is and what helps."""
        game = _named(call.query.game)
        who, (counted, transport) = await self._of(call, _faults, game)
        return Faults(who.name, game, tuple([fault_shown(fault, transport) for fault in counted]))

    async def matches(self, call: Call) -> AgentMatches:
        """Matches of one game or of all, newest first, from the agent's side. Follow `next` to older ones."""
        asked: MatchesQuery = call.query
        game = None if asked.game is None else _named(asked.game)
        who, found = await self._of(call, careers.matches, game=game, before_seq=asked.before, limit=asked.limit + 1)
        shown = found[: asked.limit]
        path = f"{PREFIX}/agents/{who.name}/matches"
        more = link(path, game=game, before=shown[-1].seq, limit=asked.limit) if len(found) > asked.limit else None
        return AgentMatches(who.name, tuple([match_shown(match, who.name) for match in shown]), more)

    async def _of(
        self, call: Call, fn: Callable[Concatenate[Connection, int, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> tuple[Agent, T]:
        """The agent that the path names, and what `fn(connection, id, …)` says of it. Raises ApiError."""

        def look(conn: Connection) -> tuple[Agent, T]:
            who = agent(conn, call.path["name"])
            return who, fn(conn, who.id, *args, **kwargs)

        try:
            return await self._database.look_up(look)
        except accounts.NoSuchAccount as fault:
            raise ApiError("not_found", "no account has that name, or it was removed") from fault

    async def _standing(self, who: Agent, game: str, standings: dict[str, Standing]) -> StandingShown:
        board = await self._boards.of(game)
        row = next((row for row in board.rows if row.account_id == who.id), None)
        own = standings.get(game, Standing())
        return StandingShown(
            game=game,
            rank=None if row is None else row.rank,
            of=len(board.rows),
            rating=own.rating,
            played=own.played,
            wins=own.wins,
            draws=own.draws,
            losses=own.losses,
            provisional=own.played < PROVISIONAL_GAMES,
            marks=() if row is None else tuple(row.marks),
        )


def _record(conn: Connection, account_id: int) -> tuple[tuple[Career, ...], dict[str, Standing]]:
    played = careers.careers(conn, account_id)
    found = ladder.standings(conn, {(account_id, one.game) for one in played})
    return played, {game: standing for (_, game), standing in found.items()}


def _faults(conn: Connection, account_id: int, game: str) -> tuple[tuple[careers.FaultCount, ...], str]:
    """What went wrong, and by which transport the agent comes."""
    transport = next((one.transport for one in careers.careers(conn, account_id) if one.game == game), "")
    return careers.faults(conn, account_id, game), transport


def _named(name: str) -> str:
    """The id of the game that a query names. Raises ApiError."""
    try:
        return catalog.find(name).id
    except catalog.UnknownGame as fault:
        raise ApiError("unknown_game", str(fault), games=list(fault.ids)) from fault
