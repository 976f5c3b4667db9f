"""A caller's line over any carrier: what came in and was not read, what goes out, and how both are kept within bounds.

The carrier (a telnet, rlogin or SSH connection) calls the methods under "What the carrier calls"; the hub sees a
`calls.line.Line`. Whoever types ahead of the hub is held at `MAX_UNREAD_BYTES`; the hub is asked to wait (`drain`)
while its output does not get away, and a caller for whom more than `MAX_UNSENT_BYTES` wait is cut off.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

from agentbbs.calls.line import MAX_UNREAD_BYTES, MAX_UNSENT_BYTES, READ_BYTES, LineGone, Size
from tty_agent.terminal.inert import inert

MAX_TERMINAL_CHARS: Final = 40
"""Of a terminal's name. The longest in terminfo has 28."""

HUNG_UP: Final = "we hung up"


class Carrier(Protocol):
    """What a line's bytes go over."""

    @property
    def unsent_bytes(self) -> int:
        """What waits to be sent."""
        ...

    def send(self, data: bytes) -> None:
        """Queue bytes of the terminal."""
        ...

    def hold(self) -> None:
        """Feed the line no more until `release`, so that the caller has to wait."""
        ...

    def release(self) -> None: ...

    def hang_up(self) -> None:
        """Send what waits, then close. Called once."""
        ...

    def cut(self, why: str) -> None:
        """Close at once; the line is told by `lost`."""
        ...


class CallerLine:
    """One caller's line. Implements `calls.line.Line` and `bounded.Flow`."""

    def __init__(self, carrier: Carrier, *, transport: str, address: str, private: bool) -> None:
        self.transport: Final = transport
        self.address: Final = address
        self.private: Final = private
        self.terminal = ""
        self.size = Size()
        self.size_known = False
        self._carrier = carrier
        self._unread = bytearray()
        self._held = False
        self._heard = asyncio.Event()
        self._stoppers = 0
        """How many of the buffers on the way out are full."""
        self._clear = asyncio.Event()
        self._clear.set()
        self._input_ended: str | None = None
        self._gone: str | None = None
        self._told: Callable[[Size], None] | None = None

    # What the hub calls

    def on_resize(self, told: Callable[[Size], None] | None) -> None:
        """As the contract says."""
        self._told = told

    async def read(self) -> bytes:
        """As the contract says."""
        while not self._unread:
            if self._input_ended is not None:
                raise LineGone(self._input_ended)
            self._heard.clear()
            await self._heard.wait()
        data = bytes(self._unread[:READ_BYTES])
        del self._unread[:READ_BYTES]
        if self._held and len(self._unread) <= MAX_UNREAD_BYTES // 2:
            self._held = False
            self._carrier.release()
        return data

    def write(self, data: bytes) -> None:
        """As the contract says."""
        if not data or self._gone is not None:
            return
        self._carrier.send(data)
        unsent = self._carrier.unsent_bytes
        if unsent > MAX_UNSENT_BYTES:
            self._carrier.cut(f"it leaves {unsent} bytes unread")

    async def drain(self) -> None:
        """As the contract says."""
        if self._gone is None:
            await self._clear.wait()
        if self._gone is not None:
            raise LineGone(self._gone)

    def hang_up(self) -> None:
        """As the contract says."""
        if self._gone is None:
            self.lost(HUNG_UP)
            self._carrier.hang_up()

    # What the carrier calls

    def feed(self, data: bytes) -> None:
        """Input came. After a hang-up it is dropped."""
        if not data or self._input_ended is not None:
            return
        self._unread += data
        self._heard.set()
        if not self._held and len(self._unread) >= MAX_UNREAD_BYTES:
            self._held = True
            self._carrier.hold()

    def tell_terminal(self, name: str) -> None:
        """The caller named its terminal."""
        self.terminal = inert(name.lower(), max_chars=MAX_TERMINAL_CHARS)

    def tell_size(self, columns: int, rows: int) -> None:
        """The caller told its size; 0 where it does not know."""
        size = Size.told(columns, rows)
        self.size_known = bool(columns and rows)
        if size != self.size:
            self.size = size
            if self._told is not None and self._gone is None:
                self._told(size)

    def pause_writing(self) -> None:
        """A buffer on the way out is full."""
        self._stoppers += 1
        self._clear.clear()

    def resume_writing(self) -> None:
        """It is no longer."""
        self._stoppers -= 1
        if self._stoppers == 0:
            self._clear.set()

    def input_ended(self, why: str) -> None:
        """Nothing more will be fed; what was can still be read, and output still goes out."""
        if self._input_ended is None:
            self._input_ended = why
            self._heard.set()

    def lost(self, why: str) -> None:
        """The line is gone. The first reason stays."""
        self.input_ended(why)
        if self._gone is None:
            self._gone = why
            self._clear.set()
