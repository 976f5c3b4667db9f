"""Passwords of a private venue."""

from __future__ import annotations

from pathlib import Path

from bbs_gym.accounts.account import Account
from bbs_gym.accounts.secrets import password_of
from bbs_gym.hosts.made_secrets import made_password, with_made_secrets

ONE = Account(agent_id="agent-001", alias="Agent001")
OWN = Account(agent_id="agent-002", alias="Agent002", password_env="ITS_OWN")


def test_who_has_no_password_gets_one_once(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    first = with_made_secrets((ONE, OWN), folder)
    assert first == with_made_secrets((ONE, OWN), folder)
    assert first[1] is OWN
    password = password_of(first[0])
    assert password is not None
    assert len(password) == 24
    assert password.isprintable()
    assert password not in repr(first)


def test_nobody_else_reads_them(tmp_path: Path) -> None:
    folder = tmp_path / "run" / "secrets"
    (account, _) = with_made_secrets((ONE, OWN), folder)
    assert account.password_file is not None
    assert account.password_file.is_absolute()
    assert account.password_file.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert list(folder.iterdir()) == [account.password_file]


def test_no_two_are_the_same() -> None:
    assert len({made_password() for _ in range(100)}) == 100
