"""The house's own BBS as a host, on a real private venue."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.bbs_gym.hosts.private_house import calling, gone, private_house, venue_of

from bbs_gym.accounts.account import Account
from bbs_gym.accounts.secrets import password_of
from bbs_gym.hosts.host import Change, Endpoint, HostFault, NotSupported, Provisioned, Snapshot, Transport
from bbs_gym.hosts.house import HouseHost
from bbs_gym.hosts.house_commands import HouseCommands, operators_environment
from bbs_gym.hosts.settings import HostSettings
from bbs_gym.hosts.venue_process import venue_environment

ONE = Account(agent_id="agent-001", alias="Agent001")
TWO = Account(agent_id="agent-002", alias="Agent002")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("run")


@pytest.fixture(scope="module")
def house(folder: Path) -> Iterator[HouseHost]:
    """A private venue with two agents."""
    with private_house(folder) as host:
        asyncio.run(host.provision([ONE, TWO]))
        yield host


def starlane(folder: Path, *words: str) -> Any:
    """The command line itself, beside the host."""
    data = folder / "venue" / "doors" / "starlane"
    done = subprocess.run(
        (sys.executable, "-m", "starlane", *words, "--data", data),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    return json.loads(done.stdout) if "--json" in words else done.stdout


async def test_accounts_are_made_once_and_changed_where_the_registry_is(house: HouseHost, folder: Path) -> None:
    assert await house.provision([ONE, TWO]) == (
        Provisioned(agent_id="agent-001", alias="Agent001", change=Change.UNCHANGED),
        Provisioned(agent_id="agent-002", alias="Agent002", change=Change.UNCHANGED),
    )
    new = msgspec.structs.replace(TWO, agent_id="agent-003", alias="Agent003")
    other = folder / "other"
    other.write_text("another password\n")
    changed = msgspec.structs.replace(ONE, alias="AGENT001", password_file=other)
    foreseen = await house.provision([changed, new], dry_run=True)
    assert foreseen == (
        Provisioned(agent_id="agent-001", alias="Agent001", change=Change.UPDATED, detail="password"),
        Provisioned(agent_id="agent-003", alias="Agent003", change=Change.CREATED, detail="password, tour"),
    )
    assert {user["name"] for user in await users(house)} == {"Agent001", "Agent002"}
    assert not (folder / "secrets" / "agent-003.password").exists()


async def users(host: HouseHost) -> list[dict[str, Any]]:
    exported = await host.export("users")
    assert isinstance(exported, list)
    return exported


async def test_an_account_that_can_not_be_is_a_fault_and_names_no_password(house: HouseHost, folder: Path) -> None:
    short = folder / "short"
    short.write_text("sesame\n")
    bad = Account(agent_id="agent-009", alias="Agent009", password_file=short)
    for wrong, told in (
        (bad, "Agent009: a password has 8 to 256 characters"),
        (msgspec.structs.replace(bad, password_file=folder / "none"), "agent-009: "),
        (msgspec.structs.replace(bad, password_file=None, key_file=folder / "none"), "agent-009: "),
    ):
        with pytest.raises(HostFault, match=told) as fault:
            await house.provision([TWO, wrong])
        assert "sesame" not in str(fault.value)


async def test_agents_arrive_at_the_main_menu_and_are_seen_on_their_nodes(house: HouseHost) -> None:
    async with calling(house, ONE, Transport.RLOGIN) as one, calling(house, TWO, Transport.TELNET) as two:
        for session in (one, two):
            assert "Main menu:" in session.screen.text()
        seats = await house.nodes()
        assert [(seat.node, seat.alias) for seat in seats] == [
            (one.node.observed, "Agent001"),
            (two.node.observed, "Agent002"),
        ]
        assert max(seat.node for seat in seats) <= house.node_count()


async def test_what_was_kept_comes_back(house: HouseHost, folder: Path) -> None:
    await house.reset_door("starlane", seed=5)
    kept = await house.save("kept")
    assert kept.path == folder / "snapshots" / "kept"
    with pytest.raises(HostFault, match="there is a snapshot kept"):
        await house.save("kept")
    starlane(folder, "play", "--key", "name:stranger", "--name", "Stranger", "--plain")
    venue = venue_of(house)
    await house.restore(kept)
    assert gone(venue)
    assert await house.nodes() == ()
    assert await house.scores("starlane") == ()
    again = await house.save("again")
    assert again.sha256 == kept.sha256
    async with calling(house, TWO, Transport.RLOGIN) as two:
        assert two.node.observed == 1
    (again.path / "doors.toml").write_text("# changed\n")
    for snapshot, told in (
        (again, "is not what it was"),
        (msgspec.structs.replace(kept, path=folder / "none"), "is not there"),
    ):
        with pytest.raises(HostFault, match=told):
            await house.restore(snapshot)
    with pytest.raises(HostFault, match="can't be the name"):
        await house.save("../escape")
    await house.nodes()  # none of that has stopped it


async def test_scores_are_those_that_starlane_tells(house: HouseHost, folder: Path) -> None:
    await house.reset_door("starlane", seed=7)
    assert await house.scores("starlane") == ()
    assert starlane(folder, "scores", "--json")["seed"] == 7
    await house.grant_turns("starlane", "agent001", 30)
    await house.grant_turns("starlane", "Agent001", 10)
    starlane(folder, "play", "--key", "name:stranger", "--name", "Stranger", "--plain")
    told = {line["name"]: line for line in starlane(folder, "scores", "--json")["scores"]}
    scores = await house.scores("starlane")
    assert {score.player: score.score for score in scores} == {name: line["net_worth"] for name, line in told.items()}
    by_player = {score.player: score for score in scores}
    assert {name: score.agent_id for name, score in by_player.items()} == {
        "Agent001": "agent-001",
        "Stranger": None,
    }
    for name, turns in (("Agent001", 290), ("Stranger", 250)):
        parts = by_player[name].parts
        assert parts["turns"] == told[name]["turns"] == turns
        assert set(parts) == {part for part, value in told[name].items() if isinstance(value, int)} - {
            "rank",
            "net_worth",
        }
    # It is the pilot of the account: who calls finds it.
    accounts = {user["name"]: user["account"] for user in await users(house)}
    assert told["Agent001"]["key"] == f"#{accounts['Agent001']}"
    with pytest.raises(HostFault, match="Agent009 has no account"):
        await house.grant_turns("starlane", "Agent009", 5)


async def test_a_world_is_made_anew_by_its_seed_and_no_midnight_falls_into_it(house: HouseHost, folder: Path) -> None:
    await house.reset_door("starlane", seed=11)
    first = await house.export("starlane")
    starlane(folder, "play", "--key", "name:stranger", "--name", "Stranger", "--plain")
    await house.reset_door("starlane", seed=11)
    again = await house.export("starlane")
    assert isinstance(first, dict)
    assert again == first
    assert first["settings"]["clock"] == "manual"
    await house.reset_door("starlane")
    assert await house.export("starlane") != first
    assert not list((folder / "venue" / "doors" / "starlane").glob("universe.before-*"))


async def test_state_is_exported_for_checks(house: HouseHost) -> None:
    records = await house.export("mail")
    assert isinstance(records, list)
    assert records[0]["format"] == "agentbbs-mail"
    with pytest.raises(NotSupported, match="exports boards, mail, users, starlane"):
        await house.export("tw2")
    for call in (house.scores("tw2"), house.reset_door("bre"), house.grant_turns("tw2", "Agent001", 1)):
        with pytest.raises(NotSupported, match="starlane"):
            await call


@pytest.mark.slow
async def test_a_venue_that_runs_is_used_as_it_is_and_left_alone(
    house: HouseHost, folder: Path, tmp_path: Path
) -> None:
    guest = HouseHost(HostSettings(data=folder / "venue"), tmp_path)
    await guest.start()
    assert not guest.private
    assert guest.endpoint(Transport.RLOGIN) == house.endpoint(Transport.RLOGIN)
    assert guest.node_count() == house.node_count()
    called = house.with_secrets([ONE])
    assert (await guest.provision(called))[0].change is Change.UNCHANGED
    with pytest.raises(HostFault, match="agent-001 has neither a password nor a key"):
        await guest.provision([ONE])
    assert guest.with_secrets([ONE]) == (ONE,)
    kept = await guest.save("kept")
    with pytest.raises(HostFault, match=r"a venue runs in .*: stop it, then restore"):
        await guest.restore(kept)
    await guest.stop()
    await house.nodes()  # it is not the guest's to stop


async def test_an_address_alone_is_to_be_played_on(house: HouseHost, tmp_path: Path) -> None:
    ports = {"rlogin": house.endpoint(Transport.RLOGIN).port}
    guest = HouseHost(HostSettings(address="127.0.0.1", ports=ports), tmp_path)
    await guest.start()
    assert guest.endpoint(Transport.RLOGIN) == house.endpoint(Transport.RLOGIN)
    assert guest.endpoint(Transport.TELNET) == Endpoint("127.0.0.1", 2323)
    snapshot = Snapshot(name="kept", path=tmp_path, sha256="", created_at="")
    for call in (guest.provision([ONE]), guest.save("kept"), guest.restore(snapshot), guest.export("boards")):
        with pytest.raises(NotSupported, match="name its data folder"):
            await call
    await guest.stop()


async def test_where_no_venue_runs_that_is_told(tmp_path: Path) -> None:
    host = HouseHost(HostSettings(data=tmp_path), tmp_path)
    for look in (host.start(), host.nodes()):
        with pytest.raises(HostFault, match=r"no venue runs in .* agentbbs serve"):
            await look


def test_settings_of_another_venue_are_no_settings_of_this_one(tmp_path: Path) -> None:
    ours = {"AGENTBBS_DATA": str(tmp_path / "one"), "AGENTBBS_DATABASE_URL": "sqlite:////elsewhere", "HOME": "/h"}
    always = {"HOME": "/h", "PYTHONSAFEPATH": "1"}
    assert operators_environment(tmp_path / "one", ours) == ours | always
    assert operators_environment(tmp_path / "two", ours) == always


def test_the_universe_lies_where_the_doors_say(tmp_path: Path) -> None:
    commands = HouseCommands(tmp_path, venue_environment(tmp_path))
    assert commands.starlane_folder() == tmp_path / "doors" / "starlane"
    (tmp_path / "doors.toml").write_text('[door.starlane]\ndirectory = "/srv/stars"\n')
    assert commands.starlane_folder() == Path("/srv/stars")
    (tmp_path / "doors.toml").write_text("[door.starlane]\ndirectory = 7\n")
    assert commands.starlane_folder() == tmp_path / "doors" / "starlane"


def test_a_password_is_nowhere_but_in_its_file(house: HouseHost, folder: Path) -> None:
    (called,) = house.with_secrets([ONE])
    password = password_of(called)
    assert password is not None
    holders = [path for path in folder.rglob("*") if path.is_file() and password.encode() in path.read_bytes()]
    assert holders == [called.password_file]
    assert holders[0].stat().st_mode & 0o077 == 0
