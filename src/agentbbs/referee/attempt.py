"""One sending of a request, as the dialling and the connection beneath it saw it."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Final

from agentbbs.referee.addresses import AddressKind


class Attempt:
    """What is known of a sending beside the fault that ended it."""

    __slots__ = (
        "crowded",
        "dialled_ipv4",
        "hang_up",
        "loopback_only",
        "lost",
        "out_of_sockets",
        "received",
        "refused",
        "reused",
    )

    def __init__(self, *, loopback_only: bool = False) -> None:
        self.loopback_only = loopback_only
        """Plain HTTP: it never leaves this machine."""
        self.crowded = False
        """The look-up of the name had to wait for others: the venue's own delay."""
        self.refused: AddressKind | None = None
        """The kind of an address that was not dialled."""
        self.dialled_ipv4 = False
        self.out_of_sockets: OSError | None = None
        """Why this machine had no socket to dial with."""
        self.reused = False
        """It went out on a connection that was kept from an earlier request."""
        self.received = 0
        """Bytes that came back."""
        self.lost: BaseException | None = None
        """What the connection ended with, which the library's own fault need not tell."""
        self.hang_up: Callable[[], None] = _no_connection
        """Close the connection that it went out on, also if that has been put by for the next request."""


def _no_connection() -> None:
    """Nothing has gone out."""


CURRENT: Final[ContextVar[Attempt]] = ContextVar("agentbbs_attempt")
"""The attempt of this task: how what the library calls deep inside finds it."""
