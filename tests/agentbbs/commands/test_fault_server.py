"""`fault-server`: what it shows, that it serves it, whom it is for, and how it ends."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agentbbs.protocol.strikes import StrikeRow
from agentbbs.referee.endpoint_url import UrlRules
from agentbbs.referee.fault_server import FAULTS
from agentbbs.referee.outbound import Exchange, Outbound, OutboundRules

LIMIT_S = 60


@contextmanager
def serving(*args: str) -> Iterator[subprocess.Popen[str]]:
    """The command as a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "agentbbs", "fault-server", *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


async def ask(url: str, ca_file: str) -> Exchange:
    """What a referee makes of one of its URLs."""
    async with Outbound(OutboundRules(url=UrlRules(loopback=True), ca_file=Path(ca_file))) as outbound:
        return await outbound.post(await outbound.check(url), b'{"legal":["a"],"nonce":"n"}', {}, LIMIT_S)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_what_it_lists_until_it_is_stopped(number: signal.Signals) -> None:
    with serving("--json") as process:
        assert process.stdout is not None
        served = json.loads(process.stdout.readline())
        assert [fault["says"] for fault in served["faults"]] == [fault.says for fault in FAULTS.values()]
        assert {fault["row"] for fault in served["faults"]} >= {None, "tls", "nonce", "timeout"}
        good = asyncio.run(ask(served["url"] + "/ok", served["ca_file"]))
        expired = next(fault["url"] for fault in served["faults"] if fault["url"].endswith("/expired"))
        bad = asyncio.run(ask(expired, served["ca_file"]))
        process.send_signal(number)
        left, said = process.communicate(timeout=LIMIT_S)
    assert good.answer is not None
    assert json.loads(good.answer.body) == {"move": "a", "nonce": "n"}
    assert bad.row is StrikeRow.TLS
    assert (process.returncode, left, said) == (0, "", "")
    assert not Path(served["ca_file"]).exists()


def test_it_shows_people_a_line_for_each_fault(tmp_path: Path) -> None:
    with serving("--folder", str(tmp_path / "faults"), "--host", "localhost") as process:
        assert process.stderr is not None
        assert "Ctrl-C" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        shown, _ = process.communicate(timeout=LIMIT_S)
    ca, base, _, _, *lines = shown.splitlines()
    assert ca == f"CA file   {tmp_path / 'faults' / 'ca.pem'}"
    assert Path(ca.split()[-1]).exists()
    url = base.split()[-1]
    assert url.startswith("https://127.0.0.1:")
    assert [line.split()[1] for line in lines] == [str(fault.row or "ok") for fault in FAULTS.values()]
    for line, (path, fault) in zip(lines, FAULTS.items(), strict=True):
        assert line.split()[0].endswith(path)
        assert line.startswith(f"{url}/") is not fault.own_port
        assert line.endswith(fault.says)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "agent.example", "", "127.1"])
def test_it_is_for_this_machine_alone(run: Any, host: str) -> None:
    refused = run("fault-server", "--host", host)
    assert refused.exit_code == 2
    assert "is no loopback address" in refused.stderr
    assert refused.stdout == ""


def test_a_port_that_somebody_has(run: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = run("fault-server", "--port", port)
    assert refused.exit_code == 1
    assert f"error: nothing can listen on 127.0.0.1, port {port}: take another --port" in refused.stderr
