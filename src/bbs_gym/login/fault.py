"""Why a login failed. All of it is infrastructure: nothing that an agent did."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from tty_agent.terminal.inert import inert
from tty_agent.transports.transport import CannotConnect


class FaultKind(StrEnum):
    """The closed list."""

    UNREACHABLE = "unreachable"
    """No connection: nobody listens, an unknown host, a host key that is not trusted."""
    NO_NODE = "no_node"
    """Every node of the BBS is in use."""
    NO_PASSWORD = "no_password"  # noqa: S105 - a kind
    """The BBS asks for one, and the account has none."""
    UNKNOWN_USER = "unknown_user"
    WRONG_PASSWORD = "wrong_password"  # noqa: S105 - a kind
    """Or a key that is not taken."""
    SWAPPED_FIELDS = "swapped_fields"
    """A registration of somebody new begins: rlogin's fields went the wrong way round."""
    BUSY_ACCOUNT = "busy_account"
    """The account is on another node, and may not be on two."""
    BARRED = "barred"
    """Banned, or tried too often, or a password in the clear is not taken from here."""
    UNFINISHED_ACCOUNT = "unfinished_account"
    """The BBS asks for the profile of an account that was never completed."""
    NO_DOOR = "no_door"
    """There is no door of that name, or the account may not enter it."""
    CLOSING = "closing"
    """The BBS is about to stop."""
    UNTYPABLE = "untypable"
    """Name or password has a character that the connection can't carry."""
    LOST = "lost"
    """The BBS hung up, and did not say why."""
    TIMED_OUT = "timed_out"
    """A stage of the login took too long."""
    ASTRAY = "astray"
    """More questions than any login has."""


RETRIABLE: Final = frozenset(
    {
        FaultKind.UNREACHABLE,
        FaultKind.NO_NODE,
        FaultKind.BUSY_ACCOUNT,
        FaultKind.CLOSING,
        FaultKind.LOST,
        FaultKind.TIMED_OUT,
    }
)
"""The same call may go well a few seconds later; the others need somebody to change something."""


class LoginFault(CannotConnect):
    """The login did not come about. `text` says why and what to do, is inert, and never holds a password."""

    def __init__(self, kind: FaultKind, text: str) -> None:
        super().__init__(text)
        self.kind: Final = kind
        self.text: Final = text

    def __reduce__(self) -> tuple[type[LoginFault], tuple[FaultKind, str]]:
        """It may come from another process."""
        return LoginFault, (self.kind, self.text)

    @property
    def retriable(self) -> bool:
        """Whether to try again later is of any use."""
        return self.kind in RETRIABLE


def untypable(alias: str) -> LoginFault:
    """Name or password can't be sent. The value is in no fault."""
    shown = inert(alias)
    return LoginFault(
        FaultKind.UNTYPABLE, f"name or password of {shown} has a character that can't be typed here: choose another"
    )
