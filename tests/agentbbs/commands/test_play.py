"""`agentbbs play` as its users meet it: stdout, stderr and exit codes, against scripted venues."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest
import typer
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
from typer.testing import CliRunner, Result

from agentbbs.cli import CommandLine
from agentbbs.commands.play import play

MOVES = Hears({"type": "move", "move": ANY, "ply": 0})
REPLAY = "agentbbs replay m-1"


def match(number: int = 1, *, opponent: str = "bob", **more: Any) -> list[Step]:
    """A match that the opponent resigns after our first move."""
    name = f"m-{number}"
    ending: dict[str, Any] = {"termination": "resign", "reason": "forfeit: resign", **more}
    return [join(), queued(), hello(name, opponent=opponent), state(""), MOVES, result(name, **ending)]


def run(*args: str, env: dict[str, str | None] | None = None) -> Result:
    """`play ARGS`, with a token in the environment unless `env` says otherwise."""
    app = typer.Typer(cls=CommandLine, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.callback()(lambda: None)
    app.command()(play)
    return CliRunner().invoke(app, ["play", *args], env={"AGENTBBS_TOKEN": "t0ken", "NO_COLOR": "1", **(env or {})})


def run_at(venue: ScriptedVenue, *args: str, env: dict[str, str | None] | None = None) -> Result:
    return run(venue.url, "-g", "ttt", "-b", "random", *args, env=env)


class TestPlaying:
    def test_json_is_one_object_a_match_and_nothing_else_on_stdout(self) -> None:
        with ScriptedVenue([*match(1), *match(2), Gone()]) as venue:
            done = run_at(venue, "-n", "2", "--json")
        assert done.exit_code == 0
        results = [json.loads(line) for line in done.stdout.splitlines()]
        assert [one["match"] for one in results] == ["m-1", "m-2"]
        assert results[0] == {
            "match": "m-1",
            "game": "ttt",
            "player": 0,
            "opponent": "bob",
            "winner": 0,
            "outcome": "win",
            "rating": 1516,
            "ratingBefore": 1500,
            "opponentRating": 1500,
            "reason": "forfeit: resign",
            "termination": "resign",
            "rated": True,
            "why": None,
            "moves": [],
        }
        assert "waiting for an opponent" in done.stderr
        assert "2 matches: 2 win" in done.stderr

    def test_for_a_person_a_line_a_match(self) -> None:
        with ScriptedVenue([*match(), Gone()]) as venue:
            done = run_at(venue)
        assert done.stdout == "1: win against bob, 0 plies, forfeit: resign, rating 1500 -> 1516, match m-1\n"
        assert "match m-1: against bob, random moves first" in done.stderr

    def test_quiet_leaves_stderr_empty(self) -> None:
        with ScriptedVenue([*match(), Gone()]) as venue:
            done = run_at(venue, "--quiet")
        assert (done.exit_code, done.stderr) == (0, "")

    def test_practice_is_asked_for_and_an_unrated_match_says_why(self) -> None:
        script: list[Step] = [
            join(practice="greedy"),
            hello(opponent="greedy"),
            state(""),
            MOVES,
            result(rated=False, why="practice", opponentRating=None),
            Gone(),
        ]
        with ScriptedVenue(script) as venue:
            done = run_at(venue, "--practice", "greedy")
        assert "unrated (practice)" in done.stdout

    def test_a_hostile_name_cannot_reach_the_terminal(self) -> None:
        with ScriptedVenue([*match(opponent="\x1b[2J\u202eevil"), Gone()]) as venue:
            done = run_at(venue)
        for text in (done.stdout, done.stderr):
            assert "evil" in text
            assert "\x1b" not in text
            assert "\u202e" not in text

    def test_until_stopped_means_past_an_empty_queue(self) -> None:
        """And a venue that is lost ends it."""
        script: list[Step] = [join(), queued(), error("no_opponent", "nobody came"), *match(), join(), queued()]
        with ScriptedVenue([*script, Drops()]) as venue:
            done = run_at(venue, "-n", "0", "--json")
        assert done.exit_code == 1
        assert len(done.stdout.splitlines()) == 1
        assert "nobody came" in done.stderr


class TestTheToken:
    def header(self, *args: str, env: dict[str, str | None] | None = None) -> str:
        with ScriptedVenue([*match(), Gone()]) as venue:
            assert run_at(venue, *args, env=env).exit_code == 0
        assert "token" not in venue.requests[0].path
        return venue.requests[0].headers["Authorization"]

    def test_from_the_environment(self) -> None:
        assert self.header() == "Bearer t0ken"

    def test_from_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "token").write_text("from-file\n")
        assert self.header("--token-file", str(tmp_path / "token"), env={"AGENTBBS_TOKEN": None}) == "Bearer from-file"

    def test_from_the_command_line_with_a_warning_in_the_help(self) -> None:
        assert self.header("--token", "given") == "Bearer given"
        help_text = " ".join(run("--help").stdout.replace("│", " ").split())
        assert "process list" in help_text


def one_line(done: Result) -> str:
    """The error, which is a single line on stderr, with nothing on stdout."""
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1
    return done.stderr


class TestTheVenueRefuses:
    def test_no_opponent(self) -> None:
        with ScriptedVenue([join(), queued(), error("no_opponent", "nobody came within 120 s"), Gone()]) as venue:
            done = run_at(venue, "-q")
        assert done.exit_code == 1
        assert "nobody came within 120 s" in one_line(done)
        assert "practice" in one_line(done)

    def test_a_refused_token(self) -> None:
        with ScriptedVenue(refusals=[(401, "", {})]) as venue:
            done = run_at(venue, "-q")
        assert done.exit_code == 1
        assert "agentbbs mint-token" in one_line(done)

    def test_a_lost_match(self) -> None:
        with ScriptedVenue([join(), queued(), hello(), Drops()]) as venue:
            done = run_at(venue, "-q")
        assert done.exit_code == 1
        assert f"void unless `{REPLAY}` shows it" in one_line(done)

    def test_nobody_there(self) -> None:
        with ScriptedVenue() as venue:
            url = venue.url
        done = run(url, "-g", "ttt", "-q")
        assert done.exit_code == 1
        assert "/healthz" in one_line(done)

    def test_a_venue_of_other_rules(self) -> None:
        message = state("0").message
        assert isinstance(message, dict)
        strange = Says({**message, "lastMove": "e5", "yourTurn": True})
        script: list[Step] = [join(), queued(), hello(player=1), state("", player=1), strange]
        with ScriptedVenue([*script, Hears({"type": "resign"}), result(outcome="loss"), Gone()]) as venue:
            done = run_at(venue, "-q")
        assert done.exit_code == 1
        assert "other rules" in one_line(done)

    def test_an_error_text_is_made_inert(self) -> None:
        with ScriptedVenue([join(), error("bad_message", "\x1b]0;owned\x07\nTwo"), Gone()]) as venue:
            done = run_at(venue, "-q")
        assert "\x1b" not in one_line(done)


class TestAWrongCall:
    @pytest.mark.parametrize(
        ("args", "says"),
        [
            (("ws://127.0.0.1:1", "-g", "go"), "the games are ttt, c4"),
            (("ws://127.0.0.1:1", "-g", "ttt", "-b", "stockfish"), "random, greedy, minimax"),
            (("127.0.0.1:1", "-g", "ttt"), "ws://"),
            (("ws://127.0.0.1:1", "-g", "ttt", "--token-file", "/nowhere/token"), "/nowhere/token"),
            (("ws://127.0.0.1:1", "-g", "ttt", "--token-file", "t", "--token", "t"), "exclude each other"),
            (("ws://127.0.0.1:1", "-g", "ttt", "--token", "two words"), "blanks"),
        ],
    )
    def test_is_told_in_one_line(self, args: tuple[str, ...], says: str) -> None:
        done = run(*args)
        assert done.exit_code == 2
        assert says in one_line(done)

    def test_no_token(self) -> None:
        done = run("ws://127.0.0.1:1", "-g", "ttt", env={"AGENTBBS_TOKEN": None})
        assert done.exit_code == 2
        assert "AGENTBBS_TOKEN" in one_line(done)

    @pytest.mark.parametrize("content", [b"", b"\n", b"\xff\xfe"])
    def test_a_token_file_without_a_token(self, content: bytes, tmp_path: Path) -> None:
        (tmp_path / "token").write_bytes(content)
        done = run("ws://127.0.0.1:1", "-g", "ttt", "--token-file", str(tmp_path / "token"))
        assert done.exit_code == 2
        assert "token file" in one_line(done)

    @pytest.mark.parametrize(
        "args", [("-g", "ttt"), ("ws://127.0.0.1:1",), ("ws://127.0.0.1:1", "-g", "ttt", "-n", "-1")]
    )
    def test_missing_and_senseless_options(self, args: tuple[str, ...]) -> None:
        assert run(*args).exit_code == 2
