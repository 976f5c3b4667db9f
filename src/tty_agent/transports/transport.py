"""The contract of a way to a terminal program.

An adapter carries the bytes of the terminal both ways and knows nothing of screens, transcripts or turns:
`session.py` does that once for all of them. What belongs to the carrier (telnet commands, the rlogin handshake,
the SSH channel) never shows in `read`, and `write` puts it around what it is given.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

import msgspec

from tty_agent.terminal.dialect import Dialect
from tty_agent.terminal.inert import inert

READ_BYTES = 64 * 1024
"""The most that one `read` returns: bounds what a session does before it looks at the clock again."""

DEFAULT_OPEN_TIMEOUT_S = 20.0
"""For name look-up, connection and handshake together."""

MAX_DETAIL_CHARS = 200
"""Of how a connection ended: a sentence. Parts of it come from the other side, which may send a megabyte."""


class EndKind(StrEnum):
    """How a connection ended."""

    EOF = "eof"
    """The other side closed in order."""
    EXITED = "exited"
    """The local program ended; `code` says how (negative: by that signal)."""
    LOST = "lost"
    """Reset, timed out, or a failure below us."""
    HUNG_UP = "hung_up"
    """We closed it."""


class End(msgspec.Struct, frozen=True):
    """The end of a connection, as a value."""

    kind: EndKind
    detail: str
    """For a person; inert, and at most `MAX_DETAIL_CHARS` long, whatever it is made of."""
    code: int | None = None

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "detail", inert(self.detail, max_chars=MAX_DETAIL_CHARS))


class CannotConnect(Exception):
    """The connection did not come about; the text says why and what to do. Never holds a password."""


class Transport(Protocol):
    """One connection. Call `open` once, then `read` in one task only; `close` in the end, whatever happened."""

    @property
    def name(self) -> str:
        """`telnet`, `rlogin`, `ssh`, `pty`."""
        ...

    @property
    def dialect(self) -> Dialect:
        """What is most likely spoken on it: for whoever says nothing else."""
        ...

    @property
    def metadata(self) -> dict[str, object]:
        """What belongs into an observation: address, terminal type, … and no secret."""
        ...

    @property
    def end(self) -> End | None:
        """How it ended; None while it is open."""
        ...

    async def open(self, columns: int, rows: int) -> None:
        """Connect, with a window of that size. Raises CannotConnect."""
        ...

    async def read(self) -> bytes:
        """The next bytes of the terminal, 1 to `READ_BYTES`; b"" at the end, after which `end` is set.

        Never raises for a connection that went away: that is an `End`.
        """
        ...

    async def room(self) -> None:
        """Wait while too many bytes are under way: until the other side took some, or the end. A program that does
        not read makes this wait for ever."""
        ...

    async def write(self, data: bytes) -> None:
        """Send bytes of the terminal, all of them, once there is room; where there is, it does not wait. Cancelled,
        it sent none. After the end nothing happens."""
        ...

    async def resize(self, columns: int, rows: int) -> None:
        """Tell the other side the size of the window, if it cares."""
        ...

    async def close(self) -> None:
        """Free everything; may be called twice. A local program is ended and reaped."""
        ...
