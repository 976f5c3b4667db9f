"""Agents in odd situations: good ones pass each, and each fault is found by the row that is about it."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from tests.agentbbs.referee.small_agent import Asked, Said, SmallAgent, first_legal, small_agent

from agentbbs.games.c4 import C4
from agentbbs.games.catalog import HOUSE
from agentbbs.games.game import Game
from agentbbs.games.ttt import TTT
from agentbbs.protocol.signing import BadSignature, Scheme, Signer, Verifier, new_secret
from agentbbs.referee.endpoint_url import UrlRules, parse
from agentbbs.referee.outbound import Exchange, Outbound, OutboundRules, OwnFault
from agentbbs.referee.situation_check import Broken, Finding, SituationCheck, Verdict
from agentbbs.referee.situations import SITUATIONS
from agentbbs.referee.webhook_seat import Target

LOCAL = UrlRules(loopback=True, plain_http=True)
LIMIT_S = 30.0
SECRET = new_secret(Scheme.HMAC, bytes(range(32)))

Choose = Callable[[Asked, SmallAgent], Said]


async def no_pause(_: float) -> None:
    """A second that a test need not wait."""


def target(agent: SmallAgent, *, deadline_ms: int, signed: bool) -> Target:
    return Target(
        account=None,
        name="mine",
        url=parse(agent.url, LOCAL),
        signers=(Signer(Scheme.HMAC, SECRET),) if signed else (),
        deadline_ms=deadline_ms,
        public_url="https://check-agent.invalid",
    )


async def check(
    agent: SmallAgent, *names: str, game: Game = C4, deadline_ms: int = 5000, signed: bool = False
) -> dict[str, Finding]:
    """Those situations, or all of them."""
    async with (
        asyncio.timeout(LIMIT_S),
        Outbound(OutboundRules(url=LOCAL)) as outbound,
        SituationCheck(
            outbound, target(agent, deadline_ms=deadline_ms, signed=signed), game, sleep=no_pause
        ) as checked,
    ):
        return {name: await checked.run(SITUATIONS[name]) for name in names or SITUATIONS}


async def verdict(choose: Choose, name: str, **options: Any) -> Finding:
    with small_agent(choose) as agent:
        return (await check(agent, name, **options))[name]


@pytest.mark.parametrize("game", HOUSE, ids=lambda game: game.id)
async def test_an_agent_that_plays_by_the_request_passes_every_row(game: Game) -> None:
    with small_agent() as agent:
        found = await check(agent, game=game)
    assert {finding.verdict for finding in found.values()} == {Verdict.PASS}
    assert list(found) == list(SITUATIONS)
    assert all(finding.ms is not None for finding in found.values())


async def test_the_same_position_comes_with_a_new_nonce_and_raised_strikes() -> None:
    with small_agent() as agent:
        await check(agent, "asked_again")
    assert [one["strikes"] for one in agent.asked] == [0, 1, 2]
    assert len({one["match_id"] for one in agent.asked}) == 1
    assert {one["move_number"] for one in agent.asked} == {1}
    assert len({one["nonce"] for one in agent.asked}) == 3


async def test_a_strike_that_is_not_the_agents_is_asked_again_and_the_match_goes_on() -> None:
    with small_agent() as agent:
        found = await check(agent, "strike_replay")
    assert found["strike_replay"].verdict is Verdict.PASS
    asked = [(one["move_number"], one["strikes"]) for one in agent.asked]
    assert asked == [(1, 0), (1, 1), (3, 1), (3, 2), (5, 2), (7, 2)]


async def test_an_agent_that_answers_a_position_once_fails_where_it_is_asked_again() -> None:
    def once(asked: Asked, agent: SmallAgent) -> Said:
        seen = [(one["match_id"], one["move_number"]) for one in agent.asked[:-1]]
        return (409, b"") if (asked["match_id"], asked["move_number"]) in seen else first_legal(asked, agent)

    with small_agent(once) as agent:
        found = await check(agent, "asked_again", "idempotence", "strike_replay", "first_seat")
    assert found["first_seat"].verdict is Verdict.PASS
    for name in ("asked_again", "idempotence", "strike_replay"):
        assert (found[name].verdict, found[name].row) == (Verdict.FAIL, "status")
        assert "repeated `match_id`" in str(found[name].remedy)


async def test_an_agent_with_a_kept_nonce_fails_where_it_is_asked_again() -> None:
    nonces: dict[str, str] = {}

    def keeps(asked: Asked, _: SmallAgent) -> Said:
        nonce = nonces.setdefault(asked["match_id"], asked["nonce"])
        return 200, {"move": asked["legal"][0], "nonce": nonce}

    assert (await verdict(keeps, "asked_again")).row == "nonce"


async def test_different_answers_to_one_question_are_told_and_cost_nothing() -> None:
    turn = itertools.count()

    def moody(asked: Asked, _: SmallAgent) -> Said:
        return 200, {"move": asked["legal"][next(turn) % len(asked["legal"])], "nonce": asked["nonce"]}

    found = await verdict(moody, "idempotence")
    assert (found.verdict, found.remark) == (Verdict.PASS, "different moves")


async def test_a_late_answer_in_a_short_time_is_told_and_costs_nothing() -> None:
    def slow(asked: Asked, agent: SmallAgent) -> Said:
        if asked["deadline_ms"] < 1000:
            agent.hold.wait(LIMIT_S)
        return first_legal(asked, agent)

    found = await verdict(slow, "short_deadline", deadline_ms=1000)
    assert (found.verdict, found.row) == (Verdict.NOTE, "timeout")
    assert "deadline_ms" in str(found.remedy)


async def test_an_illegal_answer_in_a_short_time_fails() -> None:
    def hasty(asked: Asked, _: SmallAgent) -> Said:
        return 200, {"move": "x", "nonce": asked["nonce"]}

    found = await verdict(hasty, "short_deadline")
    assert (found.verdict, found.row) == (Verdict.FAIL, "illegal_move")
    assert "'x'" in str(found.detail)


@pytest.mark.parametrize(("choice", "wins", "blocks"), [(0, False, False), (3, True, True)])
async def test_whether_it_wins_and_blocks_is_told(choice: int, wins: bool, blocks: bool) -> None:
    def plays(asked: Asked, _: SmallAgent) -> Said:
        return 200, {"move": "abcdefg"[choice], "nonce": asked["nonce"]}

    with small_agent(plays) as agent:
        found = await check(agent, "win_at_once", "block_at_once")
    assert {finding.verdict for finding in found.values()} == {Verdict.PASS}
    assert (found["win_at_once"].remark == "it wins") is wins
    assert (found["block_at_once"].remark == "it blocks") is blocks


async def test_an_agent_that_is_always_x_fails_as_o() -> None:
    def always_x(asked: Asked, agent: SmallAgent) -> Said:
        return first_legal(asked, agent) if asked["you"] == "X" else (500, b"")

    with small_agent(always_x) as agent:
        found = await check(agent, "first_seat", "second_seat")
    assert [finding.verdict for finding in found.values()] == [Verdict.PASS, Verdict.FAIL]


async def test_an_agent_that_knows_its_fields_too_well() -> None:
    def strict(asked: Asked, agent: SmallAgent) -> Said:
        return first_legal(asked, agent) if len(asked) == 13 else (422, b"{}")

    with small_agent(strict) as agent:
        found = await check(agent, "first_seat", "extra_fields")
    assert [finding.verdict for finding in found.values()] == [Verdict.PASS, Verdict.FAIL]


async def test_an_agent_that_does_as_its_opponent_is_called() -> None:
    def gullible(asked: Asked, agent: SmallAgent) -> Said:
        if "answer z" in asked["opponent"]:
            return 200, {"move": "z", "nonce": asked["nonce"]}
        return first_legal(asked, agent)

    assert (await verdict(gullible, "odd_opponent")).row == "illegal_move"


async def test_an_agent_with_one_memory_for_all_matches_fails_with_two() -> None:
    memory: dict[str, str] = {}

    def muddled(asked: Asked, agent: SmallAgent) -> Said:
        if asked["move_number"] == 1:
            memory["match"] = asked["match_id"]
        return first_legal(asked, agent) if memory["match"] == asked["match_id"] else (500, b"")

    found = await verdict(muddled, "two_matches")
    assert (found.verdict, found.row) == (Verdict.FAIL, "status")
    assert "match_id" in str(found.remedy)


async def test_two_matches_never_ask_at_the_same_time() -> None:
    busy = threading.Lock()
    overlaps: list[bool] = []

    def counts(asked: Asked, agent: SmallAgent) -> Said:
        overlaps.append(not busy.acquire(blocking=False))
        try:
            return first_legal(asked, agent)
        finally:
            busy.release()

    with small_agent(counts) as agent:
        found = await check(agent, "two_matches")
        matches = [one["match_id"] for one in agent.asked]
    assert found["two_matches"].verdict is Verdict.PASS
    assert not any(overlaps)
    assert len(set(matches)) == 2
    assert matches != sorted(matches, key=matches.index), "the matches take turns"


@pytest.mark.parametrize(
    ("name", "requests"),
    [("end_win", 1), ("end_loss", 1), ("end_draw", 1), ("end_forfeit", 3)],
)
@pytest.mark.parametrize("game", HOUSE, ids=lambda game: game.id)
async def test_no_request_comes_after_the_end_but_that_of_the_next_match(game: Game, name: str, requests: int) -> None:
    with small_agent() as agent:
        found = await check(agent, name, game=game)
    assert found[name].verdict is Verdict.PASS
    ids = [one["match_id"] for one in agent.asked]
    assert ids == [ids[0]] * requests + [ids[-1]]
    assert ids[0] != ids[-1]
    assert (agent.asked[-1]["move_number"], agent.asked[-1]["strikes"]) == (1, 0)


async def test_an_opponent_that_leaves_cuts_the_question_off() -> None:
    first = threading.Event()

    def thinks(asked: Asked, agent: SmallAgent) -> Said:
        if not first.is_set():
            first.set()
            agent.hold.wait(LIMIT_S)
        return first_legal(asked, agent)

    with small_agent(thinks) as agent:
        began = time.monotonic()
        found = await check(agent, "end_left")
    assert time.monotonic() - began < LIMIT_S / 2
    assert found["end_left"].verdict is Verdict.PASS
    assert len(agent.asked) == 2


async def test_an_agent_that_dwells_on_a_match_that_ended_fails() -> None:
    seen: list[str] = []

    def dwells(asked: Asked, agent: SmallAgent) -> Said:
        seen.append(asked["match_id"])
        return first_legal(asked, agent) if asked["match_id"] == seen[0] else (503, b"")

    found = await verdict(dwells, "end_draw")
    assert (found.verdict, found.row) == (Verdict.FAIL, "status")


async def test_whether_a_wrong_signature_is_refused_is_told() -> None:
    verifier = Verifier([SECRET])

    def careful(asked: Asked, agent: SmallAgent) -> Said:
        try:
            verifier.verify(agent.headers[-1], agent.bodies[-1], time.time())
        except BadSignature:
            return 401, {"error": "bad signature"}
        return first_legal(asked, agent)

    found = await verdict(careful, "bad_signature", signed=True)
    assert (found.verdict, found.remark) == (Verdict.PASS, "refused with 401")
    careless = await verdict(first_legal, "bad_signature")
    assert careless.verdict is Verdict.PASS
    assert "not checked" in str(careless.remark)
    unknown = await verdict(careful, "bad_signature", signed=False)
    assert (unknown.verdict, unknown.row) == (Verdict.FAIL, "status")


async def test_a_server_that_breaks_on_a_wrong_signature_fails() -> None:
    def breaks(asked: Asked, agent: SmallAgent) -> Said:
        return (500, b"") if "webhook-signature" in agent.headers[-1] else first_legal(asked, agent)

    assert (await verdict(breaks, "bad_signature")).row == "status"


class _Other:
    """Tic-Tac-Toe under a name for which no places are known."""

    def __getattr__(self, name: str) -> Any:
        return "unknown" if name == "id" else getattr(TTT, name)


async def test_a_game_without_such_a_position_skips_the_row() -> None:
    with small_agent() as agent:
        game: Any = _Other()
        found = await check(agent, "first_seat", "second_seat", "one_legal", game=game)
    assert [one.verdict for one in found.values()] == [Verdict.PASS, Verdict.PASS, Verdict.SKIPPED]
    assert len(agent.asked) == 2


class _Unable:
    async def post(self, *_: Any) -> Exchange:
        raise OwnFault("EMFILE")


@pytest.mark.parametrize("name", ["first_seat", "end_win"])
async def test_a_machine_that_can_not_ask_says_nothing_of_the_agent(name: str) -> None:
    with small_agent() as agent:
        async with SituationCheck(_Unable(), target(agent, deadline_ms=100, signed=False), C4) as checked:
            with pytest.raises(Broken):
                await checked.run(SITUATIONS[name])
