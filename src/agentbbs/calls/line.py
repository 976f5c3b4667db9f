"""A caller's line, as a server hands it to the hub: bytes of a terminal both ways, and what the server knows of it.

What belongs to the carrier (telnet commands, the rlogin handshake, the SSH channel) never shows in `read`, and `write`
puts it around what it is given. An adapter keeps no policy: what is said on the line is the hub's business.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

import msgspec

READ_BYTES: Final = 4096
"""The most that one `read` returns: typed input is far less, and a paste comes in pieces."""

MAX_UNREAD_BYTES: Final = 16 * 1024
"""What a caller may type ahead; the server stops reading from the network beyond it."""

MAX_UNSENT_BYTES: Final = 256 * 1024
"""What may wait for a caller that does not read; with more the line is cut, so that nobody's memory is the venue's."""

DEFAULT_COLUMNS: Final = 80
DEFAULT_ROWS: Final = 24
MIN_COLUMNS: Final = 40
MIN_ROWS: Final = 12
MAX_COLUMNS: Final = 255
MAX_ROWS: Final = 100


class Size(msgspec.Struct, frozen=True):
    """Of a caller's screen, in cells."""

    columns: int = DEFAULT_COLUMNS
    rows: int = DEFAULT_ROWS

    @classmethod
    def told(cls, columns: int, rows: int) -> Size:
        """What a caller claims: 0 means that it does not know, and then it is 80x24; the rest is put into bounds."""
        return cls(
            min(max(columns, MIN_COLUMNS), MAX_COLUMNS) if columns else DEFAULT_COLUMNS,
            min(max(rows, MIN_ROWS), MAX_ROWS) if rows else DEFAULT_ROWS,
        )


class LineGone(Exception):
    """The caller hung up, was cut off, or its connection broke. The text says which, for the log."""


class Line(Protocol):
    """One caller's line. `read` in one task only."""

    @property
    def transport(self) -> str:
        """`ssh`, `telnet`, `rlogin`."""
        ...

    @property
    def address(self) -> str:
        """The caller's address, without the port."""
        ...

    @property
    def private(self) -> bool:
        """Whether a password may be asked for here: nobody can listen on the way (SSH, the same machine), or the
        operator takes passwords in the clear."""
        ...

    @property
    def terminal(self) -> str:
        """The terminal type as the caller told it, in lower case and inert; "" if it told none (yet)."""
        ...

    @property
    def size(self) -> Size:
        """As last told, else 80x24."""
        ...

    @property
    def size_known(self) -> bool:
        """Whether the caller told its size."""
        ...

    def on_resize(self, told: Callable[[Size], None] | None) -> None:
        """Call `told` at each change of the size from now on."""
        ...

    async def read(self) -> bytes:
        """The next input, 1 to `READ_BYTES`. Raises LineGone once the line is gone and all is read."""
        ...

    def write(self, data: bytes) -> None:
        """Queue output; never waits. On a line that is gone nothing happens, and with more than `MAX_UNSENT_BYTES`
        waiting the line is cut."""
        ...

    async def drain(self) -> None:
        """Wait until little waits to be sent. Raises LineGone."""
        ...

    def hang_up(self) -> None:
        """Send what waits, then close. May be called twice."""
        ...
