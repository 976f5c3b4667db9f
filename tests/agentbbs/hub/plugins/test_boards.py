"""Whole visits to the message boards.

After a change of the screens that is meant: `AGENTBBS_WRITE_SCREENS=1 pytest …`, and look at the difference.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.agentbbs.hub.house import NOON_MS, House
from tests.agentbbs.hub.lines import ScriptedLine
from tests.agentbbs.hub.plugins.visiting import PROBE, TERMINALS, a_board, assert_golden, go, write

from agentbbs.calls.identity import Guest, Member
from agentbbs.calls.line import Size
from agentbbs.store import accounts, boards, moderation
from agentbbs.store.boards import Level, Reader
from agentbbs.store.database import Database


def post(house: House, name: str, subject: str, *bodies: str, area: int = 1) -> int:
    """A thread of these posts, by an account that may be new; gives its id."""
    with house.database.begin() as conn:
        try:
            account = accounts.find(conn, name)
        except accounts.NoSuchAccount:
            account = accounts.add(conn, name, now_ms=NOON_MS)
        reader = Reader(account.id, Level.MEMBER)
        thread = boards.start_thread(conn, reader, area, subject, bodies[0], now_ms=NOON_MS).thread
        for body in bodies[1:]:
            boards.reply(conn, reader, thread, body, now_ms=NOON_MS)
    return thread


def member(house: House, name: str) -> Member:
    """An account that is there already."""
    with house.database.connect() as conn:
        account = accounts.find(conn, name)
    return Member(account.id, account.name, account.sysop)


@pytest.mark.parametrize("name", TERMINALS)
async def test_one_posts_and_another_reads_and_answers(name: str, migrated: Path, tmp_path: Path) -> None:
    screens: list[str] = []
    async with a_board(migrated, tmp_path) as house:
        ann = await house.at_menu(house.member("ann"), TERMINALS[name]())
        bob = await house.at_menu(house.member("bob"), TERMINALS[name]())
        await go(ann, "b")
        await go(ann, "1", "enter")
        await go(ann, "w", until="Subject:")
        await go(ann, "Größe & rules", "enter", until="1: ")
        screens.append(await write(ann, "Is ½ a point a draw?", "", "> as somebody said", "Bye"))
        screens.append(await go(bob, "b"))
        screens.append(await go(bob, "1", "enter"))
        screens.append(await go(bob, "1", "enter"))
        await go(bob, "r", until="Quote ann? [y/N]")
        await go(bob, "y", until="5: ")
        screens.append(bob.text)
        screens.append(await write(bob, "It is."))
        assert "Your answer is posted." in bob.text
        screens.append(await go(bob, "n"))
        assert "post 2 of 2" in bob.text
        assert "in answer to ann" in bob.text
        assert "AN> Is ½ a point a draw?" in bob.text
        screens.append(await go(bob, "n"))
        assert "That was the end of the thread." in bob.text
        await go(ann, "q")
        screens.append(ann.text)
        assert "1 new" in ann.text
        screens.append(await go(ann, "n"))
        assert "new post 1 of 1" in ann.text
        assert "It is." in ann.text
        screens.append(await go(ann, "", "enter"))
        assert "Nothing more is new." in ann.text
        assert "0 new" in ann.text
        if name == "plain":
            assert b"\x1b" not in (ann.sent + bob.sent).replace(PROBE, b"")
    assert_golden(f"boards-{name}", screens)


async def test_a_guest_reads_and_does_not_write(migrated: Path, tmp_path: Path) -> None:
    async with a_board(migrated, tmp_path) as house:
        post(house, "ann", "Hello", "one", "two")
        guest = await house.at_menu(Guest())
        assert "read all new" not in await go(guest, "b")
        assert "write" not in await go(guest, "1", "enter")
        screen = await go(guest, "1", "enter")
        assert "post 1 of 2" in screen
        assert "one" in screen
        assert "reply" not in screen
        guest.type("rdulmx")
        assert "post 2 of 2" in await go(guest, "n")


async def test_what_was_read_is_no_more_new_and_what_was_skipped_is(migrated: Path, tmp_path: Path) -> None:
    async with a_board(migrated, tmp_path) as house:
        post(house, "ann", "First", "a1", "a2", "a3")
        post(house, "ann", "Second", "b1")
        post(house, "ann", "Third", "c1", area=2)
        bob = await house.at_menu(house.member("bob"))
        assert "5 new" in await go(bob, "b")
        assert "new post 1 of 5" in await go(bob, "n")
        assert "a2" in await go(bob, "n")
        assert "3 new" in await go(bob, "q")
        await go(bob, "1", "enter")
        assert "post 3 of 3" in await go(bob, "2", "enter"), "a thread opens at what is new in it"
        assert "b1" in await go(bob, "u"), "then the next thread of the area"
        assert "c1" in await go(bob, "u"), "then the next area"
        assert "Nothing more is new." in await go(bob, "u")
        assert "0 new" in await go(bob, "q")
        # What somebody opens in the middle leaves what is before it new.
        post(house, "ann", "Fourth", "d1", "needle d2", "d3")
        await go(bob, "s", until="Find in")
        await go(bob, "needle", "enter")
        assert "found 1 of 1" in await go(bob, "1", "enter")
        assert "post 2 of 3" in await go(bob, "t")
        assert "d3" in await go(bob, "n")
        await go(bob, "q")
        await go(bob, "q")
        assert "3 new" in await go(bob, "q")
        assert "Everything here counts as read" in await go(bob, "c")
        assert "0 new" in bob.text


async def test_one_deletes_what_one_wrote_and_nothing_else(migrated: Path, tmp_path: Path) -> None:
    async with a_board(migrated, tmp_path) as house:
        post(house, "ann", "Hello", "mine")
        thread = post(house, "bob", "Other", "his")
        ann = await house.at_menu(member(house, "ann"))
        await go(ann, "b")
        await go(ann, "1", "enter")
        assert "D: delete" not in await go(ann, "1", "enter")
        await go(ann, "q")
        assert "D: delete" in await go(ann, "2", "enter")
        await go(ann, "d", until="[y/N]")
        assert "It stays." in await go(ann, "n")
        await go(ann, "d", until="[y/N]")
        screen = await go(ann, "y")
        assert "(This post was deleted on 2026-01-01 12:00 UTC.)" in screen
        assert "mine" not in screen
        assert "D: delete" not in screen
        with house.database.connect() as conn:
            assert boards.posts(conn, Reader(), thread)[0].body == "his"


async def test_a_sysop_moderates(migrated: Path, tmp_path: Path) -> None:
    async with a_board(migrated, tmp_path) as house:
        thread = post(house, "ann", "Hello", "rude", "fine")
        boss = await house.at_menu(house.member("boss", sysop=True))
        ann = await house.at_menu(member(house, "ann"))
        await go(boss, "b")
        await go(boss, "1", "enter")
        await go(boss, "1", "enter")
        await go(boss, "d", until="[y/N]")
        await go(boss, "y", until="Reason")
        assert "The post is deleted." in await go(boss, "rude", "enter")
        assert "The thread is locked." in await go(boss, "l")
        await go(ann, "b")
        await go(ann, "1", "enter")
        assert "(locked)" in ann.text
        screen = await go(ann, "1", "enter")
        assert "(the thread is locked)" in screen
        assert "reply" not in screen
        assert "R: reply" in boss.text
        assert "The thread is open again." in await go(boss, "l")
        await go(boss, "m", until="which area")
        assert "moved to Games" in await go(boss, "1", "enter")
        assert "Games: Hello" in boss.text
        await go(boss, "x", until="[y/N]")
        await go(boss, "y", until="Reason")
        assert "(nothing)" in await go(boss, "", "enter")
        assert "That was the end of the thread." in await go(ann, "n"), "it went while ann was reading it"
        with house.database.connect() as conn, pytest.raises(boards.NoSuchThread):
            boards.thread(conn, Reader(), thread)
        await go(boss, "q")
        await go(boss, "a", until="Name of the area")
        await go(boss, "Doors", "enter", until="What it is about")
        assert "The area is open: Doors" in await go(boss, "Door games", "enter")


async def test_a_text_that_is_not_taken_comes_back_to_its_writer(migrated: Path, tmp_path: Path) -> None:
    async with a_board(migrated, tmp_path) as house:
        thread = post(house, "ann", "Hello", "one")
        boss = house.member("boss", sysop=True)
        bob = await house.at_menu(house.member("bob"))
        await go(bob, "b")
        await go(bob, "1", "enter")
        await go(bob, "1", "enter")
        await go(bob, "r", until="[y/N]")
        await go(bob, "n", until="1: ")
        with house.database.begin() as conn:
            moderation.lock_thread(conn, Reader(boss.account, Level.SYSOP), thread, now_ms=NOON_MS)
        await write(bob, "a long answer", until="try again? [Y/n]")
        assert "The sysop has closed this thread" in bob.text
        await go(bob, "y", until="2: ")
        assert "1: a long answer" in bob.text
        await go(bob, "/a", "enter", until="[y/N]")
        assert "Nothing was written." in await go(bob, "y")


async def test_what_was_posted_is_there_for_the_next_venue(migrated: Path, tmp_path: Path) -> None:
    async with a_board(migrated, tmp_path) as house:
        ann = await house.at_menu(house.member("ann"))
        await go(ann, "b")
        await go(ann, "2", "enter")
        await go(ann, "w", until="Subject:")
        await go(ann, "Kept", "enter", until="1: ")
        await write(ann, "for good", until="Your thread is posted")
        copy = tmp_path / "copy.db"
        # What is on the disk at this moment, as a kill would leave it.
        for end in ("", "-wal"):
            (tmp_path / f"copy.db{end}").write_bytes((tmp_path / f"house.db{end}").read_bytes())
        with Database(f"sqlite:///{copy}") as other, other.connect() as conn:
            assert boards.threads(conn, Reader(), 2)[0].subject == "Kept"


async def test_a_long_post_is_paged_and_a_small_plain_terminal_will_do(migrated: Path, tmp_path: Path) -> None:
    async with a_board(migrated, tmp_path) as house:
        post(house, "ann", "Long " * 10, "\n".join(f"row {number}" for number in range(30)))
        for number in range(20):
            post(house, "ann", f"Thread {number}", "x")
        line = ScriptedLine(terminal="dumb", answers=False, size=Size(40, 12), transport="ssh")
        house.call(line, house.member("bob"))
        await line.until("[Hit a key]")
        await go(line, "x", until="-- More --")
        bob = line
        await go(bob, "c", until="Main menu:")
        await go(bob, "b")
        await go(bob, "1", "enter")
        assert "Thread 19" in bob.text
        await go(bob, ">")
        await go(bob, ">")
        assert "Thread 9" in bob.text
        await go(bob, "21", "enter", until="-- More --")
        await go(bob, " ", until="-- More --")
        await go(bob, "c")
        assert "row 29" in bob.text
        assert all(len(row) < 40 for row in bob.text.split("\n"))


async def test_others_see_what_a_reader_does(migrated: Path, tmp_path: Path) -> None:
    async with a_board(migrated, tmp_path) as house:
        post(house, "ann", "Hello", "one")
        bob = await house.at_menu(house.member("bob"))
        for typed, doing in (("b", "at the boards"), ("1\r", "at the boards: General"), ("1\r", "reading in General")):
            await go(bob, typed)
            assert [present.doing for present in house.board.presence.everyone()] == [doing]
