"""The transports on uvloop, where it is installed: it is another implementation of what they stand on."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from tests.tty_agent.transports.loopback import LIMIT_S, calling, listening

from tty_agent.observer.readiness import Fixed
from tty_agent.session.session import TerminalSession
from tty_agent.terminal.dialect import XTERM
from tty_agent.transcript.transcript import Transcript
from tty_agent.transports.pty import Pty
from tty_agent.transports.rlogin import Rlogin
from tty_agent.transports.telnet import Telnet
from tty_agent.transports.transport import EndKind

uvloop = pytest.importorskip("uvloop", reason="uvloop (extra fast) is not installed")


def run(scenario: Coroutine[Any, Any, None]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(LIMIT_S):
            await scenario

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(bounded())


def test_a_local_program(tmp_path: Path) -> None:
    async def scenario() -> None:
        pty = Pty(["sh", "-c", "read word; stty size; printf '\\033[6n'; sleep 0.05; echo got-$word; exit 5"])
        transcript = Transcript(tmp_path / "a.raw")
        async with TerminalSession(pty, agent_id="a", dialect=XTERM, transcript=transcript) as session:
            await session.resize(94, 55)
            await session.write(b"it\r")
            while (seen := await session.observe_turn(policy=Fixed(quiet_s=0.3))).closed is None:
                pass
            assert "55 94" in seen.pretty_screen
            assert "got-it" in seen.pretty_screen
            assert session.end is not None
            assert (session.end.kind, session.end.code) == (EndKind.EXITED, 5)

    run(scenario())


def test_telnet() -> None:
    async def scenario() -> None:
        async with listening() as server, calling(server, Telnet("127.0.0.1", server.port)) as (telnet, caller):
            await caller.say(b"\xff\xfd\x1fLogin: ")
            assert await telnet.read() == b"Login: "
            await caller.expect(b"\xff\xfb\x1f\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0")
            flood = asyncio.create_task(caller.say(b"x" * 2_000_000))
            seen = 0
            while seen < 2_000_000:
                seen += len(await telnet.read())
            await flood
            caller.connection.close()
            assert await telnet.read() == b""
            assert telnet.end is not None
            assert telnet.end.kind is EndKind.EOF

    run(scenario())


def test_rlogin_and_its_urgent_request() -> None:
    async def scenario() -> None:
        async with listening() as server:
            rlogin = Rlogin("127.0.0.1", server.port, user="a", password="b")
            async with calling(server, rlogin) as (transport, caller):
                await caller.expect(b"\0b\0a\0ansi-bbs/115200\0")
                caller.ask_for_size()
                await caller.say(b"text")
                assert await transport.read() == b"text"
                await caller.expect(b"\xff\xffss\x00\x18\x00\x50\x00\x00\x00\x00")

    run(scenario())
