"""The main menu: its keys, its looks, and the way back to it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st
from tests.agentbbs.hub.house import a_house
from tests.agentbbs.hub.lines import ScriptedLine
from tests.agentbbs.hub.plugs import Plug

from agentbbs.calls.identity import Guest
from agentbbs.calls.line import LineGone, Size
from agentbbs.hub import menu
from agentbbs.hub.catalog import Broken
from agentbbs.hub.plugin import Access
from agentbbs.hub.text import plain
from agentbbs.hub.visit import Visit


def test_a_plugin_gets_the_key_that_it_would_like() -> None:
    entries = menu.entries([Plug("boards", "b"), Plug("mail", "M")])
    assert [(entry.key, entry.plugin.id) for entry in entries] == [("B", "boards"), ("M", "mail")]


def test_a_key_that_is_taken_becomes_a_letter_of_the_title() -> None:
    entries = menu.entries([Plug("boards", "B"), Plug("bulletins", "B"), Plug("quit", "Q")])
    assert [(entry.key, entry.plugin.id) for entry in entries] == [("B", "boards"), ("U", "bulletins"), ("I", "quit")]


@given(
    st.lists(st.tuples(st.text("ABQ1", min_size=1, max_size=1), st.text("ab!", min_size=1, max_size=3)), max_size=40)
)
def test_every_key_leads_to_one_place(wishes: list[tuple[str, str]]) -> None:
    plugs = [Plug(f"p{number}", key, title=title) for number, (key, title) in enumerate(wishes)]
    keys = [entry.key for entry in menu.entries(plugs)]
    assert len(set(keys)) == len(keys) == min(len(plugs), 35)
    assert menu.LOG_OFF not in keys


@pytest.mark.parametrize(("columns", "across"), [(39, 1), (79, 2), (131, 3), (250, 3)])
def test_the_menu_fits_the_screen(columns: int, across: int) -> None:
    mine = {entry.key: entry.plugin for entry in menu.entries(Plug(f"plug{number}", "A") for number in range(9))}
    lines = [plain(line) for line in menu.lines(mine, columns)]
    assert max(map(len, lines)) <= columns
    assert lines[2].count("[") == across


ALL = (
    Plug("boards", "B"),
    Plug("profile", "P", access=Access.MEMBER),
    Plug("sysop", "S", access=Access.SYSOP),
)


async def test_everybody_sees_what_is_theirs(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=ALL, broken=[Broken("fortune", "ImportError")]) as house:
        guest = await house.at_menu(Guest())
        member = await house.at_menu(house.member("alice"))
        sysop = await house.at_menu(house.member("boss", sysop=True))
        plain_line = ScriptedLine(transport="telnet", private=True)
        over_telnet = await house.at_menu(house.member("cosy-boss", sysop=True), plain_line)
        assert "Boards" in guest.text
        assert "Profile" not in guest.text
        assert "Out of order" not in guest.text
        assert "Profile" in member.text
        assert "Out of order: fortune" in member.text
        assert "Sysop" not in member.text
        assert "For sysops\n [S] Sysop" in sysop.text
        assert "Sysop" not in over_telnet.text
        member.press("s", "?")
        await member.until("Main menu: ?", since=0)


async def test_the_header_tells_where_one_is(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=ALL) as house:
        line = await house.at_menu(house.member("alice"))
        first = line.text.split("\n")[0]
        assert first.split() == ["AgentBBS", "alice", "Node", "1", "1", "here", "12:00", "UTC"]


async def test_log_off_is_asked_about(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=ALL) as house:
        line = await house.at_menu(house.member("alice"))
        line.press("q", "n")
        await line.until("Log off? [Y/n] No\nMain menu:")
        line.press("Q", "enter")
        await line.until("Good-bye, alice.")
        await line.until_gone()


async def _raises(_visit: Visit) -> None:
    raise RuntimeError("the deck is empty")


async def _leaves(_visit: Visit) -> None:
    sys.exit(3)


async def _group(_visit: Visit) -> None:
    raise ExceptionGroup("both", [ValueError("one"), KeyError("two")])


async def _cancelled(_visit: Visit) -> None:
    task = asyncio.create_task(asyncio.sleep(9))
    task.cancel()
    await task


@pytest.mark.parametrize("does", [_raises, _leaves, _group, _cancelled])
async def test_a_plugin_that_fails_brings_its_caller_back(
    migrated: Path, tmp_path: Path, does: Callable[[Visit], Awaitable[object]]
) -> None:
    async with a_house(migrated, tmp_path, plugins=[Plug("fortune", "F", does=does)]) as house:
        line = await house.at_menu(house.member("alice"))
        with structlog.testing.capture_logs() as logs:
            line.press("f")
            await line.until("Fortune is out of order. The sysop finds the reason in the log.")
        assert [(one["event"], one["plugin"]) for one in logs] == [("plugin_failed", "fortune")]
        line.press("x")
        await line.until("Main menu:")


async def test_a_line_that_goes_in_a_task_of_a_plugin_is_no_fault_of_it(migrated: Path, tmp_path: Path) -> None:
    async def tasks(visit: Visit) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(visit.caller.key())
            visit.caller.say("Reading.")

    async with a_house(migrated, tmp_path, plugins=[Plug("chat", "C", does=tasks)]) as house:
        line = ScriptedLine(transport="ssh")
        identity = house.member("alice")
        visit = house.call(line, identity)
        await line.until("[Hit a key]")
        line.press("x", "c")
        await line.until("Reading.")
        with structlog.testing.capture_logs() as logs:
            line.drop()
            await visit
        assert "plugin_failed" not in [one["event"] for one in logs]


async def test_what_somebody_does_is_seen(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=ALL) as house:
        line = await house.at_menu(house.member("alice"))
        assert [one.doing for one in house.board.presence.everyone()] == ["at the main menu"]
        line.press("b")
        await line.until("This is Boards.")
        assert [one.doing for one in house.board.presence.everyone()] == ["in Boards"]


async def test_a_notice_comes_above_the_prompt(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=ALL) as house:
        line = await house.at_menu(house.member("alice"))
        house.board.presence.broadcast("The board closes at noon.")
        await line.until("The board closes at noon.\nMain menu:")


async def test_a_long_menu_pauses_on_a_low_screen(migrated: Path, tmp_path: Path) -> None:
    plugs = [Plug(f"plug{number}", "A") for number in range(30)]
    async with a_house(migrated, tmp_path, plugins=plugs) as house:
        line = ScriptedLine(transport="ssh", size=Size(40, 12))
        house.call(line, house.member("alice"))
        await line.until("[Hit a key]")
        line.press("x")
        await line.until("-- More --")
        line.press("q")
        await line.until("Main menu:")


def test_line_gone_is_named() -> None:
    assert isinstance(menu._first(BaseExceptionGroup("x", [BaseExceptionGroup("y", [LineGone("z")])])), LineGone)
