"""`run-routed` as its users call it: a dialogue at a pseudo-terminal, a script in place of a model."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bbs_gym.commands.bbs_activity import run_routed
from bbs_gym.commands.routed_choice import catalog, route_set
from tty_agent.commands.command_line import CommandLine, group
from tty_agent.trace.records import DecisionRecord, EventRecord, read_trace

Run = Callable[..., Any]

pytestmark = pytest.mark.skipif(shutil.which("sh") is None, reason="there is no shell")

ASKED = (
    "Do you want instructions (Y/N) [N]? ",
    "Command (?=Help)? ",
    "Command (?=Help)? ",
    "Leave the game (Y/N) [N]? ",
)
"""What the game asks, one after the other."""

LINES = ("n", "i", "q", "y")
"""What is answered."""


def _about() -> None:
    """As the root of the command line."""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command alone, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    app = group(_about, cls=CommandLine, name="bbs-gym")
    app.command("run-routed")(run_routed)

    def call(*args: object) -> Any:
        return CliRunner().invoke(app, ["run-routed", *map(str, args)])

    return call


@pytest.fixture
def game(tmp_path: Path) -> str:
    """A program that asks as the game does, and takes whole lines."""
    asking = "".join(f"printf {shlex.quote(prompt)}; read answer\n" for prompt in ASKED)
    (tmp_path / "game.sh").write_text(asking)
    return f"pty:sh {tmp_path / 'game.sh'}"


def script(folder: Path) -> str:
    replies = [json.dumps({"action": "submit_line", "arguments": {"text": line}}) for line in LINES]
    (folder / "replies.jsonl").write_text("\n".join(replies) + "\n")
    return "scripted:replies.jsonl"


PROFILES = """
[profiles.captain]
base = "starlane-game"
drop_modules = ["starlane_facts"]

[route_sets.mine]
default = "starlane-entry"

[[route_sets.mine.routes]]
name = "at-the-helm"
profile = "captain"
prompts = ["starlane-command"]
"""


def test_the_profile_follows_the_game_and_the_trace_tells(run: Run, game: str, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(PROFILES)
    played = run(
        *("--route-set", "mine", "--profiles", "mine.toml", "--target", game, "--model", script(tmp_path)),
        *("--run-id", "r1", "--turn", "adaptive", "--max-ticks", 10),
    )
    assert played.exit_code == 0, played.stderr
    records = list(read_trace(tmp_path / "runtime/runs/r1/agent-001.jsonl"))
    decisions = [record for record in records if isinstance(record, DecisionRecord)]
    assert [one.active_profile for one in decisions] == ["starlane-entry", "captain", "captain", "starlane-entry"]
    prompts = ["starlane-instructions", "starlane-command", "starlane-command", "starlane-quit"]
    assert [one.matched_prompt for one in decisions] == prompts
    switches = [
        record.data for record in records if isinstance(record, EventRecord) if record.event == "profile_switch"
    ]
    assert switches[0] == {"before": "starlane-entry", "after": "captain", "route": "at-the-helm"}
    assert [one["after"] for one in switches] == ["captain", "starlane-entry"]
    told = {one["name"] if isinstance(one, dict) else one.name for one in decisions[1].prompt_modules}
    assert "starlane_prompt" in told
    assert "starlane_facts" not in told


def test_the_exact_prompt_without_a_model_asked(run: Run, game: str, tmp_path: Path) -> None:
    shown = run(
        *("--route-set", "starlane-auto", "--target", game, "--model", script(tmp_path), "--dry-run"),
        *("--disable", "submit_line", "--objective", "get rich"),
    )
    assert shown.exit_code == 0, shown.stderr
    assert "get rich" in shown.stdout
    assert "starlane-instructions" in shown.stdout
    assert '{"action": "submit_line"' not in shown.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--route-set", "tw2-game"), "there is no route set 'tw2-game': did you mean tw2-auto"),
        (("--route-set", "mine", "--profiles", "bad.toml"), "bad.toml: profiles.x.base: there is no profile 'y'"),
        (("--route-set", "mine", "--profiles", "none.toml"), "none.toml: No such file or directory"),
        (("--route-set", "tw2-auto", "--disable", "dance"), "'dance' is none of"),
        (("--route-set", "tw2-auto", "--done-when", "("), "is no regular expression"),
        (
            ("--route-set", "tw2-auto", "--disable", "press_key", "--disable", "type_text", "--disable", "wait"),
            "a policy allows at least one action",
        ),
    ],
)
def test_a_wrong_call(run: Run, tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    (tmp_path / "bad.toml").write_text("[profiles.x]\nbase = 'y'\n")
    called = run(*options, "--target", "pty:true", "--model", script(tmp_path))
    assert called.exit_code in {1, 2}
    assert said in called.stderr
    assert not (tmp_path / "runtime").exists()


def test_options_change_every_profile_of_the_set() -> None:
    known = catalog(None)
    routes = route_set("tw2-auto", known, allow=["hangup"], disable=["wait"], done_when=["^Sector 9$"])
    assert set(routes.profiles()) == {"tw2-game", "tw2-entry"}
    for one in routes.profiles().values():
        assert [str(action) for action in one.policy.allowed] == ["press_key", "type_text", "hangup"]
        assert one.completion[0].name == "screen shows ^Sector 9$"
    assert known.route_set("tw2-auto").default.policy.allowed != routes.default.policy.allowed
