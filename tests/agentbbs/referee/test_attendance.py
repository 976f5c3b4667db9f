"""Registered endpoints in the lobby: they come, play at their pace, and go when they are sick or not wanted."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, Final, Self, cast

import pytest
from tests.agentbbs.play.venue import Agent, Venue
from tests.agentbbs.play.virtual_time import in_virtual_time, pass_time

from agentbbs.play.ports import FinishedMatch
from agentbbs.protocol.agentgames import Termination
from agentbbs.protocol.signing import SIGNATURE, Scheme, new_secret
from agentbbs.referee.attendance import HOUR_S, REFRESH_S, Attendance
from agentbbs.referee.slots import Slots
from agentbbs.store import accounts, bans, endpoints
from agentbbs.store.database import Database
from agentbbs.store.endpoints import Endpoint

from .dial import DEADLINE_MS, PUBLIC_URL, RULES, Behaviour, Said, ScriptedDialler, Turn, body, legal

SECRET: Final = new_secret(Scheme.HMAC, bytes(32))
A_FEW: Final = 3 * REFRESH_S
SLOW_S: Final = 20.0
"""For a test of an hour."""


class InlineDatabase:
    """A database whose reads and writes are done within the call: the loop's clock is the test's."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.broken = False

    async def read(self, fn: Callable[..., Any], *args: Any) -> Any:
        self._check()
        with self.database.connect() as conn:
            return fn(conn, *args)

    async def write(self, fn: Callable[..., Any], *args: Any) -> Any:
        self._check()
        with self.database.begin() as conn:
            return fn(conn, *args)

    def _check(self) -> None:
        if self.broken:
            raise OSError("the disk is gone")


class House:
    """A venue whose endpoints are in a table. Use it as an async context manager inside a running loop."""

    def __init__(
        self, database: Database, behave: Behaviour = legal, *, per_hour: int = 30, refresh_s: float = REFRESH_S
    ) -> None:
        self.database = InlineDatabase(database)
        self.venue = Venue()
        self.line = ScriptedDialler(behave)
        self.slots = Slots()
        self.attendance = Attendance(
            cast("Database", self.database),
            self.venue.lobby,
            self.line,
            self.slots,
            self.venue.alarms,
            RULES,
            deadline_ms=DEADLINE_MS,
            matches_per_hour=per_hour,
            public_url=PUBLIC_URL,
            refresh_s=refresh_s,
        )
        self.venue.runner._told = self._told
        self._task: asyncio.Task[None] | None = None

    def _told(self, match: FinishedMatch, settled: Any) -> None:
        self.venue._told(match, settled)
        self.attendance.told(match, settled)

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self.attendance.run())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        self.venue.lobby.stop()
        self.venue.runner.void(lambda _: True)
        await self.attendance.close()

    def account(self, name: str) -> int:
        with self.database.database.begin() as conn:
            known = {account.name: account.id for account in accounts.all_accounts(conn)}
            return known.get(name) or accounts.add(conn, name, now_ms=1).id

    def register(self, name: str, game: str = "ttt", *, at: str | None = None, secret: str = SECRET) -> int:
        """Register an endpoint for the account of that name; its id."""
        account = self.account(name)
        with self.database.database.begin() as conn:
            url = at or f"https://{name}.example/play"
            return endpoints.register(conn, account, game, url, Scheme.HMAC, secret, 1).id

    def change(self, fn: Callable[..., Any], *args: Any) -> None:
        """What another process does to the table."""
        with self.database.database.begin() as conn:
            fn(conn, *args)

    def row(self, endpoint_id: int) -> Endpoint:
        with self.database.database.connect() as conn:
            return endpoints.get(conn, endpoint_id)

    def caller(self, name: str) -> Agent:
        """An agent that connects and plays first legal moves."""
        return self.venue.agent(name, self.account(name), "ttt")

    @property
    def matches(self) -> list[FinishedMatch]:
        return self.venue.log.recorded


def names(match: FinishedMatch) -> set[str]:
    return {player.name for player in match.players}


async def play_first_legal(agent: Agent, seconds: float) -> None:
    """The agent answers each state for so long."""
    for _ in range(round(seconds / 0.1)):
        for heard in agent.hears():
            if heard["type"] == "state" and heard["yourTurn"]:
                agent.moves(heard["observation"]["legal"][0])
        await pass_time(0.1)


async def hangs(_: Turn) -> Said:
    await asyncio.Event().wait()
    raise AssertionError


class TestCome:
    def test_two_that_are_registered_play_rated(self, database: Database) -> None:
        async def work() -> None:
            async with House(database) as house:
                assert len(house.attendance) == 0
                house.register("ada")
                house.register("bob")
                await pass_time(A_FEW)
                assert len(house.attendance) == 2
                (match,) = house.matches
                assert names(match) == {"ada", "bob"}
                assert match.rated
                assert {turn["opponent"] for turn in house.line.asked} == {"ada", "bob"}
                assert {turn["replay_url"] for turn in house.line.asked} == {f"{PUBLIC_URL}/m/{match.id}"}
                assert all(headers[SIGNATURE].startswith("v1,") for headers in house.line.headers)

        in_virtual_time(work())

    def test_one_alone_is_never_asked(self, database: Database) -> None:
        async def work() -> None:
            async with House(database) as house:
                house.register("ada")
                house.register("bob", "c4")
                await pass_time(200)
                assert house.line.asked == []
                assert len(house.venue.lobby) == 2

        in_virtual_time(work())

    def test_endpoints_of_one_account_never_meet(self, database: Database) -> None:
        async def work() -> None:
            async with House(database) as house:
                house.register("ada")
                agent = house.caller("ada")
                await pass_time(A_FEW)
                assert house.matches == []
                assert agent.hears_kinds() == ["queued"]

        in_virtual_time(work())

    def test_it_plays_every_game_that_it_is_registered_for(self, database: Database) -> None:
        async def work() -> None:
            async with House(database) as house:
                for name, game in itertools.product(("ada", "bob"), ("ttt", "c4")):
                    house.register(name, game)
                await pass_time(A_FEW)
                assert {match.game for match in house.matches} == {"ttt", "c4"}
                assert max(house.line.most.values()) == 1

        in_virtual_time(work())

    def test_a_connected_agent_is_met_at_once_and_again_and_again(self, database: Database) -> None:
        async def work() -> None:
            async with House(database) as house:
                house.register("ada")
                await pass_time(A_FEW)
                for number in range(3):
                    agent = house.caller("connected")
                    await play_first_legal(agent, A_FEW)
                    assert len(house.matches) == number + 1
                    agent.hangs_up()
                assert all(names(match) == {"ada", "connected"} for match in house.matches)

        in_virtual_time(work())


class TestPace:
    def test_among_themselves_they_play_evenly_through_the_hour(self, database: Database) -> None:
        async def work() -> None:
            async with House(database, per_hour=12, refresh_s=SLOW_S) as house:
                for name in ("ada", "bob", "eve"):
                    house.register(name)
                began = house.venue.loop.time()
                await pass_time(HOUR_S)
                played = Counter(name for match in house.matches for name in names(match))
                assert all(6 <= count <= 12 for count in played.values()), played
                firsts = [
                    at - began
                    for at, turn in zip(house.line.asked_at, house.line.asked, strict=True)
                    if turn["move_number"] == 1
                ]
                assert max(second - first for first, second in itertools.pairwise(firsts)) <= HOUR_S / 12 + 2 * SLOW_S

        in_virtual_time(work())

    @pytest.mark.parametrize("per_hour", [1, 3])
    def test_no_more_than_so_many_in_any_hour(self, database: Database, per_hour: int) -> None:
        async def work() -> None:
            async with House(database, per_hour=per_hour, refresh_s=SLOW_S) as house:
                house.register("ada")
                await pass_time(A_FEW)
                begins: list[float] = []
                for _ in range(13):
                    before = len(house.matches)
                    agent = house.caller("connected")
                    await play_first_legal(agent, SLOW_S + 1)
                    if len(house.matches) > before:
                        begins.append(house.venue.loop.time())
                    agent.hangs_up()
                    await pass_time(700)
                assert len(begins) >= 2 * per_hour
                for first, later in zip(begins, begins[per_hour:], strict=False):
                    assert later - first > HOUR_S - 2 * SLOW_S

        in_virtual_time(work())

    def test_neither_a_pause_nor_another_registration_makes_an_hour_shorter(self, database: Database) -> None:
        async def work() -> None:
            async with House(database, per_hour=1) as house:
                one = house.register("ada")
                house.register("bob")
                await pass_time(A_FEW)
                assert len(house.matches) == 1
                house.change(endpoints.pause, one, "by its owner", 2)
                await pass_time(A_FEW)
                house.change(endpoints.resume, one, 3)
                await pass_time(A_FEW)
                house.change(endpoints.remove, one, 4)
                await pass_time(A_FEW)
                house.register("ada")
                agent = house.caller("connected")
                await play_first_legal(agent, 60)
                assert len(house.matches) == 1
                agent.hangs_up()

        in_virtual_time(work())

    def test_nobody_looks_again_while_only_endpoints_wait(self, database: Database) -> None:
        async def work() -> None:
            async with House(database, per_hour=2, refresh_s=SLOW_S) as house:
                house.register("ada")
                house.register("bob")
                await pass_time(2 * SLOW_S)
                assert len(house.matches) == 1
                swept: list[float] = []
                sweep = house.venue.lobby._sweep

                def counted() -> None:
                    swept.append(house.venue.loop.time())
                    sweep()

                house.venue.alarms._bells[house.venue.lobby._sweep_alarm] = counted
                await pass_time(HOUR_S / 2 - 60)
                assert (len(swept), len(house.matches)) == (0, 1)
                await pass_time(120)
                assert (len(swept), len(house.matches)) == (1, 2)

        in_virtual_time(work())


class TestGo:
    def test_one_that_is_paused_is_withdrawn(self, database: Database) -> None:
        async def work() -> None:
            async with House(database) as house:
                one = house.register("ada")
                await pass_time(A_FEW)
                house.change(endpoints.pause, one, "by its owner", 2)
                await pass_time(A_FEW)
                assert (len(house.attendance), len(house.venue.lobby)) == (0, 0)
                house.register("bob")
                await pass_time(200)
                assert house.line.asked == []
                house.change(endpoints.resume, one, 3)
                await pass_time(A_FEW)
                assert len(house.matches) == 1

        in_virtual_time(work())

    def test_one_that_is_paused_in_a_match_plays_it_to_its_end_and_no_other(self, database: Database) -> None:
        async def work() -> None:
            let = asyncio.Event()

            async def waits(turn: Turn) -> Said:
                await let.wait()
                return body(turn)

            async with House(database, waits) as house:
                one = house.register("ada")
                house.register("bob")
                await pass_time(REFRESH_S + 0.5)
                house.change(endpoints.pause, one, "by its owner", 2)
                await pass_time(REFRESH_S)
                assert house.venue.playing == 1
                let.set()
                await pass_time(200)
                (match,) = house.matches
                assert match.termination is Termination.NORMAL
                assert len(house.attendance) == 1

        in_virtual_time(work())

    def test_paused_and_resumed_in_a_match_it_still_plays_one_at_a_time(self, database: Database) -> None:
        async def work() -> None:
            async with House(database, hangs) as house:
                one = house.register("ada")
                house.register("bob")
                await pass_time(REFRESH_S + 0.5)
                house.change(endpoints.pause, one, "by its owner", 2)
                await pass_time(REFRESH_S)
                house.change(endpoints.resume, one, 3)
                await pass_time(REFRESH_S)
                agent = house.caller("connected")
                await pass_time(A_FEW)
                assert house.venue.playing == 1
                assert agent.hears_kinds() == ["queued"]
                agent.hangs_up()

        in_virtual_time(work())

    @pytest.mark.parametrize("paused_before", [False, True])
    def test_one_that_is_removed_in_a_match_forfeits_it(self, database: Database, paused_before: bool) -> None:
        async def work() -> None:
            async with House(database, hangs) as house:
                one = house.register("ada")
                house.register("bob")
                await pass_time(REFRESH_S + 0.5)
                if paused_before:
                    house.change(endpoints.pause, one, "by its owner", 2)
                    await pass_time(REFRESH_S)
                assert house.matches == []
                house.change(endpoints.remove, one, 3)
                await pass_time(REFRESH_S)
                (match,) = house.matches
                loser = match.players[1 - match.winner].name
                assert (loser, match.termination) == ("ada", Termination.DISCONNECT)
                assert house.line.busy.total() == 0

        in_virtual_time(work())

    def test_one_whose_account_is_banned_is_not_called(self, database: Database) -> None:
        async def work() -> None:
            async with House(database) as house:
                house.register("ada")
                house.register("bob")
                house.account("ada")
                house.change(partial(bans.ban_account, reason="spam", now_ms=1), None, "ada")
                await pass_time(200)
                assert house.line.asked == []

        in_virtual_time(work())

    def test_another_url_is_called_from_the_next_match_on(self, database: Database) -> None:
        async def work() -> None:
            let = asyncio.Event()

            async def waits(turn: Turn) -> Said:
                await let.wait()
                return body(turn)

            async with House(database, waits) as house:
                one = house.register("ada")
                house.register("bob")
                await pass_time(REFRESH_S + 0.5)
                house.change(endpoints.change_url, one, "https://ada.example/new", 2)
                await pass_time(REFRESH_S)
                let.set()
                await pass_time(REFRESH_S)
                assert "https://ada.example/new" not in house.line.urls
                former = len(house.line.urls)
                await pass_time(HOUR_S / 30 + A_FEW)
                assert len(house.matches) == 2
                assert set(house.line.urls[former:]) == {"https://ada.example/new", "https://bob.example/play"}

        in_virtual_time(work())

    def test_a_url_that_this_venue_calls_no_more_pauses_it(self, database: Database) -> None:
        async def work() -> None:
            async with House(database) as house:
                one = house.register("ada", at="https://ada.example:8444/")
                other = house.register("bob", at="http://bob.example/")
                await pass_time(A_FEW)
                for endpoint_id in (one, other):
                    assert house.row(endpoint_id).status == "paused"
                    assert "does not call that URL any more" in (house.row(endpoint_id).why or "")
                assert len(house.attendance) == 0

        in_virtual_time(work())

    def test_a_game_that_is_gone_pauses_it(self, database: Database) -> None:
        async def work() -> None:
            async with House(database) as house:
                one = house.register("ada", "go9")
                await pass_time(A_FEW)
                assert house.row(one).status == "paused"

        in_virtual_time(work())

    def test_after_a_rotation_both_keys_sign(self, database: Database) -> None:
        async def work() -> None:
            async with House(database) as house:
                one = house.register("ada")
                house.register("bob")
                await pass_time(A_FEW)
                house.change(endpoints.rotate, one, new_secret(Scheme.HMAC, bytes([1] * 32)), 10**15, 2)
                asked = len(house.line.urls)
                await pass_time(HOUR_S / 30 + A_FEW)
                signatures = {
                    len(headers[SIGNATURE].split(" "))
                    for url, headers in zip(house.line.urls[asked:], house.line.headers[asked:], strict=True)
                    if url.startswith("https://ada.")
                }
                assert signatures == {2}

        in_virtual_time(work())
