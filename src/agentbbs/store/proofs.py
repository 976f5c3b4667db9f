"""What a caller proved itself with, kept while it is on: by it is seen that the key or password is gone since.

A proof is a key's fingerprint, or a digest of what is stored of a password, which tells nothing of either.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import Final

from sqlalchemy import Connection

from agentbbs.store import accounts, keys

_MARK: Final = "password:"


def of_password(password_hash: str) -> str:
    """The proof of who gave the password that this is stored of."""
    return _MARK + hashlib.sha256(password_hash.encode()).hexdigest()


def is_password(proof: str) -> bool:
    """Whether it was a password."""
    return proof.startswith(_MARK)


def hold(conn: Connection, account_id: int, proofs: Collection[str]) -> bool:
    """Whether one of these lets the account in still. Raises NoSuchAccount."""
    stored = accounts.get(conn, account_id).password_hash
    valid = {key.fingerprint for key in keys.of_account(conn, account_id)}
    if stored is not None:
        valid.add(of_password(stored))
    return not valid.isdisjoint(proofs)
