"""A small BBS that only echoes, for `bench/gym.py`: a process of its own, so that its CPU is not the harness's.

For each line it redraws a screen in three pieces, 15 ms apart, and ends with a prompt that holds the time (seconds of
CLOCK_MONOTONIC, which all processes of a machine share) at which the last piece was written. Prints its port.
"""

from __future__ import annotations

import asyncio
import sys
import time

GAP_S = 0.015
ROWS = 20


class Caller(asyncio.Protocol):
    """One caller. Input is lines that end with CR; negotiation is neither offered nor asked for."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._line = b""
        self._turns = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The caller is greeted with a screen."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._draw()

    def data_received(self, data: bytes) -> None:
        """A line may come in pieces; NUL after CR is telnet's."""
        *lines, self._line = (self._line + data.replace(b"\0", b"")).split(b"\r")
        for _ in lines:
            self._turns += 1
            self._draw()

    def connection_lost(self, _: Exception | None) -> None:
        """The caller hung up."""
        self._transport = None

    def _draw(self) -> None:
        loop = asyncio.get_running_loop()
        rows = [
            f"\x1b[{31 + (self._turns + row) % 7}mSector {row:3}: ore {self._turns * 7 % 99}" for row in range(ROWS)
        ]
        half = ROWS // 2
        self._write(b"\x1b[0m\x1b[2J\x1b[H" + "\r\n".join(rows[:half]).encode())
        loop.call_later(GAP_S, self._write, b"\r\n" + "\r\n".join(rows[half:]).encode())
        loop.call_later(2 * GAP_S, self._prompt)

    def _prompt(self) -> None:
        self._write(f"\r\n\x1b[0mturn {self._turns} at {time.monotonic():.6f}\r\nCommand? ".encode())

    def _write(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)


async def serve() -> None:
    """Listen on a free loopback port until stdin ends."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Caller, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(serve())
