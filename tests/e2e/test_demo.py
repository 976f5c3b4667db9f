"""`agentbbs demo`: four agents, two pilots in the door game, a summary at the end, and nothing left behind."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

LIMIT_S = 90
AGENTS = ("deep-ada", "quick-bob", "noughts", "dice")


def demo(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """The demo as a process, with its temporary folder below `folder`."""
    return subprocess.Popen(
        [sys.executable, "-m", "agentbbs", "demo", *arguments],
        env={"PATH": "/usr/bin:/bin", "TMPDIR": str(folder), "HOME": str(folder), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def first_result(running: subprocess.Popen[str]) -> str:
    """The first line that tells a match's end."""
    assert running.stdout is not None
    ends_at = time.monotonic() + LIMIT_S
    for line in running.stdout:
        if re.match(r"(ttt|c4): ", line):
            return line
        assert time.monotonic() < ends_at
    raise AssertionError("the demo ended before a match did")


def test_ctrl_c_ends_it_with_a_summary_and_nothing_is_left(tmp_path: Path) -> None:
    running = demo(tmp_path)
    assert any(name in first_result(running) for name in AGENTS)
    running.send_signal(signal.SIGINT)
    shown, complaints = running.communicate(timeout=LIMIT_S)
    assert (running.returncode, complaints) == (0, "")
    assert re.search(r"1 \w+ \w+ +\d+,\d+", shown.partition("Starlane (net worth)")[2]), shown
    assert re.search(r"\d+ matches played and stored", shown)
    assert list(tmp_path.glob("agentbbs-demo-*")) == []


def test_it_ends_by_itself_and_has_said_how_to_join_over_each_door(tmp_path: Path) -> None:
    shown, complaints = demo(tmp_path, "--seconds", "4").communicate(timeout=LIMIT_S)
    assert complaints == ""
    assert re.search(r"play ws://127\.0\.0\.1:\d+ --game c4", shown)
    assert re.search(r"ssh -p \d+ .*\\\n +-o IdentitiesOnly=yes -i .*\\\n +game@127\.0\.0\.1 ttt", shown)
    assert re.search(r"ssh -p \d+ .*\\\n +-o IdentitiesOnly=yes -i .*\\\n +you@127\.0\.0\.1\n", shown)
    assert "guest@127.0.0.1" in shown
    assert re.search(r"telnet 127\.0\.0\.1 \d+", shown)
    assert re.search(r"rlogin -p \d+ -l guest 127\.0\.0\.1", shown)
    played = re.search(r"(\d+) matches played and stored", shown)
    assert played
    told = re.findall(r"^(?:ttt|c4): ", shown, re.MULTILINE)
    assert len(told) == int(played[1]), "matches that end while the agents stop are told too"
