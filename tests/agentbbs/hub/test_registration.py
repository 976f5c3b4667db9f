"""Newcomers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
from tests.agentbbs.hub.house import NOON_MS, House, a_house
from tests.agentbbs.hub.lines import ScriptedLine

from agentbbs.calls.identity import Newcomer
from agentbbs.store import accounts, invites, keys
from agentbbs.store.registration import BURST, Policy

KEY: Final = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHdpvaPpLvUvjF1CFLEVsB5sVMVxBDmRsrjAbsSvsbRA"
PASSWORD: Final = "correct horse"


def keys_of(house: House, name: str) -> int:
    with house.database.connect() as conn:
        return len(keys.of_account(conn, accounts.find(conn, name).id))


def has_password(house: House, name: str) -> bool:
    with house.database.connect() as conn:
        return accounts.find(conn, name).password_hash is not None


async def test_a_key_is_registered_under_a_name_that_is_asked_and_confirmed(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, ssh_address="ssh -p 22 NAME@bbs.example") as house:
        line = ScriptedLine(transport="ssh")
        house.call(line, Newcomer(KEY))
        await line.until("Name:")
        line.type("alyce", "enter")
        await line.until("Be known as alyce?")
        line.press("n")
        await line.until("No\nName:")
        line.type("alice", "enter")
        await line.until("Be known as alice?")
        line.press("y")
        await line.until("Enter: none.\nPassword:")
        line.press("enter")
        await line.until(
            "You are registered as alice.\nFrom now on, call with the same key: ssh -p 22 alice@bbs.example"
        )
        await line.until("This is your first visit")
        assert keys_of(house, "alice") == 1
        assert not has_password(house, "alice")


async def test_by_telnet_a_password_is_chosen(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path) as house:
        line = ScriptedLine(private=True)
        house.call(line)
        await line.until("Login:")
        line.type("new", "enter")
        await line.until("Name:")
        line.type("alice", "enter")
        line.press("y")
        await line.until("Password:")
        line.type("short", "enter")
        await line.until("at least 8 characters: choose another.\nPassword:")
        line.type(PASSWORD, "enter")
        line.type("something else", "enter")
        await line.until("These were not the same.\nPassword:")
        line.type(PASSWORD, "enter")
        line.type(PASSWORD, "enter")
        await line.until("You are registered as alice.")
        assert PASSWORD.encode() not in line.sent
        assert (await house.board.passwords.check("alice", PASSWORD, "127.0.0.1")).name == "alice"


async def test_a_name_that_is_not_to_be_had_is_said_to_be_so(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path) as house:
        house.enrol("alice")
        line = ScriptedLine(transport="ssh")
        visit = house.call(line, Newcomer(KEY))
        for name, why in (("a1ice", "looks like"), ("sysop", "is reserved"), ("x", "has 2 to 24"), ("a b", "can't be")):
            await line.until("Name:")
            line.type(name, "enter")
            await line.until(why)
        line.press("escape")
        await visit
        assert "No account was made. Good-bye." in line.text


async def test_a_key_that_is_known_is_let_in_as_whose_it_is(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path) as house:
        account = house.enrol("alice")
        with house.database.begin() as conn:
            keys.add(conn, account, keys.parse(KEY), now_ms=NOON_MS)
        line = ScriptedLine(transport="ssh")
        house.call(line, Newcomer(KEY))
        await line.until("Your key is registered already, as alice.")
        await line.until("Welcome back, alice.")


async def test_a_newcomer_who_thinks_better_of_it_is_back_at_the_log_in(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path) as house:
        line = ScriptedLine(private=True)
        house.call(line)
        await line.until("Login:")
        line.type("new", "enter")
        await line.until("Name:")
        line.press("escape")
        await line.until("Name:\nLogin:")
        line.type("new", "enter")
        line.type("alice", "enter")
        line.press("y")
        await line.until("Password:")
        line.press("escape")
        await line.until("Password:\nLogin:")
        with house.database.connect() as conn:
            assert not accounts.all_accounts(conn)


@pytest.mark.parametrize(
    ("settings", "line", "says"),
    [
        ({"registration": Policy.CLOSED}, {"private": True}, "Nobody can register here by themselves"),
        ({}, {"private": False}, "Register by ssh: ssh new@HOST"),
    ],
)
async def test_where_nobody_can_register(
    migrated: Path, tmp_path: Path, settings: dict[str, Any], line: dict[str, Any], says: str
) -> None:
    async with a_house(migrated, tmp_path, **settings) as house:
        scripted = ScriptedLine(**line)
        house.call(scripted)
        await scripted.until("Login:")
        assert "new to register" not in scripted.text
        scripted.type("new", "enter")
        await scripted.until(says)
        await scripted.until("\nLogin:")


async def test_an_address_makes_only_so_many_accounts(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path) as house:
        registrations = house.board.desk._registrar._registrations
        for number in range(BURST):
            await registrations.register(f"agent-{number:03}", "192.0.2.7", password_hash="x", now_ms=NOON_MS)
        line = ScriptedLine(transport="ssh", address="192.0.2.7")
        await house.call(line, Newcomer(KEY))
        assert "Many accounts were made from your address" in line.text


async def test_an_invite_is_asked_for_first_and_spent(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, registration=Policy.INVITE) as house:
        with house.database.begin() as conn:
            code = invites.mint(conn, None, now_ms=NOON_MS)
        line = ScriptedLine(transport="ssh")
        house.call(line, Newcomer(KEY))
        await line.until("Invite:")
        line.press("enter")
        line.type("AAAAA-AAAAA-AAAAA-AAAAA", "enter")
        await line.until("This invite is not good")
        line.type(code.lower(), "enter")
        await line.until("Name:")
        line.type("alice", "enter")
        line.press("y", "enter")
        await line.until("You are registered as alice.")
        with house.database.connect() as conn:
            assert not invites.open_invites(conn, now_ms=NOON_MS)


async def test_without_an_invite_nothing_is_made(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, registration=Policy.INVITE) as house:
        line = ScriptedLine(transport="ssh")
        visit = house.call(line, Newcomer(KEY))
        await line.until("Invite:")
        line.press("escape")
        await visit
        assert "No account was made." in line.text
