"""A rehearsal: the match of a venue, with nobody rated."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.agentbbs.referee.small_agent import Asked, Said, SmallAgent, first_legal, small_agent

from agentbbs.bots.house import HouseSeats
from agentbbs.games.c4 import C4
from agentbbs.games.ttt import TTT
from agentbbs.play.session import UnknownBot
from agentbbs.protocol.agentgames import Termination
from agentbbs.referee.endpoint_url import UrlRules, parse
from agentbbs.referee.fault_server import FaultServer
from agentbbs.referee.outbound import Exchange, Outbound, OutboundRules, OwnFault
from agentbbs.referee.rehearsal import REHEARSAL, Rehearsal, Rehearsed
from agentbbs.referee.scripted_seat import ScriptedSeat
from agentbbs.referee.throwaway_ca import ThrowawayCa
from agentbbs.referee.webhook_seat import BROKEN, Target

LOCAL = UrlRules(loopback=True, plain_http=True)
LIMIT_S = 30.0


def target(agent: SmallAgent, deadline_ms: int = 5000) -> Target:
    return Target(
        account=None,
        name="mine",
        url=parse(agent.url, LOCAL),
        deadline_ms=deadline_ms,
        public_url="https://check-agent.invalid",
    )


async def scripted(agent: SmallAgent, game: Any = TTT, *, first: bool = True, deadline_ms: int = 5000) -> Rehearsed:
    """One match against a script."""
    async with (
        asyncio.timeout(LIMIT_S),
        Outbound(OutboundRules(url=LOCAL)) as outbound,
        Rehearsal(outbound) as rehearsal,
    ):
        return await rehearsal.meet(target(agent, deadline_ms), game, ScriptedSeat("script"), agent_first=first)


async def test_a_match_against_a_house_bot_is_played_to_its_end_and_not_rated() -> None:
    house = HouseSeats()
    try:
        with small_agent() as agent:
            async with (
                asyncio.timeout(LIMIT_S),
                Outbound(OutboundRules(url=LOCAL)) as outbound,
                Rehearsal(outbound) as rehearsal,
            ):
                played = await rehearsal.play(target(agent), C4, house, "minimax", agent_first=False)
                with pytest.raises(UnknownBot):
                    await rehearsal.play(target(agent), C4, house, "nobody")
    finally:
        house.close()
    assert played.match.termination is Termination.NORMAL
    assert (played.match.rated, played.match.why) == (False, REHEARSAL)
    assert played.match.players[0].name == "minimax"
    assert (played.seat, played.outcome, played.strikes) == (1, "loss", ())
    assert len(played.answers_ms) == len(agent.asked) == len(played.match.plies) // 2
    assert {one["you"] for one in agent.asked} == {"O"}
    assert {one["match_id"] for one in agent.asked} == {played.match.id}


@pytest.mark.parametrize("first", [True, False])
async def test_both_seats(first: bool) -> None:
    with small_agent() as agent:
        played = await scripted(agent, first=first)
    assert [one["move_number"] for one in agent.asked] == list(range(1 if first else 2, len(played.match.plies) + 1, 2))
    assert played.p50_ms is not None
    assert played.max_ms is not None
    assert played.p50_ms <= played.max_ms


async def test_strikes_are_those_of_the_agent_with_the_move_at_which_they_came() -> None:
    def clumsy(asked: Asked, agent: SmallAgent) -> Said:
        if asked["move_number"] == 3 and asked["strikes"] < 2:
            return 200, {"move": "nowhere", "nonce": asked["nonce"], "reason": "why not"}
        return first_legal(asked, agent)

    with small_agent(clumsy) as agent:
        played = await scripted(agent)
    assert [(struck.move_number, struck.strike.kind) for struck in played.strikes] == [(3, "illegal_move")] * 2
    assert {struck.strike.offered for struck in played.strikes} == {"nowhere"}
    assert [one["strikes"] for one in agent.asked if one["move_number"] == 3] == [0, 1, 2]
    assert len({one["nonce"] for one in agent.asked}) == len(agent.asked)


async def test_the_third_strike_forfeits() -> None:
    with small_agent(lambda asked, _: (200, {"move": asked["legal"][0], "nonce": "old"})) as agent:
        played = await scripted(agent)
    assert (played.outcome, played.match.termination) == ("loss", Termination.STRIKES)
    assert [struck.strike.kind for struck in played.strikes] == ["nonce"] * 3
    assert played.answers_ms == ()
    assert (played.p50_ms, played.max_ms) == (None, None)


async def test_an_answer_that_does_not_come_is_a_timeout() -> None:
    def late(asked: Asked, agent: SmallAgent) -> Said:
        if asked["strikes"] == 0:
            agent.hold.wait(LIMIT_S)
        return first_legal(asked, agent)

    with small_agent(late) as agent:
        played = await scripted(agent, deadline_ms=200)
    assert [struck.strike.kind for struck in played.strikes] == ["timeout"]
    assert played.strikes[0].strike.ms >= 195
    assert agent.asked[0]["deadline_ms"] == 200


class _Unable:
    """A machine that can't dial."""

    async def post(self, *_: Any) -> Exchange:
        raise OwnFault("EMFILE")


async def test_a_fault_of_this_machine_costs_nobody_anything() -> None:
    with small_agent() as agent:
        async with asyncio.timeout(LIMIT_S), Rehearsal(_Unable()) as rehearsal:
            played = await rehearsal.meet(target(agent), TTT, ScriptedSeat("script"))
    assert played.void
    assert (played.outcome, played.match.reason, played.strikes) == ("void", BROKEN, ())


async def test_who_stops_waiting_leaves_no_match_behind() -> None:
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()

    def never(_: Asked, agent: SmallAgent) -> Said:
        loop.call_soon_threadsafe(asked.set)
        agent.hold.wait(LIMIT_S)
        return 200, {}

    with small_agent(never) as agent:
        async with (
            asyncio.timeout(LIMIT_S),
            Outbound(OutboundRules(url=LOCAL)) as outbound,
            Rehearsal(outbound) as rehearsal,
        ):
            waiting = asyncio.create_task(rehearsal.meet(target(agent), TTT, ScriptedSeat("script")))
            await asked.wait()
            assert len(rehearsal.live) == 1
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            assert not rehearsal.live


@pytest.mark.parametrize(("rounds", "plies"), [(0, 1), (1, 3)])
async def test_a_script_may_give_up_when_it_is_asked(rounds: int, plies: int) -> None:
    with small_agent() as agent:
        async with (
            asyncio.timeout(LIMIT_S),
            Outbound(OutboundRules(url=LOCAL)) as outbound,
            Rehearsal(outbound) as rehearsal,
        ):
            played = await rehearsal.meet(target(agent), C4, ScriptedSeat("script", rounds=rounds))
    assert (played.outcome, played.match.termination, len(played.match.plies)) == ("win", Termination.RESIGN, plies)


PATHS = {
    "/ok": None,
    "/gzip": None,
    "/silent": "timeout",
    "/close": "connection",
    "/garbage": "http",
    "/status-500": "status",
    "/redirect-301": "redirect",
    "/too-large": "too_large",
    "/not-json": "not_json",
    "/no-move": "no_move",
    "/wrong-nonce": "nonce",
    "/illegal-move": "illegal_move",
}


async def test_each_kind_of_fault_over_tls_is_the_strike_of_its_row(tmp_path: Path) -> None:
    ca = ThrowawayCa.make(tmp_path)
    async with (
        asyncio.timeout(LIMIT_S),
        FaultServer(ca) as server,
        Outbound(OutboundRules(url=LOCAL, ca_file=ca.ca_file)) as outbound,
        Rehearsal(outbound) as rehearsal,
    ):

        async def rows(path: str) -> list[str]:
            asked = Target(
                account=None, name=path, url=parse(server.url_of(path), LOCAL), deadline_ms=1500, public_url="https://x"
            )
            played = await rehearsal.meet(asked, TTT, ScriptedSeat("script"))
            return [struck.strike.kind for struck in played.strikes]

        found = await asyncio.gather(*map(rows, PATHS))
    assert dict(zip(PATHS, found, strict=True)) == {
        path: [] if row is None else [row] * 3 for path, row in PATHS.items()
    }
