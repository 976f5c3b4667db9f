"""Where an account's password is, and the password: from an environment variable or a file, never from the registry."""

from __future__ import annotations

import os
from collections.abc import Mapping

from bbs_gym.accounts.account import Account
from bbs_gym.accounts.fault import AccountFault
from tty_agent.transports.target import Access, NoSecret, read_secret


def password_of(account: Account, environment: Mapping[str, str] = os.environ) -> str | None:
    """The password; None where the account names no source. Raises AccountFault for a source that has none, and for
    one whose password can't be typed."""
    access = Access(secret_variable=account.password_env, secret_file=account.password_file)
    try:
        password = read_secret(access, environment)
    except NoSecret as fault:
        raise AccountFault(f"{account.agent_id}: {fault}") from fault
    if password is not None and not password.isprintable():
        raise AccountFault(
            f"{account.agent_id}: the password of {source_of(account)} has a character that can't be typed: take others"
        )
    return password


def source_of(account: Account) -> str:
    """Where the password is, for people: no part of it."""
    if account.password_env is not None:
        return f"variable {account.password_env}"
    if account.password_file is not None:
        return f"file {account.password_file}"
    return "nowhere"
