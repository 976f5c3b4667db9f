"""Several callers in the chat, and a word to one who is elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.agentbbs.hub.house import House
from tests.agentbbs.hub.lines import ScriptedLine, settled
from tests.agentbbs.hub.plugins.visiting import PROBE, TERMINALS, a_board, assert_golden, go

from agentbbs.calls.identity import Guest
from agentbbs.hub.chat_rooms import MAX_LINES


async def in_chat(house: House, name: str, line: ScriptedLine | None = None) -> ScriptedLine:
    """A new member in the main room."""
    line = await house.at_menu(house.member(name), line)
    await go(line, "c", until="main> ")
    return line


@pytest.mark.parametrize("name", TERMINALS)
async def test_two_talk(name: str, migrated: Path, tmp_path: Path) -> None:
    screens: list[str] = []
    async with a_board(migrated, tmp_path) as house:
        ann = await in_chat(house, "ann", TERMINALS[name]())
        await go(ann, "Anybody here? Größe!", "enter", until="<ann> Anybody here? Größe!")
        bob = await in_chat(house, "bob", TERMINALS[name]())
        screens.append(bob.text)
        assert "12:00 <ann> Anybody here? Größe!" in bob.text
        assert "In main: ann, bob" in bob.text
        await ann.until("--> bob joined main")
        # What comes while somebody types shows above it, and what was typed stays.
        ann.type("half a li")
        await go(bob, "Hi ann, " + "this is a long line " * 5, "enter", until="main> ")
        await ann.until("<bob> Hi ann")
        await ann.until("main> half a li")
        await go(ann, "ne", "enter", until="<ann> half a line")
        await bob.until("<ann> half a line")
        await go(bob, "/me waves", "enter", until="* bob waves")
        await ann.until("* bob waves")
        await go(ann, "//join is a command", "enter", until="<ann> /join is a command")
        screens += [ann.text, bob.text]
        await go(bob, "/quit", "enter", until="Main menu:")
        await ann.until("<-- bob left main")
        if name == "plain":
            assert b"\x1b" not in (ann.sent + bob.sent).replace(PROBE, b"")
    assert_golden(f"chat-{name}", screens)


async def test_a_screen_holds_each_message_once_and_no_command_is_said(migrated: Path, tmp_path: Path) -> None:
    async with a_board(migrated, tmp_path) as house:
        ann, bob = await in_chat(house, "ann"), await in_chat(house, "bob")
        await go(ann, "once", "enter", until="<ann> once")
        await bob.until("<ann> once")
        assert ann.text.count("once") == bob.text.count("once") == 1
        for command, answer in (
            ("/who", "In main: ann, bob"),
            ("/rooms", "main: 2 here (you too)"),
            ("/nonsense", "There is no /nonsense: /help lists what there is."),
            ("/join", "Join which room?"),
            ("/join no such name", "A room has a name of"),
            ("/msg", "Tell whom what?"),
            ("/msg nobody x", "nobody is not on line."),
            ("/r x", "Nobody has written to you alone yet"),
            ("/help", "/msg NAME TEXT"),
        ):
            assert answer in await go(ann, command, "enter", until="main> ")
            await ann.until(answer)
        assert "/who" not in bob.text


async def test_rooms(migrated: Path, tmp_path: Path) -> None:
    async with a_board(migrated, tmp_path) as house:
        ann, bob = await in_chat(house, "ann"), await in_chat(house, "bob")
        await go(ann, "/join Den", "enter", until="den> ")
        assert "In den: ann" in ann.text
        await bob.until("<-- ann left main")
        await go(ann, "nobody hears this", "enter", until="<ann> nobody")
        assert "nobody hears" not in bob.text
        assert [present.doing for present in house.board.presence.everyone()] == ["chatting in den", "chatting in main"]
        assert "den: 1 here" in await go(bob, "/rooms", "enter", until="den: 1 here")
        await go(bob, "/join den", "enter", until="den> ")
        assert "<ann> nobody hears this" in bob.text
        await ann.until("--> bob joined den")


async def test_a_private_word_reaches_its_one_wherever_on_the_board(migrated: Path, tmp_path: Path) -> None:
    async with a_board(migrated, tmp_path) as house:
        ann, bob, eve = [await in_chat(house, name) for name in ("ann", "bob", "eve")]
        await go(ann, "/msg BO psst", "enter", until="[private to bob] psst")
        await bob.until("[private from ann] psst")
        await go(bob, "/r what?", "enter", until="[private to ann] what?")
        await ann.until("[private from bob] what?")
        assert "psst" not in eve.text
        # In the middle of a prompt elsewhere.
        await go(bob, "/quit", "enter", until="Main menu:")
        await go(bob, "b")
        mark = bob.mark()
        await go(ann, "/msg bob come back " + "and again " * 10, "enter", until="told there.)")
        assert "(bob is at the boards, and was told there.)" in ann.text
        await bob.until("[private from ann] come back", since=mark)
        assert "Number or key (N S Q ?):" in bob.text
        assert all(row.startswith(("[private", "  and", "  again")) for row in bob.text.split("\n") if "again" in row)


async def test_a_name_of_two_is_asked_back(migrated: Path, tmp_path: Path) -> None:
    async with a_board(migrated, tmp_path) as house:
        ann = await in_chat(house, "ann")
        await in_chat(house, "bobby")
        await in_chat(house, "bobette")
        assert "bobby, bobette: which of them?" in await go(ann, "/msg bob x", "enter", until="which of them?")


async def test_a_guest_looks_on(migrated: Path, tmp_path: Path) -> None:
    async with a_board(migrated, tmp_path) as house:
        ann = await in_chat(house, "ann")
        guest = await house.at_menu(Guest())
        assert "look on" in await go(guest, "c", until="main> ")
        await ann.until("--> guest (node 2) joined main")
        await go(ann, "hello guest", "enter", until="<ann> hello")
        await guest.until("<ann> hello guest")
        assert "Guests look on" in await go(guest, "hi", "enter", until="register")
        assert "hi" not in ann.text.split("\n")


async def test_who_talks_too_fast_is_told_so(migrated: Path, tmp_path: Path) -> None:
    async with a_board(migrated, tmp_path) as house:
        ann = await in_chat(house, "ann")
        for number in range(MAX_LINES):
            ann.type(f"line {number}", "enter")
        await ann.until("10 lines in 10 seconds are the limit: wait a moment.")


async def test_escape_empties_the_line_and_then_asks(migrated: Path, tmp_path: Path) -> None:
    async with a_board(migrated, tmp_path) as house:
        ann = await in_chat(house, "ann")
        ann.type("not said", "ctrl-c")
        await settled()
        await go(ann, "", "ctrl-c", until="Leave the chat?")
        await go(ann, "n", until="main> ")
        ann.press("enter")
        await go(ann, "", "ctrl-c", until="Leave the chat?")
        await go(ann, "y", until="Main menu:")
        assert "<ann>" not in ann.text


async def test_who_hangs_up_has_left(migrated: Path, tmp_path: Path) -> None:
    async with a_board(migrated, tmp_path) as house:
        ann, bob = await in_chat(house, "ann"), await in_chat(house, "bob")
        bob.drop()
        await ann.until("<-- bob left main")
        assert [voice.name for voice in house.board.chat.members()] == ["ann"]
