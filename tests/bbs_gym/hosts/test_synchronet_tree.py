"""A native installation: a folder, a jsexec, and a process that listens."""

from __future__ import annotations

import asyncio
import shlex
import socket
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.bbs_gym.hosts.fake_synchronet import FakeSynchronet

from bbs_gym.hosts.host import HostFault
from bbs_gym.hosts.jsexec_call import SCRIPTS
from bbs_gym.hosts.line_probe import NODE_FREE_S
from bbs_gym.hosts.synchronet_tree import SynchronetTree

SBBS = """
import os, signal, socket, sys
print("login failed: secret-Pa55", flush=True)
open(sys.argv[1], "w").write(os.environ["SBBSCTRL"] + " " + str("AGENT_PASSWORD" in os.environ))
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
lines = [socket.create_server(("127.0.0.1", int(port))) for port in sys.argv[2:]]
while True:
    caller, _ = lines[0].accept()
    caller.sendall(b"\\xff\\xfb\\x01")
    caller.close()
"""


@pytest.fixture
def ports() -> dict[str, int]:
    """Two ports that were free a moment ago."""
    with socket.socket() as one, socket.socket() as other:
        for each in (one, other):
            each.bind(("127.0.0.1", 0))
        return {"telnet": one.getsockname()[1], "rlogin": other.getsockname()[1]}


@pytest.fixture
def bbs(tmp_path: Path, ports: dict[str, int]) -> FakeSynchronet:
    bbs = FakeSynchronet(tmp_path / "sbbs")
    program = tmp_path / "sbbs.py"
    program.write_text(SBBS)
    words = [sys.executable, "-I", str(program), str(tmp_path / "seen"), *map(str, ports.values())]
    bbs.program("sbbs", f"exec {shlex.join(words)}")
    return bbs


def tree_of(bbs: FakeSynchronet, ports: dict[str, int] | None = None, **options: Any) -> SynchronetTree:
    return SynchronetTree(bbs.root, log=bbs.root.parent / "log" / "synchronet.log", ports=ports, **options)


async def test_start_and_stop(
    bbs: FakeSynchronet, ports: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await asyncio.sleep(min(seconds, 0.02))

    monkeypatch.setenv("AGENT_PASSWORD", "secret")
    tree = tree_of(bbs, ports, sleep=sleep)
    assert not await tree.running()
    assert await tree.start()
    try:
        assert slept[-1] == NODE_FREE_S  # the probe's own node is free again
        assert await tree.running()
        assert not await tree.start()
        assert not await tree_of(bbs, ports).start()  # somebody else finds it running
        assert (tmp_path / "seen").read_text() == f"{bbs.root}/ctrl False"
        log = tmp_path / "log" / "synchronet.log"
        assert stat.S_IMODE(log.stat().st_mode) == 0o600
    finally:
        await tree.stop()
    assert not await tree.running()
    await tree.stop()


async def test_one_that_ends_at_once(bbs: FakeSynchronet, ports: dict[str, int]) -> None:
    bbs.program("sbbs", "echo 'failed login: secret-Pa55'; exit 1")
    with pytest.raises(HostFault, match=r"ended before it took calls: read its log .*synchronet\.log") as caught:
        await tree_of(bbs, ports).start()
    assert "secret-Pa55" not in str(caught.value)


def runs(pid: str) -> bool:
    return Path(f"/proc/{pid}").exists()


async def test_one_that_never_listens_is_ended(bbs: FakeSynchronet, ports: dict[str, int], tmp_path: Path) -> None:
    bbs.program("sbbs", f"echo $$ > {tmp_path}/pid; exec sleep 600")
    tree = tree_of(bbs, ports, start_s=1.0)
    with pytest.raises(HostFault, match=r"does not listen within 1 s: telnet on 127\.0\.0\.1"):
        await tree.start()
    assert not runs((tmp_path / "pid").read_text().strip())


async def test_no_program(bbs: FakeSynchronet, ports: dict[str, int]) -> None:
    (bbs.root / "exec/sbbs").unlink()
    with pytest.raises(HostFault, match="exec/sbbs: can't be run"):
        await tree_of(bbs, ports).start()


async def test_scripts_are_run_from_exec_with_the_trees_settings(
    bbs: FakeSynchronet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENT_PASSWORD", "secret")
    bbs.jsexec(
        f"""echo "$PWD $SBBSCTRL $* ${{AGENT_PASSWORD-none}}" > {tmp_path}/seen; echo 'bbs-gym: {{"ok": true}}'"""
    )
    await tree_of(bbs).run("list_users.js", {})
    root = bbs.root
    assert (tmp_path / "seen").read_text() == f"{root}/exec {root}/ctrl -n {SCRIPTS}/list_users.js none\n"


def test_ports_are_those_of_the_configuration(bbs: FakeSynchronet) -> None:
    assert tree_of(bbs).ports() == {"telnet": 2323, "rlogin": 2513}
    (bbs.root / "ctrl/sbbs.ini").write_text("[BBS]\nTelnetPort=24\n")
    assert tree_of(bbs).ports() == {"telnet": 24}
    assert tree_of(bbs, {"rlogin": 7}).ports() == {"rlogin": 7}


def test_a_folder_that_is_no_installation(tmp_path: Path) -> None:
    with pytest.raises(HostFault, match="it needs exec/jsexec and ctrl"):
        SynchronetTree(tmp_path, log=tmp_path / "log")
