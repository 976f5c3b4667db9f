"""A real language model plays on Agent Arena: however little it understands, it never strikes."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = [pytest.mark.llm, pytest.mark.timeout(170)]

SCRIPT = Path(__file__).parents[2] / "examples" / "llm-agent" / "agent.py"
SOON_S = 30.0


@pytest.fixture
def agent(small_model: str, unused_tcp_port: int) -> Iterator[str]:
    """The URL of an agent that asks the small model."""
    env = {"MODEL_URL": small_model, "MODEL": "SmolLM2-135M-Instruct", "MODEL_MAX_TOKENS": "60"}
    command = [sys.executable, str(SCRIPT), "--port", str(unused_tcp_port)]
    with subprocess.Popen(command, env=os.environ | env, stdout=subprocess.DEVNULL) as process:
        try:
            until = time.monotonic() + SOON_S
            while True:
                try:
                    socket.create_connection(("127.0.0.1", unused_tcp_port)).close()
                    break
                except OSError:
                    assert process.poll() is None, "the agent ended"
                    assert time.monotonic() < until
                    time.sleep(0.05)
            yield f"http://127.0.0.1:{unused_tcp_port}/"
        finally:
            process.terminate()


def test_a_small_model_plays_a_match_without_a_strike(agent: str) -> None:
    options = ["--game", "ttt", "--bot", "random", "--matches", "1", "--deadline-ms", "30000", "--json"]
    command = [sys.executable, "-m", "agentbbs", "check-agent", agent, *options]
    found = subprocess.run(command, capture_output=True, text=True, timeout=150, check=False)
    assert found.returncode == 0, found.stderr
    [match] = json.loads(found.stdout)["matches"]
    assert match["strikes"] == []
