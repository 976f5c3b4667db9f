"""The SDK, `agentbbs play` and the example agents against a real venue."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import pytest
from websockets.sync.client import connect as raw_connect

from agentbbs.client import (
    MatchResult,
    NoOpponent,
    Turn,
    Unauthorized,
    UnknownGame,
    VenueLost,
    VenueStopping,
    connect,
    play,
)

EXAMPLES = Path(__file__).parents[2] / "examples"
LIMIT_S = 60


class Venue(Protocol):
    """What tests/e2e/conftest.py gives."""

    url: str
    env: dict[str, str]

    def mint_all(self, *names: str) -> dict[str, str]: ...
    def cli(self, *args: str) -> subprocess.CompletedProcess[str]: ...
    def stop(self) -> int: ...
    def kill(self) -> None: ...


class Opening(Protocol):
    """The fixture that starts a venue with settings."""

    def __call__(self, **settings: str) -> Venue: ...


def start(venue: Venue, token: str, command: Sequence[str]) -> subprocess.Popen[str]:
    """An agent as a process of its own."""
    return subprocess.Popen(
        command,
        env={**venue.env, "AGENTBBS_TOKEN": token, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(agent: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    out, err = agent.communicate(timeout=LIMIT_S)
    return agent.returncode, out, err


def bot(venue: Venue, name: str, *options: str, game: str = "ttt") -> list[str]:
    """`agentbbs play` with a house bot."""
    return [sys.executable, "-m", "agentbbs", "play", venue.url, "-g", game, "-b", name, *options]


def ladder(venue: Venue, game: str) -> dict[str, dict[str, Any]]:
    """Name -> row."""
    done = venue.cli("ladder", game, "--json")
    assert done.returncode == 0, done.stderr
    return {row["name"]: row for row in json.loads(done.stdout)}


def first(turn: Turn) -> str:
    return turn.legal[0]


class TestPlay:
    def test_two_bots_play_matches_that_the_ladder_and_the_replays_know(self, venue: Venue) -> None:
        tokens = venue.mint_all("alice", "bob")
        alice = start(venue, tokens["alice"], bot(venue, "minimax", "-n", "3", "--json", "--budget", "0.2"))
        bob = start(venue, tokens["bob"], bot(venue, "random", "-n", "3", "--json", "--seed", "1"))
        code, out, err = finished(alice)
        assert code == 0, err
        assert finished(bob)[0] == 0
        results = [json.loads(line) for line in out.splitlines()]
        assert len(results) == 3
        assert {one["opponent"] for one in results} == {"bob"}
        assert "loss" not in {one["outcome"] for one in results}
        assert all(one["rated"] and one["termination"] == "normal" for one in results)
        rows = ladder(venue, "ttt")
        assert rows["alice"]["played"] == 3
        assert round(rows["alice"]["rating"]) == results[-1]["rating"]
        replay = venue.cli("replay", results[0]["match"], "--json")
        assert replay.returncode == 0, replay.stderr
        assert results[0]["match"] in replay.stdout
        assert venue.cli("ratings", "rebuild", "--check").returncode == 0

    def test_connect_four_against_a_bot_of_the_house(self, venue: Venue) -> None:
        token = venue.mint_all("alice")["alice"]
        agent = start(venue, token, bot(venue, "minimax", "--practice", "random", "--budget", "0.1", game="c4"))
        code, out, err = finished(agent)
        assert code == 0, err
        assert out.startswith("1: win against random")
        assert "unrated" in out

    def test_the_first_ctrl_c_plays_the_match_out(self, venue: Venue) -> None:
        tokens = venue.mint_all("alice", "bob")
        slow = start(venue, tokens["alice"], bot(venue, "minimax", "-n", "0", "--budget", "0.1", game="c4"))
        fast = start(venue, tokens["bob"], bot(venue, "random", game="c4"))
        assert slow.stderr is not None
        while "against" not in slow.stderr.readline():
            assert slow.poll() is None
        slow.send_signal(signal.SIGINT)
        code, out, _ = finished(slow)
        assert code == 0
        assert out.startswith("1: ")
        assert "forfeit" not in out
        assert finished(fast)[0] == 0

    def test_the_second_ctrl_c_resigns(self, venue: Venue) -> None:
        tokens = venue.mint_all("alice", "bob")
        slow = start(venue, tokens["alice"], bot(venue, "minimax", "-n", "2", "--budget", "4", game="c4"))
        fast = start(venue, tokens["bob"], bot(venue, "random", "--json", game="c4"))
        assert slow.stderr is not None
        while "against" not in slow.stderr.readline():
            assert slow.poll() is None
        slow.send_signal(signal.SIGINT)
        while "once more" not in slow.stderr.readline():
            assert slow.poll() is None
        slow.send_signal(signal.SIGINT)
        code, out, err = finished(slow)
        assert (code, out) == (130, ""), err
        code, out, err = finished(fast)
        assert code == 0, err
        assert json.loads(out)["reason"] == "forfeit: resign"

    def test_a_refused_token(self, venue: Venue) -> None:
        code, out, err = finished(start(venue, "nonsense", bot(venue, "random", "-q")))
        assert (code, out) == (1, "")
        assert err.count("\n") == 1
        assert "mint-token" in err


def example(name: str, *more: str) -> Callable[[Venue], list[str]]:
    return lambda venue: [sys.executable, str(EXAMPLES / name), venue.url, "ttt", *more]


def javascript(venue: Venue) -> list[str]:
    return ["node", str(EXAMPLES / "js" / "agent.mjs"), venue.url, "ttt", "--matches", "2"]


def why_no_javascript() -> str:
    if shutil.which("node") is None:
        return "node is not installed"
    return "" if (EXAMPLES / "js" / "node_modules" / "ws").is_dir() else "run `npm install` in examples/js first"


class TestExamples:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            pytest.param(example("sdk_agent.py", "2"), example("python_agent.py", "--matches", "2"), id="sdk-raw"),
            pytest.param(
                example("sdk_async_agent.py", "2"),
                javascript,
                id="async-javascript",
                marks=pytest.mark.skipif(bool(why_no_javascript()), reason=why_no_javascript()),
            ),
        ],
    )
    def test_two_play_two_matches(
        self, venue: Venue, one: Callable[[Venue], list[str]], other: Callable[[Venue], list[str]]
    ) -> None:
        tokens = venue.mint_all("alice", "bob")
        agents = [start(venue, tokens["alice"], one(venue)), start(venue, tokens["bob"], other(venue))]
        lines = []
        for agent in agents:
            code, out, err = finished(agent)
            assert code == 0, err
            lines.append([line.split() for line in out.splitlines()])
        assert [line[2] for line in lines[0]] == [line[2] for line in lines[1]], "both know the same two matches"
        assert len(lines[0]) == 2
        rows = ladder(venue, "ttt")
        assert [str(round(rows[name]["rating"])) for name in ("alice", "bob")] == [lines[0][1][1], lines[1][1][1]]

    def test_an_example_that_is_refused_says_so(self, venue: Venue) -> None:
        for command in (example("python_agent.py")(venue), example("sdk_agent.py")(venue)):
            code, out, err = finished(start(venue, "nonsense", command))
            assert (code, out) == (1, "")
            assert "unauthorized" in err or "401" in err


class TestTheSdk:
    async def test_practice_and_rejoining_on_the_open_connection(self, venue: Venue) -> None:
        token = venue.mint_all("alice")["alice"]
        async with connect(venue.url, token=token) as there:
            results: list[MatchResult] = [await there.play("tictactoe", first, practice="random") for _ in range(3)]
        assert {one.game for one in results} == {"ttt"}
        assert {one.rated for one in results} == {False}
        assert all(one.why for one in results)
        assert len({one.match for one in results}) == 3

    def test_an_illegal_move_forfeits(self, venue: Venue) -> None:
        token = venue.mint_all("alice")["alice"]
        over = play(venue.url, token=token, game="ttt", choose=lambda turn: "nine", practice="random")[0]
        assert (over.outcome, over.termination, over.reason) == ("loss", "illegal_move", "forfeit: illegal move")

    def test_a_choice_that_fails_resigns_and_is_raised(self, venue: Venue) -> None:
        tokens = venue.mint_all("alice", "bob")
        other = start(venue, tokens["bob"], bot(venue, "random", "--json"))

        def choose(turn: Turn) -> str:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            play(venue.url, token=tokens["alice"], game="ttt", choose=choose)
        code, out, err = finished(other)
        assert code == 0, err
        assert json.loads(out)["reason"] == "forfeit: resign"

    async def test_a_late_refusal_does_not_spoil_the_next_join(self, venue: Venue) -> None:
        """The opponent leaves while we think; the next match is joined at once."""
        tokens = venue.mint_all("alice", "bob")
        async with connect(venue.url, token=tokens["alice"]) as there:
            headers = {"Authorization": f"Bearer {tokens['bob']}"}
            with raw_connect(venue.url, additional_headers=headers) as opponent:
                opponent.send('{"type":"join","game":"ttt"}')
                assert json.loads(opponent.recv(LIMIT_S))["type"] == "queued"
                match = await there.join("ttt")
            over = await match.play(first)
            assert (over.outcome, over.reason) == ("win", "forfeit: disconnect")
            assert (await there.play("ttt", first, practice="random")).why

    def test_refusals(self, venue: Venue) -> None:
        token = venue.mint_all("alice")["alice"]
        with pytest.raises(UnknownGame) as caught:
            play(venue.url, token=token, game="go", choose=first)
        assert set(caught.value.games) >= {"ttt", "c4"}
        with pytest.raises(Unauthorized):
            play(venue.url, token="nonsense", game="ttt", choose=first)

    def test_no_opponent(self, open_venue: Opening) -> None:
        venue = open_venue(AGENTBBS_GAME_QUEUE_WAIT="0.2")
        with pytest.raises(NoOpponent):
            play(venue.url, token=venue.mint_all("alice")["alice"], game="ttt", choose=first)

    def test_a_venue_that_is_killed_in_a_match(self, venue: Venue) -> None:
        token = venue.mint_all("alice")["alice"]

        def choose(turn: Turn) -> str:
            venue.kill()
            return turn.legal[0]

        with pytest.raises(VenueLost) as caught:
            play(venue.url, token=token, game="ttt", choose=choose, practice="random")
        assert caught.value.match is not None

    async def test_a_venue_that_stops(self, open_venue: Opening) -> None:
        venue = open_venue(AGENTBBS_DRAIN="0.2")
        token = venue.mint_all("alice")["alice"]
        async with connect(venue.url, token=token) as there:
            match = await there.join("ttt", practice="random")
            assert await match.next_turn() is not None
            os.kill(_pid(venue), signal.SIGTERM)
            assert await match.next_turn() is None
            assert (match.result.outcome, match.result.rated) == ("void", False)
            with pytest.raises(VenueStopping):
                await there.join("ttt")


def _pid(venue: Any) -> int:
    return int(venue.process.pid)
