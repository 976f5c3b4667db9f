"""`replay`: through a pipe, as JSON, and by keys in a terminal."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from agentbbs.commands.output import moment
from agentbbs.play import replay
from agentbbs.play.frames import frames
from agentbbs.play.ports import FinishedMatch

CLEAR = "\x1b[H\x1b[2J"


def test_a_pipe_gets_every_position(run: Any, played: list[FinishedMatch]) -> None:
    match = played[0]
    shown = run("replay", match.id)
    assert shown.exit_code == 0
    assert shown.stderr == ""
    assert CLEAR not in shown.stdout
    assert shown.stdout.count("played") == len(match.plies)
    assert "start; " in shown.stdout


def test_json_is_the_saved_match(run: Any, played: list[FinishedMatch]) -> None:
    for match in played:
        saved = run("replay", match.id, "--json")
        assert replay.parse(saved.stdout_bytes).match == match.id
        assert run("verify-replay", "-", input=saved.stdout_bytes).exit_code == 0


def test_case_136_the_strikes_of_an_endpoint_are_shown_and_saved(run: Any, struck: FinishedMatch) -> None:
    strikes = [strike for ply in struck.plies for strike in ply.strikes] + list(struck.unplayed)
    shown = run("replay", struck.id)
    assert shown.exit_code == 0
    assert shown.stdout.count("  strike of ") == len(strikes) > 2
    assert "\x1b" not in shown.stdout
    for strike in strikes:
        assert f": {strike.kind} after {strike.ms} ms, asked at " in shown.stdout
    saved = run("replay", struck.id, "--json")
    found = json.loads(saved.stdout)
    kept = [strike for ply in found["plies"] for strike in ply["strikes"]] + found["unplayed"]
    assert [(strike["kind"], strike["ms"], strike.get("nonce"), strike["askedMs"]) for strike in kept] == [
        (strike.kind, strike.ms, strike.nonce, strike.asked_ms) for strike in strikes
    ]
    assert run("verify-replay", "-", input=saved.stdout_bytes).exit_code == 0
    listed = json.loads(run("matches", "--json", "--limit", "1").stdout)
    assert listed == [found]


def test_a_beginning_that_means_one_match_is_enough(run: Any, played: list[FinishedMatch]) -> None:
    beginning = next(
        played[0].id[:length]
        for length in range(len("match-") + 1, 40)
        if sum(match.id.startswith(played[0].id[:length]) for match in played) == 1
    )
    assert run("replay", beginning, "--json").stdout == run("replay", played[0].id, "--json").stdout


@pytest.mark.usefixtures("played")
def test_a_beginning_that_means_several_is_refused(run: Any) -> None:
    refused = run("replay", "match-")
    assert refused.exit_code == 1
    assert "give more of it" in refused.stderr


@pytest.mark.usefixtures("played")
@pytest.mark.parametrize("match", ["nothing-like-it", "\x1b[2J", "%", "m"])
def test_a_match_that_is_not_there_is_on_or_void(run: Any, match: str) -> None:
    refused = run("replay", match)
    assert refused.exit_code == 1
    assert refused.stdout == ""
    assert "or was void" in refused.stderr
    assert "\x1b" not in refused.stderr


def test_auto_goes_on_by_itself(run: Any, played: list[FinishedMatch], monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    shown = run("replay", played[0].id, "--auto", "0.5")
    assert shown.stdout == run("replay", played[0].id).stdout
    assert waits == [0.5] * len(played[0].plies)


def test_keys_step_through_it_in_a_terminal(run: Any, terminal: Any, played: list[FinishedMatch]) -> None:
    match = played[0]
    saved = replay.parse(run("replay", match.id, "--json").stdout_bytes)
    screens = [frame.text() for frame in frames(saved, moment(saved.started))]
    shown = terminal("replay", match.id)
    for keys, at in (("", 0), ("\r", 1), (" ", 2), ("b", 1), ("\x1b[D", 0), ("G", len(screens) - 1), ("g", 0)):
        shown.type(keys)
        seen = shown.expect("q quit").replace("\r\n", "\n")
        assert seen.rpartition(CLEAR)[2].startswith(screens[at] + "\n")
    shown.type("q")
    assert shown.end() == 0


def test_ctrl_c_ends_it(terminal: Any, played: list[FinishedMatch]) -> None:
    shown = terminal("replay", played[0].id)
    shown.expect("q quit")
    shown.type("\x03")
    assert shown.end() == 130
    assert "Traceback" not in shown.shown


def test_a_password_is_asked_for_twice_and_never_shown(run: Any, terminal: Any) -> None:
    asked = terminal("user", "add", "ada", "--password")
    asked.expect("Password: ")
    asked.type("correct horse\r")
    asked.expect("Repeat for confirmation: ")
    asked.type("correct horse\r")
    assert asked.end() == 0
    assert "made the account ada" in asked.shown
    assert "horse" not in asked.shown


def test_removing_an_account_asks(run: Any, terminal: Any) -> None:
    run("user", "add", "ada")
    asked = terminal("user", "remove", "ada")
    asked.expect("[y/N]: ")
    asked.type("n\r")
    assert asked.end() == 1
    assert "error: nothing was removed" in asked.shown
    asked = terminal("user", "remove", "ada")
    asked.expect("[y/N]: ")
    asked.type("y\r")
    assert asked.end() == 0
