"""Who is turned away."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agentbbs.store.boarding import account, empty_board, member, sysop

from agentbbs.store import audit, bans
from agentbbs.store.accounts import NoSuchAccount
from agentbbs.store.audit import Action
from agentbbs.store.bans import BanFault, NoSuchBan, NotANetwork, TooManyBans
from agentbbs.store.database import Database
from agentbbs.store.wording import TextFault


def test_an_account_is_turned_away_until_a_time(database: Database) -> None:
    with database.begin() as conn:
        boss, ann = account(sysop(conn)), account(member(conn, "Ann"))
        ban = bans.ban_account(conn, boss, "ann", reason="flooding", until_ms=100, now_ms=1)
        assert (ban.account, ban.name, ban.network, ban.made_by) == (ann, "Ann", None, boss)
        assert bans.of_account(conn, ann, now_ms=99) == ban
        assert bans.of_account(conn, ann, now_ms=100) is None
        assert bans.of_account(conn, boss, now_ms=1) is None
        assert bans.in_force(conn, now_ms=99) == (ban,)
        assert bans.in_force(conn, now_ms=100) == ()
        with pytest.raises(BanFault, match="yourself"):
            bans.ban_account(conn, boss, "boss", reason="oops", now_ms=1)
        with pytest.raises(NoSuchAccount):
            bans.ban_account(conn, boss, "nobody-here", reason="x", now_ms=1)
        with pytest.raises(TextFault):
            bans.ban_account(conn, boss, "ann", reason="", now_ms=1)


@pytest.mark.parametrize(
    ("network", "written", "inside", "outside"),
    [
        (
            "192.0.2.7",
            "192.0.2.7/32",
            ("192.0.2.7", "::ffff:192.0.2.7"),
            ("192.0.2.8", "2001:db8::1", "", "no address"),
        ),
        ("::ffff:192.0.2.7", "192.0.2.7/32", ("192.0.2.7",), ("192.0.2.8",)),
        (" 192.0.2.77/24 ", "192.0.2.0/24", ("192.0.2.0", "192.0.2.255"), ("192.0.3.0",)),
        ("2001:db8::1", "2001:db8::/64", ("2001:db8::2", "2001:db8::3%eth0"), ("2001:db8:0:1::1",)),
        ("2001:db8::/32", "2001:db8::/32", ("2001:db8:ffff::1",), ("2001:db9::1",)),
    ],
)
def test_a_network_is_turned_away(
    database: Database, network: str, written: str, inside: tuple[str, ...], outside: tuple[str, ...]
) -> None:
    with database.begin() as conn:
        ban = bans.ban_network(conn, account(sysop(conn)), network, reason="abuse", now_ms=1)
        assert ban.network == written
        for address in inside:
            assert bans.of_address(conn, address, now_ms=2) == ban
        for address in outside:
            assert bans.of_address(conn, address, now_ms=2) is None


@pytest.mark.parametrize("network", ["", "example.org", "0.0.0.0/0", "10.0.0.0/7", "::/0", "1.2.3.4/33", "1.2.3.4/x"])
def test_what_is_no_network_to_ban(database: Database, network: str) -> None:
    with database.begin() as conn, pytest.raises(NotANetwork):
        bans.ban_network(conn, None, network, reason="x", now_ms=1)


def test_the_ban_that_lasts_longest_counts(database: Database) -> None:
    with database.begin() as conn:
        bans.ban_network(conn, None, "192.0.2.7", reason="short", until_ms=50, now_ms=1)
        bans.ban_network(conn, None, "192.0.2.0/24", reason="long", until_ms=500, now_ms=1)
        found = bans.of_address(conn, "192.0.2.7", now_ms=2)
        assert found is not None
        assert found.reason == "long"
        for_good = bans.ban_network(conn, None, "192.0.0.0/16", reason="for good", now_ms=1)
        assert bans.of_address(conn, "192.0.2.7", now_ms=2) == for_good
        bans.lift(conn, None, for_good.id, now_ms=3)
        assert bans.of_address(conn, "192.0.2.7", now_ms=2) == found
        with pytest.raises(NoSuchBan):
            bans.lift(conn, None, for_good.id, now_ms=3)
        assert [(entry.action, entry.actor) for entry in audit.entries(conn)] == [
            (Action.BAN_LIFTED, "(house)"),
            *[(Action.BANNED, "(house)")] * 3,
        ]


def test_bans_are_bounded_and_old_ones_make_room(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bans, "MAX_BANS", 2)
    with database.begin() as conn:
        bans.ban_network(conn, None, "192.0.2.1", reason="x", until_ms=10, now_ms=1)
        bans.ban_network(conn, None, "192.0.2.2", reason="x", now_ms=1)
        with pytest.raises(TooManyBans):
            bans.ban_network(conn, None, "192.0.2.3", reason="x", now_ms=9)
        bans.ban_network(conn, None, "192.0.2.3", reason="x", now_ms=10)


@given(st.ip_addresses(), st.integers(0, 128))
def test_a_network_holds_its_own_address(address: object, bits: int) -> None:
    with empty_board() as conn:
        try:
            ban = bans.ban_network(conn, None, f"{address}/{bits}", reason="x", now_ms=1)
        except NotANetwork:
            return
        found = bans.of_address(conn, str(address), now_ms=1)
        assert found == ban or str(address).startswith("::ffff:")
