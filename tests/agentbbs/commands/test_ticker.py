"""The line that counts the seconds of a wait: for people at a terminal alone."""

from __future__ import annotations

import asyncio
import io
import sys

import pytest

from agentbbs.commands.ticker import ticking

LIMIT_S = 10.0


class Screen(io.StringIO):
    """A stderr that keeps what was written, and tells of it."""

    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal
        self.drawn = asyncio.Event()

    def isatty(self) -> bool:
        return self.terminal

    def write(self, text: str) -> int:
        self.drawn.set()
        return super().write(text)


async def test_a_person_sees_what_is_waited_for_and_nothing_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(terminal=True)
    monkeypatch.setattr(sys, "stderr", screen)
    async with asyncio.timeout(LIMIT_S), ticking(lambda: "match 1\x1b[2J of 2") as clear:
        await screen.drawn.wait()
        assert "match 1" in screen.getvalue()
        assert "of 2, 0 s" in screen.getvalue()
        assert "\x1b[2J" not in screen.getvalue()
        clear()
    assert screen.getvalue().endswith("\r\x1b[K")


@pytest.mark.parametrize(("terminal", "quiet"), [(False, False), (True, True)])
async def test_nobody_else_gets_a_byte(monkeypatch: pytest.MonkeyPatch, terminal: bool, quiet: bool) -> None:
    screen = Screen(terminal=terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    async with ticking(lambda: "waiting", quiet=quiet) as clear:
        await asyncio.sleep(0)
        clear()
    assert screen.getvalue() == ""


async def test_what_fails_within_is_told_on(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(terminal=True)
    monkeypatch.setattr(sys, "stderr", screen)
    with pytest.raises(ValueError, match="broken"):
        async with ticking(lambda: "waiting"):
            raise ValueError("broken")
    assert screen.getvalue().endswith("\r\x1b[K")
