"""Whole visits, from the call to the good-bye, as golden screens; and every way in which one can end.

The screens are files under `screens/`. After a change that is meant, write them anew:
`AGENTBBS_WRITE_SCREENS=1 pytest tests/agentbbs/hub/test_board.py`, and look at the difference.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
import structlog
from tests.agentbbs.doors.playing import door_of
from tests.agentbbs.hub.house import NOON_MS, VISIT_S, House, a_house
from tests.agentbbs.hub.lines import ScriptedLine, settled
from tests.agentbbs.hub.plugs import Plug

from agentbbs.calls.identity import Guest, Member, Offered
from agentbbs.calls.line import Size
from agentbbs.hub.front_desk import PROOF_GONE
from agentbbs.hub.plugins.last_callers import PLUGIN as LAST_CALLERS
from agentbbs.hub.plugins.oneliners import PLUGIN as ONELINERS
from agentbbs.hub.plugins.online import PLUGIN as ONLINE
from agentbbs.hub.plugins.profile import PLUGIN as PROFILE
from agentbbs.hub.visit import Visit
from agentbbs.store import accounts, bans, credentials, keys, mail, oneliners, passwords, visits
from agentbbs.store.database import Database

SCREENS: Final = Path(__file__).parent / "screens"
HOUSE: Final = (ONLINE, ONELINERS, LAST_CALLERS, PROFILE)
PASSWORD: Final = "correct horse"
KEY: Final = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHdpvaPpLvUvjF1CFLEVsB5sVMVxBDmRsrjAbsSvsbRA"


async def golden_visit(house: House, line: ScriptedLine) -> list[str]:
    """What a visit of somebody who was here before shows, prompt by prompt."""
    screens: list[str] = []

    async def shows(text: str, mark: int = 0) -> None:
        await line.until(text, since=mark)
        await settled()
        screens.append(line.text)

    async def press(key: str, text: str) -> None:
        mark = line.mark()
        line.press(key)
        await shows(text, mark)

    visit = house.call(line)
    await shows("Login: ")
    line.type("älice", "enter")
    line.type("wrong password", "enter")
    await shows("Invalid Logon")
    line.type("alice", "enter")
    line.type(PASSWORD, "enter")
    await shows("[Hit a key]")
    await press("x", "Main menu: ")
    await press("w", "key (")
    await press("q", "Main menu: ")
    await press("o", "Key (")
    await press("q", "Main menu: ")
    await press("p", "Key (")
    await press("s", "Key (")
    await press("q", "Key (")
    await press("q", "Main menu: ")
    await press("q", "Log off?")
    line.press("enter")
    await asyncio.wait_for(visit, VISIT_S)
    screens.append(line.text)
    return screens


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("cp437", lambda: ScriptedLine(private=True, terminal="syncterm")),
        ("utf-8", lambda: ScriptedLine(private=True, terminal="xterm-256color")),
        ("utf-8-132x43", lambda: ScriptedLine(private=True, terminal="xterm", size=Size(132, 43))),
        ("plain-unknown", lambda: ScriptedLine(private=True, terminal="", answers=False)),
    ],
)
async def test_the_screens_of_a_visit(
    migrated: Path, tmp_path: Path, name: str, line: Callable[[], ScriptedLine]
) -> None:
    async with a_house(migrated, tmp_path, plugins=HOUSE, address_lines=("telnet bbs.example",)) as house:
        house.enrol("alice", PASSWORD)
        boss = house.member("bob")
        with house.database.begin() as conn:
            visits.end(conn, visits.begin(conn, 1, "alice", node=2, transport="ssh", now_ms=NOON_MS), now_ms=NOON_MS)
            mail.send(conn, 2, "alice", "Grüße", "Komm an Bord ☃", now_ms=NOON_MS)
            oneliners.write(conn, 2, "Grüße – \x1b[31m\u202eevil ☃", now_ms=NOON_MS)  # noqa: RUF001 - not in CP437
        await house.at_menu(boss)
        scripted = line()
        rule = "-" * scripted.size.columns
        shown = "".join(f"{screen.rstrip()}\n{rule}\n" for screen in await golden_visit(house, scripted))
    golden = SCREENS / f"visit-{name}.txt"
    if os.environ.get("AGENTBBS_WRITE_SCREENS"):
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")
    assert b"\x1b[31m" not in scripted.sent
    if not scripted.answers:
        first_prompt = scripted.sent.index(b"Login:")
        assert b"\x1b" not in scripted.sent[first_prompt:]


async def ended(visit: asyncio.Task[None]) -> None:
    await asyncio.wait_for(visit, VISIT_S)


async def test_a_first_visit_gets_a_tour_once(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path) as house:
        house.enrol("alice", PASSWORD, toured=False)
        for greeting in ("Welcome, alice. This is your first visit", "Welcome back, alice."):
            line = ScriptedLine(transport="rlogin", private=True)
            visit = house.call(line, Offered("alice", PASSWORD))
            await line.until(greeting)
            line.press("x", "q", "y")
            await ended(visit)


async def test_what_a_turned_away_caller_is_told_is_inert(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path) as house:
        with house.database.begin() as conn:
            bans.ban_network(conn, None, "192.0.2.7", reason="a \x1b[2J flood", now_ms=NOON_MS)
        line = ScriptedLine(address="192.0.2.7")
        await ended(house.call(line))
        assert b"\x1b" not in line.sent
        assert "a \\x1b[2J flood" in line.text


async def test_a_full_board_says_so(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, nodes=1) as house:
        first = ScriptedLine()
        visit = house.call(first)
        await first.until("Node 1 of 1")
        second = ScriptedLine()
        await ended(house.call(second))
        assert second.text.strip() == "Sorry, all 1 nodes are in use. Call again in a few minutes."
        first.drop()
        await ended(visit)
        third = ScriptedLine()
        house.call(third)
        await third.until("Node 1 of 1")


async def test_a_visit_is_recorded(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path) as house:
        identity = house.member("alice")
        line = await house.at_menu(identity)
        (while_here,) = await house.database.read(visits.last_callers)
        assert (while_here.name, while_here.node, while_here.transport, while_here.ended_ms) == (
            "alice",
            1,
            "ssh",
            None,
        )
        line.press("q", "y")
        await line.until_gone()
        await ended(next(iter(house._visits)))
        (after,) = await house.database.read(visits.last_callers)
        assert after.ended_ms == NOON_MS


async def test_a_hang_up_frees_the_node_and_ends_the_visit(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path) as house:
        line = ScriptedLine(transport="ssh")
        visit = house.call(line, house.member("alice"))
        await line.until("[Hit a key]")
        line.drop()
        await ended(visit)
        assert house.board.nodes.free == house.board.nodes.count
        assert not house.board.presence.everyone()
        assert [one.ended_ms for one in await house.database.read(visits.last_callers)] == [NOON_MS]


async def test_a_cancelled_visit_leaves_nothing(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path) as house:
        line = ScriptedLine(transport="ssh")
        visit = house.call(line, house.member("alice"))
        await line.until("[Hit a key]")
        visit.cancel()
        with pytest.raises(asyncio.CancelledError):
            await visit
        assert line.hung_up
        assert house.board.nodes.free == house.board.nodes.count
        assert [one.ended_ms for one in await house.database.read(visits.last_callers)] == [NOON_MS]


async def test_a_kick_reaches_its_caller_in_a_plugin(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[Plug("chat", "C")]) as house:
        line = ScriptedLine(transport="ssh")
        visit = house.call(line, house.member("alice"))
        await line.until("[Hit a key]")
        line.press("x", "c")
        await line.until("This is Chat.")
        house.board.presence.kick(1, "The sysop ends your visit: it is late")
        await ended(visit)
        assert "The sysop ends your visit: it is late" in line.text


async def test_who_was_removed_or_banned_is_expelled(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path) as house:
        alice = await house.at_menu(house.member("alice"))
        bob = await house.at_menu(house.member("bob"))
        boss = await house.at_menu(house.member("boss", sysop=True))
        carol = await house.at_menu(house.member("carol"))
        guest = await house.at_menu(Guest(), ScriptedLine(address="192.0.2.7"))
        with house.database.begin() as conn:
            accounts.remove(conn, "alice", now_ms=NOON_MS)
            bans.ban_account(conn, None, "bob", reason="He shouts.", now_ms=NOON_MS)
            bans.ban_network(conn, None, "192.0.2.7", reason="A flood.", now_ms=NOON_MS)
        await house.board.recheck()
        for line, why in (
            (alice, "Your account was removed."),
            (bob, "Your account is banned from this board: He shouts."),
            (guest, "Your address is banned from this board: A flood."),
        ):
            await line.until_gone()
            assert why in line.text
        assert not boss.gone
        assert not carol.gone


async def test_one_account_does_not_take_all_nodes(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, nodes_per_account=2) as house:
        identity = house.member("alice")
        for _ in range(2):
            await house.at_menu(identity)
        line = ScriptedLine(transport="ssh")
        await ended(house.call(line, identity))
        assert "You are on nodes 1, 2 already, which is the limit: log off there first." in line.text


async def test_callers_of_one_address_who_are_not_in_take_only_some_nodes(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, nodes_per_address=2) as house:
        house.enrol("alice", PASSWORD)
        first = ScriptedLine(address="192.0.2.7", private=True)
        house.call(first)
        await first.until("Login:")
        second = await house.at_menu(Guest(), ScriptedLine(address="192.0.2.7"))
        third = ScriptedLine(address="192.0.2.7")
        await ended(house.call(third))
        assert "Too many callers from your address are on the line." in third.text
        elsewhere = ScriptedLine(address="192.0.2.8")
        house.call(elsewhere)
        await elsewhere.until("Login:")
        first.type("alice", "enter")
        first.type(PASSWORD, "enter")
        await first.until("Welcome back")
        fourth = ScriptedLine(address="192.0.2.7")
        house.call(fourth)
        await fourth.until("Login:")
        assert not second.gone


async def test_callers_of_this_machine_are_not_counted(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, nodes_per_address=1) as house:
        for _ in range(3):
            line = ScriptedLine(address="::ffff:127.0.0.1")
            house.call(line)
            await line.until("Login:")


async def test_logging_in_for_ever_ends(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, log_in_limit_s=0.2) as house:
        line = ScriptedLine()
        await ended(house.call(line))
        assert "Logging in took too long." in line.text


async def test_who_is_still_at_the_log_in_is_asked_and_hung_up(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, log_in_idle_limit_s=0.2) as house:
        line = ScriptedLine()
        await ended(house.call(line))
        assert "Are you really there?" in line.since(0)
        assert "You have been inactive too long." in line.text


async def test_who_is_still_at_the_menu_is_hung_up(migrated: Path, tmp_path: Path) -> None:
    async def sleepy(visit: Visit) -> None:
        visit.caller.idle_limit_s = None

    async with a_house(migrated, tmp_path, plugins=[Plug("watch", "W", does=sleepy)], idle_limit_s=0.2) as house:
        line = ScriptedLine(transport="ssh")
        visit = house.call(line, house.member("alice"))
        line.press("x", "w")
        await ended(visit)
        assert "You have been inactive too long." in line.text


async def test_a_fault_of_the_house_is_logged_and_told(
    migrated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise OSError("the disk is full")

    async with a_house(migrated, tmp_path) as house:
        identity = house.member("alice")
        monkeypatch.setattr(Database, "write", broken)
        line = ScriptedLine(transport="ssh")
        with structlog.testing.capture_logs() as logs:
            await ended(house.call(line, identity))
        monkeypatch.undo()
        assert "Something went wrong here, and the visit has to end." in line.text.replace("\n", " ")
        assert "visit_failed" in [one["event"] for one in logs]
        assert house.board.nodes.free == house.board.nodes.count


async def test_straight_into_a_door(migrated: Path, tmp_path: Path) -> None:
    folder = tmp_path / "door"
    folder.mkdir()
    door = door_of(folder, "read -p 'In the door. ' -n 1; echo")
    async with a_house(migrated, tmp_path, doors=[door]) as house:
        house.enrol("alice", PASSWORD)
        line = ScriptedLine(transport="rlogin", private=True)
        visit = house.call(line, Offered("alice", PASSWORD), door="GAME")
        await line.until("In the door.")
        assert "Main menu" not in line.since(0)
        assert "AgentBBS" not in line.since(0)
        assert [one.doing for one in house.board.presence.everyone()] == ["in Game"]
        line.press("x")
        await ended(visit)
        assert "Main menu" not in line.since(0)


@pytest.mark.parametrize(("identity", "says"), [(None, "There is no such door here."), (Guest(), "Guests can't enter")])
async def test_not_into_a_door(migrated: Path, tmp_path: Path, identity: Guest | None, says: str) -> None:
    async with a_house(migrated, tmp_path) as house:
        line = ScriptedLine(transport="rlogin", private=True)
        await ended(house.call(line, identity or house.member("alice"), door="NONE"))
        assert says in line.text


async def test_two_callers_see_each_other(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path) as house:
        await house.at_menu(house.member("bob"))
        line = ScriptedLine(transport="ssh")
        house.call(line, house.member("alice"))
        await line.until("Here now: bob.")


async def test_who_came_in_by_an_old_password_or_key_is_expelled(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path) as house:
        account = house.enrol("alice", PASSWORD)
        with house.database.begin() as conn:
            key = credentials.add_key(conn, account, keys.parse(KEY), now_ms=NOON_MS)
        by_password = await house.at_menu(Offered("alice", PASSWORD), ScriptedLine(transport="rlogin", private=True))
        by_key = await house.at_menu(Member(account, "alice", proof=key.fingerprint))
        await house.board.recheck()
        assert not by_password.gone
        with house.database.begin() as conn:
            accounts.set_password_hash(conn, account, passwords.hash_password("battery staple"))
        await house.board.recheck()
        await by_password.until_gone()
        assert PROOF_GONE in by_password.text
        assert not by_key.gone
        with house.database.begin() as conn:
            credentials.remove_key(conn, account, key.id, now_ms=NOON_MS)
        await house.board.recheck()
        await by_key.until_gone()
        late = ScriptedLine(transport="ssh")
        await ended(house.call(late, Member(account, "alice", proof=key.fingerprint)))
        assert PROOF_GONE in late.text


async def test_who_is_still_at_the_log_in_has_less_time_when_many_nodes_are_taken(
    migrated: Path, tmp_path: Path
) -> None:
    async with a_house(migrated, tmp_path, nodes=2, crowded_log_in_idle_limit_s=0.2) as house:
        first = ScriptedLine()
        visit = house.call(first)
        await first.until("Login:")
        assert not visit.done()
        inside = await house.at_menu(house.member("alice"))
        await ended(visit)
        assert "You have been inactive too long." in first.text
        assert not inside.gone
