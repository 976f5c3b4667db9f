"""An endpoint in a match: what it is asked, what its answers cost it, and what is never its fault."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any, Final

import pytest
from structlog.testing import capture_logs
from tests.agentbbs.play.scripted import ScriptedBot, ScriptedLog
from tests.agentbbs.play.venue import Venue, chair
from tests.agentbbs.play.virtual_time import in_virtual_time, pass_time, turn

from agentbbs.games.game import NOBODY, Game
from agentbbs.games.ttt import TTT
from agentbbs.play import replay
from agentbbs.play.offline_referee import referee
from agentbbs.play.ports import ARENA_TRANSPORT, FinishedMatch, Player
from agentbbs.play.runner import BACKSTOP_S
from agentbbs.protocol.agentgames import Termination
from agentbbs.protocol.arena import FAULTS
from agentbbs.protocol.signing import SIGNATURE, Scheme, Signer, Verifier, new_secret, public_form
from agentbbs.protocol.strikes import STRIKES, StrikeRow
from agentbbs.ratings import elo
from agentbbs.referee.endpoint_url import EndpointUrl
from agentbbs.referee.outbound import Exchange, Headers, OwnFault
from agentbbs.referee.slots import Slots
from agentbbs.referee.webhook_seat import BROKEN, Dialler, WebhookSeat

from .dial import DEADLINE_MS, PUBLIC_URL, Behaviour, Said, ScriptedDialler, Turn, body, legal, target


class Table:
    """A match of one endpoint, which moves first, against a house bot. Make it inside a running loop."""

    def __init__(
        self, behave: Behaviour = legal, *, game: Game = TTT, bot_plays: bool = True, log: ScriptedLog | None = None
    ) -> None:
        self.venue = Venue(log=log)
        self.line = ScriptedDialler(behave)
        self.slots = Slots()
        self.rows: list[StrikeRow] = []
        self.overs = 0
        self.pauses: list[float] = []
        self.bot = ScriptedBot("greedy", plays=bot_plays)
        self.bot.player = Player(2, "greedy", "ws")
        self.seat = self.another()
        self.match_id = self.venue.runner.start(game, (self.seat, self.bot))

    def another(self, dialler: Dialler | None = None, **more: Any) -> WebhookSeat:
        """A seat that is not in a match yet."""
        return WebhookSeat(
            target(**more),
            dialler or self.line,
            self.slots,
            struck=self.rows.append,
            over=self._over,
            sleep=self._sleep,
        )

    def _over(self) -> None:
        self.overs += 1

    async def _sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        await pass_time(seconds)

    async def end(self) -> FinishedMatch:
        """The match, once it is over."""
        for _ in range(200):
            if not self.venue.playing:
                return self.venue.log.recorded[-1]
            await pass_time(1.0)
        raise AssertionError("the match does not end")


def offline(match: FinishedMatch) -> tuple[str, ...]:
    """What the offline referee has against a match."""
    score = 0.5 if match.winner == NOBODY else 1.0 - match.winner
    after = elo.updated(elo.START, elo.START, score)
    return referee(replay.parse(replay.encode(replay.of(match, (elo.START, elo.START), after))))


def saying(*said: Said | Callable[[Turn], Said]) -> Behaviour:
    """These answers in order, then legal moves."""
    left = list(said)

    async def behave(turn: Turn) -> Said:
        if not left:
            return body(turn)
        one = left.pop(0)
        return one(turn) if callable(one) else one

    return behave


def test_each_turn_is_one_request() -> None:
    async def work() -> None:
        table = Table()
        match = await table.end()
        mine = match.plies[0::2]
        assert len(table.line.asked) == len(mine) == 4
        assert [turn["move_number"] for turn in table.line.asked] == [1, 3, 5, 7]
        for asked, ply in zip(table.line.asked, mine, strict=True):
            assert (asked["protocol"], asked["type"]) == ("agentarena/1", "move_request")
            assert (asked["match_id"], asked["opponent"]) == (table.match_id, "greedy")
            assert (asked["strikes"], asked["deadline_ms"]) == (0, DEADLINE_MS)
            assert asked["replay_url"] == f"{PUBLIC_URL}/m/{table.match_id}"
            assert asked["nonce"] == ply.nonce
            assert ply.move in asked["legal"]
        assert len({turn["nonce"] for turn in table.line.asked}) == 4
        assert match.players[0].transport == ARENA_TRANSPORT
        assert offline(match) == ()
        assert (table.overs, table.rows) == (1, [])

    in_virtual_time(work())


def wrong(turn: Turn) -> Said:
    return body(turn, move="?")


EVERY_ROW: Final[dict[StrikeRow, Said | Callable[[Turn], Said]]] = {
    StrikeRow.TIMEOUT: StrikeRow.TIMEOUT,
    StrikeRow.CONNECTION: StrikeRow.CONNECTION,
    StrikeRow.TLS: StrikeRow.TLS,
    StrikeRow.HTTP: StrikeRow.HTTP,
    StrikeRow.ADDRESS_REFUSED: StrikeRow.ADDRESS_REFUSED,
    StrikeRow.STATUS: (500, b"{}"),
    StrikeRow.REDIRECT: (302, b""),
    StrikeRow.TOO_LARGE: b" " * 20_000,
    StrikeRow.NOT_JSON: b"d",
    StrikeRow.NO_MOVE: lambda turn: body(turn, move=None),
    StrikeRow.NONCE: lambda turn: body(turn, nonce="0"),
    StrikeRow.ILLEGAL_MOVE: wrong,
}


class TestStrikes:
    def test_every_row_is_one_of_the_table(self) -> None:
        assert EVERY_ROW.keys() == set(StrikeRow)

    @pytest.mark.parametrize("row", StrikeRow)
    def test_one_strike_costs_one_answer_and_nothing_else(self, row: StrikeRow) -> None:
        async def work() -> None:
            table = Table(saying(EVERY_ROW[row]))
            match = await table.end()
            first, second, third = table.line.asked[:3]
            same = ("match_id", "game", "you", "move_number", "board", "legal", "deadline_ms")
            assert [first[field] for field in same] == [second[field] for field in same]
            assert (first["strikes"], second["strikes"], third["strikes"]) == (0, 1, 1)
            assert first["nonce"] != second["nonce"]
            (strike,) = match.plies[0].strikes
            assert (strike.kind, strike.nonce) == (row, first["nonce"])
            assert match.termination is Termination.NORMAL
            assert match.winner == 0
            assert table.rows == [row]

        in_virtual_time(work())

    @pytest.mark.parametrize("row", StrikeRow)
    def test_the_third_strike_forfeits(self, row: StrikeRow) -> None:
        async def work() -> None:
            table = Table(saying(*[EVERY_ROW[row]] * 3))
            match = await table.end()
            assert [turn["strikes"] for turn in table.line.asked] == [0, 1, 2]
            assert len({turn["nonce"] for turn in table.line.asked}) == 3
            assert [strike.kind for strike in match.unplayed] == [row] * 3
            assert (match.winner, match.termination, match.plies) == (1, Termination.STRIKES, ())
            assert table.overs == 1

        in_virtual_time(work())

    @pytest.mark.parametrize("seed", range(20))
    def test_exactly_three_whatever_they_are_and_wherever_they_come(self, seed: int) -> None:
        rng = random.Random(seed)
        made: list[StrikeRow] = []

        async def behave(turn: Turn) -> Said:
            await pass_time(rng.random() * 3)
            assert turn["strikes"] == len(made)
            if rng.random() < 0.6:
                return body(turn)
            row = rng.choice(list(StrikeRow))
            made.append(row)
            said = EVERY_ROW[row]
            return said(turn) if callable(said) else said

        async def work() -> None:
            table = Table(behave)
            match = await table.end()
            kinds = [strike.kind for ply in match.plies for strike in ply.strikes]
            kinds += [strike.kind for strike in match.unplayed]
            assert kinds == made == table.rows
            assert (match.termination is Termination.STRIKES) == (len(made) == FAULTS)
            assert len(made) <= FAULTS
            nonces = [turn["nonce"] for turn in table.line.asked]
            assert len(set(nonces)) == len(nonces)
            assert offline(match) == ()

        in_virtual_time(work())

    def test_after_strikes_of_the_transport_it_is_left_alone_for_a_moment(self) -> None:
        async def work() -> None:
            table = Table(saying(StrikeRow.CONNECTION, StrikeRow.TLS))
            match = await table.end()
            assert table.pauses == [0.5, 1.0]
            assert [strike.kind for strike in match.plies[0].strikes] == ["connection", "tls"]
            assert match.plies[0].ms == 0, "the pause is on nobody's clock"
            assert match.plies[0].asked_ms == pytest.approx(1500, abs=2)

        in_virtual_time(work())

    @pytest.mark.parametrize("row", [row for row, info in STRIKES.items() if not info.transport])
    def test_after_an_answer_it_is_asked_again_at_once(self, row: StrikeRow) -> None:
        async def work() -> None:
            table = Table(saying(EVERY_ROW[row], EVERY_ROW[row]))
            await table.end()
            assert table.pauses == []

        in_virtual_time(work())


class TestClock:
    def test_a_slow_answer_is_in_time_and_a_late_one_is_not(self) -> None:
        async def slow(turn: Turn) -> Said:
            await pass_time(DEADLINE_MS / 1000 - 0.001 if turn["strikes"] else DEADLINE_MS / 1000 + 0.001)
            return body(turn, reason="late" if not turn["strikes"] else "slow")

        async def work() -> None:
            table = Table(slow)
            match = await table.end()
            (strike,) = match.plies[0].strikes
            assert (strike.kind, strike.ms, strike.reason) == ("timeout", DEADLINE_MS, None)
            assert (match.plies[0].ms, match.plies[0].reason) == (DEADLINE_MS - 1, "slow")
            assert match.termination is Termination.NORMAL
            assert offline(match) == ()

        in_virtual_time(work())

    def test_waiting_for_a_slot_is_on_nobody_s_clock(self) -> None:
        async def work() -> None:
            table = Table(_never)
            await turn()
            table.venue.runner.void(lambda _: True)
            await turn()
            async with table.slots.hold("account 1", target().url):
                table.line.behave = legal
                table.venue.runner.start(TTT, (table.another(), ScriptedBot("x")))
                await pass_time(600)
                assert len(table.line.asked) == 1, "that of the match that was voided"
            match = await table.end()
            assert match.termination is Termination.NORMAL
            assert match.plies[0].ms == 0

        in_virtual_time(work())

    def test_a_line_that_keeps_no_deadline_is_cut_by_the_venue(self) -> None:
        class Hangs(ScriptedDialler):
            async def post(self, url: EndpointUrl, body: bytes, headers: Headers, timeout_s: float) -> Exchange:
                return await super().post(url, body, headers, 3600)

        async def work() -> None:
            table = Table()
            await table.end()
            hangs = Hangs(_never)
            table.venue.runner.start(TTT, (table.another(hangs), ScriptedBot("x")))
            began = table.venue.loop.time()
            match = await table.end()
            assert [strike.kind for strike in match.unplayed] == ["timeout"] * 3
            assert hangs.most.most_common(1)[0][1] == 1, "the one before is given up first"
            assert hangs.asked_at[-1] - began == pytest.approx(2 * (DEADLINE_MS / 1000 + BACKSTOP_S), abs=0.1)

        in_virtual_time(work())


async def _never(_: Turn) -> Said:
    await asyncio.Event().wait()
    raise AssertionError


class TestEnds:
    def test_when_the_opponent_leaves_the_request_is_given_up_and_none_follows(self) -> None:
        async def work() -> None:
            table = Table(_never)
            await pass_time(1)
            assert len(table.line.asked) == 1
            chair(table.bot).leave()
            await turn()
            assert table.line.busy.total() == 0
            await pass_time(600)
            assert len(table.line.asked) == 1
            (match,) = table.venue.log.recorded
            assert match.winner == 0
            assert (table.overs, table.rows, len(table.slots)) == (1, [], 0)

        in_virtual_time(work())

    def test_when_the_opponent_leaves_during_a_pause_nobody_is_asked_again(self) -> None:
        async def work() -> None:
            table = Table(saying(StrikeRow.CONNECTION))
            await pass_time(0.1)
            chair(table.bot).leave()
            await pass_time(600)
            assert len(table.line.asked) == 1

        in_virtual_time(work())

    def test_when_the_opponent_leaves_while_it_waits_for_a_slot_it_waits_no_more(self) -> None:
        async def work() -> None:
            table = Table(_never)
            await turn()
            other = ScriptedBot("x")
            table.venue.runner.start(TTT, (table.another(name="second"), other))
            await turn()
            assert len(table.line.asked) == 1
            chair(other).leave()
            chair(table.bot).leave()
            await pass_time(10)
            assert len(table.line.asked) == 1
            assert (table.overs, len(table.slots)) == (2, 0)

        in_virtual_time(work())

    def test_an_endpoint_that_is_removed_forfeits(self) -> None:
        async def work() -> None:
            table = Table(_never)
            await turn()
            table.seat.leave()
            match = await table.end()
            assert (match.winner, match.termination) == (1, Termination.DISCONNECT)
            table.seat.leave()
            assert len(table.venue.log.recorded) == 1

        in_virtual_time(work())

    def test_a_venue_that_stops_gives_the_request_up(self) -> None:
        async def work() -> None:
            table = Table(_never)
            await turn()
            table.venue.runner.void(lambda _: True)
            await turn()
            assert table.line.busy.total() == 0
            assert table.overs == 1

        in_virtual_time(work())

    def test_a_match_that_is_not_stored_yet_is_over_too(self) -> None:
        async def work() -> None:
            log = ScriptedLog()
            table = Table(log=log)
            await table.end()
            assert table.overs == 0
            log.fail()
            assert table.overs == 1

        in_virtual_time(work())


class TestOurFault:
    @pytest.mark.parametrize("fault", [OwnFault("EMFILE"), RuntimeError("a bug")])
    @pytest.mark.parametrize("at", [0, 1])
    def test_it_voids_the_match_and_costs_nobody(self, fault: Exception, at: int) -> None:
        async def behave(turn: Turn) -> Said:
            if turn["strikes"] == at:
                raise fault
            return wrong(turn)

        async def work() -> None:
            table = Table(behave)
            match = await table.end()
            assert (match.winner, match.termination, match.reason) == (-1, Termination.SERVER, BROKEN)
            assert not match.rated
            assert len(match.unplayed) == at
            assert (table.overs, len(table.slots)) == (1, 0)
            assert len(table.line.asked) == at + 1

        with capture_logs() as logs:
            in_virtual_time(work())
        assert "referee_could_not_ask" in {entry["event"] for entry in logs}


class TestSignature:
    def test_every_request_is_signed_anew_by_all_keys(self) -> None:
        secrets = [new_secret(scheme, bytes([number]) * 32) for number, scheme in enumerate(Scheme)]
        signers = tuple(Signer(scheme, secret) for scheme, secret in zip(Scheme, secrets, strict=True))
        keys = [public_form(signer.scheme, signer.secret) for signer in signers]

        async def work() -> ScriptedDialler:
            table = Table()
            await table.end()
            line = ScriptedDialler(saying(wrong))
            table.venue.runner.start(TTT, (table.another(line, signers=signers), ScriptedBot("x")))
            await table.end()
            return line

        line = in_virtual_time(work())
        for key in keys:
            verifier = Verifier([key])
            ids = [
                verifier.verify(headers, content, int(headers["webhook-timestamp"]))
                for headers, content in zip(line.headers, line.bodies, strict=True)
            ]
            assert len(set(ids)) == len(ids) > 3
        assert all(len(headers[SIGNATURE].split(" ")) == 2 for headers in line.headers)


@pytest.mark.parametrize("seed", range(6))
def test_never_two_requests_at_once_to_one_agent(seed: int) -> None:
    """Many matches of a few accounts and URLs at a time, with answers that take what they take, and some that leave."""
    rng = random.Random(seed)

    async def behave(turn: Turn) -> Said:
        await pass_time(rng.random() * (DEADLINE_MS / 1000) * 1.1)
        return wrong(turn) if rng.random() < 0.1 else body(turn)

    async def work() -> None:
        table = Table(behave)
        table.venue.runner.void(lambda _: True)
        opponents = []
        for _ in range(40):
            account = rng.randrange(1, 15)
            seat = table.another(
                name=f"agent-{account}", account=account, at=f"https://shared.example/{rng.randrange(14)}"
            )
            bot = ScriptedBot("x")
            table.venue.runner.start(TTT, (seat, bot) if rng.random() < 0.5 else (bot, seat))
            opponents.append(bot)
        for bot in rng.sample(opponents, 10):
            await pass_time(rng.random())
            chair(bot).leave()
        while table.venue.playing:
            await pass_time(5)
        line = table.line
        assert line.most.pop("shared.example:443") == 8
        assert set(line.most.values()) == {1}
        assert len(table.slots) == 0

    in_virtual_time(work())
