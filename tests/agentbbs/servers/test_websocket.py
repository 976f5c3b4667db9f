"""`/play` as agents meet it: real connections by the `websockets` package and by raw sockets."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import struct
import time
from collections.abc import Callable
from typing import Any

import aiohttp
import pytest
import uvloop
from hypothesis import given
from hypothesis import strategies as st
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from agentbbs.protocol.agentgames import MAX_MESSAGE_BYTES
from agentbbs.servers.gate import FAILED_LOGINS
from agentbbs.servers.websocket import MAX_UNREAD_BYTES, text_frame

from .conftest import SOON_S, Agent, GamePort, paired, until

MakePort = Callable[..., Any]


async def play_out(first: Agent, second: Agent, moves: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Play `moves` alternately; both results."""
    for ply, move in enumerate(moves):
        mover = (first, second)[ply % 2]
        while not (state := await mover.hear_until("state"))["yourTurn"]:
            pass
        await mover.say(type="move", move=move, ply=state["ply"])
    return await first.hear_until("result"), await second.hear_until("result")


class TestAMatch:
    async def test_is_the_seeds_dialogue(self, port: GamePort) -> None:
        one = await port.agent("ann")
        assert await one.hear() == {"type": "queued", "game": "ttt", "waiting": 1}
        two = await port.agent("bob")
        assert await two.hear() == {"type": "queued", "game": "ttt", "waiting": 2}
        hello, other = await one.hear(), await two.hear()
        assert {hello["player"], other["player"]} == {0, 1}
        assert (hello["opponent"], other["opponent"]) == ("bob", "ann")
        assert hello["match"] == other["match"]
        assert hello["moveTimeoutMs"] == 15_000
        first, second = (one, two) if hello["player"] == 0 else (two, one)
        state = await first.hear()
        assert state == {
            "type": "state",
            "observation": {"board": ["."] * 9, "toMove": 0, "legal": [str(cell) for cell in range(9)]},
            "yourTurn": True,
            "ply": 0,
            "lastMove": None,
            "remainingMs": 15_000,
        }
        assert (await second.hear())["yourTurn"] is False
        await first.say(type="move", move="4")
        assert (await first.hear())["lastMove"] == "4"
        assert (await second.hear())["yourTurn"] is True
        for mover, move in ((second, "0"), (first, "1"), (second, "2"), (first, "7")):
            await mover.say(type="move", move=move)
            acknowledged, shown = await first.hear(), await second.hear()
            assert acknowledged["lastMove"] == shown["lastMove"] == move
        assert acknowledged["observation"]["toMove"] == -1
        assert acknowledged["observation"]["legal"] == []
        assert acknowledged["yourTurn"] is shown["yourTurn"] is False
        won, lost = await first.hear(), await second.hear()
        assert (won["outcome"], won["rating"], won["winner"]) == ("win", 1516, 0)
        assert (lost["outcome"], lost["rating"], lost["winner"]) == ("loss", 1484, 0)
        assert won["reason"] is None
        assert won["termination"] == "normal"
        assert won["rated"] is True

    async def test_is_followed_by_another_on_the_same_connections(self, port: GamePort) -> None:
        first, second = await paired(port, "ann", "bob")
        await play_out(first, second, "30415")
        await first.say(type="join", game="TTT")
        await second.say(type="join")
        hello = await first.hear_until("hello")
        await second.hear_until("hello")
        assert hello["game"] == "ttt"
        assert len(port.log.matches) == 1

    async def test_can_be_joined_by_message_and_by_alias(self, port: GamePort) -> None:
        one = await port.agent("ann", game=None)
        await one.say(type="join", game="Connect-4")
        assert (await one.hear())["game"] == "c4"

    async def test_for_practice_needs_a_game_even_in_the_address(self, port: GamePort) -> None:
        """It must not become a rated match by the next join."""
        headers = {"Authorization": "Bearer token-ann"}
        one = Agent(await connect(f"{port.ws}/play?practice=random", additional_headers=headers))
        assert (await one.hear())["code"] == "bad_message"

    async def test_of_one_account_with_itself_never_begins(self, port: GamePort) -> None:
        one, two = await port.agent("ann"), await port.agent("ann")
        await one.hear_until("queued")
        await two.hear_until("queued")
        three = await port.agent("bob")
        assert (await three.hear_until("hello"))["opponent"] == "ann"
        assert port.lobby.waiting("ttt") == 1

    async def test_forfeits_on_an_illegal_move(self, port: GamePort) -> None:
        first, second = await paired(port, "ann", "bob")
        await first.say(type="move", move="9")
        lost, won = await first.hear_until("result"), await second.hear_until("result")
        assert (lost["outcome"], lost["reason"], lost["termination"]) == (
            "loss",
            "forfeit: illegal move",
            "illegal_move",
        )
        assert won["outcome"] == "win"
        assert port.log.matches[0].plies == ()

    async def test_forfeits_on_a_disconnect(self, port: GamePort) -> None:
        first, second = await paired(port, "ann", "bob")
        first.connection.transport.abort()
        won = await second.hear_until("result")
        assert (won["outcome"], won["reason"]) == ("win", "forfeit: disconnect")

    async def test_forfeits_on_silence(self, make_port: MakePort) -> None:
        port = await make_port(move_timeout_ms=50)
        first, second = await paired(port, "ann", "bob")
        assert (await first.hear_until("result"))["reason"] == "forfeit: timeout"
        assert (await second.hear_until("result"))["outcome"] == "win"


class TestTheQueue:
    async def test_ends_with_no_opponent_and_may_be_joined_again(self, make_port: MakePort) -> None:
        port = await make_port(queue_wait_s=0.05)
        one = await port.agent("ann")
        assert (await one.hear_until("error"))["code"] == "no_opponent"
        await one.say(type="join")
        assert (await one.hear())["type"] == "queued"

    async def test_is_left_at_once_by_who_disconnects(self, port: GamePort) -> None:
        one = await port.agent("ann")
        await one.hear_until("queued")
        await one.leave()
        await until(lambda: not len(port.lobby))
        two = await port.agent("bob")
        assert (await two.hear())["waiting"] == 1

    async def test_frees_a_peer_that_is_half_open(self, make_port: MakePort) -> None:
        """Case 39: a peer that answers no ping is gone after one and a half heartbeats."""
        port = await make_port(heartbeat_s=0.05)
        reader, writer = await raw_upgrade(port, "token-ann")
        await until(lambda: len(port.lobby) == 1)
        await until(lambda: not len(port.lobby))
        async with asyncio.timeout(SOON_S):
            while not reader.at_eof():
                await reader.read(65536)
        writer.close()


class TestPings:
    async def test_of_the_agents_are_answered_with_their_content(self, port: GamePort) -> None:
        one = await port.agent("ann", game=None)
        await asyncio.wait_for(await one.connection.ping(b"x" * 125), SOON_S)

    async def test_of_the_venue_keep_a_silent_agent_that_answers_them(self, make_port: MakePort) -> None:
        port = await make_port(heartbeat_s=0.05)
        one = await port.agent("ann")
        await one.hear_until("queued")
        loop = asyncio.get_running_loop()
        several_heartbeats = loop.time() + 0.5
        await until(lambda: loop.time() > several_heartbeats)
        assert len(port.lobby) == 1
        await one.say(type="ping")
        assert (await one.hear())["type"] == "pong"


class TestWhoMayPass:
    @pytest.mark.parametrize("query", ["", "?token=", "?token=token", "?token=abbs_wrong", "?token=" + "x" * 5000])
    async def test_a_wrong_token_is_401_as_json_before_the_upgrade(self, port: GamePort, query: str) -> None:
        async with aiohttp.ClientSession() as http, http.get(f"{port.http}/play{query}") as answer:
            assert answer.status == 401
            assert answer.content_type == "application/json"
            body = await answer.json()
        assert (body["type"], body["code"]) == ("error", "unauthorized")
        assert "mint-token" in body["message"]

    async def test_a_cookie_is_no_token(self, port: GamePort) -> None:
        async with (
            aiohttp.ClientSession(cookies={"token": "token-ann"}) as http,
            http.get(f"{port.http}/play") as answer,
        ):
            assert answer.status == 401

    async def test_a_websocket_client_sees_the_401(self, port: GamePort) -> None:
        port.tokens.revoked.add("ann")
        with pytest.raises(InvalidStatus) as refused:
            await port.agent("ann")
        assert refused.value.response.status_code == 401
        assert json.loads(refused.value.response.body or b"")["code"] == "unauthorized"

    async def test_a_token_in_the_query_or_the_header_in_any_case(self, port: GamePort) -> None:
        for url, headers in (
            ("/play?game=ttt&token=token-ann", {}),
            ("/play?game=ttt", {"authorization": "bearer token-bob"}),
        ):
            async with aiohttp.ClientSession() as http, http.ws_connect(port.http + url, headers=headers) as ws:
                assert json.loads((await ws.receive(SOON_S)).data)["type"] in ("queued", "hello")

    async def test_too_many_wrong_tokens_are_429_with_the_seconds_to_wait(self, port: GamePort) -> None:
        """Case 45: a limit is answered with JSON that names it. A proxy's client has a bucket of its own."""
        stranger = {"X-Forwarded-For": "203.0.113.9"}
        async with aiohttp.ClientSession() as http:
            for _ in range(20):
                async with http.get(f"{port.http}/play?token=no", headers=stranger) as answer:
                    assert answer.status == 401
            async with http.get(f"{port.http}/play?token=no", headers=stranger) as answer:
                assert answer.status == 429
                body = await answer.json()
                assert body["ratelimit"]["key"] == "failed_logins"
                assert answer.headers["Retry-After"] == str(body["ratelimit"]["seconds"])
            async with http.get(f"{port.http}/play?token=no") as answer:
                assert answer.status == 401

    async def test_refusals_before_the_upgrade_are_counted_by_code(self, port: GamePort) -> None:
        async with aiohttp.ClientSession() as http:
            for _ in range(FAILED_LOGINS + 1):
                await http.get(f"{port.http}/play?token=wrong")
            port.stopping = True
            await http.get(f"{port.http}/play?token=token-ann")
        assert port.tally.errors == {"unauthorized": FAILED_LOGINS, "rate_limited": 1, "server_shutdown": 1}

    async def test_plain_http_with_a_token_is_told_to_upgrade(self, port: GamePort) -> None:
        async with aiohttp.ClientSession() as http, http.get(f"{port.http}/play?token=token-ann") as answer:
            assert answer.status == 426
            assert (await answer.json())["code"] == "bad_message"

    async def test_nobody_while_the_venue_stops(self, port: GamePort) -> None:
        port.stopping = True
        async with aiohttp.ClientSession() as http, http.get(f"{port.http}/play?token=token-ann") as answer:
            assert answer.status == 503
            assert (await answer.json())["code"] == "server_shutdown"


BAD_TEXTS = [
    b"",
    b"hello",
    b"{",
    b"[]",
    b'"move"',
    b"{}",
    b'{"type":"walk"}',
    b'{"type":1}',
    b'{"type":"move"}',
    b'{"type":"move","move":3}',
    b'{"type":"move","move":null}',
    b'{"type":"move","move":"1","move":"2"}',
    b'{"type":"move","move":"1","x":{"a":1,"a":2}}',
    b'{"type":"move","move":"1","ply":"0"}',
    b'{"type":"move","move":"1","ply":1' + b"0" * 400 + b"}",
    b'{"type":"move","move":"1","x":NaN}',
    b'{"type":"move","move":"\\ud800"}',
    b'{"type":"move","move":"\xff"}',
    b"\xef\xbb\xbf" + b'{"type":"move","move":"1"}',
    b'{"type":"ping"}{"type":"ping"}',
    b'{"type":"move","x":' + b"[" * 10_000,
]


class TestBadInput:
    @pytest.mark.parametrize("text", BAD_TEXTS, ids=lambda text: text[:32].decode("latin-1") or "empty")
    async def test_is_answered_and_the_match_goes_on(self, port: GamePort, text: bytes) -> None:
        first, second = await paired(port, "ann", "bob")
        await first.hear_until("state")
        await first.connection.send(text, text=True)
        error = await first.hear()
        assert (error["type"], error["code"]) == ("error", "bad_message")
        assert error["message"]
        won, _ = await finish(first, second)
        assert won["outcome"] == "win"

    async def test_a_binary_frame_is_answered(self, port: GamePort) -> None:
        first, second = await paired(port, "ann", "bob")
        await first.hear_until("state")
        await first.connection.send(b'{"type":"move","move":"4"}')
        error = await first.hear()
        assert error["code"] == "bad_message"
        assert "binary" in error["message"]
        won, _ = await finish(first, second)
        assert won["outcome"] == "win"

    async def test_the_twentieth_closes_and_forfeits(self, port: GamePort) -> None:
        first, second = await paired(port, "ann", "bob")
        for _ in range(19):
            await first.connection.send("x")
            await first.hear_until("error")
        assert first.connection.close_code is None
        await first.connection.send("x")
        assert (await first.closed())[0] == 1008
        won = await second.hear_until("result")
        assert (won["outcome"], won["reason"]) == ("win", "forfeit: disconnect")

    async def test_a_message_of_64_kib_is_taken_and_one_byte_more_is_a_disconnect(self, port: GamePort) -> None:
        first, second = await paired(port, "ann", "bob")
        await first.hear_until("state")
        head, tail = b'{"type":"ping","x":"', b'"}'
        fill = b"x" * (MAX_MESSAGE_BYTES - len(head) - len(tail))
        await first.connection.send(head + fill + tail, text=True)
        assert (await first.hear())["type"] == "pong"
        await first.connection.send(head + fill + b"x" + tail, text=True)
        assert (await first.closed())[0] == 1009
        assert (await second.hear_until("result"))["reason"] == "forfeit: disconnect"

    async def test_a_move_out_of_turn_is_refused_and_not_kept(self, port: GamePort) -> None:
        first, second = await paired(port, "ann", "bob")
        await second.hear_until("state")
        await second.say(type="move", move="8")
        assert (await second.hear())["code"] == "not_your_turn"
        await first.say(type="move", move="0")
        state = await second.hear_until("state")
        assert state["yourTurn"] is True
        assert "8" in state["observation"]["legal"]

    async def test_a_stale_ply_is_recognised(self, port: GamePort) -> None:
        first, second = await paired(port, "ann", "bob")
        await first.hear_until("state")
        await first.say(type="move", move="0", ply=0)
        await first.hear_until("state")
        await first.say(type="move", move="0", ply=0)
        assert (await first.hear())["code"] == "stale_ply"
        await second.say(type="move", move="1", ply=1)
        assert (await first.hear_until("state"))["ply"] == 2

    async def test_an_unknown_game_gets_the_list_then_the_close(self, port: GamePort) -> None:
        one = await port.agent("ann", game="go")
        error = await one.hear()
        assert error["code"] == "unknown_game"
        assert {"ttt", "c4"} <= set(error["games"])
        assert (await one.closed())[0] == 1008

    async def test_a_move_after_the_end_is_game_over(self, port: GamePort) -> None:
        first, second = await paired(port, "ann", "bob")
        await finish(first, second)
        await first.say(type="move", move="8")
        assert (await first.hear())["code"] == "game_over"

    async def test_other_matches_go_on_beside_a_flood(self, port: GamePort) -> None:
        flooder, _ = await paired(port, "eve", "mal")
        first, second = await paired(port, "ann", "bob")
        flood = asyncio.create_task(_flood(flooder))
        won, _ = await finish(first, second)
        assert won["outcome"] == "win"
        await flood


async def _flood(agent: Agent) -> None:
    for _ in range(3_000):
        await agent.connection.send('{"type":"ping"}')
        await asyncio.wait_for(agent.connection.recv(), SOON_S)


async def finish(first: Agent, second: Agent) -> tuple[dict[str, Any], dict[str, Any]]:
    """The player to move first wins in five plies, whatever was heard before."""
    for ply, move in enumerate("30415"):
        await (first, second)[ply % 2].say(type="move", move=move, ply=ply)
        for agent in (first, second):
            while (await agent.hear_until("state"))["ply"] <= ply:
                pass
    return await first.hear_until("result"), await second.hear_until("result")


class TestTheClock:
    @pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
    def test_an_answer_that_waited_while_the_loop_was_busy_is_in_time(
        self, new_loop: Callable[[], asyncio.AbstractEventLoop]
    ) -> None:
        """Case 20: the move lies in the socket's buffer when the deadline passes in a blocked loop."""
        with asyncio.Runner(loop_factory=new_loop) as runner:
            runner.run(_answer_in_a_busy_loop())

    async def test_runs_while_bad_messages_come(self, make_port: MakePort) -> None:
        port = await make_port(move_timeout_ms=100)
        first, second = await paired(port, "ann", "bob")
        await first.connection.send("x")
        await first.hear_until("error")
        assert (await second.hear_until("result"))["reason"] == "forfeit: timeout"
        assert (await first.hear_until("result"))["outcome"] == "loss"


async def _answer_in_a_busy_loop() -> None:
    port = await GamePort(move_timeout_ms=80).open()
    firsts = 0
    while firsts < 5:
        reader, writer = await raw_upgrade(port, "token-ann")
        other = await port.agent("bob")
        if json.loads(await raw_text(reader, b'"hello"'))["player"] == 0:
            firsts += 1
            await raw_text(reader, b'"state"')
            writer.write(masked_frame(b'{"type":"move","move":"4"}'))
            await writer.drain()
            time.sleep(0.12)  # noqa: ASYNC251 - the busy loop is the case
            assert json.loads(await raw_text(reader, b'"ply":1'))["lastMove"] == "4"
        writer.close()
        await other.leave()
    await port.close()


class TestASlowReader:
    async def test_is_cut_off_and_its_opponent_wins(self, port: GamePort) -> None:
        """Case 43: pings without end from a peer that reads nothing fill its own buffer only."""
        reader, writer = await raw_upgrade(port, "token-ann")
        other = await port.agent("bob")
        await other.hear_until("hello")
        reader._transport.pause_reading()  # type: ignore[attr-defined]
        ping = masked_frame(b'{"type":"ping"}') * 2_000
        try:
            for _ in range(MAX_UNREAD_BYTES):
                writer.write(ping)
                await asyncio.wait_for(writer.drain(), SOON_S)
        except (ConnectionError, OSError):
            pass
        assert (await other.hear_until("result"))["reason"] == "forfeit: disconnect"
        writer.close()


class TestFramesCutAnywhere:
    @pytest.mark.parametrize("size", [1, 2, 3, 7])
    async def test_a_client_that_writes_few_bytes_at_a_time_is_understood(self, port: GamePort, size: int) -> None:
        reader, writer = await raw_upgrade(port, "token-ann", game="")
        for message in (b'{"type":"join","game":"c4"}', b'{"type":"ping"}'):
            frame = masked_frame(message)
            for start in range(0, len(frame), size):
                writer.write(frame[start : start + size])
                await writer.drain()
        assert json.loads(await raw_text(reader, b'"queued"'))["game"] == "c4"
        assert json.loads(await raw_text(reader, b'"pong"')) == {"type": "pong"}
        writer.close()

    async def test_fragments_make_one_message(self, port: GamePort) -> None:
        one = await port.agent("ann", game=None)
        await one.connection.send([b'{"type":', b'"join","ga', b'me":"ttt"}'], text=True)
        assert (await one.hear())["type"] == "queued"


@given(st.binary(max_size=70_000))
def test_a_text_frame_is_read_back_by_the_rules_of_rfc_6455(payload: bytes) -> None:
    frame = text_frame(payload)
    assert frame[0] == 0x81
    size, start = frame[1], 2
    if size == 126:
        (size,), start = struct.unpack("!H", frame[2:4]), 4
    elif size == 127:
        (size,), start = struct.unpack("!Q", frame[2:10]), 10
    assert size == len(payload)
    assert frame[start:] == payload


async def raw_upgrade(
    port: GamePort, token: str, game: str = "ttt"
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection by hand that answers no pings."""
    reader, writer = await asyncio.open_connection(port.host, port.port)
    key = base64.b64encode(os.urandom(16)).decode()
    query = f"game={game}&" if game else ""
    writer.write(
        f"GET /play?{query}token={token} HTTP/1.1\r\nHost: venue\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), SOON_S)
    assert b" 101 " in head
    return reader, writer


async def raw_text(reader: asyncio.StreamReader, holding: bytes) -> bytes:
    """The next text frame that holds those bytes."""
    async with asyncio.timeout(SOON_S):
        while True:
            first, size = await reader.readexactly(2)
            if size == 126:
                (size,) = struct.unpack("!H", await reader.readexactly(2))
            payload = await reader.readexactly(size)
            if first == 0x81 and holding in payload:
                return payload


def masked_frame(payload: bytes) -> bytes:
    """A text frame as a client sends it, with the mask 0 (RFC 6455, section 5.3)."""
    assert len(payload) < 126
    return bytes([0x81, 0x80 | len(payload), 0, 0, 0, 0]) + payload


class TestRights:
    async def test_who_waits_is_closed_when_the_token_is_taken_away(self, port: GamePort) -> None:
        one, other = await port.agent("ann"), await port.agent("bob", "c4")
        await one.hear_until("queued")
        await other.hear_until("queued")
        port.tokens.revoked.add("ann")
        await port.play.recheck()
        assert (await one.hear())["code"] == "unauthorized"
        assert (await one.closed())[0] == 1008
        assert (port.lobby.waiting("ttt"), port.lobby.waiting("c4")) == (0, 1)

    async def test_a_match_that_is_on_is_played_to_its_end_first(self, port: GamePort) -> None:
        first, second = await paired(port, "ann", "bob")
        port.tokens.revoked.update(("ann", "bob"))
        await port.play.recheck()
        won, _ = await finish(first, second)
        assert (won["outcome"], won["rated"]) == ("win", True)
        assert (await first.hear())["code"] == "unauthorized"
        assert (await first.closed())[0] == 1008

    async def test_a_valid_token_passes_where_wrong_ones_are_limited(self, port: GamePort) -> None:
        async with aiohttp.ClientSession() as http:
            for _ in range(25):
                async with http.get(f"{port.http}/play?token=no") as answer:
                    refused = answer.status
            assert refused == 429
            async with http.get(f"{port.http}/play?token=token-ann") as answer:
                assert answer.status == 426
