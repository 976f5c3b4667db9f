"""A server that replays a recording of a real BBS, on loopback."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec
import pytest

DEFAULT_FOLDER = "../shared/recordings"


class Chunk(msgspec.Struct, frozen=True):
    """What came (`rx`) from the BBS or went (`tx`) to it at once, on the wire; `t` in seconds from the start."""

    t: float
    dir: Literal["rx", "tx"]
    hex: str

    @property
    def data(self) -> bytes:
        return bytes.fromhex(self.hex)


def recordings() -> list[Path]:
    """All there are, by name; none where the folder is absent."""
    folder = Path(os.environ.get("AGENTBBS_RECORDINGS", DEFAULT_FOLDER))
    return sorted(folder.glob("synchronet/*.jsonl"))


def recorded(name: str) -> Path:
    """One recording; the test is skipped where the folder is absent."""
    for path in recordings():
        if path.stem == name:
            return path
    pytest.skip(f"no recording {name}: AGENTBBS_RECORDINGS names no folder that has it")


@lru_cache(maxsize=100)
def chunks(path: Path) -> tuple[Chunk, ...]:
    """The conversation in order."""
    with path.open("rb") as lines:
        return tuple(msgspec.json.decode(line, type=Chunk) for line in lines)


class Replay:
    """One server for one recording. `heard` is what the clients typed, telnet commands and all."""

    def __init__(self, pieces: Sequence[tuple[float, bytes]], pace: float) -> None:
        self._pieces = pieces
        self._pace = pace
        self.heard = bytearray()
        self.port = 0
        self.done = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Play it to one client and close."""
        connection = writer.get_extra_info("socket")
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listening = asyncio.create_task(self._listen(reader))
        try:
            began = asyncio.get_running_loop().time()
            for at, data in self._pieces:
                await asyncio.sleep(began + at * self._pace - asyncio.get_running_loop().time())
                writer.write(data)
                await writer.drain()
            writer.write_eof()
            await listening
        except ConnectionError:
            pass  # the client hung up first: its test says whether it may
        finally:
            listening.cancel()
            writer.close()
            self.done.set()

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        while data := await reader.read(65536):
            self.heard += data


@asynccontextmanager
async def replaying(pieces: Sequence[tuple[float, bytes]], pace: float = 0.0) -> AsyncIterator[Replay]:
    """Serve those pieces to one client, each at its time; `pace` 1 is the recording's own, 0 as fast as it goes.

    `heard` is whole when the context is left.
    """
    replay = Replay(pieces, pace)
    server = await asyncio.start_server(replay.serve, "127.0.0.1", 0)
    replay.port = server.sockets[0].getsockname()[1]
    try:
        yield replay
    finally:
        server.close()
        await server.wait_closed()
        async with asyncio.timeout(10):
            await replay.done.wait()
