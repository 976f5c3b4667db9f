"""Endpoints in the lobby: they wait without an end, and are seated when somebody comes."""

from __future__ import annotations

from structlog.testing import capture_logs
from tests.agentbbs.play.scripted import ScriptedBot
from tests.agentbbs.play.venue import Venue
from tests.agentbbs.play.virtual_time import in_virtual_time, pass_time, turn

from agentbbs.games.ttt import TTT
from agentbbs.play.lobby import SWEEP_S
from agentbbs.play.ports import ARENA_TRANSPORT, Player
from agentbbs.protocol.errors import Code


class Waits:
    """Implements `play.lobby.Entrant`."""

    def __init__(self, venue: Venue, name: str, account: int, *, peers_from: float = 0.0) -> None:
        self.key = venue.alarms.add(lambda: None)
        self.account = account
        self.player = Player(account, name, ARENA_TRANSPORT)
        self.peers_from = peers_from
        self.seats: list[ScriptedBot] = []
        self.turned: list[Code] = []
        self.stopped = 0

    def seat(self) -> ScriptedBot:
        self.seats.append(ScriptedBot(self.player.name))
        self.seats[-1].player = self.player
        return self.seats[-1]

    def turned_away(self, code: Code, why: str) -> None:
        assert why
        self.turned.append(code)

    def shut_down(self) -> None:
        self.stopped += 1


def test_it_waits_for_as_long_as_it_takes() -> None:
    async def work() -> None:
        venue = Venue(queue_wait_s=5)
        one = Waits(venue, "gremlin", 1)
        venue.lobby.enter(one, TTT)
        await pass_time(100_000)
        assert (len(venue.lobby), venue.lobby.waiting("ttt"), one.seats) == (1, 1, [])
        (queue,) = venue.lobby.queues()
        assert (queue.name, queue.account) == ("gremlin", 1)
        agent = await venue.settled_in(venue.agent("ada", 2, "ttt"))
        assert "hello" in agent.hears_kinds()
        assert len(one.seats) == 1
        assert len(venue.lobby) == 0

    in_virtual_time(work())


def test_who_left_is_not_seated() -> None:
    async def work() -> None:
        venue = Venue()
        one, other = Waits(venue, "gremlin", 1), Waits(venue, "goblin", 2)
        venue.lobby.enter(one, TTT)
        venue.lobby.leave(one)
        venue.lobby.leave(one)
        await turn()
        venue.lobby.enter(other, TTT)
        await pass_time(60)
        assert (one.seats, other.seats, len(venue.lobby)) == ([], [], 1)

    in_virtual_time(work())


def test_two_of_them_meet_from_the_later_of_their_times_on() -> None:
    async def work() -> None:
        venue = Venue()
        now = venue.loop.time()
        one, other = Waits(venue, "gremlin", 1, peers_from=now + 50), Waits(venue, "goblin", 2, peers_from=now + 90)
        for entrant in (one, other):
            venue.lobby.enter(entrant, TTT)
        await pass_time(89)
        assert len(venue.lobby) == 2
        await pass_time(1 + 2 * SWEEP_S)
        assert (len(one.seats), len(other.seats)) == (1, 1)

    in_virtual_time(work())


def test_those_of_one_account_never_meet() -> None:
    async def work() -> None:
        venue = Venue()
        one, other = Waits(venue, "gremlin", 1), Waits(venue, "gremlin", 1)
        for entrant in (one, other):
            venue.lobby.enter(entrant, TTT)
        agent = await venue.settled_in(venue.agent("gremlin", 1, "ttt"))
        await pass_time(60)
        assert (one.seats, other.seats, agent.hears_kinds()) == ([], [], ["queued"])

    in_virtual_time(work())


def test_a_connected_agent_is_met_although_its_account_has_an_endpoint_there() -> None:
    async def work() -> None:
        venue = Venue()
        later = venue.loop.time() + 1000
        mine, other = Waits(venue, "ada", 1, peers_from=later), Waits(venue, "goblin", 2, peers_from=later)
        for entrant in (mine, other):
            venue.lobby.enter(entrant, TTT)
        await turn()
        agent = await venue.settled_in(venue.agent("ada", 1, "ttt"))
        assert "hello" in agent.hears_kinds()
        assert (len(mine.seats), len(other.seats)) == (0, 1)

    in_virtual_time(work())


def test_a_ladder_that_can_t_be_read_turns_it_away() -> None:
    async def work() -> None:
        venue = Venue()
        venue.ladders.broken = True
        one = Waits(venue, "gremlin", 1)
        venue.lobby.enter(one, TTT)
        await turn()
        assert (one.turned, len(venue.lobby)) == ([Code.INTERNAL], 0)

    with capture_logs() as logs:
        in_virtual_time(work())
    assert [entry["event"] for entry in logs] == ["standing_unread"]


def test_a_venue_that_stops_lets_nobody_wait() -> None:
    async def work() -> None:
        venue = Venue()
        one, other = Waits(venue, "gremlin", 1), Waits(venue, "goblin", 2)
        venue.lobby.enter(one, TTT)
        venue.lobby.stop()
        venue.lobby.enter(other, TTT)
        await pass_time(60)
        assert (one.stopped, other.stopped, len(venue.lobby)) == (1, 1, 0)
        assert one.seats == other.seats == []

    in_virtual_time(work())


def test_it_can_t_be_challenged_by_a_person() -> None:
    async def work() -> None:
        venue = Venue()
        venue.lobby.enter(Waits(venue, "gremlin", 1), TTT)
        await turn()
        assert venue.lobby.challengeable() == ()

    in_virtual_time(work())
