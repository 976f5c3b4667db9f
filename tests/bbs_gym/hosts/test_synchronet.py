"""The host: what it asks of an installation, and in which order. The installation is a script in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from bbs_gym.accounts.account import Account
from bbs_gym.accounts.fault import AccountFault
from bbs_gym.hosts.host import Change, Endpoint, Host, HostFault, NotSupported, Seat, Snapshot, Transport
from bbs_gym.hosts.sbbs_ini import BbsSettings
from bbs_gym.hosts.settings import HostSettings
from bbs_gym.hosts.synchronet import SynchronetHost

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
ALICE = Account(agent_id="agent-001", alias="Alice", password_env="ALICE_PASSWORD")
BOB = Account(agent_id="agent-002", alias="Bob")

WAITING = bytes(15)
ALICE_AT_THE_MENU = bytes.fromhex("03 00 00 0100 ffff 0000 0000 00000000")
BOB_IN_A_DOOR = bytes.fromhex("03 00 08 0200 feff 0000 0c00 00000000")


class Scripted:
    """An installation that does as it is told and writes down what happens."""

    def __init__(self, root: Path, *, restartable: bool = True, up: bool = False, answers: Any = None) -> None:
        self.root = root
        self.restartable = restartable
        self.up = up
        self.answers = answers or {}
        self.events: list[str] = []
        self.requests: list[Mapping[str, Any]] = []
        self.secrets: Sequence[str] = ()
        (root / "ctrl").mkdir(parents=True)
        (root / "ctrl/node.dab").write_bytes(WAITING * 8)

    def settings(self) -> BbsSettings:
        return BbsSettings(nodes=8, save_interval_s=10)

    def ports(self) -> Mapping[str, int]:
        return {"telnet": 2323, "rlogin": 2513}

    async def running(self) -> bool:
        return self.up

    async def start(self) -> bool:
        if self.up:
            return False
        self.up = True
        self.events.append("start")
        return True

    async def stop(self) -> None:
        self.up = False
        self.events.append("stop")

    async def run(self, script: str, request: Mapping[str, Any], *, secrets: Sequence[str] = ()) -> Any:
        self.events.append(script)
        self.requests.append(request)
        self.secrets = secrets
        answer = self.answers[script]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def nodes(self, *records: bytes) -> None:
        (self.root / "ctrl/node.dab").write_bytes(b"".join(records))


def host_of(bbs: Scripted, *, secrets: Mapping[str, str] | None = None) -> SynchronetHost:
    async def sleep(seconds: float) -> None:
        bbs.events.append(f"wait {seconds:g} s")

    return SynchronetHost(
        HostSettings(kind="synchronet"),
        bbs.root.parent,
        installation=bbs,
        secret_of=lambda account: (secrets or {}).get(account.alias),
        sleep=sleep,
        now=lambda: NOON,
    )


@pytest.fixture
def bbs(tmp_path: Path) -> Scripted:
    return Scripted(tmp_path / "sbbs")


def test_it_is_a_host(bbs: Scripted) -> None:
    host: Host = host_of(bbs)
    assert (host.kind, host.encoding(), host.node_count()) == ("synchronet", "cp437", 8)
    assert host.endpoint(Transport.RLOGIN) == Endpoint(host="127.0.0.1", port=2513)
    with pytest.raises(NotSupported, match="no ssh: take telnet or rlogin"):
        host.endpoint(Transport.SSH)


class TestProvisioning:
    ROWS = (
        {"alias": "Alice", "number": 1, "change": "created", "detail": []},
        {"alias": "Bob", "number": 2, "change": "updated", "detail": ["level", "phone"]},
    )

    async def test_accounts_in_their_order_with_their_passwords(self, bbs: Scripted) -> None:
        bbs.answers["provision.js"] = {"accounts": list(self.ROWS)}
        made = await host_of(bbs, secrets={"Alice": "secret-Pa55"}).provision([ALICE, BOB])
        assert [(one.agent_id, one.change, one.detail) for one in made] == [
            ("agent-001", Change.CREATED, ""),
            ("agent-002", Change.UPDATED, "level, phone"),
        ]
        (request,) = bbs.requests
        assert request["accounts"] == [
            {"alias": "Alice", "password": "secret-Pa55"},
            {"alias": "Bob", "password": None},
        ]
        assert request["dry_run"] is False
        assert bbs.secrets == ["secret-Pa55"]

    async def test_a_dry_run_is_said(self, bbs: Scripted) -> None:
        bbs.answers["provision.js"] = {"accounts": [self.ROWS[0]]}
        await host_of(bbs).provision([ALICE], dry_run=True)
        assert bbs.requests[0]["dry_run"] is True

    @pytest.mark.parametrize("alias", ["x" * 26, "gr\u00fcn", "a\rb", " lead", ""])
    async def test_names_that_synchronet_would_not_keep(self, bbs: Scripted, alias: str) -> None:
        with pytest.raises(HostFault, match="1 to 25 printable ASCII"):
            await host_of(bbs).provision([msgspec.structs.replace(ALICE, alias=alias)])
        assert bbs.events == []

    @pytest.mark.parametrize("password", ["x" * 41, "gr\u00fcn"])
    async def test_passwords_that_synchronet_would_not_keep(self, bbs: Scripted, password: str) -> None:
        with pytest.raises(HostFault, match="up to 40 ASCII") as caught:
            await host_of(bbs, secrets={"Alice": password}).provision([ALICE])
        assert password not in str(caught.value)

    async def test_a_password_that_is_nowhere(self, bbs: Scripted) -> None:
        host = host_of(bbs)
        host._secret_of = lambda account: (_ for _ in ()).throw(AccountFault("ALICE_PASSWORD is not set"))
        with pytest.raises(HostFault, match="ALICE_PASSWORD is not set"):
            await host.provision([ALICE])

    async def test_two_agents_are_two_accounts(self, bbs: Scripted) -> None:
        with pytest.raises(HostFault, match="one alias"):
            await host_of(bbs).provision([ALICE, msgspec.structs.replace(BOB, alias="ALICE")])

    @pytest.mark.parametrize("answer", [None, {"accounts": []}, {"accounts": [1]}, {"accounts": [{"change": "burnt"}]}])
    async def test_an_answer_of_another_form(self, bbs: Scripted, answer: Any) -> None:
        bbs.answers["provision.js"] = answer
        with pytest.raises(HostFault):
            await host_of(bbs).provision([ALICE])


class TestNodes:
    async def test_seats_have_the_names_of_the_accounts(self, bbs: Scripted) -> None:
        bbs.nodes(WAITING, ALICE_AT_THE_MENU, BOB_IN_A_DOOR)
        bbs.answers["list_users.js"] = {"users": [{"number": 1, "alias": "Alice"}, {"number": 2, "alias": "Bob"}]}
        host = host_of(bbs)
        seats = (
            Seat(node=2, alias="Alice", doing="at the main menu"),
            Seat(node=3, alias="Bob", doing="in external program 12"),
        )
        assert await host.nodes() == seats
        assert await host.nodes() == seats
        assert bbs.events == ["list_users.js"]  # names are asked for once

    async def test_who_was_provisioned_is_known(self, bbs: Scripted) -> None:
        bbs.answers["provision.js"] = {"accounts": [{"number": 1, "change": "created"}]}
        host = host_of(bbs)
        await host.provision([ALICE])
        bbs.nodes(ALICE_AT_THE_MENU)
        assert [seat.alias for seat in await host.nodes()] == ["Alice"]
        assert bbs.events == ["provision.js"]

    async def test_nobody_is_on(self, bbs: Scripted) -> None:
        assert await host_of(bbs).nodes() == ()

    @pytest.mark.parametrize("content", [None, b"x" * 5000])
    async def test_no_such_file(self, bbs: Scripted, content: bytes | None) -> None:
        file = bbs.root / "ctrl/node.dab"
        file.unlink() if content is None else file.write_bytes(content)
        with pytest.raises(HostFault, match=r"node\.dab"):
            await host_of(bbs).nodes()


class TestStartAndStop:
    async def test_worlds_reach_the_disk_before_the_end(self, bbs: Scripted) -> None:
        host = host_of(bbs)
        await host.start()
        await host.start()
        await host.stop()
        await host.stop()
        assert bbs.events == ["start", "wait 11 s", "stop"]

    async def test_what_somebody_else_started_goes_on(self, tmp_path: Path) -> None:
        bbs = Scripted(tmp_path / "sbbs", up=True)
        host = host_of(bbs)
        await host.start()
        await host.stop()
        assert (bbs.events, bbs.up) == ([], True)


class TestSnapshots:
    async def test_it_is_stopped_kept_and_started(self, tmp_path: Path) -> None:
        bbs = Scripted(tmp_path / "sbbs", up=True)
        snapshot = await host_of(bbs).save("clean")
        assert bbs.events == ["wait 11 s", "stop", "start"]
        assert (snapshot.name, snapshot.path) == ("clean", tmp_path / "snapshots" / "clean")
        assert snapshot.created_at == "2026-11-30T12:00:00+00:00"

    async def test_what_does_not_run_is_not_started(self, bbs: Scripted) -> None:
        host = host_of(bbs)
        snapshot = await host.save("clean")
        (bbs.root / "ctrl/node.dab").write_bytes(BOB_IN_A_DOOR)
        await host.restore(snapshot)
        assert (bbs.root / "ctrl/node.dab").read_bytes() == WAITING * 8
        assert bbs.events == []

    async def test_a_restore_needs_no_wait(self, tmp_path: Path) -> None:
        bbs = Scripted(tmp_path / "sbbs", up=True)
        host = host_of(bbs)
        snapshot = await host.save("clean")
        bbs.events.clear()
        await host.restore(snapshot)
        assert bbs.events == ["stop", "start"]

    async def test_nobody_is_dropped_for_a_snapshot(self, tmp_path: Path) -> None:
        bbs = Scripted(
            tmp_path / "sbbs", up=True, answers={"list_users.js": {"users": [{"number": 1, "alias": "Alice"}]}}
        )
        bbs.nodes(ALICE_AT_THE_MENU)
        with pytest.raises(HostFault, match=r"on the BBS are Alice \(node 1\)"):
            await host_of(bbs).save("clean")
        assert bbs.up

    async def test_it_runs_again_after_a_failure(self, tmp_path: Path) -> None:
        bbs = Scripted(tmp_path / "sbbs", up=True)
        with pytest.raises(HostFault, match="name of a snapshot"):
            await host_of(bbs).save("../out")
        gone = Snapshot(name="x", path=tmp_path / "none", sha256="", created_at="")
        with pytest.raises(HostFault, match="no snapshot of a Synchronet"):
            await host_of(bbs).restore(gone)
        assert bbs.up

    async def test_a_native_one_of_somebody_else_is_left_alone(self, tmp_path: Path) -> None:
        bbs = Scripted(tmp_path / "sbbs", up=True, restartable=False)
        gone = Snapshot(name="x", path=tmp_path / "none", sha256="", created_at="")
        with pytest.raises(HostFault, match="started by somebody else"):
            await host_of(bbs).save("clean")
        with pytest.raises(HostFault, match="started by somebody else"):
            await host_of(bbs).restore(gone)
        assert bbs.events == []

    async def test_a_native_one_of_ours_is_stopped(self, tmp_path: Path) -> None:
        bbs = Scripted(tmp_path / "sbbs", restartable=False)
        host = host_of(bbs)
        await host.start()
        await host.save("clean")
        assert bbs.events == ["start", "wait 11 s", "stop", "start"]


class TestDoors:
    PLAYER: Final = {
        "record": 1, "user": 1, "alias": "ALICE", "fighters": 20, "deployed": 0, "holds": 20, "credits": 200,
        "cargo": [0, 0, 0], "points": 0, "turns": 4, "sector": 9, "team": 0, "killed": False,
    }  # fmt: skip

    async def test_scores_know_the_agents(self, bbs: Scripted) -> None:
        bbs.answers |= {
            "provision.js": {"accounts": [{"number": 1, "change": "unchanged"}]},
            "scores_tw2.js": {"players": [self.PLAYER]},
        }
        host = host_of(bbs)
        await host.provision([ALICE])
        (score,) = await host.scores("tw2")
        assert (score.player, score.agent_id, score.score, score.parts["turns"]) == ("ALICE", "agent-001", 12200, 4)

    async def test_reset_and_turns(self, bbs: Scripted) -> None:
        bbs.answers |= {"reset_tw2.js": {}, "grant_tw2_turns.js": {}}
        host = host_of(bbs)
        await host.reset_door("tw2", seed=5)
        await host.reset_door("tw2", turns_per_day=500)
        await host.grant_turns("tw2", "RLoginSmoke", 30)
        assert bbs.requests == [{"turns_per_day": None}, {"turns_per_day": 500}, {"player": "RLoginSmoke", "turns": 30}]

    @pytest.mark.parametrize("turns", [0, -3, 10_001])
    async def test_turns_that_make_no_sense(self, bbs: Scripted, turns: int) -> None:
        host = host_of(bbs)
        with pytest.raises(HostFault, match="1 to 10000"):
            await host.grant_turns("tw2", "Alice", turns)
        with pytest.raises(HostFault, match="1 to 10000"):
            await host.reset_door("tw2", turns_per_day=turns)

    @pytest.mark.parametrize(
        ("game", "remedy"), [("bre", "reset program of BRE"), ("tw2002", "BIGBANG"), ("lord", "a snapshot")]
    )
    async def test_other_doors_have_no_script(self, bbs: Scripted, game: str, remedy: str) -> None:
        host = host_of(bbs)
        with pytest.raises(NotSupported, match=remedy):
            await host.reset_door(game)
        with pytest.raises(NotSupported, match=remedy):
            await host.grant_turns(game, "Alice", 3)
        with pytest.raises(NotSupported, match="on the screen"):
            await host.scores(game)


class TestExports:
    async def test_what_checks_ask_for(self, bbs: Scripted) -> None:
        bbs.answers |= {
            "export_messages.js": {"areas": [{"code": "LOCAL", "name": "Local", "messages": []}]},
            "list_users.js": {"users": [{"number": 1, "alias": "Alice", "level": 50}]},
            "scores_tw2.js": {"players": [TestDoors.PLAYER]},
        }
        host = host_of(bbs)
        assert await host.export("users") == [{"type": "user", "number": 1, "alias": "Alice", "level": 50}]
        boards: Any = await host.export("boards")
        assert [record["type"] for record in boards] == ["boards", "area"]
        assert await host.export("mail") == []
        world: Any = await host.export("tw2")
        assert world["players"][0]["score"] == 12200
        assert bbs.requests[1]["what"] == "boards"

    async def test_there_is_no_other(self, bbs: Scripted) -> None:
        with pytest.raises(NotSupported, match="boards, mail, users or tw2"):
            await host_of(bbs).export("files")


async def test_somebody_elses_bbs_can_be_called_and_no_more(tmp_path: Path) -> None:
    host = SynchronetHost(HostSettings(kind="synchronet", address="192.0.2.7", ports={"telnet": 23}), tmp_path)
    assert host.endpoint(Transport.TELNET) == Endpoint(host="192.0.2.7", port=23)
    with pytest.raises(NotSupported, match="no rlogin"):
        host.endpoint(Transport.RLOGIN)
    for work in (host.start(), host.nodes(), host.save("x"), host.scores("tw2"), host.export("boards")):
        with pytest.raises(NotSupported, match="name its folder, on the machine where it runs"):
            await work
    await host.stop()
