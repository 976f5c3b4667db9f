"""Who is here, and a line to one of them."""

from __future__ import annotations

from pathlib import Path

from tests.agentbbs.hub.house import House, a_house
from tests.agentbbs.hub.lines import ScriptedLine

from agentbbs.calls.identity import Guest
from agentbbs.hub.plugins.online import BURST, Online


def online() -> Online:
    return Online(clock=lambda: 0.0)


async def looking(house: House, name: str) -> ScriptedLine:
    line = await house.at_menu(house.member(name))
    line.press("w")
    await line.until("Number or key")
    return line


async def test_the_list(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[online()]) as house:
        await house.at_menu(Guest(), ScriptedLine(transport="telnet", address="192.0.2.7"))
        line = await looking(house, "alice")
        rows = [row.split() for row in line.text.split("\n")]
        assert ["1", "1", "guest", "telnet", "0", "s", "at", "the", "main", "menu"] in rows
        assert ["2", "2", "alice", "ssh", "0", "s", "looking", "who", "is", "here"] in rows
        assert "192.0.2.7" not in line.text


async def test_a_page_reaches_its_caller(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[online()]) as house:
        bob = await house.at_menu(house.member("bob"))
        alice = await looking(house, "alice")
        alice.press("p")
        await alice.until("Page whom")
        alice.type("BOB", "enter")
        await alice.until("To bob:")
        alice.type("chat?", "enter")
        await alice.until("Sent to bob.")
        await bob.until(" Page from alice (node 2):  chat?\n")
        alice.type("1", "enter")
        await alice.until("To bob:")
        alice.press("enter")
        await alice.until("Nothing was sent.")


async def test_nobody_is_paged_without_end(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[online()]) as house:
        await house.at_menu(house.member("bob"))
        alice = await looking(house, "alice")
        for said in ["Sent to bob."] * BURST + ["You page too fast"]:
            mark = alice.mark()
            alice.type("1", "enter")
            alice.type("hey", "enter")
            await alice.until(said, since=mark)


async def test_pages_that_go_nowhere(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[online()]) as house:
        bob = await house.at_menu(house.member("bob"))
        alice = await looking(house, "alice")
        alice.type("2", "enter")
        await alice.until("That is you.")
        alice.press("p")
        alice.type("nobody", "enter")
        await alice.until("Nobody of that name is here.")
        alice.press("x")
        alice.type("1", "enter")
        await alice.until("To bob:")
        bob.drop()
        while house.board.presence.on_node(1) is not None:
            await house.board.database.look_up(lambda _: None)
        alice.type("hey", "enter")
        await alice.until("bob has just left.")


async def test_a_guest_pages_nobody(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[online()]) as house:
        line = await house.at_menu(Guest())
        line.press("w")
        await line.until("Number or key (R Q ?):")
        line.type("1", "enter")
        line.press("r", "q")
        await line.until("Main menu:")
