"""Our end of a pseudo-terminal, watched by the event loop."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import struct
import termios
from collections.abc import Callable
from typing import Final

from tty_agent.transports.inbox import Inbox
from tty_agent.transports.transport import READ_BYTES

MAX_OUTGOING_BYTES: Final = 64 * 1024
"""There is no room while more is under way: a program that does not read."""

MAX_LAST_WORDS_BYTES: Final = 1024 * 1024
"""Read at most at the end: what a kernel holds is far less, but something left behind may go on writing."""

_MAX_SIDE: Final = 0xFFFF


class PseudoTerminal:
    """Owns the descriptor; what comes goes to the inbox. `on_hang_up` is called once, when the last program that
    held the other end let go of it."""

    def __init__(self, descriptor: int, inbox: Inbox, on_hang_up: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._inbox = inbox
        self._on_hang_up = on_hang_up
        self._loop = asyncio.get_running_loop()
        self._outgoing = bytearray()
        self._room = asyncio.Event()
        self._room.set()
        self._reading = False
        self.hung_up = False
        os.set_blocking(descriptor, False)
        self.watch(reading=True)

    def watch(self, *, reading: bool) -> None:
        """Read what comes, or let it wait in the kernel, which stops the program."""
        if reading == self._reading or (reading and self.hung_up):
            return
        self._reading = reading
        if reading:
            self._loop.add_reader(self._descriptor, self._readable)
        else:
            self._loop.remove_reader(self._descriptor)

    async def room(self) -> None:
        """Wait while too much is under way."""
        await self._room.wait()

    async def write(self, data: bytes) -> None:
        """Type, once there is room. After a hang-up nothing happens."""
        await self._room.wait()
        if self.hung_up or not data:
            return
        if not self._outgoing:
            self._loop.add_writer(self._descriptor, self._writable)
        self._outgoing += data
        self._writable()
        if len(self._outgoing) > MAX_OUTGOING_BYTES:
            self._room.clear()

    def resize(self, columns: int, rows: int) -> None:
        """Set the window's size."""
        set_size(self._descriptor, columns, rows)

    def foreground_group(self) -> int | None:
        """The process group in the foreground, if there is one."""
        try:
            return os.tcgetpgrp(self._descriptor)
        except OSError:  # nobody has the terminal any more
            return None

    def drain(self) -> None:
        """Read what is there now, without waiting and although the inbox may be full."""
        room = MAX_LAST_WORDS_BYTES
        while room > 0 and not self.hung_up and (data := self._read()):
            room -= len(data)
            self._inbox.feed(data)

    def close(self) -> None:
        """Let go of it: the kernel hangs up on whoever still has the other end."""
        self._hang_up()
        os.close(self._descriptor)

    def _readable(self) -> None:
        data = self._read()
        if data:
            self._inbox.feed(data)
        elif self.hung_up:
            self._on_hang_up()

    def _read(self) -> bytes:
        """b"" if nothing is there, or nothing will be: then `hung_up` is set."""
        try:
            data = os.read(self._descriptor, READ_BYTES)
        except BlockingIOError:
            return b""
        except OSError as error:
            if error.errno != errno.EIO:  # Linux's word for the end of a pseudo-terminal
                raise
            data = b""
        if not data:
            self._hang_up()
        return data

    def _writable(self) -> None:
        try:
            while self._outgoing:
                written = os.write(self._descriptor, self._outgoing[:READ_BYTES])
                del self._outgoing[:written]
        except BlockingIOError:
            pass
        except OSError:  # the other end is gone: reading tells
            self._outgoing.clear()
        if not self._outgoing:
            self._loop.remove_writer(self._descriptor)
        if len(self._outgoing) <= MAX_OUTGOING_BYTES:
            self._room.set()

    def _hang_up(self) -> None:
        self.watch(reading=False)
        self.hung_up = True
        if self._outgoing:
            self._outgoing.clear()
            self._loop.remove_writer(self._descriptor)
        self._room.set()


def set_size(descriptor: int, columns: int, rows: int) -> None:
    """The size of the terminal at that descriptor; 0 to 65535 each."""
    sides = (min(max(side, 0), _MAX_SIDE) for side in (rows, columns))
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", *sides, 0, 0))
