"""Registered endpoints over real TLS: from the table through lobby, referee and wire to a rated match, and back."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

from structlog.testing import capture_logs
from tests.agentbbs.play.scripted import ScriptedWire
from tests.agentbbs.play.venue import Venue
from tests.agentbbs.referee.test_webhook_seat import offline

from agentbbs.play.ports import ARENA_TRANSPORT, FinishedMatch, Player, Settled
from agentbbs.play.session import Session
from agentbbs.protocol.agentgames import Termination
from agentbbs.protocol.signing import Scheme, Verifier, new_secret
from agentbbs.protocol.strikes import StrikeRow
from agentbbs.referee.attendance import SICK_FORFEITS, Attendance
from agentbbs.referee.endpoint_url import UrlRules
from agentbbs.referee.fault_server import FaultServer
from agentbbs.referee.outbound import Outbound, OutboundRules
from agentbbs.referee.slots import Slots
from agentbbs.referee.throwaway_ca import ThrowawayCa
from agentbbs.store import accounts, endpoints
from agentbbs.store.database import Database
from agentbbs.store.endpoints import Endpoint, Status

SECRET: Final = new_secret(Scheme.HMAC, bytes(range(32)))
REFRESH_S: Final = 0.05
NO_PACE: Final = 360_000
"""Matches an hour: the next may begin a hundredth of a second later."""
PATIENCE_S: Final = 30.0


class _FirstLegal(ScriptedWire):
    """A connection whose agent answers each state with the first legal move."""

    session: Session

    def write(self, *messages: bytes) -> None:
        super().write(*messages)
        for message in messages:
            said = json.loads(message)
            if said["type"] == "state" and said["yourTurn"]:
                move = json.dumps({"type": "move", "move": said["observation"]["legal"][0]}).encode()
                asyncio.get_running_loop().call_soon(self.session.receive, move)

    def heard(self, kind: str) -> list[dict[str, Any]]:
        return [said for said in map(json.loads, self.sent) if said["type"] == kind]


class Arena:
    """A venue in memory whose endpoints are real: table, attendance, outbound requests and a server behind TLS."""

    def __init__(self, database: Database, server: FaultServer, outbound: Outbound, *, deadline_ms: int) -> None:
        self.database = database
        self.server = server
        self.venue = Venue()
        self.slots = Slots()
        self.attendance = Attendance(
            database,
            self.venue.lobby,
            outbound,
            self.slots,
            self.venue.alarms,
            outbound.rules.url,
            deadline_ms=deadline_ms,
            matches_per_hour=NO_PACE,
            public_url="https://arena.example",
            refresh_s=REFRESH_S,
        )
        self.venue.runner._told = self._told
        self._changed = asyncio.Event()

    def _told(self, match: FinishedMatch, settled: Settled) -> None:
        self.venue._told(match, settled)
        self.attendance.told(match, settled)
        self._changed.set()

    def register(self, name: str, path: str) -> int:
        """An endpoint for Tic-Tac-Toe; its id. The query sets its URL apart from others with that path."""
        with self.database.begin() as conn:
            account = accounts.add(conn, name, now_ms=1).id
            url = f"{self.server.url_of(path)}?agent={name}"
            return endpoints.register(conn, account, "ttt", url, Scheme.HMAC, SECRET, 1).id

    def connect(self, name: str) -> _FirstLegal:
        """An agent that is connected and joins."""
        with self.database.begin() as conn:
            account = accounts.add(conn, name, now_ms=1).id
        wire = _FirstLegal()
        venue = self.venue
        wire.session = Session(account, Player(account, name, "ws"), wire, venue.lobby, venue.alarms, venue.tally)
        wire.session.opened("ttt", None)
        return wire

    def row(self, endpoint_id: int) -> Endpoint:
        with self.database.connect() as conn:
            return endpoints.get(conn, endpoint_id)

    def change(self, fn: Callable[..., Any], *args: Any) -> None:
        with self.database.begin() as conn:
            fn(conn, *args)

    async def match(self, *names: str) -> FinishedMatch:
        """The first match between these, once it is told."""
        while True:
            self._changed.clear()
            for match in self.venue.told:
                if {player.name for player in match.players} == set(names):
                    return match
            await self._changed.wait()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Look again and again, within the patience of the test."""
        for _ in range(round(PATIENCE_S / REFRESH_S)):
            if condition():
                return
            await asyncio.sleep(REFRESH_S)
        raise AssertionError("it does not come about")


@contextlib.asynccontextmanager
async def arena(database: Database, ca: ThrowawayCa, *, deadline_ms: int = 5_000) -> AsyncIterator[Arena]:
    """An arena that is open, and stops in order at the end: nothing may be in flight or in the lobby then."""
    rules = OutboundRules(url=UrlRules(loopback=True), ca_file=ca.ca_file)
    async with asyncio.timeout(PATIENCE_S), FaultServer(ca) as server, Outbound(rules) as outbound:
        opened = Arena(database, server, outbound, deadline_ms=deadline_ms)
        task = asyncio.create_task(opened.attendance.run())
        try:
            yield opened
        finally:
            opened.venue.lobby.stop()
            await opened.venue.runner.drain(0)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            await opened.attendance.close()
            opened.venue.alarms.stop()
            await database.close()
        assert (len(opened.venue.lobby), opened.venue.playing) == (0, 0)
        await asyncio.sleep(0)
        assert len(opened.slots) == 0


async def test_two_endpoints_play_a_rated_match(database: Database, ca: ThrowawayCa) -> None:
    async with arena(database, ca) as room:
        room.register("ada", "/ok")
        room.register("bob", "/reason")
        match = await room.match("ada", "bob")
        assert (match.rated, match.termination) == (True, Termination.NORMAL)
        assert [player.transport for player in match.players] == [ARENA_TRANSPORT] * 2
        assert offline(match) == ()
        asked = [one for one in room.server.requests if one.turn.match_id == match.id]
        assert [one.turn.move_number for one in asked] == list(range(1, len(match.plies) + 1))
        assert [one.turn.nonce for one in asked] == [ply.nonce for ply in match.plies]
        verifier = Verifier([SECRET])
        ids = {verifier.verify(one.headers, one.body, int(one.headers["webhook-timestamp"])) for one in asked}
        assert len(ids) == len(asked)


async def test_an_endpoint_plays_a_connected_agent_and_forfeits_on_its_third_strike(
    database: Database, ca: ThrowawayCa
) -> None:
    """Case 152, across two transports: the connected agent notices nothing but that it wins."""
    async with arena(database, ca) as room:
        room.register("gremlin", "/illegal-move")
        agent = room.connect("alice")
        match = await room.match("gremlin", "alice")
        gremlin = next(seat for seat, player in enumerate(match.players) if player.name == "gremlin")
        assert (match.rated, match.termination, match.winner) == (True, Termination.STRIKES, 1 - gremlin)
        assert [strike.kind for strike in match.unplayed] == [StrikeRow.ILLEGAL_MOVE] * 3
        asked = [one.turn for one in room.server.requests if one.turn.match_id == match.id]
        assert [turn.strikes for turn in asked] == [0, 1, 2]
        assert len({turn.nonce for turn in asked}) == 3
        assert {turn.move_number for turn in asked} == {len(match.plies) + 1}
        assert offline(match) == ()
        (result,) = agent.heard("result")
        assert (result["outcome"], result["opponentRating"] < 1500 < result["rating"]) == ("win", True)
        assert agent.heard("error") == []


async def test_an_endpoint_that_hangs_delays_nobody_else(database: Database, ca: ThrowawayCa) -> None:
    """Two others, of the same host and port, come and play a whole match within the time of its first answer."""
    async with arena(database, ca, deadline_ms=20_000) as room:
        room.register("slow", "/silent")
        agent = room.connect("alice")
        await room.until(lambda: len(room.server.requests) == 1)
        room.register("ada", "/ok")
        room.register("bob", "/ok")
        match = await room.match("ada", "bob")
        assert match.termination is Termination.NORMAL
        assert [player.name for one in room.venue.told for player in one.players].count("slow") == 0
        assert sum(one.path == "/silent" for one in room.server.requests) == 1
        agent.session.lost()
        await room.match("slow", "alice")


async def test_an_endpoint_that_never_answers_is_paused(database: Database, ca: ThrowawayCa) -> None:
    """Three matches with connected agents, each lost by three missed deadlines; then it is called no more."""
    with capture_logs() as logs:
        async with arena(database, ca, deadline_ms=150) as room:
            sick = room.register("sick", "/silent")
            for number in range(SICK_FORFEITS):
                assert room.row(sick).status == Status.ACTIVE
                room.connect(f"agent-{number}")
                match = await room.match("sick", f"agent-{number}")
                assert match.termination is Termination.STRIKES
                assert [strike.kind for strike in match.unplayed] == [StrikeRow.TIMEOUT] * 3
            await room.until(lambda: room.row(sick).status == Status.PAUSED)
            assert "timeout" in (room.row(sick).why or "")
            await room.until(lambda: len(room.attendance) == 0)
            late = room.connect("late")
            await room.until(lambda: len(late.heard("queued")) == 1)
            assert (len(room.venue.lobby), room.venue.playing) == (1, 0)
            assert len(room.server.requests) <= 3 * SICK_FORFEITS
    told = repr(logs)
    assert "endpoint_paused" in told
    assert "?agent=" not in told, "no query in a line of the log"
    assert SECRET not in told


async def test_nothing_is_asked_after_the_end_of_a_match(database: Database, ca: ThrowawayCa) -> None:
    """The opponent hangs up while the endpoint thinks: the request is given up, and what it says then is not heard."""
    async with arena(database, ca, deadline_ms=2_000) as room:
        gremlin = room.register("gremlin", "/silent")
        agent = room.connect("alice")
        await room.until(lambda: len(room.server.requests) == 1)
        agent.session.lost()
        match = await room.match("gremlin", "alice")
        assert (match.players[match.winner].name, match.termination) == ("gremlin", Termination.DISCONNECT)
        room.change(endpoints.pause, gremlin, "by its owner", 2)
        await room.until(lambda: len(room.attendance) == len(room.slots) == 0)
        assert len(room.server.requests) == 1
        assert match.unplayed == ()


async def test_an_endpoint_that_is_removed_in_a_match_forfeits_it(database: Database, ca: ThrowawayCa) -> None:
    async with arena(database, ca) as room:
        gremlin = room.register("gremlin", "/silent")
        agent = room.connect("alice")
        await room.until(lambda: len(room.server.requests) == 1)
        room.change(endpoints.remove, gremlin, 2)
        match = await room.match("gremlin", "alice")
        assert (match.players[match.winner].name, match.termination) == ("alice", Termination.DISCONNECT)
        await room.until(lambda: len(agent.heard("result")) == 1)
        assert len(room.attendance) == 0


async def test_a_certificate_that_nobody_trusts_costs_three_strikes_and_leaks_nothing(
    database: Database, ca: ThrowawayCa
) -> None:
    async with arena(database, ca) as room:
        room.register("gremlin", "/untrusted")
        room.connect("alice")
        match = await room.match("gremlin", "alice")
        assert [strike.kind for strike in match.unplayed] == [StrikeRow.TLS] * 3
        assert all("127.0.0.1" not in (strike.detail or "") for strike in match.unplayed)
        asked_ms = [strike.asked_ms or 0 for strike in match.unplayed]
        assert asked_ms[1] - asked_ms[0] >= 500
        assert asked_ms[2] - asked_ms[1] >= 1000, "after a strike of the transport it is left alone for a moment"
