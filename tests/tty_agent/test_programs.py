"""Real programs on a pseudo-terminal, driven by actions as an agent drives them."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tty_agent.actions.action import PressKey, SubmitLine, TypeText
from tty_agent.actions.policy import ActionPolicy
from tty_agent.observation.observation import Observation, ReadyReason
from tty_agent.observer.readiness import Fixed
from tty_agent.session.session import TerminalSession
from tty_agent.terminal.dialect import XTERM
from tty_agent.transcript.transcript import Transcript
from tty_agent.transports.pty import Pty, environment_for
from tty_agent.transports.transport import EndKind

LIMIT_S = 20


@asynccontextmanager
async def at(folder: Path, *command: str) -> AsyncIterator[TerminalSession]:
    """A session at that program; the test is skipped if it is not installed."""
    program = shutil.which(command[0], path="/usr/games:/usr/bin:/bin")
    if program is None:
        pytest.skip(f"{command[0]} is not installed")
    environment = environment_for(XTERM, os.environ, HOME=str(folder), PS1="$ ")
    pty = Pty([program, *command[1:]], environment=environment, directory=folder)
    transcript = Transcript(folder / "transcript.raw")
    async with TerminalSession(
        pty, agent_id="a", dialect=XTERM, transcript=transcript, policy=Fixed(quiet_s=0.15, blank_s=0.3)
    ) as session:
        yield session


async def seen(session: TerminalSession, shows: Callable[[str], object] | str) -> Observation:
    """Turns, until the screen shows it."""
    async with asyncio.timeout(LIMIT_S):
        while True:
            observation = await session.observe_turn()
            screen = observation.pretty_screen
            if (shows in screen) if isinstance(shows, str) else shows(screen):
                return observation
            assert observation.closed is None, screen


async def ended(session: TerminalSession, code: int) -> None:
    async with asyncio.timeout(LIMIT_S):
        while (await session.observe_turn()).ready_reason is not ReadyReason.CLOSED:
            pass
    assert session.end is not None
    assert (session.end.kind, session.end.code) == (EndKind.EXITED, code)


async def test_bash(tmp_path: Path) -> None:
    async with at(tmp_path, "bash", "--norc", "--noprofile", "-i") as session:
        await seen(session, "$")
        await session.act(SubmitLine("echo $((6 * 7)) grüße"))
        observation = await seen(session, "42 grüße")
        assert observation.new_text == "echo $((6 * 7)) grüße\n42 grüße\n$ "
        await session.act(TypeText("ech"))
        await session.act(PressKey("ctrl-u"))
        await session.act(SubmitLine("exit 3"))
        await ended(session, 3)
        kept = (tmp_path / "transcript.raw").read_bytes()
        assert "42 grüße".encode() in kept


async def test_less(tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("".join(f"line {number}\n" for number in range(1, 200)))
    async with at(tmp_path, "less", "lines") as session:
        await seen(session, "line 1\n")
        await session.act(PressKey("page_down"))
        await seen(session, "line 40")
        await session.act(TypeText("G"))
        await seen(session, "line 199")
        await session.resize(80, 10)
        await seen(session, "line 185\n:")  # drawn anew; less loses a key that it reads while the signal comes
        await session.act(TypeText("g"))
        observation = await seen(session, "line 1\n")
        assert "line 20" not in observation.pretty_screen
        await session.act(PressKey("q"))
        await ended(session, 0)


async def test_vim(tmp_path: Path) -> None:
    async with at(tmp_path, "vim", "-u", "NONE", "-n", "note.txt") as session:
        await seen(session, "note.txt")
        await session.act(PressKey("i"))
        await session.act(SubmitLine("hello"))
        await session.act(TypeText("world"))
        await session.act(PressKey("escape"))
        await session.act(PressKey("up"))
        assert (await seen(session, "world")).cursor[0] == 0
        await session.act(SubmitLine(":wq"))
        await ended(session, 0)
        assert (tmp_path / "note.txt").read_text() == "hello\nworld\n"


async def test_nano(tmp_path: Path) -> None:
    async with at(tmp_path, "nano", "note.txt") as session:
        await seen(session, "note.txt")
        await session.act(TypeText("hello"))
        await session.act(PressKey("ctrl-o"))
        await seen(session, "File Name to Write")
        await session.act(PressKey("enter"))
        await seen(session, "1 line")
        await session.act(PressKey("ctrl-x"))
        await ended(session, 0)
        assert (tmp_path / "note.txt").read_text() == "hello\n"


async def test_top(tmp_path: Path) -> None:
    async with at(tmp_path, "top", "-d", "1") as session:
        await seen(session, lambda screen: re.search(r"PID\s+USER", screen))
        await session.act(PressKey("q"))
        await ended(session, 0)


async def test_a_game_of_debian(tmp_path: Path) -> None:
    async with at(tmp_path, "hangman") as session:
        await seen(session, "Guess")
        await session.act(PressKey("e"))
        await seen(session, lambda screen: re.search(r"Guessed:\s*e", screen) or "e" in screen)
        await session.act(PressKey("ctrl-c"))
        async with asyncio.timeout(LIMIT_S):
            while (await session.observe_turn()).closed is None:
                pass


POLLING = """
import os, select, time, tty

tty.setraw(0)
print("ready", end="", flush=True)
received, idle, longest = 0, 0, 0.0
looked = time.monotonic()
while received == 0 or idle < 5:
    time.sleep(0.1)
    now = time.monotonic()
    longest, looked = max(longest, now - looked), now
    burst = os.read(0, 4096) if select.select([0], [], [], 0)[0] else b""
    received += burst[:1] == b" "
    idle = 0 if burst else idle + 1
print(f"\\r\\nreceived {received}, longest pause {longest:.3f}")
"""
"""Looks for a key ten times a second, takes one, and throws away what came with it."""

PACE_MS = 120
"""Beyond the pause between two looks of that program."""


@pytest.mark.parametrize(("pace_ms", "expected"), [(0, 1), (PACE_MS, 6)])
async def test_keys_at_a_pace_reach_a_program_that_drops_those_of_a_burst(
    tmp_path: Path, pace_ms: int, expected: int
) -> None:
    """Case 122. Where the machine made the program look too late, it is no test of ours."""
    for _ in range(3):
        async with at(tmp_path, "python3", "-c", POLLING) as session:
            await seen(session, "ready")
            async with asyncio.timeout(LIMIT_S):
                await session.act(TypeText(" " * 6), ActionPolicy(pace_ms=pace_ms))
            observation = await seen(session, "received")
            await ended(session, 0)
        told = re.search(r"received (\d+), longest pause ([\d.]+)", observation.pretty_screen)
        assert told is not None
        if float(told[2]) * 1000 < PACE_MS:
            assert int(told[1]) == expected
            return
    pytest.skip("this machine is too busy for a program that is to look ten times a second")
