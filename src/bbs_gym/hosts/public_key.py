"""The public half of an account's key, which a BBS is given."""

from __future__ import annotations

from pathlib import Path

from bbs_gym.accounts.account import Account
from bbs_gym.accounts.fault import AccountFault


def public_key_of(account: Account) -> str:
    """One line, as a `.pub` file has it: that of the file beside `key_file`, or else what the key itself says.

    `key_file` must be set. Raises AccountFault.
    """
    if account.key_file is None:
        raise AccountFault(f"{account.agent_id}: it has no key: set key_file")
    beside = Path(f"{account.key_file}.pub")
    try:
        if beside.exists():
            return beside.read_text(encoding="utf-8").strip()
        return _derived(account.key_file)
    except (OSError, ValueError) as fault:
        why = fault.strerror if isinstance(fault, OSError) and fault.strerror else "it is no key that can be read"
        raise AccountFault(f"{account.agent_id}: {account.key_file}: {why}: make it with ssh-keygen") from fault


def _derived(key_file: Path) -> str:
    """What only the private key tells. Raises OSError and ValueError."""
    import asyncssh  # noqa: PLC0415 - slow, and mostly there is a .pub file

    try:
        key = asyncssh.read_private_key(key_file)
    except (asyncssh.KeyImportError, asyncssh.KeyEncryptionError) as fault:
        raise ValueError(str(fault)) from fault
    return key.export_public_key("openssh").decode().strip()
