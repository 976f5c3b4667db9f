"""`bbs-gym synchronet …` as its commands, against a native tree and a docker that a test writes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
import typer
from tests.bbs_gym.hosts.fake_synchronet import FakeSynchronet
from typer.testing import CliRunner

from bbs_gym.commands import synchronet
from tty_agent.commands.command_line import CommandLine, group

COMMANDS: Final[dict[str, Callable[..., None]]] = {
    "up": synchronet.up,
    "down": synchronet.down,
    "nodes": synchronet.nodes,
    "scores-tw2": synchronet.scores_tw2,
    "reset-tw2": synchronet.reset_tw2,
    "grant-tw2-turns": synchronet.grant_tw2_turns,
    "stage": synchronet.stage,
}
"""By the names that the command line gives them."""


def call(*words: str) -> Any:
    app: typer.Typer = group(synchronet.synchronet, cls=CommandLine, name="synchronet")
    for name, command in COMMANDS.items():
        app.command(name)(command)
    return CliRunner().invoke(app, list(words))


@pytest.fixture
def bbs(tmp_path: Path) -> FakeSynchronet:
    return FakeSynchronet(tmp_path / "sbbs")


def answer(bbs: FakeSynchronet, value: Any, seen: Path) -> None:
    """Have jsexec give that answer to whatever it is asked."""
    line = json.dumps({"ok": True, "value": value})
    bbs.jsexec(f"echo \"$2\" > {seen}; head -n 1 >> {seen}; echo 'bbs-gym: {line}'")


def test_a_reset(bbs: FakeSynchronet, tmp_path: Path) -> None:
    answer(bbs, {}, tmp_path / "seen")
    done = call("reset-tw2", "--data", str(bbs.root), "--turns-per-day", "500")
    assert (done.exit_code, done.stdout) == (0, "Trade Wars 2 has a new world\n")
    script, request = (tmp_path / "seen").read_text().splitlines()
    assert (Path(script).name, json.loads(request)) == ("reset_tw2.js", {"turns_per_day": 500})


def test_turns(bbs: FakeSynchronet, tmp_path: Path) -> None:
    answer(bbs, {}, tmp_path / "seen")
    done = call("grant-tw2-turns", "RLoginSmoke", "30", "--data", str(bbs.root))
    assert (done.exit_code, done.stdout) == (0, "RLoginSmoke has 30 more turns today\n")
    request = json.loads((tmp_path / "seen").read_text().splitlines()[1])
    assert request == {"player": "RLoginSmoke", "turns": 30}


def test_a_refusal_is_one_line_and_exit_code_1(bbs: FakeSynchronet) -> None:
    bbs.jsexec("""echo 'bbs-gym: {"ok": false, "refused": true, "error": "Alice is in the door, on node 2"}'""")
    done = call("grant-tw2-turns", "Alice", "30", "--data", str(bbs.root))
    assert (done.exit_code, done.stderr) == (1, "error: Alice is in the door, on node 2\n")


def test_scores_and_names_of_others_are_inert(bbs: FakeSynchronet, tmp_path: Path) -> None:
    row = {
        "record": 1, "user": 1, "alias": "Ev\x1b[2Jil", "fighters": 20, "deployed": 0, "holds": 20, "credits": 200,
        "cargo": [0, 0, 0], "points": 0, "turns": 4, "sector": 9, "team": 0, "killed": False,
    }  # fmt: skip
    answer(bbs, {"players": [row]}, tmp_path / "seen")
    done = call("scores-tw2", "--data", str(bbs.root))
    assert done.exit_code == 0
    assert "\x1b" not in done.stdout
    assert "12200" in done.stdout
    (score,) = json.loads(call("scores-tw2", "--data", str(bbs.root), "--json").stdout)
    assert (score["player"], score["score"]) == ("Ev\x1b[2Jil", 12200)


def test_nodes(bbs: FakeSynchronet) -> None:
    (bbs.root / "ctrl/node.dab").write_bytes(bytes(15))
    done = call("nodes", "--data", str(bbs.root), "--json")
    assert (done.exit_code, done.stdout) == (0, "[]\n")


@pytest.mark.parametrize("command", ["up", "down"])
def test_a_native_one_is_its_owners(bbs: FakeSynchronet, command: str) -> None:
    done = call(command, "--data", str(bbs.root))
    assert done.exit_code == 1
    assert "native Synchronet" in done.stderr


def test_no_compose_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SBBSCTRL", raising=False)
    done = call("up")
    assert done.exit_code == 1
    assert "there is no compose file" in done.stderr


def test_down_of_what_is_not_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docker = tmp_path / "bin" / "docker"
    docker.parent.mkdir()
    docker.write_text("#!/bin/sh\nexit 0\n")
    docker.chmod(0o755)
    (tmp_path / "compose.yaml").write_text("services: {}\n")
    monkeypatch.setenv("PATH", f"{docker.parent}:/usr/bin:/bin")
    done = call("down", "--data", str(tmp_path / "state"), "--compose-file", str(tmp_path / "compose.yaml"))
    assert (done.exit_code, done.stderr) == (0, "")


def test_staging(tmp_path: Path) -> None:
    (tmp_path / "doors/tw2002").mkdir(parents=True)
    (tmp_path / "doors/tw2002/TW2002.EXE").write_bytes(b"MZ")
    words = ("stage", "tw2002", "--data", str(tmp_path / "sbbs"), "--doors", str(tmp_path / "doors"))
    done = call(*words)
    assert (done.exit_code, done.stdout) == (0, "copied TW2002.EXE\n")
    assert (tmp_path / "sbbs/xtrn/tw2002/TW2002.EXE").exists()
    assert call("stage", "bre", *words[2:]).exit_code == 1
