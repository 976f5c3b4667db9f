"""A caller's line over two file descriptors: a terminal in raw mode, or pipes.

Within `with Descriptors(...)` the signals that end a call (SIGHUP, SIGTERM, SIGINT) only make a note and wake whoever
waits here: the call ends as HungUp in the next read or write, never in the middle of a transaction. However the block
is left, the terminal's mode and the signals are as they were.
"""

from __future__ import annotations

import os
import select
import signal
import termios
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any, Final, Self

from starlane.door.console import HungUp
from starlane.door.wire import Size

READ_BYTES: Final = 4096
"""At a time: more than anybody types between two prompts."""
WRITE_BYTES: Final = 256
"""At a time: a terminal that says it has room takes so much without making us wait inside of the kernel."""

_ENDING: Final = (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)
_CONTROL_CHARACTERS: Final = 6
_LOCAL_FLAGS: Final = 3


class Descriptors:
    """See the module. One at a time, in the main thread; `source` and `sink` stay open afterwards."""

    def __init__(self, source: int, sink: int) -> None:
        self._source: Final = source
        self._sink: Final = sink
        self.interactive = os.isatty(source)
        self._gone = False
        self._mode: list[Any] | None = None
        self._handlers: dict[signal.Signals, Any] = {}
        self._alarm = -1
        """Readable once a signal has come."""
        self._bell = -1
        self._old_bell = -1

    def __enter__(self) -> Self:
        """Raises HungUp."""
        self._alarm, self._bell = os.pipe()
        os.set_blocking(self._alarm, False)
        os.set_blocking(self._bell, False)
        self._old_bell = signal.set_wakeup_fd(self._bell, warn_on_full_buffer=False)
        for number in _ENDING:
            self._handlers[number] = signal.signal(number, self._end)
        try:
            self._make_raw()
        except BaseException:
            self._restore()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._restore()

    def size(self) -> Size | None:
        """See `Wire`; the kernel is asked each time, so that no change of the window is missed."""
        for descriptor in (self._sink, self._source):
            try:
                columns, rows = os.get_terminal_size(descriptor)
            except OSError:
                continue  # a pipe, or a terminal that is gone: the next read or write tells
            if columns > 0 and rows > 0:
                return Size(columns, rows)
        return None

    def read(self, wait_s: float | None) -> bytes:
        """See `Wire`."""
        self._check()
        try:
            readable, _, _ = select.select((self._source, self._alarm), (), (), wait_s)
            self._check()
            if self._source not in readable:
                return b""
            data = os.read(self._source, READ_BYTES)
        except BlockingIOError:
            return b""  # the descriptor came to us non-blocking, and somebody else read first
        except OSError as error:
            raise self._hung_up() from error
        if not data:
            raise self._hung_up()
        return data

    def write(self, data: bytes) -> None:
        """See `Wire`."""
        left = memoryview(data)
        while left:
            self._check()
            try:
                _, writable, _ = select.select((self._alarm,), (self._sink,), ())
                self._check()
                if writable:
                    left = left[os.write(self._sink, left[:WRITE_BYTES]) :]
            except BlockingIOError:
                continue  # as above: it is full again
            except OSError as error:
                raise self._hung_up() from error

    def _end(self, _number: int, _frame: FrameType | None) -> None:
        self._gone = True

    def _check(self) -> None:
        if self._gone:
            raise HungUp

    def _hung_up(self) -> HungUp:
        self._gone = True
        return HungUp()

    def _make_raw(self) -> None:
        if not self.interactive:
            return
        try:
            mode = termios.tcgetattr(self._source)
            self._mode = [*mode[:_CONTROL_CHARACTERS], list(mode[_CONTROL_CHARACTERS])]
            mode[0] &= ~(
                termios.BRKINT | termios.ICRNL | termios.IGNCR | termios.INLCR | termios.INPCK
                | termios.ISTRIP | termios.IXON
            )  # fmt: skip
            mode[1] &= ~termios.OPOST
            mode[_LOCAL_FLAGS] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG)
            mode[_CONTROL_CHARACTERS][termios.VMIN] = 1
            mode[_CONTROL_CHARACTERS][termios.VTIME] = 0
            termios.tcsetattr(self._source, termios.TCSANOW, mode)
        except termios.error as error:
            raise self._hung_up() from error

    def _restore(self) -> None:
        if self._mode is not None:
            with suppress(termios.error):  # the terminal is gone, and its mode with it
                termios.tcsetattr(self._source, termios.TCSANOW, self._mode)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._old_bell, warn_on_full_buffer=False)
        os.close(self._alarm)
        os.close(self._bell)
