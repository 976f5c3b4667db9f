"""The sysop's desk."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.agentbbs.hub.house import NOON_MS, House, a_house
from tests.agentbbs.hub.lines import ScriptedLine

from agentbbs.calls.identity import Guest
from agentbbs.hub.catalog import Broken
from agentbbs.hub.plugins.sysop import PLUGIN
from agentbbs.store import accounts, audit, bans, invites
from agentbbs.store.audit import Action


@pytest.fixture
async def house(migrated: Path, tmp_path: Path) -> AsyncIterator[House]:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN], broken=[Broken("fortune", "ImportError: deck")]) as house:
        yield house


async def at_desk(house: House) -> ScriptedLine:
    line = await house.at_menu(house.member("boss", sysop=True))
    line.press("s")
    await line.until("Key (A N B I W L Q ?):")
    return line


def deeds(house: House) -> list[tuple[Action, str]]:
    with house.database.connect() as conn:
        return [(one.action, one.target) for one in reversed(audit.entries(conn))]


async def test_the_desk_tells_what_is_out_of_order(house: House) -> None:
    line = await at_desk(house)
    assert "1 of 8 nodes are taken." in line.text
    assert "The plugin fortune is out of order: ImportError: deck" in line.text
    line.press("q")
    await line.until("Main menu:")


async def test_a_forgotten_password_is_replaced(house: House) -> None:
    house.enrol("alice", "forgotten one")
    house.enrol("bob")
    line = await at_desk(house)
    line.press("a", "f")
    await line.until("Part of the name")
    line.type("LIC", "enter")
    await line.until("1 of 3")
    line.type("1", "enter")
    await line.until("alice, number 1")
    line.press("p", "y")
    await line.until("The new password, shown this once:")
    shown = re.search(r"this once: (\S{16})", line.text)
    assert shown is not None
    assert (await house.board.passwords.check("alice", shown[1], "127.0.0.1")).name == "alice"
    assert deeds(house) == [(Action.PASSWORD_SET, "alice")]


async def test_an_account_is_banned_and_is_out_at_once(house: House) -> None:
    alice = await house.at_menu(house.member("alice"))
    line = await at_desk(house)
    line.press("a")
    line.type("1", "enter")
    await line.until("alice, number 1")
    line.press("b")
    await line.until("For how long?")
    line.type("2", "enter")
    await line.until("Why (the caller is shown it):")
    line.type("Floods the chat.", "enter")
    await line.until("alice is banned.")
    await alice.until_gone()
    assert "Your account is banned from this board: Floods the chat." in alice.text
    with house.database.connect() as conn:
        (ban,) = bans.in_force(conn, now_ms=NOON_MS)
    assert ban.until_ms == NOON_MS + 86_400_000


async def test_a_sysop_does_nothing_to_the_own_account(house: House) -> None:
    line = await at_desk(house)
    line.press("a")
    line.type("1", "enter")
    await line.until("boss, number 1")
    line.press("b")
    line.type("4", "enter")
    line.type("For fun.", "enter")
    await line.until("You can't ban yourself")
    line.press("x")
    line.type("1", "enter")
    line.press("x")
    line.type("boss", "enter")
    await line.until("You can't remove your own account")


async def test_an_account_is_removed_when_its_name_is_typed(house: House) -> None:
    alice = await house.at_menu(house.member("alice"))
    line = await at_desk(house)
    for typed, said in (("alic", "Nobody was removed."), ("alice", "alice is removed.")):
        line.press("a")
        line.type("1", "enter")
        await line.until("alice, number 1")
        line.press("x")
        await line.until("Type the name to remove alice:")
        line.type(typed, "enter")
        await line.until(said)
        line.press("x", "q")
        await line.until("Key (A N B I W L Q ?):")
    await alice.until_gone()
    with house.database.connect() as conn, pytest.raises(accounts.NoSuchAccount):
        accounts.find(conn, "alice")


async def test_a_node_is_told_and_kicked(house: House) -> None:
    alice = await house.at_menu(house.member("alice"))
    line = await at_desk(house)
    line.press("n")
    await line.until("127.0.0.1")
    line.press("r")
    line.type("1", "enter")
    await line.until("Key (T K B A Q ?):")
    line.press("t")
    line.type("Five minutes more.", "enter")
    await line.until("Told.")
    await alice.until(" From the sysop:  Five minutes more.")
    line.press("x")
    line.type("1", "enter")
    line.press("k")
    await line.until("Why (the caller is shown it):")
    line.type("It is late.", "enter")
    await line.until("alice is kicked.")
    await alice.until_gone()
    assert "The sysop ends your visit: It is late." in alice.text
    assert deeds(house) == [(Action.KICKED, "alice")]


async def test_a_sysop_is_not_kicked_by_itself_nor_somebody_else_by_mistake(house: House) -> None:
    alice = await house.at_menu(house.member("alice"))
    line = await at_desk(house)
    line.press("n")
    line.type("2", "enter")
    line.press("k")
    line.type("Oops.", "enter")
    await line.until("That is you: log off instead.")
    line.press("x")
    line.type("1", "enter")
    await line.until("Key (T K B A Q ?):")
    alice.drop()
    while house.board.presence.on_node(1) is not None:
        await house.board.database.look_up(lambda _: None)
    bob = await house.at_menu(house.member("bob"))
    line.press("k")
    line.type("Out.", "enter")
    await line.until("alice is not on node 1 any more.")
    assert not bob.gone


async def test_an_address_is_banned_from_its_node(house: House) -> None:
    guest = await house.at_menu(Guest(), ScriptedLine(address="192.0.2.7"))
    line = await at_desk(house)
    line.press("n")
    line.type("1", "enter")
    await line.until("Key (T K A Q ?):")
    line.press("a")
    line.type("1", "enter")
    line.type("A flood.", "enter")
    await line.until("192.0.2.7/32 is banned.")
    await guest.until_gone()


async def test_bans_are_made_and_lifted(house: House) -> None:
    line = await at_desk(house)
    line.press("b", "b")
    line.type("nonsense", "enter")
    line.type("1", "enter")
    line.type("No.", "enter")
    await line.until("is no address and no network")
    line.press("b")
    line.type("192.0.2.0/24", "enter")
    await line.until("For how long?")
    line.type("4", "enter")
    line.press("enter")
    await line.until("Nobody was banned.")
    line.press("b")
    line.type("192.0.2.0/24", "enter")
    line.type("4", "enter")
    line.type("A flood.", "enter")
    await line.until("192.0.2.0/24 is banned.")
    assert "for good" in line.text
    line.type("1", "enter")
    line.press("y")
    await line.until("The ban is lifted.")
    assert deeds(house) == [(Action.BANNED, "192.0.2.0/24"), (Action.BAN_LIFTED, "192.0.2.0/24")]


async def test_invites_are_minted_and_revoked(house: House) -> None:
    line = await at_desk(house)
    line.press("i", "m")
    await line.until("The invite, shown this once:")
    shown = re.search(r"this once: (\S+)", line.text)
    assert shown is not None
    with house.database.connect() as conn:
        assert invites.check(conn, shown[1], now_ms=NOON_MS).minted_by == 1
    line.type("1", "enter")
    line.press("n")
    await line.until("Nothing was changed.")
    line.type("1", "enter")
    line.press("y")
    await line.until("The invite is revoked.")
    with house.database.connect() as conn:
        assert not invites.open_invites(conn, now_ms=NOON_MS)


async def test_a_word_to_everybody(house: House) -> None:
    alice = await house.at_menu(house.member("alice"))
    line = await at_desk(house)
    line.press("w", "enter")
    await line.until("Key (A N B I W L Q ?):")
    line.press("w")
    line.type("The board closes at noon.", "enter")
    await line.until("Told to 1 caller.")
    await alice.until(" From the sysop:  The board closes at noon.")
    assert deeds(house) == [(Action.BROADCAST, "everybody")]


async def test_the_audit_log_page_by_page(house: House) -> None:
    with house.database.begin() as conn:
        for number in range(60):
            audit.note(conn, None, Action.BANNED, f"caller-{number:02}", "for good: why not", now_ms=NOON_MS)
    line = await at_desk(house)
    line.press("l")
    await line.until("caller-59")
    line.type("1", "enter")
    await line.until("(house): banned caller-59  for good: why not")
    line.press("o")
    await line.until("caller-09")
    line.press("n")
    await line.until("caller-59")
    line.press("q")
    await line.until("Key (A N B I W L Q ?):")


async def test_who_only_holds_a_node_is_listed_and_hung_up(house: House) -> None:
    silent = ScriptedLine(address="192.0.2.7")
    house.call(silent)
    await silent.until("Login:")
    line = await at_desk(house)
    line.press("n")
    await line.until("(logging in)")
    line.type("1", "enter")
    await line.until("Key (T K A Q ?):")
    line.press("k")
    line.type("Others wait.", "enter")
    await line.until("(logging in) is kicked.")
    await silent.until_gone()
    assert "The sysop ends your visit: Others wait." in silent.text
