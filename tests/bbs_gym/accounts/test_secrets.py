"""Where passwords come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from bbs_gym.accounts.account import Account
from bbs_gym.accounts.fault import AccountFault
from bbs_gym.accounts.secrets import password_of, source_of

SECRET = "correct horse"


def account(**source: object) -> Account:
    return Account(agent_id="agent-001", alias="a", **source)  # type: ignore[arg-type]  # what tests vary


def test_from_a_variable() -> None:
    assert password_of(account(password_env="A1"), {"A1": SECRET}) == SECRET


def test_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "pw"
    path.write_text(f"{SECRET}\nnot this\n")
    assert password_of(account(password_file=path), {}) == SECRET


def test_from_nowhere() -> None:
    assert password_of(account(), {}) is None


def test_a_source_that_has_none_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(AccountFault, match="agent-001: the environment variable A1 is not set"):
        password_of(account(password_env="A1"), {})
    with pytest.raises(AccountFault, match="agent-001: cannot read the password"):
        password_of(account(password_file=tmp_path / "none"), {})


@pytest.mark.parametrize("secret", ["a\rb", "a\tb", "a\x1b[2J", "a\x00"])
def test_one_that_would_be_more_than_typed_is_a_fault(secret: str) -> None:
    with pytest.raises(AccountFault, match="can't be typed") as raised:
        password_of(account(password_env="A1"), {"A1": secret})
    assert secret not in str(raised.value)


def test_where_it_is_in_words() -> None:
    assert source_of(account(password_env="A1")) == "variable A1"
    assert source_of(account(password_file=Path("x/pw"))) == "file x/pw"
    assert source_of(account()) == "nowhere"
