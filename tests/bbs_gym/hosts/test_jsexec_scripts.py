"""Our scripts for jsexec, run under node against a fake of Synchronet's objects."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.bbs_gym.hosts.fake_synchronet import TODAY, FakeSynchronet, free_node, needs_node, node_in_door

from bbs_gym.hosts.host import HostFault
from bbs_gym.hosts.jsexec_call import SCRIPTS, Refused
from bbs_gym.hosts.synchronet_tree import SynchronetTree

pytestmark = needs_node

ALICE = {"alias": "Alice", "password": "secret-Pa55"}
WANTED_SETTINGS = (1 << 17) | (1 << 3)
EXEMPT_LTH = (1 << 11) | (1 << 19) | (1 << 7)

Make = Callable[..., FakeSynchronet]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    return lambda **world: FakeSynchronet(tmp_path / "sbbs", **world)


async def run(bbs: FakeSynchronet, script: str, **request: Any) -> Any:
    return await SynchronetTree(bbs.root, log=bbs.root / "log").run(script, request)


def player(number: int, alias: str, **fields: Any) -> dict[str, Any]:
    return {
        "UserNumber": number, "Alias": alias, "Fighters": 20, "Holds": 20, "Credits": 200, "Commodities": [0, 0, 0],
        "Points": 0, "TurnsLeft": 30, "Sector": 1, "TeamNumber": 0, "KilledBy": 0, "Online": False,
        "LastOnDay": TODAY, "TimeToday": 40, **fields,
    }  # fmt: skip


def tw2(*players: Any, sectors: Any = None) -> dict[str, Any]:
    return {
        "settings": {"TurnsPerDay": 30},
        "players": [{"Excuse": "none"}, *players],
        "sectors": sectors or [{}, {"Fighters": 0}],
    }


def alice_on_bbs(**fields: Any) -> dict[str, Any]:
    return {"number": 1, "alias": "Alice", "level": 50, "settings": 0, "exemptions": 0, "curxtrn": "", **fields}


class TestProvisioning:
    async def test_a_new_account_is_whole(self, make: Make) -> None:
        bbs = make()
        answer = await run(bbs, "provision.js", accounts=[ALICE])
        assert answer == {"accounts": [{"alias": "Alice", "number": 1, "change": "created", "detail": []}]}
        (user,) = bbs.world["users"]
        assert (user["password"], user["level"]) == ("SECRET-PA55", 50)
        assert user["settings"] == WANTED_SETTINGS
        assert user["exemptions"] == EXEMPT_LTH
        for field in ("name", "handle", "gender", "birthdate", "phone", "netmail", "address", "location", "zipcode"):
            assert user[field], f"a first logon would ask for {field}"
        assert "@" not in user["netmail"]

    async def test_the_file_that_keeps_a_newcomer_from_being_locked_out_is_there(self, make: Make) -> None:
        bbs = make()
        await run(bbs, "provision.js", accounts=[ALICE])
        assert (bbs.root / "data/user/0001.tw2").exists()

    async def test_a_second_time_changes_nothing(self, make: Make) -> None:
        bbs = make()
        await run(bbs, "provision.js", accounts=[ALICE])
        before = bbs.world["users"]
        answer = await run(bbs, "provision.js", accounts=[ALICE])
        assert answer["accounts"][0] == {"alias": "Alice", "number": 1, "change": "unchanged", "detail": []}
        assert bbs.world["users"] == before
        assert bbs.world["journal"] == []

    async def test_what_differs_is_put_right_and_named(self, make: Make) -> None:
        bbs = make()
        await run(bbs, "provision.js", accounts=[ALICE])
        (user,) = bbs.world["users"]
        bbs.change(users=[user | {"settings": user["settings"] | (1 << 5) | (1 << 9), "location": "Kept", "phone": ""}])
        answer = await run(bbs, "provision.js", accounts=[ALICE | {"password": "another"}])
        assert answer["accounts"][0]["change"] == "updated"
        assert set(answer["accounts"][0]["detail"]) == {"password", "phone", "settings"}
        (after,) = bbs.world["users"]
        assert after["settings"] == WANTED_SETTINGS | (1 << 9)  # what is none of ours stays
        assert after["location"] == "Kept"

    async def test_a_dry_run_tells_and_does_nothing(self, make: Make) -> None:
        bbs = make(users=[alice_on_bbs(password="OLD")])
        bob = {"alias": "Bob", "password": "pw"}
        answer = await run(bbs, "provision.js", accounts=[ALICE, bob], dry_run=True)
        assert [row["change"] for row in answer["accounts"]] == ["updated", "created"]
        assert "password" in answer["accounts"][0]["detail"]
        assert bbs.world["journal"] == []
        assert len(bbs.world["users"]) == 1
        assert list((bbs.root / "data/user").iterdir()) == []

    async def test_an_existing_account_keeps_its_password_if_none_is_named(self, make: Make) -> None:
        bbs = make(users=[alice_on_bbs(password="OLD")])
        await run(bbs, "provision.js", accounts=[{"alias": "alice", "password": None}])
        assert bbs.world["users"][0]["password"] == "OLD"

    async def test_a_sysop_is_no_agent(self, make: Make) -> None:
        bbs = make(users=[alice_on_bbs(level=99)])
        with pytest.raises(Refused, match="sysop's: choose another alias"):
            await run(bbs, "provision.js", accounts=[{"alias": "Bob", "password": "x"}, ALICE])
        assert bbs.world["journal"] == []  # nor was Bob made

    async def test_sysop_is_no_other_name_of_the_first_user(self, make: Make) -> None:
        bbs = make(users=[alice_on_bbs(password="OLD")])
        await run(bbs, "provision.js", accounts=[{"alias": "Sysop", "password": "x"}])
        assert bbs.world["users"][0]["password"] == "OLD"

    @pytest.mark.parametrize(
        ("world", "account", "words"),
        [
            ({"trashcan": {"name": ["Alice"]}}, ALICE, "no such name"),
            ({"trashcan": {"password": ["secret-Pa55"]}}, ALICE, "no such password"),
            ({}, {"alias": "Alice", "password": None}, "needs a password"),
        ],
    )
    async def test_what_the_bbs_does_not_take_is_refused(
        self, make: Make, world: Any, account: Any, words: str
    ) -> None:
        bbs = make(**world)
        with pytest.raises(Refused, match=words) as caught:
            await run(bbs, "provision.js", accounts=[account])
        assert "secret-Pa55" not in str(caught.value)
        assert bbs.world["users"] == []

    async def test_no_user_made_is_a_fault(self, make: Make) -> None:
        with pytest.raises(HostFault, match="made no user"):
            await run(make(full=True), "provision.js", accounts=[ALICE])

    async def test_a_constant_that_is_missing_is_a_fault_and_not_a_zero(self, make: Make) -> None:
        bbs = make(undefined_constants=["USER_PAUSE"])
        with pytest.raises(HostFault, match="defines no USER_PAUSE"):
            await run(bbs, "provision.js", accounts=[ALICE])

    async def test_users_are_listed_without_the_deleted_ones(self, make: Make) -> None:
        bbs = make(users=[alice_on_bbs(), {"number": 2, "alias": "Gone", "level": 50, "settings": 1}])
        assert await run(bbs, "list_users.js") == {"users": [{"number": 1, "alias": "Alice", "level": 50}]}


class TestScores:
    async def test_rows_have_what_a_score_is_made_of(self, make: Make) -> None:
        sectors = [
            {},
            {"Fighters": 7, "FighterOwner": 1},
            {"Fighters": 9, "FighterOwner": -98},
            {"Fighters": 5, "FighterOwner": 1},
        ]
        bbs = make(tw2=tw2(player(3, "Alice", Commodities=[1, 2, 3]), player(0, ""), player(-1, ""), sectors=sectors))
        (row,) = (await run(bbs, "scores_tw2.js"))["players"]
        assert (row["record"], row["user"], row["alias"]) == (1, 3, "Alice")
        assert (row["fighters"], row["deployed"], row["holds"], row["credits"]) == (20, 12, 20, 200)
        assert (row["cargo"], row["turns"], row["sector"], row["killed"]) == ([1, 2, 3], 30, 1, False)

    async def test_names_of_other_players_arrive_whatever_is_in_them(self, make: Make) -> None:
        name = 'Ev\x1b[2Jil "\xe4\n'
        bbs = make(tw2=tw2(player(3, name)))
        assert (await run(bbs, "scores_tw2.js"))["players"][0]["alias"] == name

    async def test_without_the_service_it_says_what_to_do(self, make: Make) -> None:
        with pytest.raises(Refused, match=r"\[Services\] AutoStart=true"):
            await run(make(), "scores_tw2.js")

    async def test_a_world_that_was_never_made(self, make: Make) -> None:
        with pytest.raises(Refused, match="never set up"):
            await run(make(tw2={"settings": {}}), "scores_tw2.js")


class TestGrantingTurns:
    async def test_turns_are_added_under_a_lock(self, make: Make) -> None:
        bbs = make(tw2=tw2(player(3, "Alice", TurnsLeft=4)))
        assert await run(bbs, "grant_tw2_turns.js", player="alice", turns=30) == {"alias": "Alice", "turns": 34}
        assert bbs.world["tw2"]["players"][1]["TurnsLeft"] == 34
        assert bbs.world["journal"] == ["lock players.1", "write players.1", "unlock players.1", "disconnect"]

    async def test_the_first_entry_of_a_day_does_not_take_them_away(self, make: Make) -> None:
        bbs = make(tw2=tw2(player(3, "Alice", TurnsLeft=4, LastOnDay="2026:11:29")))
        assert (await run(bbs, "grant_tw2_turns.js", player="Alice", turns=5))["turns"] == 35
        record = bbs.world["tw2"]["players"][1]
        assert (record["LastOnDay"], record["TimeToday"]) == (TODAY, 0)

    @pytest.mark.parametrize("online", [False, True])
    async def test_not_while_the_player_is_inside(self, make: Make, online: bool) -> None:
        users = [alice_on_bbs(curxtrn="TW2")]
        bbs = make(tw2=tw2(player(1, "Alice", Online=online)), users=users, nodes=[free_node(), node_in_door(1)])
        with pytest.raises(Refused, match="Alice is in the door, on node 2"):
            await run(bbs, "grant_tw2_turns.js", player="Alice", turns=5)
        assert bbs.world["tw2"]["players"][1]["TurnsLeft"] == 30
        assert bbs.world["journal"][-2:] == ["unlock players.1", "disconnect"]

    async def test_a_chat_within_the_door_is_inside(self, make: Make) -> None:
        nodes = [node_in_door(1, action=22, code_aux=0)]
        bbs = make(tw2=tw2(player(1, "Alice", Online=True)), users=[alice_on_bbs(curxtrn="TW2")], nodes=nodes)
        with pytest.raises(Refused, match="in the door"):
            await run(bbs, "grant_tw2_turns.js", player="Alice", turns=5)

    async def test_who_enters_at_that_moment_is_seen_behind_the_lock(self, make: Make) -> None:
        bbs = make(
            tw2=tw2(player(1, "Alice")), users=[alice_on_bbs(curxtrn="TW2")], nodes=[], enters_at_lock=[node_in_door(1)]
        )
        with pytest.raises(Refused, match="in the door"):
            await run(bbs, "grant_tw2_turns.js", player="Alice", turns=5)

    async def test_online_after_a_lost_line_is_not_inside(self, make: Make) -> None:
        bbs = make(tw2=tw2(player(1, "Alice", Online=True)), users=[alice_on_bbs(curxtrn="TW2")], nodes=[free_node()])
        assert (await run(bbs, "grant_tw2_turns.js", player="Alice", turns=5))["turns"] == 35

    async def test_another_door_and_another_player_do_not_matter(self, make: Make) -> None:
        users = [alice_on_bbs(curxtrn="LORD"), {"number": 2, "alias": "Bob", "curxtrn": "TW2"}]
        bbs = make(
            tw2=tw2(player(1, "Alice"), player(2, "Bob", Online=True)),
            users=users,
            nodes=[node_in_door(1), node_in_door(2)],
        )
        assert (await run(bbs, "grant_tw2_turns.js", player="Alice", turns=5))["turns"] == 35

    async def test_of_a_ship_that_was_destroyed_they_would_be_lost(self, make: Make) -> None:
        with pytest.raises(Refused, match="was killed"):
            await run(make(tw2=tw2(player(3, "Alice", KilledBy=2))), "grant_tw2_turns.js", player="Alice", turns=5)

    async def test_who_never_played_is_not_known(self, make: Make) -> None:
        with pytest.raises(Refused, match="no player of Trade Wars 2 is called Bob"):
            await run(make(tw2=tw2(player(3, "Alice"))), "grant_tw2_turns.js", player="Bob", turns=5)

    @pytest.mark.parametrize(
        ("world", "words"),
        [({"locked": ["players.1"]}, "timed out"), ({"lost": ["players.1"]}, "did not keep the turns")],
    )
    async def test_a_service_that_does_not_do_it_is_a_fault(self, make: Make, world: Any, words: str) -> None:
        with pytest.raises(HostFault, match=words):
            await run(make(tw2=tw2(player(3, "Alice")), **world), "grant_tw2_turns.js", player="Alice", turns=5)


class TestReset:
    async def test_a_new_world(self, make: Make) -> None:
        bbs = make(tw2=tw2(player(3, "Alice")))
        answer = await run(bbs, "reset_tw2.js", turns_per_day=500)
        assert answer == {"players": 3, "sectors": 4, "ports": 2, "turns_per_day": 500}
        world = bbs.world["tw2"]
        assert world["settings"] == {"TurnsPerDay": 500, "MaintLastRan": TODAY}
        assert world["twopeng"] == []  # or the door takes itself for not set up
        assert [one.get("Alias") for one in world["players"]] == [None] * 4
        assert bbs.world["journal"][-1] == "disconnect"

    async def test_turns_a_day_stay_if_nothing_is_said(self, make: Make) -> None:
        assert (await run(make(tw2={}), "reset_tw2.js", turns_per_day=None))["turns_per_day"] == 30

    async def test_not_with_somebody_inside(self, make: Make) -> None:
        before = tw2(player(1, "Alice"))
        bbs = make(tw2=before, users=[alice_on_bbs(curxtrn="tw2")], nodes=[node_in_door(1)])
        with pytest.raises(Refused, match=r"in the door are Alice \(node 1\): have them leave"):
            await run(bbs, "reset_tw2.js", turns_per_day=None)
        assert bbs.world["tw2"] == before

    async def test_somebody_at_the_menu_is_no_hindrance(self, make: Make) -> None:
        bbs = make(
            tw2=tw2(player(1, "Alice")), users=[alice_on_bbs(curxtrn="TW2")], nodes=[node_in_door(1, code_aux=0)]
        )
        assert (await run(bbs, "reset_tw2.js", turns_per_day=None))["players"] == 3

    async def test_a_door_that_is_not_installed(self, make: Make) -> None:
        bbs = make(tw2={})
        (bbs.root / "xtrn/tw2/tw2.js").unlink()
        with pytest.raises(Refused, match="not installed"):
            await run(bbs, "reset_tw2.js", turns_per_day=None)

    async def test_without_the_service(self, make: Make) -> None:
        with pytest.raises(Refused, match="JSON service"):
            await run(make(), "reset_tw2.js", turns_per_day=None)

    async def test_half_a_reset_is_a_fault(self, make: Make) -> None:
        bbs = make(tw2={}, lost=["sectors"])
        with pytest.raises(HostFault, match="there are no sectors"):
            await run(bbs, "reset_tw2.js", turns_per_day=None)


class TestMessages:
    async def test_areas_and_messages(self, make: Make) -> None:
        message = {
            "number": 5,
            "to": "All",
            "from": "Bob",
            "subject": "Hi",
            "body": "one\r\n",
            "when_written_time": 9,
            "attr": 0,
        }
        area = {"grp_list": [{"sub_list": [{"code": "LOCAL", "name": "Local"}, {"code": "EMPTY", "name": "Empty"}]}]}
        bbs = make(msg_area=area, messages={"LOCAL": [message, message | {"number": 6, "attr": 256, "thread_back": 5}]})
        local, empty = (await run(bbs, "export_messages.js", what="boards"))["areas"]
        assert (local["code"], [one["number"] for one in local["messages"]], empty["messages"]) == ("LOCAL", [5, 6], [])
        assert [(one["reply_to"], one["deleted"]) for one in local["messages"]] == [(None, False), (5, True)]

    async def test_mail(self, make: Make) -> None:
        (area,) = (await run(make(messages={"mail": []}), "export_messages.js", what="mail"))["areas"]
        assert area["messages"] == []


@pytest.mark.parametrize("script", sorted(SCRIPTS.glob("*.js")), ids=lambda path: path.name)
def test_scripts_are_of_the_javascript_that_jsexec_knows(script: Path) -> None:
    """Its engine is of 2011: ECMAScript 5."""
    code = re.sub(r'//.*|"[^"\n]*"', "", script.read_text(encoding="ascii"))
    assert re.findall(r"=>|`|\b(?:let|const|class|async|await|of)\b|\.\.\.|\?\.|\?\?", code) == []
