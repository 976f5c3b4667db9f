"""Recordings of a real Synchronet as turns: what was on the screen whenever its caller typed, and after each chunk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import msgspec
from tests.tty_agent.replay_server import chunks, recorded
from tests.tty_agent.terminal_turns import turn

from tty_agent.observation.observation import Observation
from tty_agent.terminal.dialect import ANSI_BBS
from tty_agent.terminal.screen import Screen

_TELNET = re.compile(rb"\xff(?:[\xfb-\xfe].|\xfa.*?\xff\xf0|[\xf0-\xf9])", re.DOTALL)
_PROTOCOL = (b"\xff", b"\x1b[", b"\0")


class Moment(msgspec.Struct, frozen=True):
    """One chunk, and the screen then: before what was typed, after what came."""

    chunk: int
    observation: Observation
    typed: bytes = b""
    """b"" where the chunk came from the BBS."""


@lru_cache(maxsize=100)
def turns(name: str) -> tuple[Moment, ...]:
    """The moments at which the caller typed; the test is skipped where the recordings are absent."""
    return tuple(_moments(name, every=False))


def moments(name: str) -> Iterator[Moment]:
    """Every chunk of a recording."""
    return _moments(name, every=True)


def _moments(name: str, *, every: bool) -> Iterator[Moment]:
    screen = Screen(80, 24, ANSI_BBS)
    for number, chunk in enumerate(chunks(recorded(name))):
        typed = b""
        if chunk.dir == "rx":
            screen.feed(_TELNET.sub(b"", chunk.data))
        elif not chunk.data.startswith(_PROTOCOL):
            typed = chunk.data
        if typed or (every and chunk.dir == "rx"):
            seen = turn("|", pretty_screen=screen.text(), cursor=screen.cursor)
            yield Moment(number, seen, typed)
