"""Who is too sick to be called is paused; and what fails in the venue itself is survived."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs
from tests.agentbbs.play.virtual_time import in_virtual_time, pass_time
from tests.agentbbs.referee.test_attendance import A_FEW, SLOW_S, House, hangs

from agentbbs.protocol.errors import Code
from agentbbs.protocol.strikes import STRIKES, StrikeRow
from agentbbs.referee.attendance import HOUR_S, REFRESH_S, SICK_FORFEITS
from agentbbs.store.database import Database

from .dial import Behaviour, Said, Turn, body, legal


def broken(row: StrikeRow) -> Behaviour:
    """An endpoint that is never heard of."""

    async def behave(_: Turn) -> Said:
        return row

    return behave


class TestSick:
    @pytest.mark.parametrize("row", [row for row, info in STRIKES.items() if info.sick])
    def test_three_forfeits_in_a_row_pause_it(self, database: Database, row: StrikeRow) -> None:
        async def work() -> None:
            async with House(database, refresh_s=SLOW_S) as house:
                one = house.register("ada")
                other = house.register("bob")
                house.line.at["https://ada.example/play"] = broken(row)
                for number in range(SICK_FORFEITS):
                    assert house.row(one).status == "active"
                    while len(house.matches) == number:
                        await pass_time(REFRESH_S)
                sick = house.row(one)
                assert (sick.status, sick.forfeits) == ("paused", SICK_FORFEITS)
                assert row in (sick.why or "")
                assert STRIKES[row].remedy[:40] in (sick.why or "")
                await pass_time(200)
                assert len(house.matches) == SICK_FORFEITS
                assert (house.row(other).status, house.row(other).forfeits) == ("active", 0)

        in_virtual_time(work())

    def test_a_sound_match_in_between_forgives(self, database: Database) -> None:
        async def work() -> None:
            async with House(database, refresh_s=SLOW_S) as house:
                one = house.register("ada")
                house.register("bob")
                url = "https://ada.example/play"
                for number in range(9):
                    house.line.at[url] = legal if number % 3 == 2 else broken(StrikeRow.CONNECTION)
                    while len(house.matches) == number:
                        await pass_time(REFRESH_S)
                    await pass_time(REFRESH_S)
                    assert house.row(one).forfeits == (number + 1) % 3
                assert house.row(one).status == "active"

        in_virtual_time(work())

    def test_who_plays_badly_is_not_sick(self, database: Database) -> None:
        async def illegal(turn: Turn) -> Said:
            return body(turn, move="?")

        async def work() -> None:
            async with House(database, refresh_s=SLOW_S) as house:
                one = house.register("ada")
                house.register("bob")
                house.line.at["https://ada.example/play"] = illegal
                await pass_time(HOUR_S / 4)
                assert len(house.matches) > SICK_FORFEITS
                assert (house.row(one).status, house.row(one).forfeits) == ("active", 0)

        in_virtual_time(work())

    def test_an_address_that_is_not_called_pauses_it_at_once(self, database: Database) -> None:
        async def work() -> None:
            async with House(database, refresh_s=SLOW_S) as house:
                one = house.register("ada")
                house.register("bob")
                house.line.at["https://ada.example/play"] = broken(StrikeRow.ADDRESS_REFUSED)
                await pass_time(A_FEW)
                assert house.row(one).status == "paused"
                assert STRIKES[StrikeRow.ADDRESS_REFUSED].says in (house.row(one).why or "")
                await pass_time(200)
                assert len(house.matches) == 1
                assert house.line.urls.count("https://ada.example/play") <= 3

        in_virtual_time(work())


class TestTrouble:
    def test_a_database_that_fails_for_a_while_is_survived(self, database: Database) -> None:
        async def work() -> None:
            async with House(database) as house:
                house.register("ada")
                house.database.broken = True
                await pass_time(60)
                house.database.broken = False
                house.register("bob")
                await pass_time(A_FEW)
                assert len(house.matches) == 1

        with capture_logs() as logs:
            in_virtual_time(work())
        assert "endpoints_not_read" in {entry["event"] for entry in logs}

    def test_a_forfeit_that_can_t_be_written_is_survived(self, database: Database) -> None:
        async def work() -> None:
            async with House(database) as house:
                one = house.register("ada")
                house.register("bob")
                house.line.at["https://ada.example/play"] = broken(StrikeRow.CONNECTION)
                await pass_time(0.1)
                house.database.broken = True
                await pass_time(A_FEW)
                assert (len(house.matches), house.row(one).forfeits) == (1, 0)
                house.database.broken = False
                while len(house.matches) == 1:
                    await pass_time(REFRESH_S)
                assert house.row(one).forfeits == 1

        with capture_logs() as logs:
            in_virtual_time(work())
        assert "endpoint_not_written" in {entry["event"] for entry in logs}

    def test_a_ladder_that_can_t_be_read_is_asked_again(self, database: Database) -> None:
        async def work() -> None:
            async with House(database) as house:
                house.venue.ladders.broken = True
                house.register("ada")
                house.register("bob")
                await pass_time(A_FEW)
                assert house.matches == []
                house.venue.ladders.broken = False
                await pass_time(A_FEW)
                assert len(house.matches) == 1

        with capture_logs() as logs:
            in_virtual_time(work())
        assert Code.INTERNAL in {entry.get("code") for entry in logs}

    def test_after_its_end_nobody_waits_and_nothing_is_asked(self, database: Database) -> None:
        async def work() -> None:
            async with House(database, hangs) as house:
                house.register("ada")
                house.register("bob")
                house.register("eve")
                await pass_time(A_FEW)
                assert house.venue.playing == 1
            await pass_time(1)
            asked = len(house.line.asked)
            assert (len(house.venue.lobby), len(house.attendance), house.line.busy.total()) == (0, 0, 0)
            await pass_time(200)
            assert len(house.line.asked) == asked

        in_virtual_time(work())
