"""What `accounts check` finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from bbs_gym.accounts.account import Account
from bbs_gym.accounts.checking import Weight, check_accounts
from bbs_gym.accounts.registry import Registry

GOOD = Account(agent_id="good", alias="Good", password_env="A1", model={"provider": "openai", "model": "qwen3"})


def found(*accounts: Account, **environment: str) -> list[tuple[str, str | None, str]]:
    registry = Registry(path=Path("agents.local.json"), accounts=accounts)
    return [(one.weight, one.agent_id, one.text) for one in check_accounts(registry, environment)]


def test_nothing_at_a_good_registry() -> None:
    assert found(GOOD, A1="secret") == []


def test_an_empty_one() -> None:
    ((weight, agent, text),) = found()
    assert (weight, agent) == (Weight.WARNING, None)
    assert "has no agents" in text


def test_a_password_that_is_not_there() -> None:
    ((weight, agent, text),) = found(GOOD)
    assert (weight, agent) == (Weight.ERROR, "good")
    assert text == "the environment variable A1 is not set: put the password there"


def test_an_account_without_any_proof() -> None:
    ((weight, _, text),) = found(Account(agent_id="a", alias="a"))
    assert weight == Weight.WARNING
    assert "neither password nor key" in text


def test_files_that_others_can_read(tmp_path: Path) -> None:
    path = tmp_path / "pw"
    path.write_text("secret\n")
    path.chmod(0o644)
    ((weight, _, text),) = found(Account(agent_id="a", alias="a", password_file=path))
    assert weight == Weight.WARNING
    assert f"chmod 600 {path}" in text
    path.chmod(0o600)
    assert found(Account(agent_id="a", alias="a", password_file=path)) == []


def test_a_key_that_is_not_there(tmp_path: Path) -> None:
    ((weight, _, text),) = found(Account(agent_id="a", alias="a", key_file=tmp_path / "none"))
    assert weight == Weight.ERROR
    assert "`key_file`" in text


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ({"provider": "oracle", "model": "x"}, "oracle"),
        ({"provider": "openai"}, "`model` must name"),
        ({"provider": "openai", "model": "x", "api_key_env": "NO_KEY"}, "variable NO_KEY is not set"),
        ({"provider": "openai", "model": "x", "colour": "red"}, "colour"),
    ],
)
def test_a_model_that_is_none(model: dict[str, object], told: str) -> None:
    ((weight, agent, text),) = found(Account(agent_id="a", alias="a", password_env="A1", model=model), A1="x")
    assert (weight, agent) == (Weight.ERROR, "a")
    assert told in text
