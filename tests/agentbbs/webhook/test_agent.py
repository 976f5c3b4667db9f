"""An agent made with the SDK: nonces, legality, repetition, time, signatures."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Awaitable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentbbs.protocol.signing import SECRET_BYTES, Scheme, Signer, WrongKey, new_secret, public_form, sign
from agentbbs.webhook import Agent, Move, Turn
from agentbbs.webhook.agent import MAX_THOUGHTS, REMEMBERED, NoMove

KEY = new_secret(Scheme.HMAC, bytes(range(SECRET_BYTES)))

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


class Shout(str):
    """A string of a class of its own, as number libraries have them."""


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize("wrong", ["z", "A", "", "\ud800", 3, None, ["a"], Unspeakable(), Move(Unspeakable())])  # type: ignore[arg-type]
async def test_a_move_that_is_none_falls_back_on_a_legal_one(wrong: Any) -> None:
    assert await answer(Agent(lambda _: wrong), body()) == (200, {"move": "b", "nonce": "7f3a"})
    status, told = await answer(Agent(lambda _: wrong, fallback=False), body())
    assert status == 500
    assert told["error"].startswith("the agent has no move: it chose ")


async def test_strings_of_any_class_are_moves() -> None:
    assert (await answer(Agent(lambda _: Move(Shout("c"), Shout("why"))), body()))[1]["reason"] == "why"


@pytest.mark.parametrize(
    ("reason", "sent"),
    [("x" * 281, "x" * 280), ("\U0001f47e" * 300, "\U0001f47e" * 280), ("a\ud800b", "a?b"), ("", None), (5, None)],
)
async def test_a_reason_never_makes_a_strike(reason: Any, sent: str | None) -> None:
    told = (await answer(Agent(lambda _: Move("c", reason)), body()))[1]
    assert (told["move"], told.get("reason")) == ("c", sent)


FAULTS = [
    ZeroDivisionError,
    StopIteration,
    StopAsyncIteration,
    SystemExit,
    asyncio.CancelledError,
    TimeoutError,
    NoMove,
]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("asynchronous", [False, True])
async def test_an_agent_that_raises_still_answers(
    fault: type[BaseException], asynchronous: bool, caplog: pytest.LogCaptureFixture
) -> None:
    def choose(_: Turn) -> str:
        raise fault

    async def choose_later(_: Turn) -> str:
        raise fault

    agent = Agent(choose_later if asynchronous else choose)
    assert await answer(agent, body()) == (200, {"move": "b", "nonce": "7f3a"})
    assert "no move for match 'm-1', move 7" in caplog.text


async def test_an_agent_without_a_fallback_is_asked_again() -> None:
    moves = iter(["z", "c"])
    agent = Agent(lambda _: next(moves), fallback=False)
    assert (await answer(agent, body()))[0] == 500
    assert (await answer(agent, body()))[1]["move"] == "c"


async def test_what_a_function_hands_back_may_be_waited_for() -> None:
    async def later(turn: Turn) -> str:
        return turn.legal[0]

    class Player:
        def __call__(self, turn: Turn) -> Awaitable[str]:
            return later(turn)

    assert (await answer(Agent(Player()), body()))[1]["move"] == "a"


async def test_an_agent_that_is_too_slow_answers_in_time_and_stays_with_it() -> None:
    release = threading.Event()

    def choose(_: Turn) -> str:
        release.wait(20)
        return "c"

    agent = Agent(choose)
    began = time.monotonic()
    assert (await answer(agent, body(deadline_ms=200)))[1]["move"] == "b"
    release.set()
    assert (await answer(agent, body(deadline_ms=200)))[1]["move"] == "b"
    assert time.monotonic() - began < 10


async def test_a_choice_that_does_not_let_itself_be_cancelled_is_not_waited_for() -> None:
    release = asyncio.Event()
    ended = asyncio.Event()

    async def choose(_: Turn) -> str:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        ended.set()
        return "c"

    async with asyncio.timeout(10):
        assert (await answer(Agent(choose), body(deadline_ms=50)))[1]["move"] == "b"
        release.set()
        await ended.wait()


async def test_who_hangs_up_does_not_stop_the_thought() -> None:
    begun, go = asyncio.Event(), asyncio.Event()

    async def choose(_: Turn) -> str:
        begun.set()
        await go.wait()
        return "c"

    agent = Agent(choose)
    first = asyncio.create_task(answer(agent, body()))
    await begun.wait()
    first.cancel()
    second = asyncio.create_task(answer(agent, body(nonce="second")))
    go.set()
    assert await second == (200, {"move": "c", "nonce": "second"})


async def test_memory_and_thoughts_are_bounded() -> None:
    go, all_begun = asyncio.Event(), asyncio.Barrier(MAX_THOUGHTS + 1)

    async def choose(_: Turn) -> str:
        if not go.is_set():
            await all_begun.wait()
            await go.wait()
        return "c"

    agent = Agent(choose)
    many = [asyncio.create_task(answer(agent, body(match_id=f"m-{n}"))) for n in range(MAX_THOUGHTS)]
    await all_begun.wait()
    assert (await answer(agent, body(match_id="one too many")))[1]["move"] == "b"
    go.set()
    assert {(await one)[1]["move"] for one in many} == {"c"}
    for number in range(REMEMBERED + 1):
        await answer(agent, body(match_id=f"n-{number}"))
    assert len(agent._answers) == REMEMBERED


async def test_a_remembered_move_that_is_not_legal_is_not_sent() -> None:
    moves = iter("ac")
    agent = Agent(lambda _: next(moves))
    assert (await answer(agent, body()))[1]["move"] == "a"
    assert (await answer(agent, body(legal=["b", "c"])))[1]["move"] == "c"


NO_TURNS = [
    b"",
    b"[]",
    b"\xff",
    b"{}",
    b"[" * 60_000,
    b'{"match_id": "\\ud800"}',
    body(legal=[]),
    body(legal="abc"),
    body(legal=[1]),
    body(move_number="7"),
    body(deadline_ms=1.5),
    body(nonce=None),
    body(match_id=""),
    body(match_id="m" * 201),
    body(protocol="agentarena/2"),
    body(type="match_over"),
]


@pytest.mark.parametrize("data", NO_TURNS, ids=lambda data: data[:20].decode("latin-1") + str(len(data)))
async def test_what_is_no_turn_is_told_so(data: bytes) -> None:
    status, told = await answer(Agent(lambda _: "a"), data)
    assert status == 400
    assert told["error"].startswith("not a move request")


@settings(max_examples=40)
@given(st.binary() | st.from_regex(r'\{("[a-z_]{1,9}":("[^"]*"|-?[0-9]{1,30}|\[\]|null),?){0,6}\}').map(str.encode))
def test_whatever_comes_is_answered(data: bytes) -> None:
    response = asyncio.run(Agent(lambda _: "a", keys=[KEY]).handle({"Webhook-Id": data.decode("latin-1")}, data))
    assert response.status == 401
    response = asyncio.run(Agent(lambda _: "a").handle({}, data))
    assert response.status == 400
    assert response.headers["content-type"] == "application/json"


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


async def test_a_key_may_stand_alone_and_must_be_one() -> None:
    agent = Agent(lambda _: "a", keys=KEY)
    data = body()
    assert (await answer(agent, data, sign([Signer(Scheme.HMAC, KEY)], "msg_1", int(time.time()), data)))[0] == 200
    with pytest.raises(WrongKey):
        Agent(lambda _: "a", keys=["secret"])


async def test_either_key_fits_while_one_is_rotated() -> None:
    old, new = KEY, new_secret(Scheme.ED25519, bytes(SECRET_BYTES))
    agent = Agent(lambda _: "a", keys=[old, public_form(Scheme.ED25519, new)])
    data = body()
    for number, signer in enumerate((Signer(Scheme.HMAC, old), Signer(Scheme.ED25519, new))):
        headers = {
            name.upper(): value for name, value in sign([signer], f"msg_{number}", int(time.time()), data).items()
        }
        assert (await answer(agent, data, headers))[0] == 200
