"""The contract of a plugin: what the main menu offers.

A plugin is an object with these fields and one coroutine, found through the entry-point group `agentbbs.plugins` (its
value: `package.module:ATTRIBUTE`), or one of the house's own (`plugins/`). It gets a `Visit`: the caller's terminal,
who it is, the board with everything that is shared. It reads and writes through `visit.caller` alone, returns when the
caller wants back to the menu, and lets `LineGone` pass.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from agentbbs.hub.visit import Visit


class Access(IntEnum):
    """Who is shown a plugin, and may enter it."""

    GUEST = 0
    """Everybody."""
    MEMBER = 1
    """Who is logged in."""
    SYSOP = 2
    """A sysop, over SSH only."""


class Plugin(Protocol):
    """A feature of the board."""

    @property
    def id(self) -> str:
        """A short word, unique on a board: `boards`, `chat`."""
        ...

    @property
    def title(self) -> str:
        """As the menu shows it, up to 24 characters."""
        ...

    @property
    def key(self) -> str:
        """The hotkey that it would like: one letter or digit. If it is taken, the menu gives it another."""
        ...

    @property
    def access(self) -> Access:
        """Who may use it."""
        ...

    async def run(self, visit: Visit) -> None:
        """One stay in the feature."""
        ...
