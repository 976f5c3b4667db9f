"""Single keys from a terminal, without Enter."""

from __future__ import annotations

import os
import re
import select
import sys
import termios
import tty
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

MAX_READ_BYTES: Final = 1024
"""More than anybody types ahead."""

SPLIT_S: Final = 0.05
"""How long the rest of an escape sequence may lag behind its Escape, which alone is a key too."""

_KEYS: Final = re.compile(r"\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Za-z])|.", re.DOTALL)


def keys_in(text: str) -> list[str]:
    """The keys of what was typed: an escape sequence is one key, any other character is."""
    return _KEYS.findall(text)


@contextmanager
def keyboard() -> Iterator[Callable[[], str]]:
    """A function that waits for the next key on stdin, which must be a terminal; EOFError at its end.

    The terminal's mode is changed once, for as long as this lasts, so that no key typed ahead is lost;
    Ctrl-C interrupts as always."""
    fd = sys.stdin.fileno()
    before = termios.tcgetattr(fd)
    typed: deque[str] = deque()

    def read_key() -> str:
        while not typed:
            data = os.read(fd, MAX_READ_BYTES)
            if data.endswith(b"\x1b") and select.select([fd], [], [], SPLIT_S)[0]:
                data += os.read(fd, MAX_READ_BYTES)
            if not data:
                raise EOFError
            typed.extend(keys_in(data.decode("utf-8", "replace")))
        return typed.popleft()

    tty.setcbreak(fd, termios.TCSADRAIN)
    try:
        yield read_key
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, before)
