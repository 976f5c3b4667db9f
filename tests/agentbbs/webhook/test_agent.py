"""An agent made with the SDK: nonces, legality, repetition, time, signatures."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from typing import Any

import pytest

from agentbbs.protocol.signing import SECRET_BYTES, Scheme, Signer, new_secret, public_form, sign
from agentbbs.webhook import Agent, Move, Turn

TURN = {
    "protocol": "agentarena/1",
    "type": "move_request",
    "match_id": "m-1",
    "game": "connect4",
    "you": "X",
    "opponent": "GREMLIN-9",
    "move_number": 7,
    "board": "```\n .......\n abcdefg\n```",
    "legal": ["a", "b", "c"],
    "strikes": 0,
    "deadline_ms": 10000,
    "nonce": "7f3a",
    "replay_url": "https://arena.example/m/m-1",
    "of_tomorrow": {"ignored": True},
}


def body(**changes: Any) -> bytes:
    return json.dumps(TURN | changes).encode()


async def answer(agent: Agent, data: bytes, headers: dict[str, str] | None = None) -> tuple[int, Any]:
    response = await agent.handle(headers or {}, data)
    return response.status, json.loads(response.body)


async def test_a_move_goes_back_with_the_nonce() -> None:
    agent = Agent(lambda turn: turn.legal[-1])
    assert await answer(agent, body()) == (200, {"move": "c", "nonce": "7f3a"})


async def test_a_reason_goes_with_it() -> None:
    async def choose(turn: Turn) -> Move:
        return Move("b", f"against {turn.opponent}")

    assert await answer(Agent(choose), body()) == (
        200,
        {"move": "b", "nonce": "7f3a", "reason": "against GREMLIN-9"},
    )


async def test_the_rows_of_a_board_come_without_their_fence() -> None:
    seen: list[tuple[str, ...]] = []

    def choose(turn: Turn) -> str:
        seen.append(turn.rows)
        return "a"

    await answer(Agent(choose), body())
    assert seen == [(".......", "abcdefg")]


async def test_the_same_question_gets_the_same_move_with_its_own_nonce() -> None:
    moves = iter("abc")
    agent = Agent(lambda _: next(moves))
    assert (await answer(agent, body()))[1]["move"] == "a"
    assert await answer(agent, body(nonce="second")) == (200, {"move": "a", "nonce": "second"})
    assert (await answer(agent, body(strikes=1)))[1]["move"] == "b"
    assert (await answer(agent, body(move_number=9)))[1]["move"] == "c"


async def test_two_equal_questions_at_once_are_thought_about_once() -> None:
    calls = 0
    begun, go = asyncio.Event(), asyncio.Event()

    async def choose(_: Turn) -> str:
        nonlocal calls
        calls += 1
        begun.set()
        await go.wait()
        return "a"

    agent = Agent(choose)
    both = [asyncio.create_task(answer(agent, body(nonce=nonce))) for nonce in ("one", "two")]
    await begun.wait()
    go.set()
    assert [(await one)[1]["nonce"] for one in both] == ["one", "two"]
    assert calls == 1


@pytest.mark.parametrize("wrong", ["z", 3, None])
async def test_a_move_that_is_none_falls_back_on_a_legal_one(wrong: Any) -> None:
    assert await answer(Agent(lambda _: wrong), body()) == (200, {"move": "a", "nonce": "7f3a"})
    status, told = await answer(Agent(lambda _: wrong, fallback=False), body())
    assert (status, told) == (500, {"error": "the agent failed: ValueError"})


async def test_an_agent_that_raises_still_answers() -> None:
    def choose(_: Turn) -> str:
        raise ZeroDivisionError

    assert await answer(Agent(choose), body()) == (200, {"move": "a", "nonce": "7f3a"})


async def test_an_agent_that_is_too_slow_answers_in_time() -> None:
    release = threading.Event()

    def choose(_: Turn) -> str:
        release.wait(20)
        return "c"

    began = time.monotonic()
    assert (await answer(Agent(choose), body(deadline_ms=200)))[1]["move"] == "a"
    release.set()
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b"{}", body(legal=[]), body(legal="abc"), body(move_number="7")])
async def test_what_is_no_turn_is_told_so(data: bytes) -> None:
    status, told = await answer(Agent(lambda _: "a"), data)
    assert status == 400
    assert told["error"].startswith("not a move request")


async def test_a_request_without_an_end_is_not_taken() -> None:
    assert (await answer(Agent(lambda _: "a"), b" " * 70_000))[0] == 413


@pytest.mark.parametrize("scheme", list(Scheme))
async def test_signatures_are_checked_where_a_key_is_given(scheme: Scheme) -> None:
    secret = new_secret(scheme, bytes(range(SECRET_BYTES)))
    agent = Agent(lambda _: "a", keys=[public_form(scheme, secret)])
    data = body(nonce="signed ünd spaced ")
    headers = sign([Signer(scheme, secret)], "msg_1", int(time.time()), data)
    assert (await answer(agent, data, headers))[0] == 200
    assert (await answer(agent, data, headers))[0] == 401  # taken before
    assert (await answer(agent, data))[0] == 401
    fresh = sign([Signer(scheme, secret)], "msg_2", int(time.time()), data)
    assert (await answer(agent, data + b" ", fresh))[0] == 401
    old = sign([Signer(scheme, secret)], "msg_3", int(time.time()) - 301, data)
    assert (await answer(agent, data, old))[0] == 401
