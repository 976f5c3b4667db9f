"""SSH public keys: what is taken, and whose they are.

A key is one line as `ssh-keygen` writes it into a `.pub` file: the type, base64, a comment. It is checked
field by field here (RFC 4253 section 6.6, RFC 5656 section 3.1, RFC 8709 section 4), so that a key that is
stored is a key that some client can use. One key belongs to one account: over SSH it says who calls.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Row, delete, insert, select

from agentbbs.store.accounts import raise_auth_epoch
from agentbbs.store.schema import accounts, ssh_keys

MIN_RSA_BITS: Final = 2048
"""NIST SP 800-57: shorter ones are out of use since 2013."""

MAX_RSA_BITS: Final = 16_384
"""What OpenSSH takes; a longer one makes each log-in slow."""

MAX_LINE_CHARS: Final = 8192
"""A 16384-bit RSA key takes 2,800 characters; the rest is comment."""

MAX_COMMENT_CHARS: Final = 200
"""A comment says which machine a key is from."""

_ED25519_BYTES: Final = 32
_CURVES: Final = {"nistp256": 65, "nistp384": 97, "nistp521": 133}
"""Bytes of an uncompressed point: 1 + twice the field's size."""

_TAKEN: Final = "ssh-ed25519, ecdsa-sha2-nistp256, -nistp384, -nistp521 or ssh-rsa"


class KeyFault(ValueError):
    """A key that is not taken; the text says what to do."""


class NotAPublicKey(KeyFault):
    """Not one line of an OpenSSH public key, or damaged."""


class KeyTooWeak(KeyFault):
    """A type or a length that is no longer safe."""


class KeyTaken(KeyFault):
    """The key is some account's already."""


class PublicKey(msgspec.Struct, frozen=True):
    """A key that was checked. `line` is type and base64, `fingerprint` as `ssh-keygen -l` shows it."""

    kind: str
    line: str
    comment: str
    fingerprint: str


class StoredKey(msgspec.Struct, frozen=True):
    """A key of an account."""

    id: int
    account_id: int
    fingerprint: str
    line: str
    comment: str
    added_ms: int


def parse(text: str) -> PublicKey:
    """The key in a line of a `.pub` file. Raises NotAPublicKey, KeyTooWeak."""
    if "PRIVATE KEY" in text:
        raise NotAPublicKey("this is a private key, which never leaves your machine: give the file that ends in .pub")
    words = text.strip().split(None, 2)
    if len(text) > MAX_LINE_CHARS or len(words) < 2 or len(text.strip().splitlines()) != 1:
        raise NotAPublicKey(f"this is not one line of an OpenSSH public key: give a .pub file of {_TAKEN}")
    kind, encoded = words[0], words[1]
    comment = words[2][:MAX_COMMENT_CHARS] if len(words) == 3 else ""
    try:
        blob = base64.b64decode(encoded.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error) as fault:
        raise NotAPublicKey(_damaged("its second word is not base64")) from fault
    fields = _Fields(blob)
    if fields.string() != kind.encode("utf-8", "replace"):
        raise NotAPublicKey(_damaged("its first word is not the type that the key itself names"))
    _check(kind, fields)
    fields.end()
    digest = base64.b64encode(hashlib.sha256(blob).digest()).rstrip(b"=").decode()
    return PublicKey(kind, f"{kind} {base64.b64encode(blob).decode()}", comment, f"SHA256:{digest}")


def add(conn: Connection, account_id: int, key: PublicKey, *, now_ms: int) -> StoredKey:
    """Give `key` to an account. Raises KeyTaken if it is some account's already, this one's included."""
    holder = _holder(conn, key.fingerprint)
    if holder is not None:
        raise KeyTaken(_taken(key.fingerprint, holder, account_id))
    key_id = conn.execute(
        insert(ssh_keys)
        .values(
            account_id=account_id,
            fingerprint=key.fingerprint,
            public_key=key.line,
            comment=key.comment,
            added_ms=now_ms,
        )
        .returning(ssh_keys.c.id)
    ).scalar_one()
    raise_auth_epoch(conn)
    return StoredKey(key_id, account_id, key.fingerprint, key.line, key.comment, now_ms)


def of_account(conn: Connection, account_id: int) -> tuple[StoredKey, ...]:
    """The keys of an account, oldest first."""
    rows = conn.execute(_SELECT.where(ssh_keys.c.account_id == account_id).order_by(ssh_keys.c.id))
    return tuple(_stored(row) for row in rows)


def by_fingerprint(conn: Connection, fingerprint: str) -> StoredKey | None:
    """The key that a caller offers, if it is an account's."""
    row = conn.execute(_SELECT.where(ssh_keys.c.fingerprint == fingerprint)).one_or_none()
    return None if row is None else _stored(row)


def remove_all(conn: Connection, account_id: int) -> int:
    """Take every key from an account; returns how many there were."""
    removed = conn.execute(delete(ssh_keys).where(ssh_keys.c.account_id == account_id)).rowcount
    if removed:
        raise_auth_epoch(conn)
    return removed


_SELECT = select(
    ssh_keys.c.id,
    ssh_keys.c.account_id,
    ssh_keys.c.fingerprint,
    ssh_keys.c.public_key,
    ssh_keys.c.comment,
    ssh_keys.c.added_ms,
)


def _stored(row: Sequence[Any]) -> StoredKey:
    return StoredKey(*row)


def _holder(conn: Connection, fingerprint: str) -> Row[int, str] | None:
    return conn.execute(
        select(accounts.c.id, accounts.c.name)
        .join(ssh_keys, ssh_keys.c.account_id == accounts.c.id)
        .where(ssh_keys.c.fingerprint == fingerprint)
    ).one_or_none()


def _taken(fingerprint: str, holder: Row[int, str], account_id: int) -> str:
    if holder.id == account_id:
        return f"the account {holder.name!r} has the key {fingerprint} already: nothing to do"
    return (
        f"the key {fingerprint} belongs to the account {holder.name!r}, and a key says who calls: "
        "make another with `ssh-keygen -t ed25519`"
    )


def _damaged(what: str) -> str:
    return f"the key is damaged ({what}): copy the whole line of the .pub file"


class _Fields:
    """The length-prefixed fields of a key (RFC 4251, section 5)."""

    def __init__(self, blob: bytes) -> None:
        self._rest = blob

    def string(self) -> bytes:
        length = int.from_bytes(self._rest[:4], "big")
        if len(self._rest) < 4 + length:
            raise NotAPublicKey(_damaged("it ends too early"))
        value, self._rest = self._rest[4 : 4 + length], self._rest[4 + length :]
        return value

    def positive(self) -> int:
        """A multiple-precision integer, which must be positive and in its shortest form."""
        value = self.string()
        if not value or value[0] & 0x80 or (value[0] == 0 and (len(value) == 1 or not value[1] & 0x80)):
            raise NotAPublicKey(_damaged("a number in it is malformed"))
        return int.from_bytes(value, "big")

    def end(self) -> None:
        if self._rest:
            raise NotAPublicKey(_damaged("something follows its end"))


def _check(kind: str, fields: _Fields) -> None:
    """Read the fields that a key of this kind has."""
    curve = kind.removeprefix("ecdsa-sha2-")
    if kind == "ssh-ed25519":
        if len(fields.string()) != _ED25519_BYTES:
            raise NotAPublicKey(_damaged("an ed25519 key has 32 bytes"))
    elif kind == "ssh-rsa":
        _check_rsa(fields.positive(), fields.positive())
    elif curve != kind and curve in _CURVES:
        if fields.string() != curve.encode():
            raise NotAPublicKey(_damaged("it names two curves"))
        point = fields.string()
        if len(point) != _CURVES[curve] or point[0] != 4:
            raise NotAPublicKey(_damaged(f"it holds no point of {curve}"))
    elif kind == "ssh-dss":
        raise KeyTooWeak("DSA keys are no longer safe: make one with `ssh-keygen -t ed25519`")
    else:
        raise NotAPublicKey(f"keys of the type {kind!a} are not taken: give one of {_TAKEN}")


def _check_rsa(exponent: int, modulus: int) -> None:
    bits = modulus.bit_length()
    if bits < MIN_RSA_BITS:
        raise KeyTooWeak(
            f"an RSA key of {bits} bits is too weak (at least {MIN_RSA_BITS}): make one with `ssh-keygen -t ed25519`"
        )
    if bits > MAX_RSA_BITS:
        raise NotAPublicKey(f"an RSA key of {bits} bits is too long (at most {MAX_RSA_BITS}): make a shorter one")
    if exponent < 3 or exponent % 2 == 0 or modulus % 2 == 0:
        raise NotAPublicKey(_damaged("its numbers are no RSA key"))
