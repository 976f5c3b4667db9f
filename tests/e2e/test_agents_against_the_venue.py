"""The SDK, `agentbbs play` and the example agents against a real venue."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.e2e.conftest import VenueProcess
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
NAMES = [f"agent-{number}" for number in range(24)]


class Account(msgspec.Struct, frozen=True):
    """Someone who may play."""

    name: str
    token: str


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VenueProcess]:
    """One venue for all tests that leave it as they found it: nobody waits or plays when a test ends."""
    venue = VenueProcess(tmp_path_factory.mktemp("venue")).start()
    yield venue
    assert venue.stop() == 0


@pytest.fixture(scope="module")
def accounts(shared: VenueProcess) -> Iterator[Account]:
    """Accounts of the shared venue that have not played."""
    return iter([Account(name, token) for name, token in shared.mint_all(*NAMES).items()])


def start(venue: VenueProcess, token: str, command: Sequence[str]) -> subprocess.Popen[str]:
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


def bot(venue: VenueProcess, name: str, *options: str, game: str = "ttt") -> list[str]:
    """`agentbbs play` with a house bot."""
    return [sys.executable, "-m", "agentbbs", "play", venue.url, "-g", game, "-b", name, *options]


def ladder(venue: VenueProcess, game: str) -> dict[str, dict[str, Any]]:
    """Name -> row."""
    done = venue.cli("ladder", game, "--json")
    assert done.returncode == 0, done.stderr
    return {row["name"]: row for row in json.loads(done.stdout)}


def first(turn: Turn) -> str:
    return turn.legal[0]


class TestPlay:
    def test_two_bots_play_matches_that_the_ladder_and_the_replays_know(
        self, shared: VenueProcess, accounts: Iterator[Account]
    ) -> None:
        alice, bob = next(accounts), next(accounts)
        strong = start(shared, alice.token, bot(shared, "minimax", "-n", "3", "--json", "--budget", "0.2"))
        weak = start(shared, bob.token, bot(shared, "random", "-n", "3", "--json", "--seed", "1"))
        code, out, err = finished(strong)
        assert code == 0, err
        assert finished(weak)[0] == 0
        results = [json.loads(line) for line in out.splitlines()]
        assert len(results) == 3
        assert {one["opponent"] for one in results} == {bob.name}
        assert "loss" not in {one["outcome"] for one in results}
        assert all(one["rated"] and one["termination"] == "normal" for one in results)
        rows = ladder(shared, "ttt")
        assert rows[alice.name]["played"] == 3
        assert round(rows[alice.name]["rating"]) == results[-1]["rating"]
        replay = shared.cli("replay", results[0]["match"], "--json")
        assert replay.returncode == 0, replay.stderr
        assert results[0]["match"] in replay.stdout
        assert shared.cli("ratings", "rebuild", "--check").returncode == 0

    def test_connect_four_against_a_bot_of_the_house(self, shared: VenueProcess, accounts: Iterator[Account]) -> None:
        token = next(accounts).token
        agent = start(shared, token, bot(shared, "minimax", "--practice", "random", "--budget", "0.1", game="c4"))
        code, out, err = finished(agent)
        assert code == 0, err
        assert out.startswith("1: win against random")
        assert "unrated" in out

    def test_the_first_ctrl_c_plays_the_match_out(self, shared: VenueProcess, accounts: Iterator[Account]) -> None:
        alice, bob = next(accounts), next(accounts)
        slow = start(shared, alice.token, bot(shared, "minimax", "-n", "0", "--budget", "0.1", game="c4"))
        fast = start(shared, bob.token, bot(shared, "random", game="c4"))
        assert slow.stderr is not None
        while "against" not in slow.stderr.readline():
            assert slow.poll() is None
        slow.send_signal(signal.SIGINT)
        code, out, _ = finished(slow)
        assert code == 0
        assert out.startswith("1: ")
        assert "forfeit" not in out
        assert finished(fast)[0] == 0

    def test_the_second_ctrl_c_resigns(self, shared: VenueProcess, accounts: Iterator[Account]) -> None:
        alice, bob = next(accounts), next(accounts)
        slow = start(shared, alice.token, bot(shared, "minimax", "-n", "2", "--budget", "4", game="c4"))
        fast = start(shared, bob.token, bot(shared, "random", "--json", game="c4"))
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

    def test_a_refused_token(self, shared: VenueProcess) -> None:
        code, out, err = finished(start(shared, "nonsense", bot(shared, "random", "-q")))
        assert (code, out) == (1, "")
        assert err.count("\n") == 1
        assert "mint-token" in err


def example(name: str, *more: str) -> Callable[[VenueProcess], list[str]]:
    return lambda venue: [sys.executable, str(EXAMPLES / name), venue.url, "ttt", *more]


def javascript(venue: VenueProcess) -> list[str]:
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
        self,
        shared: VenueProcess,
        accounts: Iterator[Account],
        one: Callable[[VenueProcess], list[str]],
        other: Callable[[VenueProcess], list[str]],
    ) -> None:
        alice, bob = next(accounts), next(accounts)
        agents = [start(shared, alice.token, one(shared)), start(shared, bob.token, other(shared))]
        lines = []
        for agent in agents:
            code, out, err = finished(agent)
            assert code == 0, err
            lines.append([line.split() for line in out.splitlines()])
        assert [line[2] for line in lines[0]] == [line[2] for line in lines[1]], "both know the same two matches"
        assert len(lines[0]) == 2
        rows = ladder(shared, "ttt")
        for account, told in zip((alice, bob), lines, strict=True):
            assert str(round(rows[account.name]["rating"])) == told[-1][1]

    def test_an_example_that_is_refused_says_so(self, shared: VenueProcess) -> None:
        for command in (example("python_agent.py")(shared), example("sdk_agent.py")(shared)):
            code, out, err = finished(start(shared, "nonsense", command))
            assert (code, out) == (1, "")
            assert "unauthorized" in err or "401" in err


class TestTheSdk:
    async def test_practice_and_rejoining_on_the_open_connection(
        self, shared: VenueProcess, accounts: Iterator[Account]
    ) -> None:
        token = next(accounts).token
        async with connect(shared.url, token=token) as there:
            results: list[MatchResult] = [await there.play("tictactoe", first, practice="random") for _ in range(3)]
        assert {one.game for one in results} == {"ttt"}
        assert {one.rated for one in results} == {False}
        assert all(one.why for one in results)
        assert len({one.match for one in results}) == 3

    def test_an_illegal_move_forfeits(self, shared: VenueProcess, accounts: Iterator[Account]) -> None:
        token = next(accounts).token
        over = play(shared.url, token=token, game="ttt", choose=lambda turn: "nine", practice="random")[0]
        assert (over.outcome, over.termination, over.reason) == ("loss", "illegal_move", "forfeit: illegal move")

    def test_a_choice_that_fails_resigns_and_is_raised(self, shared: VenueProcess, accounts: Iterator[Account]) -> None:
        alice, bob = next(accounts), next(accounts)
        other = start(shared, bob.token, bot(shared, "random", "--json"))

        def choose(turn: Turn) -> str:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            play(shared.url, token=alice.token, game="ttt", choose=choose)
        code, out, err = finished(other)
        assert code == 0, err
        assert json.loads(out)["reason"] == "forfeit: resign"

    async def test_a_late_refusal_does_not_spoil_the_next_join(
        self, shared: VenueProcess, accounts: Iterator[Account]
    ) -> None:
        """The opponent leaves while we think; the next match is joined at once."""
        alice, bob = next(accounts), next(accounts)
        async with connect(shared.url, token=alice.token) as there:
            headers = {"Authorization": f"Bearer {bob.token}"}
            with raw_connect(shared.url, additional_headers=headers) as opponent:
                opponent.send('{"type":"join","game":"ttt"}')
                assert json.loads(opponent.recv(LIMIT_S))["type"] == "queued"
                match = await there.join("ttt")
            over = await match.play(first)
            assert (over.outcome, over.reason) == ("win", "forfeit: disconnect")
            assert (await there.play("ttt", first, practice="random")).why

    def test_refusals(self, shared: VenueProcess, accounts: Iterator[Account]) -> None:
        token = next(accounts).token
        with pytest.raises(UnknownGame) as caught:
            play(shared.url, token=token, game="go", choose=first)
        assert set(caught.value.games) >= {"ttt", "c4"}
        with pytest.raises(Unauthorized):
            play(shared.url, token="nonsense", game="ttt", choose=first)

    def test_no_opponent(self, open_venue: Callable[..., VenueProcess]) -> None:
        venue = open_venue(AGENTBBS_GAME_QUEUE_WAIT="0.2")
        with pytest.raises(NoOpponent):
            play(venue.url, token=venue.mint("alice"), game="ttt", choose=first)

    def test_a_venue_that_is_killed_in_a_match(self, venue: VenueProcess) -> None:
        token = venue.mint("alice")

        def choose(turn: Turn) -> str:
            venue.kill()
            return turn.legal[0]

        with pytest.raises(VenueLost) as caught:
            play(venue.url, token=token, game="ttt", choose=choose, practice="random")
        assert caught.value.match is not None

    async def test_a_venue_that_stops(self, open_venue: Callable[..., VenueProcess]) -> None:
        venue = open_venue(AGENTBBS_DRAIN="0.2")
        token = venue.mint("alice")
        async with connect(venue.url, token=token) as there:
            match = await there.join("ttt", practice="random")
            assert await match.next_turn() is not None
            assert venue.process is not None
            venue.process.send_signal(signal.SIGTERM)
            assert await match.next_turn() is None
            assert (match.result.outcome, match.result.rated) == ("void", False)
            with pytest.raises(VenueStopping):
                await there.join("ttt")
