"""A probe: one move is asked for, little is told, and nobody is asked often who did not want to be asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

import pytest
from tests.agentbbs.play.virtual_time import in_virtual_time, pass_time, turn

from agentbbs.games.c4 import C4
from agentbbs.games.game import Game
from agentbbs.games.ttt import TTT
from agentbbs.protocol.arena import MoveRequest
from agentbbs.protocol.arena_board import view
from agentbbs.protocol.signing import BadSignature, Scheme, Signer, Verifier, new_secret, public_form
from agentbbs.protocol.strikes import STRIKES, StrikeRow
from agentbbs.referee.outbound import OwnFault
from agentbbs.referee.probe import ACCEPTS_BAD_SIGNATURE, MAX_REQUESTS, OUR_FAULT, ProbeResult, bucket, probe

from .dial import DEADLINE_MS, Behaviour, Said, ScriptedDialler, Turn, body, legal, target

SECRET: Final = "what only the endpoint knows"


def probed(
    line: ScriptedDialler, game: Game = TTT, *, signers: Sequence[Signer] = (), signature: bool = False
) -> ProbeResult:
    return in_virtual_time(probe(line, target(signers=tuple(signers)), game, signature=signature))


def said(*answers: Said) -> Behaviour:
    """These answers in order, then legal ones."""
    left = list(answers)

    async def behave(turn: Turn) -> Said:
        return left.pop(0) if left else body(turn)

    return behave


@pytest.mark.parametrize("game", [TTT, C4])
def test_it_asks_for_the_first_move_as_a_match_would(game: Game) -> None:
    line = ScriptedDialler()
    found = probed(line, game)
    assert (found.ok, found.row, found.latency_ms, found.bucket) == (True, None, 0, "under 100 ms")
    (asked,) = line.asked
    assert asked.keys() == {*MoveRequest.__struct_fields__, "type"}
    assert asked["legal"] == list(view(game, game.initial()).legal)
    assert (asked["move_number"], asked["strikes"], asked["deadline_ms"]) == (1, 0, DEADLINE_MS)
    assert asked["replay_url"].endswith(asked["match_id"])


WRONG: Final[dict[StrikeRow, Said]] = {
    **{row: row for row, info in STRIKES.items() if info.transport or row is StrikeRow.TIMEOUT},
    StrikeRow.STATUS: (500, SECRET.encode()),
    StrikeRow.REDIRECT: (302, SECRET.encode()),
    StrikeRow.TOO_LARGE: b" " * 20_000,
    StrikeRow.NOT_JSON: SECRET.encode(),
    StrikeRow.NO_MOVE: b'{"nonce": "what only the endpoint knows"}',
    StrikeRow.NONCE: b'{"move": "what only the endpoint knows", "nonce": "what only the endpoint knows"}',
}


@pytest.mark.parametrize("row", WRONG)
def test_who_has_not_echoed_a_nonce_is_asked_twice_at_most(row: StrikeRow) -> None:
    line = ScriptedDialler(said(*[WRONG[row]] * 9))
    found = probed(line)
    assert (found.ok, found.row) == (False, row)
    assert len(line.asked) == MAX_REQUESTS == 2
    assert line.asked[0]["nonce"] != line.asked[1]["nonce"]
    assert STRIKES[row].says in found.says
    assert STRIKES[row].remedy in found.says


@pytest.mark.parametrize("row", WRONG)
def test_nothing_that_came_back_is_told(row: StrikeRow) -> None:
    found = probed(ScriptedDialler(said(*[WRONG[row]] * 9)))
    assert SECRET not in found.says
    assert "gremlin.example" not in found.says


def test_an_illegal_move_is_told_after_the_second_request() -> None:
    async def behave(turn: Turn) -> Said:
        return body(turn, move=SECRET)

    line = ScriptedDialler(behave)
    found = probed(line)
    assert (found.row, len(line.asked)) == ("illegal_move", 2)
    assert SECRET not in found.says


def test_an_endpoint_that_wakes_up_for_the_second_request_is_well() -> None:
    line = ScriptedDialler(said(StrikeRow.CONNECTION))
    assert probed(line).ok
    assert [asked["strikes"] for asked in line.asked] == [0, 1]


@pytest.mark.parametrize(
    ("ms", "name"),
    [
        (0, "under 100 ms"),
        (99, "under 100 ms"),
        (100, "100 to 500 ms"),
        (499, "100 to 500 ms"),
        (500, "0.5 to 2 s"),
        (1999, "0.5 to 2 s"),
        (2000, "over 2 s"),
        (10**9, "over 2 s"),
    ],
)
def test_how_long_it_took_is_told_in_steps(ms: int, name: str) -> None:
    assert bucket(ms) == name


def test_a_slow_answer_is_timed() -> None:
    async def slow(turn: Turn) -> Said:
        await pass_time(1.25)
        return body(turn)

    found = probed(ScriptedDialler(slow))
    assert (found.ok, found.latency_ms, found.bucket) == (True, 1250, "0.5 to 2 s")


def test_no_answer_is_waited_for_until_the_deadline() -> None:
    async def never(_: Turn) -> Said:
        await asyncio.Event().wait()
        raise AssertionError

    line = ScriptedDialler(never)
    found = probed(line)
    assert (found.row, found.latency_ms, found.bucket) == ("timeout", DEADLINE_MS, "over 2 s")
    assert line.asked_at[1] - line.asked_at[0] == pytest.approx(DEADLINE_MS / 1000)


def test_a_fault_of_ours_is_told_as_ours() -> None:
    async def behave(_: Turn) -> Said:
        raise OwnFault(SECRET)

    line = ScriptedDialler(behave)
    found = probed(line)
    assert (found.ok, found.row, len(line.asked)) == (False, OUR_FAULT, 1)
    assert SECRET not in found.says


class TestSignature:
    @pytest.fixture(params=[(Scheme.HMAC,), (Scheme.ED25519,), (Scheme.HMAC, Scheme.HMAC)])
    def signers(self, request: pytest.FixtureRequest) -> list[Signer]:
        return [Signer(scheme, new_secret(scheme, bytes([number]) * 32)) for number, scheme in enumerate(request.param)]

    def test_who_refuses_a_wrong_one_is_well(self, signers: list[Signer]) -> None:
        line = ScriptedDialler()
        verifier = Verifier([public_form(signers[0].scheme, signers[0].secret)])

        async def checks(turn: Turn) -> Said:
            try:
                verifier.verify(line.headers[-1], line.bodies[-1], int(line.headers[-1]["webhook-timestamp"]))
            except BadSignature:
                return 401, b"{}"
            return body(turn)

        line.behave = checks
        found = probed(line, signers=signers, signature=True)
        assert (found.ok, found.row) == (True, None)
        assert len(line.asked) == 2
        good, bad = (headers["webhook-signature"] for headers in line.headers)
        assert len(good) == len(bad)
        assert good != bad, "of the right length and form, and wrong"

    @pytest.mark.parametrize("behave", [legal, said(b"", b"")])
    def test_who_takes_a_wrong_one_is_told_so(self, signers: list[Signer], behave: Behaviour) -> None:
        line = ScriptedDialler(legal)
        found = probed(line, signers=signers, signature=True)
        assert (found.ok, found.row) == (False, ACCEPTS_BAD_SIGNATURE)
        assert "401" in found.says

    @pytest.mark.parametrize("answer", [(400, b""), (401, b""), (403, b"")])
    def test_ways_to_refuse(self, signers: list[Signer], answer: Said) -> None:
        assert probed(ScriptedDialler(_then(answer)), signers=signers, signature=True).ok

    @pytest.mark.parametrize("answer", [(200, b"no"), (404, b""), (500, b""), StrikeRow.CONNECTION, StrikeRow.TIMEOUT])
    def test_ways_that_are_no_refusal(self, signers: list[Signer], answer: Said) -> None:
        found = probed(ScriptedDialler(_then(answer)), signers=signers, signature=True)
        assert found.row == ACCEPTS_BAD_SIGNATURE

    def test_who_does_not_play_is_not_asked_a_third_time(self, signers: list[Signer]) -> None:
        line = ScriptedDialler(said(*[StrikeRow.CONNECTION] * 9))
        assert probed(line, signers=signers, signature=True).row == "connection"
        assert len(line.asked) == 2

    def test_unasked_no_wrong_signature_goes_out(self, signers: list[Signer]) -> None:
        line = ScriptedDialler()
        assert probed(line, signers=signers).ok
        assert len(line.asked) == 1


def _then(answer: Said) -> Behaviour:
    """A legal move, and then that."""
    asked: list[Turn] = []

    async def behave(turn: Turn) -> Said:
        asked.append(turn)
        return body(turn) if len(asked) == 1 else answer

    return behave


def test_turns_of_the_loop_are_not_time() -> None:
    async def behave(asked: Turn) -> Said:
        await turn()
        return body(asked)

    assert probed(ScriptedDialler(behave)).latency_ms == 0
