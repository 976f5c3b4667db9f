"""What an account changes of its own ways to log in, and a sysop of everybody's: each change with its audit entry.

An account keeps at least one way in: its last key can't go while it has no password. Every function wants a
connection of `Database.begin`.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, delete, update

from agentbbs.store import accounts, audit, keys
from agentbbs.store import tokens as api_tokens
from agentbbs.store.accounts import Account
from agentbbs.store.audit import Action
from agentbbs.store.keys import KeyFault, PublicKey, StoredKey
from agentbbs.store.schema import ssh_keys, tokens
from agentbbs.store.tokens import TokenInfo

MAX_KEYS: Final = 20
"""Of one account: a key a machine. The operator's command line knows no limit."""

MAX_TOKENS: Final = 20
"""Valid ones of one account: a token an agent."""


class LastWayIn(KeyFault):
    """Without this key the account could not log in any more."""


class TooManyKeys(KeyFault):
    """`MAX_KEYS` are there."""


class NoSuchKey(KeyFault):
    """The account has no key with this id (any more)."""


class TooManyTokens(ValueError):
    """`MAX_TOKENS` are valid; the text says what to do."""


class NoSuchOwnToken(LookupError):
    """The account has no valid token with this id."""


class OwnAccount(ValueError):
    """A sysop may not do this to its own account; the text says what to do."""


def set_password(conn: Connection, account_id: int, password_hash: str, *, by: int | None, now_ms: int) -> None:
    """Give an account a password; `by` None is the house. Raises NoSuchAccount."""
    accounts.set_password_hash(conn, account_id, password_hash)
    audit.note(conn, by, Action.PASSWORD_SET, accounts.get(conn, account_id).name, now_ms=now_ms)


def add_key(conn: Connection, account_id: int, key: PublicKey, *, now_ms: int) -> StoredKey:
    """Add a key to one's own account. Raises KeyTaken, TooManyKeys."""
    if len(keys.of_account(conn, account_id)) >= MAX_KEYS:
        raise TooManyKeys(f"{MAX_KEYS} keys are the limit: remove one first")
    stored = keys.add(conn, account_id, key, now_ms=now_ms)
    audit.note(
        conn, account_id, Action.KEY_ADDED, accounts.get(conn, account_id).name, stored.fingerprint, now_ms=now_ms
    )
    return stored


def remove_key(conn: Connection, account_id: int, key_id: int, *, now_ms: int) -> StoredKey:
    """Remove one of one's own keys. Raises NoSuchKey, LastWayIn."""
    own = keys.of_account(conn, account_id)
    found = next((key for key in own if key.id == key_id), None)
    if found is None:
        raise NoSuchKey("this key is not there any more: the list shows those that are")
    account = accounts.get(conn, account_id)
    if len(own) == 1 and account.password_hash is None:
        raise LastWayIn("this key is your only way in: add another, or choose a password, first")
    conn.execute(delete(ssh_keys).where(ssh_keys.c.id == key_id))
    accounts.raise_auth_epoch(conn)
    audit.note(conn, account_id, Action.KEY_REMOVED, account.name, found.fingerprint, now_ms=now_ms)
    return found


def mint_token(conn: Connection, account_id: int, *, now_ms: int) -> str:
    """A new token for one's own account. This is the only time that anybody sees it. Raises TooManyTokens."""
    if len(valid_tokens(conn, account_id)) >= MAX_TOKENS:
        raise TooManyTokens(f"{MAX_TOKENS} tokens are the limit: revoke one first")
    token = api_tokens.mint(conn, account_id, now_ms)
    name = accounts.get(conn, account_id).name
    audit.note(conn, account_id, Action.TOKEN_MINTED, name, token[: api_tokens.PREFIX_CHARS], now_ms=now_ms)
    return token


def valid_tokens(conn: Connection, account_id: int) -> tuple[TokenInfo, ...]:
    """The account's tokens that are not revoked, oldest first."""
    return tuple(token for token in api_tokens.of_account(conn, account_id) if token.revoked_ms is None)


def revoke_token(conn: Connection, account_id: int, token_id: int, *, now_ms: int) -> TokenInfo:
    """End one of one's own tokens. Raises NoSuchOwnToken."""
    found = next((token for token in valid_tokens(conn, account_id) if token.id == token_id), None)
    if found is None:
        raise NoSuchOwnToken("this token is not valid any more: the list shows those that are")
    conn.execute(update(tokens).where(tokens.c.id == token_id).values(revoked_ms=now_ms))
    accounts.raise_auth_epoch(conn)
    name = accounts.get(conn, account_id).name
    audit.note(conn, account_id, Action.TOKEN_REVOKED, name, found.prefix, now_ms=now_ms)
    return found


def remove_account(conn: Connection, sysop_id: int, name: str, *, now_ms: int) -> Account:
    """Strike an account out (`accounts.remove`). The caller makes sure that it is a sysop who does so. Raises
    NoSuchAccount, OwnAccount."""
    found = accounts.find(conn, name)
    if found.id == sysop_id:
        raise OwnAccount("you can't remove your own account: another sysop can")
    removed = accounts.remove(conn, found.name, now_ms=now_ms)
    audit.note(conn, sysop_id, Action.ACCOUNT_REMOVED, found.name, now_ms=now_ms)
    return removed
