"""Endpoints that were away and come back: their hour and their pace are those they left with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from structlog.testing import capture_logs
from tests.agentbbs.play.virtual_time import in_virtual_time, pass_time
from tests.agentbbs.referee.test_attendance import A_FEW, House, hangs

from agentbbs.referee.attendance import HOUR_S, REFRESH_S
from agentbbs.store import endpoints
from agentbbs.store.database import Database

PER_HOUR: Final = 6


def paused_and_resumed(house: House, endpoint_id: int) -> Callable[[], Any]:
    house.change(endpoints.pause, endpoint_id, "by its owner", 2)
    return lambda: house.change(endpoints.resume, endpoint_id, 3)


def removed_and_registered(house: House, endpoint_id: int) -> Callable[[], Any]:
    name = house.row(endpoint_id).name
    house.change(endpoints.remove, endpoint_id, 2)
    return lambda: house.register(name)


Absence = Callable[[House, int], Callable[[], Any]]


@pytest.mark.parametrize("absence", [paused_and_resumed, removed_and_registered])
def test_who_comes_back_keeps_its_pace_among_endpoints(database: Database, absence: Absence) -> None:
    async def work() -> None:
        async with House(database, per_hour=PER_HOUR) as house:
            ids = [house.register(name) for name in ("ada", "bob")]
            await pass_time(A_FEW)
            assert len(house.matches) == 1
            returns = [absence(house, endpoint_id) for endpoint_id in ids]
            await pass_time(A_FEW)
            assert len(house.attendance) == 0
            for back in returns:
                back()
            await pass_time(HOUR_S / PER_HOUR - 4 * A_FEW)
            assert (len(house.attendance), len(house.matches)) == (2, 1)
            await pass_time(6 * A_FEW)
            assert len(house.matches) == 2

    in_virtual_time(work())


def test_who_is_removed_in_a_match_and_registered_anew_has_no_new_hour(database: Database) -> None:
    async def work() -> None:
        async with House(database, hangs, per_hour=1) as house:
            one = house.register("ada")
            house.register("bob")
            await pass_time(REFRESH_S + 0.5)
            assert house.venue.playing == 1
            house.change(endpoints.remove, one, 2)
            house.register("ada")
            agent = house.caller("connected")
            await pass_time(HOUR_S / 2)
            assert len(house.matches) == 1
            agent.hangs_up()

    in_virtual_time(work())


def test_of_who_is_away_for_an_hour_nothing_is_kept(database: Database) -> None:
    async def work() -> None:
        async with House(database, per_hour=PER_HOUR) as house:
            ids = [house.register(name) for name in ("ada", "bob")]
            await pass_time(A_FEW)
            for endpoint_id in ids:
                house.change(endpoints.remove, endpoint_id, 2)
            await pass_time(HOUR_S / 2)
            assert len(house.attendance._former) == 2
            await pass_time(HOUR_S / 2 + A_FEW)
            assert len(house.attendance._former) == 0

    in_virtual_time(work())


@pytest.mark.parametrize("known", [False, True], ids=["at its registration", "later"])
def test_a_secret_that_can_t_be_used_pauses_the_endpoint_and_strands_nobody(database: Database, known: bool) -> None:
    async def work() -> None:
        async with House(database) as house:
            one = house.register("ada", secret="whsec_AAAA")
            if known:
                house.change(endpoints.remove, one, 2)
                one = house.register("ada")
                await pass_time(A_FEW)
                house.change(endpoints.rotate, one, "whsec_AAAA", 0, 3)
            await pass_time(A_FEW)
            sick = house.row(one)
            assert sick.status == "paused"
            assert "rotate" in (sick.why or "")
            agent = house.caller("connected")
            house.register("bob")
            await pass_time(A_FEW)
            assert agent.hears_kinds()[:2] == ["queued", "hello"]

    with capture_logs() as logs:
        in_virtual_time(work())
    assert "whsec_AAAA" not in repr(logs)
