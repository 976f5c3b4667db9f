"""What onlookers and operators read on the game port."""

from __future__ import annotations

import json

import aiohttp
from prometheus_client.parser import text_string_to_metric_families
from websockets.asyncio.client import connect

from agentbbs.hub.presence import Present
from agentbbs.protocol.agentgames import Termination
from agentbbs.protocol.errors import Code

from .conftest import Agent, GamePort, paired, until
from .test_websocket import finish


async def test_an_onlooker_sees_the_position_then_each_ply_then_the_end(port: GamePort) -> None:
    first, second = await paired(port, "ann", "bob")
    (match,) = port.runner.live
    onlooker = Agent(await connect(f"{port.ws}/watch/{match.id}"))
    watching = await onlooker.hear()
    assert watching == {
        "type": "watching",
        "match": match.id,
        "game": "ttt",
        "players": [match.players[0].name, match.players[1].name],
        "moveTimeoutMs": 15_000,
        "rated": True,
        "moves": [],
    }
    assert (await onlooker.hear())["ply"] == 0
    await finish(first, second)
    plies = [(await onlooker.hear())["ply"] for _ in range(5)]
    assert plies == [1, 2, 3, 4, 5]
    over = await onlooker.hear()
    assert (over["type"], over["winner"], over["termination"], over["plies"]) == ("over", 0, "normal", 5)
    assert (await onlooker.closed())[0] == 1000
    assert port.audience.count() == 0


async def test_an_onlooker_who_leaves_is_forgotten(port: GamePort) -> None:
    await paired(port, "ann", "bob")
    (match,) = port.runner.live
    onlooker = Agent(await connect(f"{port.ws}/watch/{match.id}"))
    await onlooker.hear()
    await onlooker.leave()
    await until(lambda: not port.audience.count())


async def test_a_match_that_is_not_on_is_404_with_the_way_to_the_replay(port: GamePort) -> None:
    async with aiohttp.ClientSession() as http, http.get(f"{port.http}/watch/nothing") as answer:
        assert answer.status == 404
        assert "agentbbs replay" in (await answer.json())["error"]


async def test_live_lists_matches_and_lobby_lists_who_waits(port: GamePort) -> None:
    await paired(port, "ann", "bob")
    waiting = await port.agent("eve", "c4")
    await waiting.hear_until("queued")
    async with aiohttp.ClientSession() as http:
        async with http.get(f"{port.http}/live") as answer:
            (match,) = await answer.json()
        async with http.get(f"{port.http}/lobby") as answer:
            (entry,) = await answer.json()
    assert set(match["players"]) == {"ann", "bob"}
    assert (match["game"], match["ply"], match["rated"]) == ("ttt", 0, True)
    assert (entry["game"], entry["name"], entry["rating"]) == ("c4", "eve", 1500)


async def test_nodes_lists_who_is_on_the_bbs_without_their_addresses(port: GamePort) -> None:
    port.on_nodes = (
        Present(1, 7, "ann", "ssh", 1_000, "in Chat", "192.0.2.7", sysop=True),
        Present(3, None, "guest", "telnet", 2_000, "at the main menu", "192.0.2.8"),
    )
    async with aiohttp.ClientSession() as http, http.get(f"{port.http}/nodes") as answer:
        ann, guest = await answer.json()
    assert ann == {"node": 1, "account": 7, "name": "ann", "transport": "ssh", "sinceMs": 1_000, "doing": "in Chat"}
    assert (guest["node"], guest["account"], guest["name"]) == (3, None, "guest")


async def test_healthz_counts_what_is_on(port: GamePort) -> None:
    await paired(port, "ann", "bob")
    async with aiohttp.ClientSession() as http, http.get(f"{port.http}/healthz") as answer:
        assert answer.status == 200
        body = await answer.json()
    assert (body["status"], body["live"], body["waiting"], body["unstored"]) == ("ok", 1, 0, 0)


async def test_metrics_are_read_by_prometheus_own_parser(port: GamePort) -> None:
    first, second = await paired(port, "ann", "bob")
    await first.connection.send("nonsense")
    await first.hear_until("error")
    await finish(first, second)
    waiting = await port.agent("eve", "c4")
    await waiting.hear_until("queued")
    port.tally.calls["telnet"], port.tally.calls_total["telnet"] = 2, 7
    async with aiohttp.ClientSession() as http, http.get(f"{port.http}/metrics") as answer:
        assert answer.status == 200
        text = await answer.text()
    samples = {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert samples["agentbbs_queue_length", (("game", "c4"),)] == 1
    assert samples["agentbbs_queue_length", (("game", "ttt"),)] == 0
    assert samples["agentbbs_matches_ended_total", (("termination", "normal"),)] == 1
    assert samples["agentbbs_errors_total", (("code", "bad_message"),)] == 1
    assert samples["agentbbs_move_seconds_count", ()] == 5
    assert samples["agentbbs_move_seconds_bucket", (("le", "+Inf"),)] == 5
    assert samples["agentbbs_connections", ()] == 3
    assert samples["agentbbs_calls", (("transport", "telnet"),)] == 2
    assert samples["agentbbs_calls_opened_total", (("transport", "telnet"),)] == 7
    assert samples["process_resident_memory_bytes", ()] > 0


async def test_what_has_not_happened_yet_is_counted_as_0(port: GamePort) -> None:
    """Prometheus sees no growth in a series that begins at 1: the first of each kind would raise no alarm."""
    async with aiohttp.ClientSession() as http, http.get(f"{port.http}/metrics") as answer:
        lines = (await answer.text()).splitlines()
    assert {f'agentbbs_errors_total{{code="{code}"}} 0.0' for code in Code} <= set(lines)
    assert {f'agentbbs_matches_ended_total{{termination="{kind}"}} 0.0' for kind in Termination} <= set(lines)


async def test_what_an_onlooker_sends_changes_nothing(port: GamePort) -> None:
    first, second = await paired(port, "ann", "bob")
    (match,) = port.runner.live
    onlooker = Agent(await connect(f"{port.ws}/watch/{match.id}"))
    await onlooker.say(type="move", move="4")
    await onlooker.hear_until("state")
    won, _ = await finish(first, second)
    assert won["outcome"] == "win"
    assert json.loads(json.dumps(won))["match"] == match.id
