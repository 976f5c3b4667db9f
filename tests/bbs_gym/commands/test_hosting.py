"""`accounts provision` and `snapshot save|restore` on the data folder of a board that is not running."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bbs_gym.commands import provision, snapshot
from bbs_gym.commands.accounts import accounts
from tty_agent.commands.command_line import CommandLine, group

PASSWORD = "hold the door"


def root() -> None:
    """As the whole command line composes them."""


app = group(root, cls=CommandLine)
agents = group(accounts)
agents.command("provision")(provision.provision)
app.add_typer(agents, name="accounts")
snapshots = group(snapshot.snapshots)
snapshots.command()(snapshot.save)
snapshots.command()(snapshot.restore)
app.add_typer(snapshots, name="snapshot")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A command in a folder of its own, beside the data folder `board`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AGENTBBS_DATABASE_URL", raising=False)
    monkeypatch.setenv("AGENTBBS_DATA", str(tmp_path / "board"))
    monkeypatch.setenv("AGENT_001_PASSWORD", PASSWORD)
    (tmp_path / "config").mkdir()
    registry = {"agents": [{"agent_id": "agent-001", "alias": "Agent001", "password_env": "AGENT_001_PASSWORD"}]}
    (tmp_path / "config" / "agents.local.json").write_text(json.dumps(registry))

    def invoke(*words: str) -> Result:
        done = CliRunner().invoke(app, words)
        assert "Traceback" not in done.stderr
        assert PASSWORD not in done.output
        return done

    return invoke


def test_the_agents_of_the_registry_become_users_and_their_state_comes_back(run: Any, tmp_path: Path) -> None:
    made = run("accounts", "provision", "--json")
    assert (made.exit_code, made.stderr) == (0, "")
    assert json.loads(made.stdout) == [
        {"agent_id": "agent-001", "alias": "Agent001", "change": "created", "detail": "password, tour"}
    ]
    kept = run("snapshot", "save", "base", "--json")
    assert kept.exit_code == 0, kept.stderr
    sha256 = json.loads(kept.stdout)["sha256"]
    subprocess.run(
        (sys.executable, "-m", "agentbbs", "user", "remove", "Agent001", "--yes"), check=True, capture_output=True
    )
    back = run("snapshot", "restore", "base", "--data", str(tmp_path / "board"))
    assert (back.exit_code, back.stderr) == (0, "")
    assert back.stdout.split()[0] == sha256
    again = run("accounts", "provision", "--dry-run")
    assert again.stdout.splitlines()[1].split() == ["agent-001", "Agent001", "unchanged"]
    assert again.stderr == "nothing was changed\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("accounts", "provision", "--registry", "none.json"), "none.json: "),
        (("accounts", "provision", "--host", "haus"), "there is no kind of host 'haus': did you mean house?"),
        (("snapshot", "save", "a/b"), "'a/b' can't be the name of a snapshot"),
        (("snapshot", "restore", "base"), "there is no snapshot base in runtime/house/snapshots: none was saved"),
        (("snapshot", "restore", "base", "--kept-in", "there"), "there is no snapshot base in there/snapshots"),
    ],
)
def test_what_can_not_be_done_is_one_line(run: Any, words: tuple[str, ...], told: str) -> None:
    failed = run(*words)
    assert (failed.exit_code, failed.stdout) == (1, "")
    assert told in failed.stderr
    assert failed.stderr.count("\n") == 1


def test_a_registry_has_to_be_there(run: Any, tmp_path: Path) -> None:
    (tmp_path / "config" / "agents.local.json").unlink()
    failed = run("accounts", "provision")
    assert "there is no config/agents.local.json: make one" in failed.stderr


def test_without_a_board_that_is_told(run: Any) -> None:
    failed = run("snapshot", "save", "base")
    assert failed.exit_code == 1
    assert "agentbbs snapshot: there is no database" in failed.stderr
