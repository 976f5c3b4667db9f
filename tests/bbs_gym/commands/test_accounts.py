"""`accounts list` and `accounts check`."""

from __future__ import annotations

import json

import pytest
from tests.bbs_gym.commands.bbs_app import Shell, shell

__all__ = ["shell"]


def test_a_list(shell: Shell) -> None:
    table, _ = shell("accounts", "list")
    assert table.splitlines()[0].split() == ["agent", "alias", "password", "key", "model"]
    assert "variable NO_SUCH_VARIABLE" in table
    listed = json.loads(shell("accounts", "list", "--json")[0])
    assert [(agent["agent_id"], agent["alias"]) for agent in listed] == [("agent-001", "alice"), ("agent-002", "bob")]


def test_a_check_that_finds_something(shell: Shell) -> None:
    lines, note = shell("accounts", "check", code=1)
    assert lines.splitlines() == [
        "error: agent-002: the environment variable NO_SUCH_VARIABLE is not set: put the password there"
    ]
    assert "2 agents, 1 finding" in note
    (finding,) = json.loads(shell("accounts", "check", "--json", code=1)[0])
    assert finding["weight"] == "error"


def test_a_check_that_finds_nothing(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_SUCH_VARIABLE", "there it is")
    lines, note = shell("accounts", "check", "--registry", shell.registry)
    assert lines == ""
    assert "2 agents, no findings" in note


def test_no_registry(shell: Shell) -> None:
    shell.registry.unlink()
    for command in ("list", "check"):
        assert "there is no config/agents.local.json" in shell("accounts", command, code=1)[1]


def test_a_registry_with_a_fault(shell: Shell) -> None:
    shell.agents({"agent_id": "agent-001", "alias": "new"})
    _, error = shell("accounts", "check", code=1)
    assert error.startswith("error: ")
    assert "'agent-001': `alias`" in error
