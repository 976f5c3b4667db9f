"""One's own account."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from tests.agentbbs.hub.house import NOON_MS, House, a_house
from tests.agentbbs.hub.lines import ScriptedLine

from agentbbs.calls.identity import Member, Offered
from agentbbs.hub.plugins.profile import PLUGIN
from agentbbs.store import accounts, credentials, keys, preferences, tokens
from agentbbs.store.preferences import Ansi, Encoding

OLD: Final = "correct horse"
NEW: Final = "battery staple"
KEY: Final = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHdpvaPpLvUvjF1CFLEVsB5sVMVxBDmRsrjAbsSvsbRA"
FINGERPRINT: Final = keys.parse(KEY).fingerprint


async def at_profile(house: House, identity: Member, line: ScriptedLine | None = None) -> ScriptedLine:
    line = await house.at_menu(identity, line)
    line.press("p")
    await line.until("Key (P K T S G A Q ?):")
    return line


async def test_a_password_is_changed_by_whoever_knows_the_old_one(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN]) as house:
        account = house.enrol("alice", OLD)
        line = await at_profile(house, Member(account, "alice"))
        line.press("p")
        await line.until("Your password now:")
        line.type("not it at all", "enter")
        await line.until("That is not your password.")
        line.press("x", "p")
        line.type(OLD, "enter")
        line.type(NEW, "enter")
        line.type(NEW, "enter")
        await line.until("Your password is changed.")
        assert NEW.encode() not in line.sent
        assert (await house.board.passwords.check("alice", NEW, "127.0.0.1")).account == account


async def test_who_has_none_chooses_one_or_leaves_it(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN]) as house:
        line = await at_profile(house, house.member("alice"))
        line.press("p")
        await line.until("It is not shown.")
        line.press("escape")
        await line.until("Your password is as it was.")
        with house.database.connect() as conn:
            assert accounts.find(conn, "alice").password_hash is None


async def test_keys_are_added_and_removed(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN]) as house:
        account = house.enrol("alice", OLD)
        line = await at_profile(house, Member(account, "alice"))
        line.press("k")
        await line.until("(nothing)")
        line.press("a")
        line.type("ssh-ed25519 nonsense", "enter")
        await line.until("The key is damaged")
        line.press("a")
        line.type(f"{KEY} alice@laptop", "enter")
        await line.until(f"Added {FINGERPRINT}.")
        assert "alice@laptop" in line.text
        line.type("1", "enter")
        await line.until("[y/N]")
        line.press("n")
        await line.until("No key was removed.")
        line.type("1", "enter")
        line.press("y")
        await line.until("The key is removed.")
        with house.database.connect() as conn:
            assert not keys.of_account(conn, account)


async def test_the_last_way_in_stays(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN]) as house:
        account = house.enrol("alice")
        with house.database.begin() as conn:
            credentials.add_key(conn, account, keys.parse(KEY), now_ms=NOON_MS)
        line = await at_profile(house, Member(account, "alice"))
        line.press("k")
        line.type("1", "enter")
        line.press("y")
        await line.until("This key is your only way in")


async def test_a_token_is_shown_once(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN]) as house:
        account = house.enrol("alice")
        line = await at_profile(house, Member(account, "alice"))
        line.press("t", "m")
        await line.until("[Hit a key]")
        shown = re.search(r"^abbs_\S{43}$", line.text, re.MULTILINE)
        assert shown is not None
        with house.database.connect() as conn:
            principal = tokens.authenticate(conn, shown[0])
        assert principal is not None
        assert principal.name == "alice"
        line.press("x")
        await line.until("The token is minted; it was shown once.")
        assert shown[0] not in line.text
        assert shown[0][:11] in line.text
        line.type("1", "enter")
        line.press("n")
        await line.until("No token was revoked.")
        line.type("1", "enter")
        line.press("y")
        await line.until("The token is revoked.")
        with house.database.connect() as conn:
            assert tokens.authenticate(conn, shown[0]) is None


async def test_no_secret_crosses_a_line_that_others_may_read(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN]) as house:
        line = await at_profile(house, house.member("alice"), ScriptedLine(private=False))
        line.press("p")
        await line.until("A password can't be chosen in the clear")
        line.press("x", "t", "m")
        await line.until("A token can't be shown in the clear")


async def test_the_terminal_is_treated_as_chosen_now_and_next_time(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN]) as house:
        account = house.enrol("alice", OLD)
        line = await at_profile(house, Member(account, "alice"))
        line.press("s")
        await line.until("Letters: CP437 (chosen: auto)")
        line.press("l")
        await line.until("Which letters")
        line.type("2", "enter")
        await line.until("Letters: UTF-8 (chosen: utf-8)")
        line.press("s")
        await line.until("Columns, 40 to 255")
        line.type("7", "enter")
        await line.until("A number from 40 to 255, please.")
        line.type("100", "enter")
        await line.until("Rows, 12 to 100")
        line.type("30", "enter")
        await line.until("100 x 30 (chosen: 100 x 30)")
        line.press("c")
        await line.until("What shall your terminal be sent?")
        line.type("3", "enter")
        await line.until("plain (chosen: no)")
        with house.database.connect() as conn:
            chosen = preferences.of_account(conn, account)
        assert (chosen.encoding, chosen.ansi, chosen.columns, chosen.rows) == (Encoding.UTF8, Ansi.NO, 100, 30)
        again = ScriptedLine(transport="rlogin", private=True)
        house.call(again, Offered("alice", OLD))
        await again.until("[Hit a key]")
        mark = again.mark()
        again.press("x", "p")
        await again.until("Screen:   100x30 UTF-8 plain", since=mark)
        assert b"\x1b" not in again.sent[mark:]


async def test_the_size_can_be_left_to_the_terminal_again(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN]) as house:
        account = house.enrol("alice")
        with house.database.begin() as conn:
            preferences.save(conn, account, preferences.Preferences(columns=100, tour_seen=True))
        line = await at_profile(house, Member(account, "alice"))
        line.press("s")
        await line.until("(chosen: 100 x as told)")
        line.press("s", "escape")
        await line.until("(chosen: 100 x as told)")
        line.press("s", "enter")
        await line.until("(chosen: as told)")
        line.press("c", "q", "l", "q", "q")
        await line.until("Key (P K T S G A Q ?):")


async def test_own_standings(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN]) as house:
        line = await at_profile(house, house.member("alice"))
        line.press("g")
        await line.until("Tic-Tac-Toe")
        assert "no rated match yet" in line.text


async def test_who_changes_the_password_stays_and_others_go(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN]) as house:
        house.enrol("alice", OLD)
        other = await house.at_menu(Offered("alice", OLD), ScriptedLine(transport="rlogin", private=True))
        line = await house.at_menu(Offered("alice", OLD), ScriptedLine(transport="rlogin", private=True))
        line.press("p", "p")
        await line.until("Your password now:")
        for typed in (OLD, NEW, NEW):
            line.type(typed, "enter")
        await line.until("Your password is changed.")
        await house.board.recheck()
        await other.until_gone()
        assert not line.gone
