"""Seats of endpoints against a real server that does wrong on purpose."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final

import msgspec
import pytest
from tests.agentbbs.play.scripted import ScriptedBot
from tests.agentbbs.play.venue import Venue
from tests.agentbbs.referee.test_webhook_seat import offline

from agentbbs.games.c4 import C4
from agentbbs.play.ports import FinishedMatch, Player
from agentbbs.protocol.agentgames import Termination
from agentbbs.referee.endpoint_url import UrlRules
from agentbbs.referee.fault_server import FaultServer
from agentbbs.referee.outbound import Outbound, OutboundRules
from agentbbs.referee.slots import Slots
from agentbbs.referee.throwaway_ca import ThrowawayCa
from agentbbs.referee.webhook_seat import WebhookSeat

from .dial import Turn, target


class _ColumnByColumn(ScriptedBot):
    """Plays the last legal move: against the first one that is a long match of Connect Four."""

    def ask(self, state: Any, strikes: int) -> bool:
        del state, strikes
        asyncio.get_running_loop().call_soon(self._move)
        return True

    def _move(self) -> None:
        if self.chair is not None and self.chair.position.legal:
            legal_moves = self.chair.position.legal
            self.chair.move(legal_moves[self.chair.position.ply // 2 % len(legal_moves)])


WIRE_MS: Final = 500


class TestOverTheWire:
    """The same against a real server that does wrong on purpose."""

    async def _play(self, path: str, ca: ThrowawayCa) -> tuple[FinishedMatch, list[Turn]]:
        venue = Venue()
        rules = OutboundRules(url=UrlRules(loopback=True), ca_file=ca.ca_file)
        async with FaultServer(ca) as server, Outbound(rules) as outbound, asyncio.timeout(20):
            over = asyncio.Event()
            url = await outbound.check(server.url_of(path))
            wanted = msgspec.structs.replace(target(), url=url, deadline_ms=WIRE_MS)
            seat = WebhookSeat(wanted, outbound, Slots(), over=over.set, sleep=_at_once)
            opponent = _ColumnByColumn("x")
            opponent.player = Player(2, "x", "ws")
            venue.runner.start(C4, (seat, opponent))
            await over.wait()
            venue.alarms.stop()
            return venue.log.recorded[0], [json.loads(asked.body) for asked in server.requests]

    async def test_three_strikes_exactly(self, ca: ThrowawayCa) -> None:
        """Case 152."""
        match, asked = await self._play("/thrice", ca)
        assert (match.winner, match.termination) == (1, Termination.STRIKES)
        struck = [turn for turn in asked if turn["move_number"] in {3, 9}]
        assert [(turn["move_number"], turn["strikes"]) for turn in struck] == [(3, 0), (3, 1), (9, 1), (9, 2)]
        assert len(match.plies) == 8
        assert [len(ply.strikes) for ply in match.plies] == [0, 0, 1, 0, 0, 0, 0, 0]
        assert [strike.kind for strike in match.unplayed] == ["illegal_move"] * 2
        assert len({turn["nonce"] for turn in asked}) == len(asked)
        assert offline(match) == ()

    @pytest.mark.parametrize("path", ["/cold-start", "/late-once"])
    async def test_it_recovers_after_one(self, ca: ThrowawayCa, path: str) -> None:
        match, asked = await self._play(path, ca)
        assert match.termination is Termination.NORMAL
        assert [turn["strikes"] for turn in asked] == [0, *[1] * (len(asked) - 1)]
        assert offline(match) == ()

    async def test_two_strikes_forfeit_nothing(self, ca: ThrowawayCa) -> None:
        match, asked = await self._play("/twice", ca)
        assert match.termination is Termination.NORMAL
        assert asked[-1]["strikes"] == 2

    async def test_an_agent_that_only_resets_the_connection_forfeits(self, ca: ThrowawayCa) -> None:
        match, asked = await self._play("/reset", ca)
        assert [strike.kind for strike in match.unplayed] == ["connection"] * 3
        assert [turn["strikes"] for turn in asked] == [0, 1, 2]


async def _at_once(_: float) -> None:
    """No pause."""
