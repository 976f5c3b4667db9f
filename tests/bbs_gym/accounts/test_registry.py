"""The registry: what it reads, and what it says about what it can't."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bbs_gym.accounts.account import Account
from bbs_gym.accounts.fault import AccountFault
from bbs_gym.accounts.registry import find_registry, read_registry

SECRET = "hunter2-hunter2"


def written(folder: Path, content: str, name: str = "agents.local.json") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def agents(folder: Path, *records: object) -> Path:
    return written(folder, json.dumps({"agents": records}))


def record(**more: Any) -> dict[str, Any]:
    return {"agent_id": "agent-001", "alias": "Agent001", **more}


def fault_of(path: Path) -> str:
    with pytest.raises(AccountFault) as raised:
        read_registry(path)
    text = str(raised.value)
    assert text.startswith(str(path))
    assert SECRET not in text
    return text.removeprefix(str(path))


WHOLE = Account(
    agent_id="agent-001",
    alias="Agent 001",
    password_env="A1",
    key_file=Path("keys/one"),
    model={"provider": "openai", "model": "qwen3"},
    metadata={"team": "red"},
)


class TestAWholeRecord:
    def test_in_json(self, tmp_path: Path) -> None:
        path = agents(
            tmp_path,
            {
                "agent_id": "agent-001",
                "alias": "Agent 001",
                "password_env": "A1",
                "key_file": "keys/one",
                "model": {"provider": "openai", "model": "qwen3"},
                "metadata": {"team": "red"},
            },
        )
        (account,) = read_registry(path).accounts
        assert account.key_file == tmp_path / "keys" / "one"
        assert (account.model, account.metadata, account.alias) == (WHOLE.model, WHOLE.metadata, WHOLE.alias)

    def test_in_toml(self, tmp_path: Path) -> None:
        text = """
            [[agents]]
            agent_id = "agent-001"
            alias = "Agent 001"
            password_file = "one.password"
            [agents.model]
            provider = "openai"
            model = "qwen3"
        """
        registry = read_registry(written(tmp_path, text, "agents.local.toml"))
        account = registry.account("agent-001")
        assert account.password_file == tmp_path / "one.password"
        assert account.model == WHOLE.model

    def test_with_a_path_from_the_root(self, tmp_path: Path) -> None:
        path = agents(tmp_path, record(password_file="/run/secrets/one"))
        assert read_registry(path).accounts[0].password_file == Path("/run/secrets/one")


FAULTS = {
    "no list": ("{}", "it has no list `agents`"),
    "list alone": ("[]", "it has no list `agents`"),
    "more": ('{"agents": [], "agent": []}', "`agent` means nothing beside `agents`"),
    "no object": ('{"agents": [3]}', "agent 1: it is no object"),
    "no json": ('{"agents": [}', "no JSON at line 1, column 13"),
    "twice": ('{"agents": [{"alias": "a", "alias": "b"}]}', "`alias` stands twice"),
    "deep": ("[" * 100_000, ""),
}


@pytest.mark.parametrize(("content", "told"), FAULTS.values(), ids=FAULTS)
def test_a_file_that_is_none(tmp_path: Path, content: str, told: str) -> None:
    assert told in fault_of(written(tmp_path, content))


RECORDS = {
    "no id": ({"alias": "a"}, "agent 1: `agent_id` is missing: add it"),
    "no alias": ({"agent_id": "agent-001"}, "'agent-001': `alias` is missing"),
    "a password": (record(password=SECRET), "`password` has no place here"),
    "a slip": (record(pasword_env="A"), "`pasword_env` is no field of an agent: write password_env"),
    "a wrong type": (record(metadata={"a": 1}), "Expected `str`, got `int`, in `metadata[...]`"),
    "a path that is none": (record(key_file=3), "Expected the path of a file, in `key_file`"),
    "two sources": (record(password_env="A", password_file="b"), "are both set: leave one away"),
    "an id with a slash": (record(agent_id="../etc"), "`agent_id` is up to 100 letters"),
    "an id of files": (record(agent_id="a.raw"), "`agent_id` has .raw in it"),
    "an alias with a line end": (record(alias="a\rb"), "`alias` is up to 64 printable"),
    "an alias with blanks": (record(alias=" a"), "without blanks at its ends"),
    "no alias at all": (record(alias=""), "`alias` is up to 64"),
    "a long alias": (record(alias="a" * 65), "`alias` is up to 64"),
    "new": (record(alias="New"), "means something else at a BBS"),
    "guest": (record(alias="guest"), "means something else at a BBS"),
    "fast logon": (record(alias="!bob"), "means something else at a BBS"),
}


@pytest.mark.parametrize(("entry", "told"), RECORDS.values(), ids=RECORDS)
def test_a_record_that_is_wrong(tmp_path: Path, entry: dict[str, Any], told: str) -> None:
    assert told in fault_of(agents(tmp_path, entry))


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ({"agent_id": "AGENT-001", "alias": "b"}, "`agent_id` is that of 'agent-001' too"),
        ({"agent_id": "agent-002", "alias": "agent001"}, "'agent-002': `alias` is that of 'agent-001' too"),
    ],
)
def test_doubles_are_refused_whatever_their_case(tmp_path: Path, second: dict[str, str], told: str) -> None:
    assert told in fault_of(agents(tmp_path, record(), second))


def test_a_registry_that_is_not_there(tmp_path: Path) -> None:
    assert "No such file" in fault_of(tmp_path / "agents.local.json")


def test_a_registry_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "agents.local.json"
    path.write_bytes(b"\xff\xfe{}")
    assert "no text in UTF-8" in fault_of(path)


def test_a_registry_that_is_no_toml(tmp_path: Path) -> None:
    assert "no TOML" in fault_of(written(tmp_path, "[[agents", "a.toml"))


def test_an_agent_that_is_not_there_gets_near_names(tmp_path: Path) -> None:
    registry = read_registry(agents(tmp_path, record(), {"agent_id": "scout", "alias": "s"}))
    with pytest.raises(AccountFault, match=r"no agent 'agent-01': add it, or take one of agent-001"):
        registry.account("agent-01")


class TestFinding:
    def test_one(self, tmp_path: Path) -> None:
        assert find_registry(tmp_path) is None
        path = agents(tmp_path, record())
        assert find_registry(tmp_path) == path

    def test_two_is_a_fault(self, tmp_path: Path) -> None:
        agents(tmp_path, record())
        written(tmp_path, "", "agents.local.toml")
        with pytest.raises(AccountFault, match="both there"):
            find_registry(tmp_path)
