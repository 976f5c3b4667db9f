"""A real Synchronet, if one is named: `BBS_GYM_SYNCHRONET=FOLDER pytest …`.

FOLDER is a native installation, or the state of the compose service, and the BBS runs with Trade Wars 2 installed. The
tests make the account GymLive1 and give it a new password each time; one of them plays a turn of the game. Nothing is
reset. docs/synchronet.md says more.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest

from bbs_gym.accounts.account import Account
from bbs_gym.hosts.host import Change, Transport
from bbs_gym.hosts.settings import HostSettings
from bbs_gym.hosts.synchronet import SynchronetHost
from bbs_gym.login.connecting import connect
from bbs_gym.login.session import BbsSession
from tty_agent.actions import ActionName, ActionPolicy, parse
from tty_agent.observation.observation import Observation

VARIABLE: Final = "BBS_GYM_SYNCHRONET"
FOLDER: Final = os.environ.get(VARIABLE)

pytestmark = [
    pytest.mark.skipif(not FOLDER, reason=f"{VARIABLE} names no running Synchronet"),
    pytest.mark.slow,
]

PASSWORD_VARIABLE: Final = "BBS_GYM_LIVE_PASSWORD"
ACCOUNT: Final = Account(agent_id="gym-live-1", alias="GymLive1", password_env=PASSWORD_VARIABLE)
ACTIONS: Final = ActionPolicy(allowed=(ActionName.PRESS_KEY, ActionName.TYPE_TEXT))

COMMAND: Final = "Command (?=Help)?"
MAX_KEYS: Final = 40
"""From anywhere to a prompt: a new player has a dozen screens to page through."""


@pytest.fixture
async def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SynchronetHost]:
    """The BBS, with our account on it."""
    monkeypatch.setenv(PASSWORD_VARIABLE, secrets.token_hex(8))
    host = SynchronetHost(HostSettings(kind="synchronet", data=Path(FOLDER or "")), tmp_path)
    await host.start()
    await host.provision([ACCOUNT])
    yield host
    await host.stop()


async def call(host: SynchronetHost, transport: Transport, *, door: str | None = None) -> BbsSession:
    return await connect(ACCOUNT, host.endpoint(transport), transport, host=host, kind="synchronet", door=door)


async def press(session: BbsSession, key: str) -> Observation:
    reply = json.dumps({"action": "press_key", "arguments": {"key": key}})
    await session.act(parse(reply, ACTIONS).action, ACTIONS)
    return await session.observe_turn()


async def until_command(session: BbsSession) -> Observation:
    """Page to the prompt of the game: a key for a pause, no for an offer of instructions."""
    seen = await session.observe_turn()
    for _ in range(MAX_KEYS):
        if seen.model_text.rstrip().endswith(COMMAND):
            return seen
        seen = await press(session, "n" if "(Y/N)" in seen.model_text.splitlines()[-1] else "enter")
    raise AssertionError(f"no prompt of the game: {seen.model_text!r}")


async def leave(session: BbsSession) -> None:
    """By the door's own quit, so that no player is left online."""
    await press(session, "q")
    await press(session, "y")
    await session.close()


async def test_provisioning_a_second_time_changes_nothing(host: SynchronetHost) -> None:
    (again,) = await host.provision([ACCOUNT])
    assert (again.change, again.detail) == (Change.UNCHANGED, "")


@pytest.mark.parametrize("transport", [Transport.TELNET, Transport.RLOGIN])
async def test_login_and_the_node(host: SynchronetHost, transport: Transport) -> None:
    session = await call(host, transport)
    try:
        assert session.node.observed in range(1, host.node_count() + 1)
        assert (session.node.observed, ACCOUNT.alias) in {(seat.node, seat.alias) for seat in await host.nodes()}
    finally:
        await session.log_off()
        await session.close()


async def test_a_turn_is_played_and_the_score_read(host: SynchronetHost) -> None:
    session = await call(host, Transport.RLOGIN, door="TW2")
    try:
        await until_command(session)
        (before,) = [one for one in await host.scores("tw2") if one.player == ACCOUNT.alias]
        seen = await press(session, "m")
        to = seen.model_text.rpartition("Warps lead to:")[2].split("\n")[0].split(",")[0].strip()
        for digit in to:
            seen = await press(session, digit)
        if "To which sector?" in seen.model_text.splitlines()[-1]:
            await press(session, "enter")
        (after,) = [one for one in await host.scores("tw2") if one.player == ACCOUNT.alias]
        assert after.parts["turns"] == before.parts["turns"] - 1
        assert after.parts["sector"] == float(to)
    finally:
        await leave(session)


async def test_the_door_by_the_menu(host: SynchronetHost) -> None:
    session = await call(host, Transport.TELNET)
    try:
        await session.observe_turn()
        for key in ("x", "2", "2"):
            await press(session, key)
        await until_command(session)
    finally:
        await leave(session)
