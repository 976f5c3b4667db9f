"""What each transport sends, and whole logins at a real venue."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.bbs_gym.fake_bbs import fake_bbs
from tests.bbs_gym.login.dialogues import Hears, Says, Script
from tests.e2e.calling import PASSWORD, Board
from tests.e2e.conftest import VenueProcess, open_venue, venue  # noqa: F401 - fixtures
from tests.tty_agent.replay_server import chunks, recorded

from bbs_gym.accounts.account import Account
from bbs_gym.hosts.host import Endpoint
from bbs_gym.login.connecting import connect
from bbs_gym.login.fault import FaultKind, LoginFault
from bbs_gym.login.rlogin import terminal_type
from bbs_gym.login.session import BbsSession, LoginPace
from bbs_gym.login.ssh import is_loopback
from bbs_gym.nodes import NodeRecord, SeenBy
from tty_agent.actions import PressKey
from tty_agent.observer.readiness import Fixed
from tty_agent.transcript.marks import sidecar_of

ENVIRONMENT = {"ANN": PASSWORD}


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("localhost", True),
        ("LOCALHOST", True),
        ("10.0.0.1", False),
        ("localhost.example.org", False),
        ("bbs.example.org", False),
        ("fe80::1%eth0", False),
    ],
)
def test_host_keys_are_not_looked_at_on_this_machine_alone(host: str, *, local: bool) -> None:
    assert is_loopback(host) is local


@pytest.mark.parametrize(("door", "told"), [(None, "ansi-bbs/115200"), ("TW2", "xtrn=TW2/115200")])
def test_the_terminal_that_rlogin_names(door: str | None, told: str) -> None:
    assert terminal_type(door) == told


@pytest.mark.parametrize("door", ["", "a/b", "a b", "a\0b", "x" * 33, "d\xf6r"])
def test_a_code_that_is_no_doors(door: str) -> None:
    with pytest.raises(LoginFault) as raised:
        terminal_type(door)
    assert raised.value.kind is FaultKind.NO_DOOR


# Recordings of a real Synchronet, played to real transports: it goes on when it is typed what was typed then.


def script_of(name: str) -> Script:
    """A recording as a script, without the handshake of rlogin."""
    steps: list[Says | Hears] = []
    for chunk in chunks(recorded(name)):
        kind = Says if chunk.dir == "rx" else Hears
        if kind is Hears and chunk.data[:1] in {b"\xff", b"\x1b", b"\0"}:
            continue
        if steps and type(steps[-1]) is kind:
            steps[-1] = kind(steps[-1] + chunk.data)
        else:
            steps.append(kind(chunk.data))
    return steps


def recorded_caller(alias: str = "alice") -> Account:
    return Account(agent_id="agent-001", alias=alias, password_env="RECORDED")


async def call_recording(
    name: str, account: Account, *, until: int, door: str | None = None, password: str = "secret-Pa55"
) -> BbsSession:
    """The session that logged in to its first `until` keys and what follows, already closed. Raises LoginFault."""
    transport = "telnet" if name.startswith(("telnet", "idle")) else "rlogin"
    script = script_of(name)[: 2 * until + 1]
    with fake_bbs(script, rlogin=transport == "rlogin") as board:
        session = await connect(
            account,
            Endpoint("127.0.0.1", board.port),
            transport,
            door=door,
            environment={"RECORDED": password},
            pace=LoginPace(stage_s=5.0, quiet_s=0.1, prompt_quiet_s=0.02),
        )
        await session.close()
        return session


@pytest.mark.parametrize(
    ("name", "alias", "keys", "node"),
    [
        ("telnet-alice-2", "alice", 5, 1),
        ("telnet-fast", "!agent003", 3, 1),
        ("rlogin-fast", "!agent003", 1, 2),
        ("rlogin-bob-multi", "bob", 3, 2),
    ],
)
async def test_a_recorded_board_lets_the_caller_in(name: str, alias: str, keys: int, node: int) -> None:
    session = await call_recording(name, recorded_caller(alias), until=keys)
    assert session.node.observed == node


async def test_a_recorded_board_leads_into_its_door() -> None:
    session = await call_recording("rlogin-xtrn", recorded_caller("bob"), door="TW2", until=0)
    assert "Do you want instructions (Y/N) [N]?" in session.screen.text()
    assert session.node.observed is None


@pytest.mark.parametrize(
    ("name", "kind", "keys", "password"),
    [
        ("telnet-badpw", FaultKind.WRONG_PASSWORD, 2, "nope"),
        ("telnet-full-8", FaultKind.NO_NODE, 0, "secret-Pa55"),
        ("rlogin-badpw", FaultKind.WRONG_PASSWORD, 0, "secret-Pa55"),
        ("rlogin-swapped", FaultKind.SWAPPED_FIELDS, 0, "secret-Pa55"),
    ],
)
async def test_a_recorded_board_does_not(name: str, kind: FaultKind, keys: int, password: str) -> None:
    with pytest.raises(LoginFault) as raised:
        await call_recording(name, recorded_caller(), until=keys, password=password)
    assert raised.value.kind is kind
    assert password not in raised.value.text


async def test_every_way_into_a_real_venue(open_venue: Callable[..., VenueProcess], tmp_path: Path) -> None:  # noqa: F811
    """One venue: each transport logs in, plays a key and logs off; then what must not get in."""
    board = Board(open_venue(AGENTBBS_NODES="8"), tmp_path)
    board.member("ann")
    told = json.loads((board.venue.data / "venue.json").read_text())
    by_password = Account(agent_id="agent-001", alias="ann", password_env="ANN")
    by_key = Account(agent_id="agent-001", alias="ann", key_file=board.key("ann"))

    def endpoint(transport: str) -> Endpoint:
        host, _, port = told[transport].rpartition(":")
        return Endpoint(host, int(port))

    async def visit(account: Account, transport: str) -> None:
        session = await connect(
            account,
            endpoint(transport),
            transport,
            node=1,
            transcript=tmp_path / "agent-001.raw",
            metadata={"run": "r1"},
            policy=Fixed(quiet_s=0.1),
            environment=ENVIRONMENT,
        )
        try:
            assert session.node == NodeRecord(requested=1, observed=1, seen_by=SeenBy.BANNER)
            await session.act(PressKey("w"))
            seen = await session.observe_turn()
            assert "ann" in seen.model_text
            assert seen.metadata["run"] == "r1"
            await session.act(PressKey("q"))
            assert (await session.observe_turn()).model_text.rstrip().endswith("Main menu:")
            await session.log_off()
            assert session.end is not None
        finally:
            await session.close()

    for account, transport in (
        (by_password, "rlogin"),
        (by_password, "telnet"),
        (by_password, "ssh"),
        (by_key, "ssh"),
    ):
        await visit(account, transport)
    raw = tmp_path / "agent-001.raw"
    assert raw.read_bytes().count(b"Main menu:") >= 4
    assert PASSWORD.encode() not in raw.read_bytes() + sidecar_of(raw).read_bytes()

    stranger = Account(agent_id="agent-002", alias="zed", password_env="ANN")
    with pytest.raises(LoginFault) as raised:
        await connect(stranger, endpoint("ssh"), "ssh", environment=ENVIRONMENT)
    assert raised.value.kind is FaultKind.WRONG_PASSWORD
    with pytest.raises(LoginFault) as raised:
        await connect(by_password, endpoint("rlogin"), "rlogin", door="nowhere", environment=ENVIRONMENT)
    assert raised.value.kind is FaultKind.NO_DOOR


@pytest.mark.parametrize(("alias", "password"), [("zo\u4e2d", "x"), ("zoe", "x\u4e2d"), ("zo\0e", "x")])
async def test_fields_that_rlogin_cannot_carry(alias: str, password: str) -> None:
    account = Account(agent_id="a", alias=alias, password_env="ANN")
    with pytest.raises(LoginFault) as raised:
        await connect(account, Endpoint("127.0.0.1", 1), "rlogin", environment={"ANN": password})
    assert raised.value.kind is FaultKind.UNTYPABLE
    assert "\u4e2d" not in raised.value.text.replace(alias, "")
