"""A venue as a process of ours: it ends when it shall, and never outlives us."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.bbs_gym.hosts.private_house import GONE_S, gone, venue_of

from bbs_gym.hosts.host import HostFault, Transport
from bbs_gym.hosts.house import HouseHost
from bbs_gym.hosts.settings import HostSettings
from bbs_gym.hosts.venue_process import VenueProcess, venue_environment

PARENT = """
import asyncio, sys, time
from pathlib import Path
from bbs_gym.hosts.house import HouseHost
from bbs_gym.hosts.settings import HostSettings

async def hold():
    host = HouseHost(HostSettings(), Path(sys.argv[1]))
    await host.start()
    print(host._process.state.pid, flush=True)
    await asyncio.Event().wait()

asyncio.run(hold())
"""
"""A harness that is killed in the middle."""


def test_a_private_venue_knows_nothing_of_our_secrets_and_our_own_venue(tmp_path: Path) -> None:
    ours = {
        "PATH": "/bin",
        "LC_ALL": "C.UTF-8",
        "OPENAI_API_KEY": "k",
        "AGENT_001_PASSWORD": "p",
        "AGENTBBS_DATABASE_URL": "sqlite:////elsewhere",
        "AGENTBBS_PLAINTEXT_LOGIN": "1",
    }
    theirs = venue_environment(tmp_path, ours)
    assert {name for name in theirs if not name.startswith("AGENTBBS_")} == {"PATH", "LC_ALL", "PYTHONSAFEPATH"}
    assert {name.removeprefix("AGENTBBS_") for name in theirs if name.startswith("AGENTBBS_")} == {
        "DATA",
        "GAME_WS_ADDR",
        "SSH_ADDR",
        "TELNET_ADDR",
        "RLOGIN_ADDR",
        "WEB_ADDR",
        "REGISTRATION",
        "NODES",
        "DRAIN",
        "LOG_FORMAT",
    }
    addresses = {name: value for name, value in theirs.items() if name.endswith("_ADDR")}
    assert addresses.pop("AGENTBBS_WEB_ADDR") == "", "nobody looks at the pages of a private venue"
    assert set(addresses.values()) == {"127.0.0.1:0"}


async def test_why_it_did_not_open_is_told(tmp_path: Path) -> None:
    (tmp_path / "venue").mkdir()
    (tmp_path / "venue" / "doors.toml").write_text("nonsense")
    host = HouseHost(HostSettings(), tmp_path)
    with pytest.raises(HostFault, match=r"the private venue has ended by itself \(.*doors\.toml: .*venue\.log"):
        await host.start()
    with pytest.raises(HostFault, match="start the host first"):
        host.endpoint(Transport.RLOGIN)


async def test_what_can_not_be_written_to_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(HostFault, match="can't be started"):
        await HouseHost(HostSettings(), tmp_path / "file").start()


@pytest.mark.slow
async def test_a_venue_that_dies_is_a_fault_at_the_next_call_and_can_be_started_again(tmp_path: Path) -> None:
    host = HouseHost(HostSettings(), tmp_path)
    await host.start()
    try:
        first = venue_of(host)
        await host.start()  # it runs: nothing happens
        signal.pidfd_send_signal(first, signal.SIGKILL)
        assert gone(first)
        assert host._process is not None
        assert host._process._process is not None
        host._process._process.wait(GONE_S)
        for call in (host.nodes(), host.provision([]), host.scores("starlane"), host.export("boards")):
            with pytest.raises(HostFault, match="has ended by itself"):
                await call
        with pytest.raises(HostFault, match="has ended by itself"):
            host.endpoint(Transport.TELNET)
        await host.start()
        assert await host.nodes() == ()
        second = venue_of(host)
    finally:
        await host.stop()
    assert gone(second)


def test_a_killed_harness_leaves_no_venue_behind(tmp_path: Path) -> None:
    harness = subprocess.Popen((sys.executable, "-c", PARENT, str(tmp_path)), stdout=subprocess.PIPE)
    with harness:
        assert harness.stdout is not None
        venue = os.pidfd_open(int(harness.stdout.readline()))
        harness.kill()
        assert harness.wait(GONE_S) == -signal.SIGKILL
    assert gone(venue)


async def test_what_was_never_started_can_be_stopped(tmp_path: Path) -> None:
    venue = VenueProcess(tmp_path / "venue", tmp_path / "venue.log", {})
    await venue.stop()
    assert not venue.running
    venue.check()
