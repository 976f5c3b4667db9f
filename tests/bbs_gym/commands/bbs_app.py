"""The commands for a BBS as a command line of their own, and a registry for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.bbs_gym.login.dialogues import PASSWORD
from typer.testing import CliRunner

from bbs_gym.commands import accounts, bbs_activity, smoke
from tty_agent.commands.command_line import CommandLine, group


def _about() -> None:
    """Some commands."""


def _compose() -> typer.Typer:
    app = group(_about, cls=CommandLine, name="bbs-gym")
    app.command()(bbs_activity.observe_turn)
    app.command()(bbs_activity.run_activity)
    app.command()(bbs_activity.run_routed)
    app.command()(smoke.smoke)
    agents = group(accounts.accounts)
    agents.command("list")(accounts.list_accounts)
    agents.command("check")(accounts.check)
    app.add_typer(agents, name="accounts")
    return app


APP = _compose()


class Shell:
    """Calls commands in a folder with a registry of alice and bob."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.registry = folder / "config" / "agents.local.json"
        self.registry.parent.mkdir()
        self.password = folder / "config" / "alice.password"
        self.password.write_text(f"{PASSWORD}\n")
        self.password.chmod(0o600)
        self.agents(
            {"agent_id": "agent-001", "alias": "alice", "password_file": "alice.password"},
            {"agent_id": "agent-002", "alias": "bob", "password_env": "NO_SUCH_VARIABLE"},
        )

    def agents(self, *records: dict[str, Any]) -> None:
        self.registry.write_text(json.dumps({"agents": records}))

    def __call__(self, *arguments: object, code: int = 0) -> tuple[str, str]:
        """Standard output and error; the command must end with `code`."""
        done = CliRunner().invoke(APP, [str(argument) for argument in arguments], prog_name="bbs-gym")
        assert done.exit_code == code, (done.stdout, done.stderr, done.exception)
        assert PASSWORD not in done.output
        return done.stdout, done.stderr


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """Its folder is the current one."""
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path)
