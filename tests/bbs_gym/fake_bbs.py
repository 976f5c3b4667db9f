"""A BBS on loopback that plays a script to each caller, whatever thread the caller is in."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from tests.bbs_gym.login.dialogues import Hears, Says, Script

from bbs_gym.loop_thread import LoopThread

_UNTYPED = re.compile(rb"\xff\xfa.*?\xff\xf0|\xff[\xfb-\xfe].|\x1b\[[=?]?[\d;]*[Rcn]", re.DOTALL)


class FakeBbs:
    """`heard` is what was typed, by caller; `greetings` the fields of rlogin. The last script is for all further
    calls."""

    def __init__(self, scripts: Sequence[Script], *, rlogin: bool) -> None:
        self._scripts = list(scripts)
        self._rlogin = rlogin
        self._writers: list[asyncio.StreamWriter] = []
        self.greetings: list[list[bytes]] = []
        self.heard: list[bytearray] = []
        self.port = 0

    async def start(self) -> asyncio.Server:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        return server

    async def stop(self, server: asyncio.Server) -> None:
        server.close()
        for writer in self._writers:
            writer.transport.abort()
        await server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        script = self._scripts[min(len(self.heard), len(self._scripts) - 1)]
        heard = bytearray()
        self.heard.append(heard)
        self._writers.append(writer)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            if self._rlogin:
                fields = [await reader.readuntil(b"\0") for _ in range(4)]
                self.greetings.append([field[:-1] for field in fields[1:]])
                writer.write(b"\0")
            await self._play(script, reader, writer, heard)
        writer.close()

    async def _play(
        self, script: Script, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, heard: bytearray
    ) -> None:
        raw, position = bytearray(), 0
        for step in script:
            if isinstance(step, Says):
                writer.write(step)
                continue
            while len(heard) < position + len(step):
                data = await reader.read(1000)
                if not data:
                    return
                raw += data
                heard[:] = _typed(bytes(raw))
            assert bytes(heard[position : position + len(step)]) == step
            position += len(step)
        await writer.drain()
        if script and isinstance(script[-1], Says) and not script[-1].endswith(b"Good-bye.\r\n"):
            while data := await reader.read(1000):  # until the caller hangs up
                raw += data
                heard[:] = _typed(bytes(raw))


def _typed(raw: bytes) -> bytes:
    """What was typed, without telnet commands and the terminal's own answers."""
    return _UNTYPED.sub(b"", raw).replace(b"\r\0", b"\r")


@contextmanager
def fake_bbs(*scripts: Script, rlogin: bool = False) -> Iterator[FakeBbs]:
    """It serves until the end of the block."""
    board = FakeBbs(scripts, rlogin=rlogin)
    thread = LoopThread("fake bbs")
    server = thread.run(board.start())
    try:
        yield board
    finally:
        thread.run(board.stop(server))
        thread.close()


LOG_OFF: Script = (Hears(b"qy"), Says(b"Q\r\nLog off? [Y/n] Yes\r\nGood-bye.\r\n"))
