"""The line between a door and its caller: bytes in, bytes out, and its end. `door.descriptors` has the real one."""

from __future__ import annotations

from typing import Final, Protocol

import msgspec


class Size(msgspec.Struct, frozen=True):
    """Of a terminal, in characters."""

    columns: int
    rows: int


COMMON_SIZE: Final = Size(80, 24)
"""Of a terminal that says nothing."""
SMALLEST: Final = Size(40, 10)
"""What screens are made for at least; a smaller window scrolls."""
LARGEST: Final = Size(500, 500)
"""More is no window, but a client that says nonsense."""


class Wire(Protocol):
    """A caller's line."""

    @property
    def interactive(self) -> bool:
        """It is a terminal: somebody types while looking. Else keys come in their order from a file or a program."""

    def size(self) -> Size | None:
        """Of the terminal now; None where there is none or it does not say."""

    def read(self, wait_s: float | None) -> bytes:
        """What has come, or comes within `wait_s` (None: whenever); nothing if nothing did. Raises HungUp."""

    def write(self, data: bytes) -> None:
        """Send all of it, however long the other end takes. Raises HungUp."""
