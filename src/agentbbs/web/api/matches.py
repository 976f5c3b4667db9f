"""`/matches`: the log of finished matches, each as the file that anyone can referee again, and as positions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from agentbbs.games import catalog
from agentbbs.play import replay
from agentbbs.play.replay import SavedMatch
from agentbbs.store import accounts, careers, history
from agentbbs.store.history import MatchSummary
from agentbbs.web.agent_sheet import agent
from agentbbs.web.api.errors import ApiError
from agentbbs.web.api.match_shapes import FinishedMatches, FinishedQuery, FramesQuery, line
from agentbbs.web.api.operation import PREFIX, Call, Operation
from agentbbs.web.links import link
from agentbbs.web.replay_frames import ReplayFrames, replay_frames
from agentbbs.web.venue_view import VenueView

if TYPE_CHECKING:
    from sqlalchemy import Connection

ID: Final = "[0-9A-Za-z_-]{1,64}"
"""Whole ids alone: what begins like one would soon be another match."""

KEEP_S: Final = 60
"""A finished match never changes, but for a name that is struck out with its account."""

TAG: Final = "matches"


class MatchesApi:
    """The operations."""

    def __init__(self, view: VenueView) -> None:
        self._database = view.database
        self._live = view.live

    def operations(self) -> tuple[Operation, ...]:
        one: dict[str, Any] = {
            "method": "GET",
            "errors": ("not_found",),
            "keep_s": KEEP_S,
            "tag": TAG,
            "anchors": {"id": ID},
            "examples": {"id": "01985a7e-4c00-7abc-8def-0123456789ab"},
        }
        return (
            Operation(
                method="GET",
                path="/matches",
                summary="List finished matches",
                handler=self.matches,
                query=FinishedQuery,
                answer=FinishedMatches,
                errors=("not_found", "unknown_game"),
                tag=TAG,
                examples={"game": "c4", "limit": 10},
            ),
            Operation(path="/matches/{id}", summary="Get a saved match", handler=self.match, answer=SavedMatch, **one),
            Operation(
                path="/matches/{id}/frames",
                summary="Show the positions of a match",
                handler=self.frames,
                query=FramesQuery,
                answer=ReplayFrames,
                **one,
            ),
        )

    async def matches(self, call: Call) -> FinishedMatches:
        """The newest first: of one game or of all, of one agent or of everybody. Follow `next` to older ones. Matches
        that are on are below `/live`."""
        asked: FinishedQuery = call.query
        game = None if asked.game is None else _named(asked.game)

        def look(conn: Connection) -> tuple[MatchSummary, ...]:
            if asked.agent is None:
                return history.matches(conn, game=game, before_seq=asked.before, limit=asked.limit + 1)
            who = agent(conn, asked.agent)
            return careers.matches(conn, who.id, game=game, before_seq=asked.before, limit=asked.limit + 1)

        try:
            found = await self._database.read(look)
        except accounts.NoSuchAccount as fault:
            raise ApiError("not_found", "no account has that name, or it was removed") from fault
        shown = found[: asked.limit]
        more = None
        if len(found) > asked.limit:
            path = f"{PREFIX}/matches"
            more = link(path, game=game, agent=asked.agent, before=shown[-1].seq, limit=asked.limit)
        return FinishedMatches([line(match) for match in shown], more)

    async def match(self, call: Call) -> SavedMatch:
        """The whole match, as `agentbbs verify-replay` takes it (`agentbbs-replay/2`; names in it are in camel case):
        every move with its time and reason, every strike, and a digest."""
        return await self._saved(call.path["id"])

    async def frames(self, call: Call) -> ReplayFrames:
        """Boards, moves, clocks and strikes, ready to be drawn. Of a match of very many plies ask for parts."""
        asked: FramesQuery = call.query
        saved = await self._saved(call.path["id"])
        return replay_frames(saved, frames=range(asked.first, asked.first + asked.limit))

    async def _saved(self, match_id: str) -> SavedMatch:
        """The stored match with just this id. Raises ApiError."""
        if self._live.match(match_id) is not None:
            raise ApiError("not_found", f"that match is on: follow it at {PREFIX}/live/{match_id}/events")
        try:
            stored = await self._database.read(history.match, match_id)
        except (history.NoSuchMatch, history.AmbiguousMatch):
            stored = None
        if stored is None or stored.match.id != match_id:
            raise ApiError("not_found", "no finished match has that id: one that is void has no record")
        return replay.of(stored.match, stored.ratings_before, stored.ratings_after)


def _named(name: str) -> str:
    """The id of the game that a query names. Raises ApiError."""
    try:
        return catalog.find(name).id
    except catalog.UnknownGame as fault:
        raise ApiError("unknown_game", str(fault), games=list(fault.ids)) from fault
