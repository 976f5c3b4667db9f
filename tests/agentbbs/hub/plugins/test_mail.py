"""Letters from one caller to another."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.agentbbs.hub.house import NOON_MS
from tests.agentbbs.hub.plugins.visiting import TERMINALS, a_board, assert_golden, go, write

from agentbbs.calls.identity import Guest
from agentbbs.store import accounts, mail


@pytest.mark.parametrize("name", TERMINALS)
async def test_a_letter_is_written_noticed_read_and_answered(name: str, migrated: Path, tmp_path: Path) -> None:
    screens: list[str] = []
    async with a_board(migrated, tmp_path) as house:
        ann = await house.at_menu(house.member("ann"), TERMINALS[name]())
        bob = await house.at_menu(house.member("bob"), TERMINALS[name]())
        await go(bob, "b")
        await go(ann, "m")
        await go(ann, "w", until="To:")
        await go(ann, "BOB", "enter", until="Subject:")
        await go(ann, "Größe", "enter", until="1: ")
        mark = bob.mark()
        screens.append(await write(ann, "How are you?", "½ well?"))
        assert "Your letter is sent to bob" in ann.text
        await bob.until("New mail from ann: Größe", since=mark)
        screens.append(bob.text)
        await go(bob, "q", until="Main menu:")
        assert "Mail 1" in bob.text
        screens.append(await go(bob, "m"))
        assert "1 unread" in bob.text
        screens.append(await go(bob, "n"))
        await go(bob, "r", until="[y/N]")
        await go(bob, "y", until="3: ")
        assert "1: AN> How are you?" in bob.text
        await write(bob, "Well.")
        assert "0 unread" in await go(bob, "q")
        assert "Re: Größe" in await go(bob, "s")
        assert "1 unread" in await go(ann, "s"), "the list is fetched anew"
        await go(ann, "i")
        screens.append(await go(ann, "1", "enter"))
        assert "Well." in ann.text
        await go(ann, "d", until="[y/N]")
        assert "That was the last letter." in await go(ann, "y")
        assert "(nothing)" in ann.text
    assert_golden(f"mail-{name}", screens)


async def test_the_beginning_of_a_name_or_nearly_the_name_will_do(migrated: Path, tmp_path: Path) -> None:
    async with a_board(migrated, tmp_path) as house:
        ann = await house.at_menu(house.member("ann"))
        for name in ("marvin", "martha", "zaphod"):
            house.enrol(name)
        await go(ann, "m")
        await go(ann, "w", until="To:")
        await go(ann, "zap", "enter", until="Do you mean zaphod?")
        await go(ann, "n", until="To:")
        await go(ann, "zafod", "enter", until="Do you mean zaphod?")
        await go(ann, "n", until="To:")
        await go(ann, "xxxxxx", "enter", until="Nobody here is called xxxxxx")
        await go(ann, "mar", "enter", until="Whom do you mean?")
        await go(ann, "2", "enter", until="Subject:")
        await go(ann, "Hello", "enter", until="To marvin: Hello")
        await write(ann, "x")
        with house.database.connect() as conn:
            assert mail.count_unread(conn, accounts.find(conn, "marvin").id) == 1


async def test_new_letters_are_read_oldest_first(migrated: Path, tmp_path: Path) -> None:
    async with a_board(migrated, tmp_path) as house:
        bob = house.member("bob")
        with house.database.begin() as conn:
            for number in (1, 2, 3):
                mail.send(conn, None, "bob", f"letter {number}", f"text {number}", now_ms=NOON_MS)
        line = await house.at_menu(bob)
        await go(line, "m")
        screen = await go(line, "n")
        assert "text 1" in screen
        assert "From (house)" in screen
        assert "R: reply" not in screen, "the house takes no answer"
        assert "text 2" in await go(line, "", "enter")
        assert "text 1" in await go(line, "p")
        assert "That is the first." in await go(line, "p")
        assert "1 unread" in await go(line, "q")


async def test_a_full_mailbox_gives_the_letter_back(
    migrated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail, "MAX_UNREAD_FROM_ONE", 0)
    async with a_board(migrated, tmp_path) as house:
        house.enrol("bob")
        ann = await house.at_menu(house.member("ann"))
        await go(ann, "m")
        await go(ann, "w", until="To:")
        await go(ann, "bob", "enter", until="Subject:")
        await go(ann, "Hello", "enter", until="1: ")
        await write(ann, "important", until="try again? [Y/n]")
        assert "unread letters of yours: wait for an answer." in " ".join(ann.text.split())
        await go(ann, "y", until="1: important")
        await go(ann, "/a", "enter", until="[y/N]")
        assert "Nothing was sent." in await go(ann, "y")


async def test_a_guest_has_no_mail(migrated: Path, tmp_path: Path) -> None:
    async with a_board(migrated, tmp_path) as house:
        guest = await house.at_menu(Guest())
        assert "Mail" not in guest.text


async def test_giving_up_sends_nothing(migrated: Path, tmp_path: Path) -> None:
    async with a_board(migrated, tmp_path) as house:
        house.enrol("bob")
        ann = await house.at_menu(house.member("ann"))
        await go(ann, "m")
        await go(ann, "w", until="To:")
        assert "Nothing was sent." in await go(ann, "", "ctrl-c")
        await go(ann, "w", until="To:")
        await go(ann, "bob", "enter", until="Subject:")
        assert "Nothing was sent." in await go(ann, "", "enter")
        with house.database.connect() as conn:
            assert mail.sent(conn, accounts.find(conn, "ann").id) == ()
