"""Passwords, hashed with argon2id. Slow by design (tens of ms): call these off the event loop."""

from __future__ import annotations

from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

MIN_CHARS: Final = 8
"""The shortest that NIST SP 800-63B lets a person choose."""

MAX_CHARS: Final = 256
"""Nobody types more, and hashing takes time that grows with it."""

# RFC 9106, the second recommended option: 64 MiB, 3 passes, 4 lanes. It is the library's default too;
# named here so that an upgrade of the library does not change what a log-in costs.
_HASHER: Final = PasswordHasher(time_cost=3, memory_cost=64 * 1024, parallelism=4)


class PasswordFault(ValueError):
    """A password that is not taken; the text says what to do."""


def hash_password(password: str) -> str:
    """What to store of `password`: salt, parameters and hash as one line. Raises PasswordFault."""
    if not MIN_CHARS <= len(password) <= MAX_CHARS:
        raise PasswordFault(f"a password has {MIN_CHARS} to {MAX_CHARS} characters: choose another")
    return _HASHER.hash(_encoded(password))


def verify_password(password_hash: str | None, password: str) -> bool:
    """Whether `password` is the one that was hashed.

    Without a hash it takes as long as with one and says no, so that the time tells nobody which accounts
    have a password; the same holds for an account that does not exist.
    """
    try:
        _HASHER.verify(password_hash or _NOBODYS, _encoded(password[: MAX_CHARS + 1]))
    except (VerificationError, InvalidHashError):
        return False
    return password_hash is not None


def needs_rehash(password_hash: str) -> bool:
    """Whether the hash was made with other parameters than today's: hash again after the next log-in."""
    return _HASHER.check_needs_rehash(password_hash)


def _encoded(password: str) -> bytes:
    return password.encode("utf-8", "surrogatepass")


_NOBODYS: Final = "$argon2id$v=19$m=65536,t=3,p=4$DgLkwZU5jTNIaaB4H6rRZQ$BINjVMbjvyJxuCelF3Y/GxqU7ORPDhv9deT04kGeNWk"
"""A hash of no account's password, with today's parameters."""
