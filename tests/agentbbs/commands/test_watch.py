"""`watch`, beside a venue that runs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from websockets.sync.client import ClientConnection


@contextmanager
def watcher(*args: str) -> Iterator[subprocess.Popen[str]]:
    """`agentbbs watch ARGS` as a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "agentbbs", "watch", *args],
        env=os.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def move(agent: ClientConnection, cell: str) -> None:
    agent.send(json.dumps({"type": "move", "move": cell}))


def test_live_matches_are_listed(at_venue: Any, venue: Any, tokens: list[str]) -> None:
    assert json.loads(at_venue("watch", "--json").stdout) == []
    assert at_venue("watch").stderr == "no match is on\n"
    match, _, _ = venue.match(*tokens)
    (live,) = json.loads(at_venue("watch", "--json").stdout)
    assert live["match"] == match
    assert live["game"] == "ttt"
    assert sorted(live["players"]) == ["ada", "bob"]
    assert match in at_venue("watch", "--url", f"ws://{venue.address}/play").stdout


def test_a_match_is_watched_to_its_end_as_json(venue: Any, tokens: list[str]) -> None:
    match, first, second = venue.match(*tokens)
    with watcher(match[:-4], "--json") as watching:
        assert watching.stdout is not None
        messages = (json.loads(line) for line in watching.stdout)
        assert next(messages)["type"] == "watching"
        assert next(messages)["ply"] == 0
        for ply, (agent, cell) in enumerate(((first, "0"), (second, "3"), (first, "1"), (second, "4"), (first, "2"))):
            move(agent, cell)
            state = next(messages)
            assert (state["type"], state["ply"], state["lastMove"]) == ("state", ply + 1, cell)
        over = next(messages)
        assert (over["type"], over["winner"], over["plies"]) == ("over", 0, 5)
        assert list(messages) == []
        assert watching.wait(60) == 0
        assert watching.stderr is not None
        assert watching.stderr.read() == ""


def test_people_see_the_board(venue: Any, tokens: list[str]) -> None:
    match, first, _ = venue.match(*tokens)
    with watcher(match) as watching:
        assert watching.stdout is not None
        for line in watching.stdout:
            if "X " in line and "to move" in line:
                break
        move(first, "4")
        first.close()
        rest = watching.stdout.read()
        assert watching.wait(60) == 0
    assert "ply 1: 4\n\n 0 | 1 | 2\n---+---+---\n 3 | X | 5\n---+---+---\n 6 | 7 | 8\n" in rest
    assert "wins (forfeit: disconnect) after 1 plies" in rest


def test_ctrl_c_leaves_the_match_alone(venue: Any, tokens: list[str]) -> None:
    match, first, second = venue.match(*tokens)
    with watcher(match, "--json") as watching:
        assert watching.stdout is not None
        watching.stdout.readline()
        watching.send_signal(signal.SIGINT)
        assert watching.wait(60) == 130
        assert watching.stderr is not None
        assert "Traceback" not in watching.stderr.read()
    move(first, "4")
    assert [json.loads(second.recv(timeout=60))["ply"] for _ in range(2)] == [0, 1]


def test_a_match_that_is_not_on_is_refused(at_venue: Any, venue: Any, tokens: list[str]) -> None:
    refused = at_venue("watch", "0000")
    assert refused.exit_code == 1
    assert "no match that is on begins with '0000'" in refused.stderr
    venue.match(*tokens)
    venue.match(*tokens)
    refused = at_venue("watch", "")
    assert "2 matches begin with ''" in refused.stderr


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ((), "no venue of the data folder"),
        (("--url", "ws://127.0.0.1:1"), "no venue answers at http://127.0.0.1:1 (Connection refused)"),
        (("--url", "ftp://host"), "'ftp://host' is no address of a venue"),
        (("--url", "ws://u:p@host"), "is no address of a venue"),
        (("--url", "http://"), "is no address of a venue"),
    ],
)
def test_without_a_venue_it_says_so(run: Any, args: tuple[str, ...], sentence: str) -> None:
    refused = run("watch", *args)
    assert refused.exit_code == 1
    assert refused.stdout == ""
    assert sentence in refused.stderr


def test_a_venue_that_goes_away_is_an_error(venue: Any, tokens: list[str]) -> None:
    """The last test: nothing is left of the venue."""
    match, _, _ = venue.match(*tokens)
    with watcher(match, "--json") as watching:
        assert watching.stdout is not None
        watching.stdout.readline()
        venue.process.kill()
        assert watching.wait(60) == 1
        assert watching.stderr is not None
        errors = watching.stderr.read()
    assert errors.startswith("error: ")
    assert errors.count("\n") == 1
