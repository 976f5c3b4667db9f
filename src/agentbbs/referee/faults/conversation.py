"""One connection of the fault server, as the faults use it: send, hold, end, reset."""

from __future__ import annotations

import asyncio
import socket
import struct
from typing import Final

HOLD_S: Final = 600.0
"""How long a connection is held on which nothing happens: longer than any deadline, and not for ever."""

CLOSE_S: Final = 1.0
"""For the last bytes of a connection to go out; after that it is cut."""

_NO_LINGER: Final = struct.pack("ii", 1, 0)
"""On and 0 s: to close is to reset (socket(7), SO_LINGER)."""


class Conversation:
    """What can be done with a connection. Whoever made it calls `close` at the end."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.asked = 0
        """Requests that have come on this connection."""
        self.old_nonce = ""
        """That of the request before in the same match."""
        self.open = True
        """Whether another request is waited for."""
        self.in_handshake = False

    async def send(self, data: bytes) -> None:
        """Raises OSError when the other side has gone."""
        self.writer.write(data)
        await self.writer.drain()

    async def hold(self, seconds: float = HOLD_S) -> bool:
        """Say nothing for so long, or until the other side goes: then False. What it sends meanwhile is dropped."""
        try:
            async with asyncio.timeout(seconds):
                while await self.reader.read(4096):
                    pass
        except TimeoutError:
            return True
        return False

    def end(self) -> None:
        """The connection is closed when the answer has been given."""
        self.open = False

    def reset(self) -> None:
        """Cut the connection so that the other side sees a reset."""
        self.open = False
        raw: socket.socket | None = self.writer.get_extra_info("socket")
        if raw is not None:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        self.writer.transport.abort()

    async def close(self, *, at_once: bool = False) -> None:
        """Close the connection, in order if the other side plays along, and wait until its socket is gone."""
        if at_once or self.in_handshake:
            self.writer.transport.abort()
        else:
            self.writer.close()
        try:
            async with asyncio.timeout(0 if self.in_handshake else CLOSE_S):
                await self.writer.wait_closed()
        except TimeoutError:  # a handshake that was cut tells nobody, and some never read their last bytes
            self.writer.transport.abort()
            await asyncio.sleep(0)
        except OSError:
            pass  # it was gone already
