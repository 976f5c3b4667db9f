"""Seats of endpoints at the runner: what they report reaches the match, and their deadline is their own."""

from __future__ import annotations

from typing import Final

from tests.agentbbs.play.scripted import ScriptedBot
from tests.agentbbs.play.venue import Venue, chair
from tests.agentbbs.play.virtual_time import in_virtual_time, pass_time

from agentbbs.games.ttt import TTT
from agentbbs.play.match import FORFEIT, STRIKES
from agentbbs.play.ports import ARENA_TRANSPORT, Player, Ply, Strike
from agentbbs.play.runner import BACKSTOP_S
from agentbbs.protocol.agentgames import Termination

CLOCK_MS: Final = 4_000
VENUE_MS: Final = 15_000


def seats(venue: Venue, *, move_timeout_ms: int | None = None) -> tuple[ScriptedBot, ScriptedBot]:
    """An endpoint, which moves first, and a connected agent; nobody plays by itself."""
    endpoint = ScriptedBot("gremlin", STRIKES(3), plays=False)
    endpoint.player = Player(3, "gremlin", ARENA_TRANSPORT, CLOCK_MS)
    endpoint.hands_at_once = False
    agent = ScriptedBot("ada", FORFEIT, plays=False)
    venue.runner.start(TTT, (endpoint, agent), move_timeout_ms=move_timeout_ms)
    return endpoint, agent


def test_each_seat_is_told_its_own_clock() -> None:
    async def work() -> None:
        venue = Venue(move_timeout_ms=VENUE_MS)
        endpoint, agent = seats(venue)
        assert endpoint.told("hello")[0][1].move_timeout_ms == CLOCK_MS
        assert agent.told("hello")[0][1].move_timeout_ms == VENUE_MS
        slow, human = seats(venue, move_timeout_ms=60_000)
        assert slow.told("hello")[0][1].move_timeout_ms == CLOCK_MS
        assert human.told("hello")[0][1].move_timeout_ms == 60_000
        venue.runner.void(lambda _: True)

    in_virtual_time(work())


def test_what_an_endpoint_was_asked_and_said_is_recorded() -> None:
    async def work() -> None:
        venue = Venue(move_timeout_ms=VENUE_MS)
        endpoint, agent = seats(venue)
        await pass_time(1.0)
        chair(endpoint).handed()
        await pass_time(0.5)
        chair(endpoint).fault("no_move", "4!", detail="`move` is missing", reason="hm", nonce="n1")
        await pass_time(0.25)
        chair(endpoint).handed()
        await pass_time(0.5)
        chair(endpoint).move("4", 0, "the centre", "n2")
        chair(agent).leave()
        (match,) = venue.log.recorded
        strike = Strike("no_move", 500, "4!", "`move` is missing", "hm", "n1", 1_000)
        assert match.plies == (Ply("4", 500, (strike,), "the centre", "n2", 1_750),)
        assert [ask[2] for ask in endpoint.told("ask")] == [0, 1]
        assert endpoint.told("ask")[0][1] == endpoint.told("ask")[1][1]

    in_virtual_time(work())


def test_waiting_for_a_slot_is_not_on_the_clock() -> None:
    async def work() -> None:
        venue = Venue(move_timeout_ms=VENUE_MS)
        endpoint, agent = seats(venue)
        await pass_time(600.0)
        assert venue.playing == 1
        chair(endpoint).handed()
        await pass_time(CLOCK_MS / 1000 - 0.01)
        chair(endpoint).move("4", 0, None, "n1")
        await pass_time(VENUE_MS / 1000 - 0.01)
        assert venue.playing == 1
        await pass_time(0.2)
        (match,) = venue.log.recorded
        assert (match.winner, match.termination) == (0, Termination.TIMEOUT)
        assert agent.told("result")[0][1].outcome == "loss"

    in_virtual_time(work())


def test_the_deadline_of_an_endpoint_is_its_seats_with_a_backstop_behind_it() -> None:
    async def work() -> None:
        venue = Venue(move_timeout_ms=VENUE_MS)
        endpoint, _ = seats(venue)
        chair(endpoint).handed()
        await pass_time(CLOCK_MS / 1000 + BACKSTOP_S / 2)
        assert len(endpoint.told("ask")) == 1
        chair(endpoint).fault("timeout", detail="no headers came", nonce="n1")
        assert len(endpoint.told("ask")) == 2
        chair(endpoint).handed()
        await pass_time(CLOCK_MS / 1000 + BACKSTOP_S + 0.5)
        assert [ask[2] for ask in endpoint.told("ask")] == [0, 1, 2]
        chair(endpoint).fault("tls")
        (match,) = venue.log.recorded
        assert (match.winner, match.termination) == (1, Termination.STRIKES)
        kinds = [(strike.kind, strike.nonce) for strike in match.unplayed]
        assert kinds == [("timeout", "n1"), ("timeout", None), ("tls", None)]
        assert match.unplayed[1].ms >= CLOCK_MS

    in_virtual_time(work())
