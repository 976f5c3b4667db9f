"""Taking a seat back after a dropped connection, over real WebSockets (cases 29, 31-36)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from websockets.asyncio.client import connect

from .conftest import Agent, GamePort, paired, until

MakePort = Callable[..., Any]
GRACE_S = 30.0


async def come_back(port: GamePort, name: str, token: str) -> Agent:
    """A new connection that joins with a resume token."""
    headers = {"Authorization": f"Bearer token-{name}"}
    agent = Agent(await connect(f"{port.ws}/play", additional_headers=headers, ping_interval=None))
    await agent.say(type="join", resume=token)
    return agent


async def seated(port: GamePort) -> tuple[dict[str, Agent], dict[str, str], str]:
    """Two agents in a match: by name, their resume tokens, and the name of who moves first."""
    agents = {name: await port.agent(name) for name in ("ann", "bob")}
    hellos = {name: await agent.hear_until("hello") for name, agent in agents.items()}
    (first,) = [name for name, hello in hellos.items() if hello["player"] == 0]
    return agents, {name: hello["resume"] for name, hello in hellos.items()}, first


def other(name: str) -> str:
    return "bob" if name == "ann" else "ann"


async def test_without_grace_hello_has_no_token_and_resume_is_refused(port: GamePort) -> None:
    first, _ = await paired(port, "ann", "bob")
    back = await come_back(port, "ann", "anything")
    error = await back.hear()
    assert error["code"] == "game_over"
    assert "keeps no seat" in error["message"]
    await back.say(type="join", game="c4")
    assert (await back.hear())["type"] == "queued"
    await first.leave()


async def test_a_dropped_connection_takes_its_seat_back_and_misses_nothing(make_port: MakePort) -> None:
    """Case 29, by RST; case 32: the ply is right after a resume at every ply."""
    port = await make_port(resume_grace_s=GRACE_S)
    agents, tokens, first = await seated(port)
    for ply, move in enumerate("30415"):
        mover = first if ply % 2 == 0 else other(first)
        agents[mover].connection.transport.abort()
        agents[mover] = await come_back(port, mover, tokens[mover])
        hello = await agents[mover].hear()
        assert (hello["type"], hello["resume"]) == ("hello", tokens[mover])
        state = await agents[mover].hear()
        assert (state["ply"], state["yourTurn"]) == (ply, True)
        assert 0 < state["remainingMs"] <= hello["moveTimeoutMs"]
        await agents[mover].say(type="move", move=move, ply=ply)
    for name, agent in agents.items():
        assert (await agent.hear_until("result"))["outcome"] == ("win" if name == first else "loss")


async def test_a_fin_is_as_good_as_a_reset(make_port: MakePort) -> None:
    port = await make_port(resume_grace_s=GRACE_S)
    agents, tokens, first = await seated(port)
    await agents[first].leave()
    back = await come_back(port, first, tokens[first])
    await back.hear_until("state")
    await back.say(type="move", move="4", ply=0)
    assert (await back.hear_until("state"))["lastMove"] == "4"


async def test_the_newer_connection_wins_and_the_older_is_superseded(make_port: MakePort) -> None:
    """Case 31: the old connection is silent, not closed."""
    port = await make_port(resume_grace_s=GRACE_S)
    agents, tokens, first = await seated(port)
    back = await come_back(port, first, tokens[first])
    assert (await agents[first].hear_until("error"))["code"] == "superseded"
    assert await agents[first].closed() == (4000, "superseded")
    await back.hear_until("state")
    await back.say(type="move", move="4")
    assert (await agents[other(first)].hear_until("state"))["ply"] == 0
    assert (await agents[other(first)].hear_until("state"))["lastMove"] == "4"
    assert port.log.matches == []


async def test_a_move_lost_on_the_way_is_sent_again_and_taken_once(make_port: MakePort) -> None:
    """Case 34."""
    port = await make_port(resume_grace_s=GRACE_S)
    agents, tokens, first = await seated(port)
    await agents[first].say(type="move", move="4", ply=0)
    while (await agents[first].hear_until("state"))["ply"] != 1:
        pass
    agents[first].connection.transport.abort()
    back = await come_back(port, first, tokens[first])
    await back.hear_until("state")
    await back.say(type="move", move="4", ply=0)
    error = await back.hear()
    assert error["code"] == "stale_ply"
    assert "already played" in error["message"]
    assert port.runner.live[0].position.ply == 1


async def test_the_clock_runs_on_while_nobody_is_there(make_port: MakePort) -> None:
    port = await make_port(resume_grace_s=GRACE_S, move_timeout_ms=100)
    agents, tokens, first = await seated(port)
    agents[first].connection.transport.abort()
    assert (await agents[other(first)].hear_until("result"))["reason"] == "forfeit: timeout"
    back = await come_back(port, first, tokens[first])
    assert (await back.hear())["type"] == "hello"
    final = await back.hear()
    assert (final["observation"]["toMove"], final["observation"]["legal"]) == (-1, [])
    assert (await back.hear())["outcome"] == "loss"
    await back.say(type="join")
    assert (await back.hear())["type"] == "queued"


async def test_who_does_not_come_back_in_time_forfeits_by_disconnect(make_port: MakePort) -> None:
    port = await make_port(resume_grace_s=0.1)
    agents, tokens, first = await seated(port)
    agents[first].connection.transport.abort()
    assert (await agents[other(first)].hear_until("result"))["reason"] == "forfeit: disconnect"
    await until(lambda: port.lobby.kept_seats == 0)
    back = await come_back(port, first, tokens[first])
    error = await back.hear()
    assert error["code"] == "game_over"
    assert "time of grace is over" in error["message"]


async def test_a_token_is_good_for_its_own_account_alone(make_port: MakePort) -> None:
    port = await make_port(resume_grace_s=GRACE_S)
    agents, tokens, first = await seated(port)
    thief = await come_back(port, "eve", tokens[first])
    assert (await thief.hear())["code"] == "game_over"
    await agents[first].say(type="ping")
    assert (await agents[first].hear_until("pong"))["type"] == "pong"


async def test_a_result_that_got_lost_can_be_asked_for_again(make_port: MakePort) -> None:
    port = await make_port(resume_grace_s=GRACE_S)
    agents, tokens, first = await seated(port)
    await agents[first].say(type="resign")
    await agents[first].hear_until("result")
    await agents[first].say(type="join", game="c4")
    await agents[first].hear_until("queued")
    back = await come_back(port, first, tokens[first])
    assert (await back.hear_until("result"))["reason"] == "forfeit: resign"
    await agents[first].say(type="ping")
    assert (await agents[first].hear())["type"] == "pong", "the first connection waits on, it is not superseded"


async def test_a_stop_during_the_grace_voids_the_match(make_port: MakePort) -> None:
    port = await make_port(resume_grace_s=GRACE_S)
    agents, _, first = await seated(port)
    agents[first].connection.transport.abort()
    await port.runner.drain(0.05)
    assert (await agents[other(first)].hear_until("result"))["outcome"] == "void"
    await asyncio.gather(*(agent.leave() for agent in agents.values()))
