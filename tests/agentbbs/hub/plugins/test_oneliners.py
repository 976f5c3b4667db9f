"""The wall."""

from __future__ import annotations

from pathlib import Path

from tests.agentbbs.hub.house import NOON_MS, a_house

from agentbbs.calls.identity import Guest
from agentbbs.hub.plugins.oneliners import PLUGIN
from agentbbs.store import oneliners


async def test_what_is_written_is_on_the_wall(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN]) as house:
        line = await house.at_menu(house.member("alice"))
        line.press("o")
        await line.until("Nobody has written here yet.")
        line.press("w")
        await line.until("> ")
        line.type("hello, next one", "enter")
        await line.until("It is on the wall.")
        assert "01-01 alice: hello, next one" in line.text
        line.press("w")
        line.press("enter")
        await line.until("Nothing was written.")


async def test_a_guest_reads_only(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN]) as house:
        account = house.enrol("alice")
        with house.database.begin() as conn:
            for hours_ago in reversed(range(60)):
                oneliners.write(conn, account, f"line {hours_ago}", now_ms=NOON_MS - hours_ago * 3_600_000)
        line = await house.at_menu(Guest())
        line.press("o")
        await line.until("Key (A Q ?):")
        line.press("a")
        await line.until("-- More --")
        line.press("c")
        await line.until("Key (A Q ?):")
        line.press("q")
        await line.until("Main menu:")


async def test_too_many_are_refused(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN]) as house:
        identity = house.member("alice")
        with house.database.begin() as conn:
            for number in range(oneliners.MAX_AN_HOUR):
                oneliners.write(conn, identity.account, f"line {number}", now_ms=NOON_MS)
        line = await house.at_menu(identity)
        line.press("o", "w")
        line.type("one more", "enter")
        await line.until("write again later.")


async def test_a_sysop_takes_one_off(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN]) as house:
        account = house.enrol("alice")
        with house.database.begin() as conn:
            oneliners.write(conn, account, "rude", now_ms=NOON_MS)
        line = await house.at_menu(house.member("boss", sysop=True))
        line.press("o")
        await line.until("  1 01-01 alice: rude")
        line.press("x")
        line.type("2", "enter")
        await line.until("There is no such one.")
        line.press("x")
        line.type("1", "enter")
        await line.until("It is off the wall.")
        assert "Nobody has written here yet." in line.text
