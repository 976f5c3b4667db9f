"""Who takes calls: the hub, as its servers see it."""

from __future__ import annotations

from typing import Protocol

import msgspec

from agentbbs.calls.identity import Identity
from agentbbs.calls.line import Line


class Call(msgspec.Struct, frozen=True):
    """A call that came in."""

    line: Line
    identity: Identity
    door: str | None = None
    """The door that the caller wants to go into at once, and whose end ends the visit (rlogin's `xtrn=DOOR`)."""


class Reception(Protocol):
    """Takes calls."""

    async def receive(self, call: Call) -> None:
        """One whole visit, from the node that the caller gets (or is told that none is free) to the good-bye. Hangs the
        line up in the end, and raises nothing but CancelledError: what goes wrong is logged, and the caller told."""
        ...


class Passwords(Protocol):
    """Where a password is checked; used by SSH's log-in and by the hub's."""

    async def check(self, name: str, password: str, address: str) -> LogIn:
        """Whether these belong together. Slow on purpose; slows an address and an account that fail down."""
        ...


class LogIn(msgspec.Struct, frozen=True):
    """How a try to log in ended."""

    account: int | None = None
    """The account; None if it was refused."""
    name: str = ""
    """The account's name as it is written."""
    sysop: bool = False
    proof: str = ""
    """The password, as `store.proofs` has it."""
    wait_s: float = 0.0
    """Above 0: too many tries failed from there; nothing was checked, and so long nothing will be."""
