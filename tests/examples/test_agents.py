"""Every example agent, run as a user runs it, against scripted venues."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import ANY

import msgspec
import pytest
from tests.scripted_venue import (
    Drops,
    Gone,
    Hears,
    Says,
    ScriptedVenue,
    Step,
    error,
    hello,
    join,
    queued,
    result,
    state,
)

EXAMPLES = Path(__file__).parents[2] / "examples"
TIMEOUT_S = 30


class Example(msgspec.Struct, frozen=True):
    """An agent: how to start it, and how its options look."""

    command: tuple[str, ...]
    matches: tuple[str, ...]

    def run(
        self, url: str, *options: str, token: str | None = "t0ken", game: str = "ttt"
    ) -> subprocess.CompletedProcess[str]:
        env = {key: value for key, value in os.environ.items() if not key.startswith("AGENTBBS_")}
        if token is not None:
            env["AGENTBBS_TOKEN"] = token
        return subprocess.run(
            [*self.command, url, game, *options],
            env=env,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )


def _why_no_javascript() -> str:
    """Why the JavaScript agent can't run here, or "" if it can."""
    if shutil.which("node") is None:
        return "node is not installed"
    if not (EXAMPLES / "js" / "node_modules" / "ws").is_dir():
        return "the ws package is missing: run `npm install` in examples/js"
    return ""


def python(name: str) -> tuple[str, ...]:
    return (sys.executable, str(EXAMPLES / name))


RAW = Example(python("python_agent.py"), ("--matches", "2"))
SDK = Example(python("sdk_agent.py"), ("2",))
SDK_ASYNC = Example(python("sdk_async_agent.py"), ("2",))
JAVASCRIPT = Example(("node", str(EXAMPLES / "js" / "agent.mjs")), ("--matches", "2"))

NO_JAVASCRIPT = _why_no_javascript()
javascript = pytest.param(
    JAVASCRIPT, id="js/agent.mjs", marks=pytest.mark.skipif(bool(NO_JAVASCRIPT), reason=NO_JAVASCRIPT)
)
raw = pytest.param(RAW, id="python_agent.py")
EVERY = [raw, pytest.param(SDK, id="sdk_agent.py"), pytest.param(SDK_ASYNC, id="sdk_async_agent.py"), javascript]

MOVES = Hears({"type": "move", "move": ANY, "ply": 0})
LATER = Says({"type": "later", "sky": "blue"})


def match(name: str) -> list[Step]:
    """A match that the opponent resigns after our first move, among messages of a newer venue."""
    before: list[Step] = [join(), queued(), LATER, hello(name), state(""), MOVES]
    return [*before, error("stale_ply"), state("", over=True), result(name)]


@pytest.mark.parametrize("agent", EVERY)
def test_it_plays_some_matches_on_one_connection(agent: Example) -> None:
    with ScriptedVenue([*match("m-1"), *match("m-2"), Gone()]) as venue:
        done = agent.run(venue.url, *agent.matches)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["win 1516 m-1", "win 1516 m-2"]
    assert venue.requests[0].headers["Authorization"] == "Bearer t0ken"
    assert venue.requests[0].path == "/play"


FAULTS: list[tuple[str, Sequence[Step], str]] = [
    ("an error", [join(), queued(), error("no_opponent", "nobody came"), Gone()], "no_opponent"),
    ("a loss in a match", [join(), queued(), hello(), state(""), MOVES, Drops()], "lost"),
]


@pytest.mark.parametrize("agent", EVERY)
@pytest.mark.parametrize(("script", "says"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS])
def test_it_says_what_went_wrong_and_fails(agent: Example, script: Sequence[Step], says: str) -> None:
    with ScriptedVenue(script) as venue:
        done = agent.run(venue.url)
    assert (done.returncode, done.stdout) == (1, "")
    assert says in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("agent", EVERY)
def test_a_refused_token_is_told(agent: Example) -> None:
    body = '{"type":"error","code":"unauthorized","message":"The token is revoked."}'
    with ScriptedVenue(refusals=[(401, body, {"Content-Type": "application/json"})]) as venue:
        done = agent.run(venue.url)
    assert done.returncode == 1
    assert "The token is revoked." in done.stderr


@pytest.mark.parametrize("agent", EVERY)
def test_without_a_token_nothing_is_dialled(agent: Example) -> None:
    with ScriptedVenue() as venue:
        done = agent.run(venue.url, token=None)
    assert done.returncode in (1, 2)
    assert "AGENTBBS_TOKEN" in done.stderr
    assert venue.requests == []


@pytest.mark.parametrize("agent", [raw, javascript])
def test_the_token_may_be_in_a_file(agent: Example, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("from-file\n")
    with ScriptedVenue([*match("m-1"), Gone()]) as venue:
        done = agent.run(venue.url, "--token-file", str(tmp_path / "token"), token=None)
    assert done.returncode == 0, done.stderr
    assert venue.requests[0].headers["Authorization"] == "Bearer from-file"


def test_the_readme_names_every_example() -> None:
    named = (EXAMPLES / "README.md").read_text()
    agents = [path.name for path in (*EXAMPLES.glob("*.py"), *EXAMPLES.glob("*.sh"))] + ["js/agent.mjs"]
    assert len(agents) == 6
    for agent in agents:
        assert f"`{agent}`" in named
