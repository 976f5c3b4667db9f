"""Passwords made at random for accounts of a private venue: on the disk for its owner alone, and nowhere else."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from bbs_gym.accounts.account import Account

PASSWORD_BYTES: Final = 18
"""Of randomness: nobody guesses 144 bits, and 24 characters are fewer than the shortest limit of any BBS."""

SUFFIX: Final = ".password"
"""Of the file of an agent."""


def made_password() -> str:
    """A new one, of letters, digits, `-` and `_`."""
    return secrets.token_urlsafe(PASSWORD_BYTES)


def with_made_secrets(accounts: Sequence[Account], folder: Path) -> tuple[Account, ...]:
    """The accounts, those without a source of a password with a file in `folder` that holds one.

    It is made at the first call and found at later ones. The folder is readable for its owner alone, as the files are.
    Raises OSError.
    """
    return tuple(account if has_source(account) else _with_file(account, folder) for account in accounts)


def has_source(account: Account) -> bool:
    """It says where its password is."""
    return account.password_env is not None or account.password_file is not None


def secret_file(account: Account, folder: Path) -> Path:
    """Where the made password of the account is, or would be."""
    return (folder / f"{account.agent_id}{SUFFIX}").absolute()


def _with_file(account: Account, folder: Path) -> Account:
    file = secret_file(account, folder)
    if not file.exists():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = file.with_name(f".{file.name}.{os.getpid()}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as opened:
            opened.write(f"{made_password()}\n")
        draft.replace(file)  # whole or not at all
    return msgspec.structs.replace(account, password_file=file)
