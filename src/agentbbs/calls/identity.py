"""Who is at a line, as far as its server knows."""

from __future__ import annotations

from typing import Final

import msgspec

GUEST_NAME: Final = "guest"
NEW_NAME: Final = "new"
"""What is given for a name to look around and to register, in every transport; no account can have them."""


class Member(msgspec.Struct, frozen=True):
    """An account that has proved itself (an SSH key or password)."""

    account: int
    name: str
    sysop: bool = False
    proof: str = ""
    """What proved it, as `store.proofs` has it; "" if that is not known, and then it holds."""


class Offered(msgspec.Struct, frozen=True):
    """A name and a password that came with the connection (rlogin), not yet checked. Its repr holds neither."""

    name: str
    password: str

    def __repr__(self) -> str:
        return "Offered(...)"


class Newcomer(msgspec.Struct, frozen=True):
    """Somebody who offers to register, with the SSH key that was proved (`ssh-ed25519 AAAA…`), or without one."""

    public_key: str | None = None


class Guest(msgspec.Struct, frozen=True):
    """May look, not write."""


class Stranger(msgspec.Struct, frozen=True):
    """Nothing is known: the hub asks (telnet)."""


Identity = Member | Offered | Newcomer | Guest | Stranger
