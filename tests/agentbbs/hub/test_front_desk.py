"""Log-ins: what is asked, what is shown, and what never is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from tests.agentbbs.hub.house import NOON_MS, VISIT_S, House, a_house
from tests.agentbbs.hub.lines import ScriptedLine

from agentbbs.calls.identity import Guest, Identity, Member, Offered
from agentbbs.store import accounts, bans
from agentbbs.store.login_guard import PAIR_BURST

PASSWORD = "correct horse"
OTHER = "battery staple"


@pytest.fixture
async def house(migrated: Path, tmp_path: Path) -> AsyncIterator[House]:
    async with a_house(migrated, tmp_path) as house:
        house.enrol("Alice", PASSWORD)
        yield house


def telnet(**how: Any) -> ScriptedLine:
    return ScriptedLine(**{"private": True, **how})


async def test_name_and_password(house: House) -> None:
    line = telnet()
    house.call(line)
    await line.until("Login:")
    line.type("alice", "enter")
    await line.until("Password:")
    line.type(PASSWORD, "enter")
    await line.until("Welcome back, Alice.")
    assert PASSWORD.encode() not in line.sent
    assert [(one.name, one.account, one.node) for one in house.board.presence.everyone()] == [("Alice", 1, 1)]


async def test_a_blind_client_never_shows_its_password(house: House) -> None:
    line = telnet()
    line.feed(b"nobody\rhunter2 hunter2\r")
    house.call(line)
    await line.until("Invalid Logon")
    assert b"hunter2" not in line.sent


async def test_nothing_tells_a_name_that_nobody_has_from_a_wrong_password(house: House) -> None:
    sent = []
    for name in ("alice", "nobody", "no such name at all!"):
        line = telnet()
        house.call(line)
        await line.until("Login:")
        mark = line.mark()
        line.type(name, "enter")
        line.type("wrong password", "enter")
        await line.until("Invalid Logon\nLogin:")
        sent.append(line.since(mark).replace(name, "NAME"))
    assert len(set(sent)) == 1


async def test_three_wrong_tries_end_the_call(house: House) -> None:
    line = telnet()
    visit = house.call(line)
    for number in range(3):
        await line.until("Login:")
        line.type(f"nobody-{number}", "enter")
        await line.until(f"nobody-{number}\nPassword:")
        line.type(OTHER, "enter")
        await line.until(f"Login: nobody-{number}\nPassword: **************\n\nInvalid Logon")
    await asyncio.wait_for(visit, VISIT_S)
    assert line.text.rstrip().endswith("Good-bye.")
    assert not house.board.presence.everyone()
    assert house.board.nodes.free == 8


async def test_what_was_typed_ahead_of_a_wrong_log_in_is_dropped(house: House) -> None:
    line = telnet()
    house.call(line)
    await line.until("Login:")
    line.type("nobody", "enter")
    line.type(OTHER, "enter")
    line.type("one more secret", "enter")
    await line.until("Invalid Logon\nLogin:")
    assert b"one more secret" not in line.sent


async def test_names_left_out_without_end_end_the_call(house: House) -> None:
    line = telnet()
    line.feed(b"\r" * 10)
    await house.call(line)
    assert line.hung_up


async def test_too_many_failures_are_slowed_down(house: House) -> None:
    for _ in range(PAIR_BURST):
        await house.board.passwords.check("alice", "wrong", "127.0.0.1")
    line = telnet()
    visit = house.call(line)
    await line.until("Login:")
    line.type("alice", "enter")
    line.type(PASSWORD, "enter")
    await line.until("Too many tries have failed. Wait")
    await asyncio.wait_for(visit, VISIT_S)
    assert not house.board.presence.everyone()


async def test_a_password_is_not_asked_for_where_somebody_may_listen(house: House) -> None:
    line = telnet(private=False, address="192.0.2.7")
    visit = house.call(line)
    await line.until("Passwords are not taken in the clear from your address. Members call by ssh:\nssh NAME@HOST")
    for _ in range(3):
        line.type("alice", "enter")
    await asyncio.wait_for(visit, VISIT_S)
    assert "Password:" not in line.since(0)
    line = telnet(private=False, address="192.0.2.7")
    house.call(line)
    line.type("guest", "enter")
    await line.until("You are a guest")


@pytest.mark.parametrize("identity", [Guest(), None])
async def test_a_guest_looks_around(house: House, identity: Identity | None) -> None:
    line = telnet()
    house.call(line, identity)
    if identity is None:
        await line.until("Login:")
        line.type("GUEST", "enter")
    await line.until("Welcome. You are a guest")
    assert [(one.name, one.account) for one in house.board.presence.everyone()] == [("guest", None)]


async def test_rlogin_brings_name_and_password(house: House) -> None:
    line = telnet(transport="rlogin")
    house.call(line, Offered("alice", PASSWORD))
    await line.until("Welcome back, Alice.")
    assert PASSWORD.encode() not in line.sent


async def test_a_wrong_password_by_rlogin_is_asked_for_twice_more(house: House) -> None:
    line = telnet(transport="rlogin")
    visit = house.call(line, Offered("alice", "wrong"))
    await line.until("Invalid Logon\n\nPassword:")
    line.type("wrong again", "enter")
    await line.until("Password: ***********\n\nInvalid Logon\n\nPassword:")
    line.type(PASSWORD, "enter")
    await line.until("Welcome back, Alice.")
    line.drop()
    await asyncio.wait_for(visit, VISIT_S)


async def test_the_third_wrong_password_by_rlogin_ends_the_call(house: House) -> None:
    line = telnet(transport="rlogin")
    visit = house.call(line, Offered("alice", "wrong"))
    await line.until("Password:")
    line.type("wrong-2", "enter")
    await line.until("*******\n\nInvalid Logon\n\nPassword:")
    line.type("wrong-3", "enter")
    await asyncio.wait_for(visit, VISIT_S)
    assert line.since(0).count("Invalid Logon") == 3
    assert line.since(0).count("Password:") == 2


async def test_a_swapped_log_in_shows_and_logs_nothing(house: House) -> None:
    """The password where the name belongs, and the other way round."""
    line = telnet(transport="rlogin")
    with structlog.testing.capture_logs() as logs:
        visit = house.call(line, Offered(PASSWORD, "alice"))
        await line.until("Password:")
        line.type("alice", "enter")
        await line.until("*****\n\nInvalid Logon\n\nPassword:")
        line.press("escape")
        await asyncio.wait_for(visit, VISIT_S)
    for secret in (PASSWORD, "alice"):
        assert secret not in line.since(0)
        assert secret not in str(logs)


async def test_a_sysop_is_one_over_ssh_alone(house: House) -> None:
    house.enrol("boss", OTHER, sysop=True)
    over_rlogin = telnet(transport="rlogin")
    house.call(over_rlogin, Offered("boss", OTHER))
    await over_rlogin.until("Welcome back")
    over_ssh = ScriptedLine(transport="ssh")
    house.call(over_ssh, Member(2, "boss", True))
    await over_ssh.until("Welcome back")
    assert [one.sysop for one in house.board.presence.everyone()] == [False, True]


async def test_a_banned_account_is_told_why(house: House) -> None:
    with house.database.begin() as conn:
        bans.ban_account(conn, None, "Alice", reason="She shouts.", now_ms=NOON_MS)
    line = telnet(transport="rlogin")
    await house.call(line, Offered("alice", PASSWORD))
    assert "Your account is banned from this board: She shouts." in line.text


async def test_a_banned_address_does_not_get_a_node(house: House) -> None:
    with house.database.begin() as conn:
        bans.ban_network(conn, None, "192.0.2.0/24", reason="Too many calls.", now_ms=NOON_MS)
    line = telnet(address="192.0.2.7")
    await house.call(line)
    assert line.text.strip() == "Your address is banned from this board: Too many calls."


async def test_an_account_that_was_removed_since_is_turned_away(house: House) -> None:
    with house.database.begin() as conn:
        accounts.remove(conn, "alice", now_ms=NOON_MS)
    line = ScriptedLine(transport="ssh")
    await house.call(line, Member(1, "Alice"))
    assert "Your account was removed." in line.text
