"""Telnet over loopback: against a server that the test plays, and against the telnetd of GNU inetutils."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.tty_agent.transports.loopback import LIMIT_S, calling, listening

from tty_agent.actions.action import SubmitLine
from tty_agent.observation.observation import Observation
from tty_agent.session.session import TerminalSession
from tty_agent.terminal.dialect import XTERM
from tty_agent.transports.telnet import Telnet
from tty_agent.transports.transport import EndKind

TELNETD = shutil.which("telnetd", path="/usr/sbin:/usr/bin:/usr/libexec")


async def test_negotiation_never_shows_and_replies_go_out_at_once() -> None:
    async with (
        listening() as server,
        calling(server, Telnet("127.0.0.1", server.port, terminal_type="ansi-bbs")) as (telnet, caller),
    ):
        await caller.say(b"\xff\xfb\x01\xff\xfd\x1f")
        reading = asyncio.create_task(telnet.read())
        await caller.expect(b"\xff\xfd\x01\xff\xfb\x1f\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0")
        assert not reading.done()
        assert telnet.options.server_echoes
        await caller.say(b"Login: ")
        assert await reading == b"Login: "
        await telnet.write(b"alice\r\xff")
        await caller.expect(b"alice\r\0\xff\xff")
        await telnet.resize(132, 37)
        await caller.expect(b"\xff\xfa\x1f\x00\x84\x00\x25\xff\xf0")
        await telnet.close()


async def test_a_peer_without_telnet_hears_nothing_but_what_is_typed() -> None:
    """Case 105."""
    async with listening() as server, calling(server, Telnet("127.0.0.1", server.port)) as (telnet, caller):
        await telnet.resize(94, 55)
        await telnet.write(b"look")
        await telnet.close()
        assert await caller.hear(100) == b"look"


async def test_asking_for_binary() -> None:
    async with (
        listening() as server,
        calling(server, Telnet("127.0.0.1", server.port, ask_binary=True)) as (telnet, caller),
    ):
        await caller.expect(b"\xff\xfd\x00\xff\xfb\x00")
        await caller.say(b"\xff\xfd\x00\xff\xfb\x00ok")
        assert await telnet.read() == b"ok"
        await telnet.write(b"\r")
        await caller.expect(b"\r")
        await telnet.close()


async def test_metadata() -> None:
    assert Telnet("bbs", 2323).metadata == {
        "transport": "telnet",
        "host": "bbs",
        "port": 2323,
        "terminal_type": "ansi-bbs",
    }


@asynccontextmanager
async def telnetd(transport_options: dict[str, object]) -> AsyncIterator[TerminalSession]:
    """A session at a shell behind the telnetd of inetutils, which is given its connection as inetd does."""
    assert TELNETD is not None
    async with listening() as server:
        telnet = Telnet("127.0.0.1", server.port, terminal_type="xterm-256color", **transport_options)  # type: ignore[arg-type]
        async with TerminalSession(telnet, agent_id="a", dialect=XTERM) as session:
            caller = await server.accept()
            caller.connection.setblocking(True)
            descriptor = caller.connection.fileno()
            with subprocess.Popen(  # noqa: ASYNC220 - starts at once
                [TELNETD, "-h", "-E", "/bin/sh -i"], stdin=descriptor, stdout=descriptor, stderr=descriptor
            ) as daemon:
                caller.connection.close()
                try:
                    yield session
                finally:
                    daemon.kill()


async def shown(session: TerminalSession, text: str) -> Observation:
    """Turns, until `text` is on the screen."""
    async with asyncio.timeout(LIMIT_S):
        while text not in (seen := await session.observe_turn()).pretty_screen:
            assert seen.closed is None, seen.pretty_screen
    return seen


@pytest.mark.skipif(TELNETD is None, reason="telnetd (inetutils-telnetd) is not installed")
@pytest.mark.skipif(os.geteuid() != 0, reason="telnetd gives shells to root only")
@pytest.mark.parametrize("options", [{}, {"ask_binary": True}], ids=["as it comes", "binary asked for"])
async def test_a_shell_behind_a_real_telnetd(options: dict[str, object]) -> None:
    async with telnetd(options) as session:
        await shown(session, "#")
        await session.act(SubmitLine("stty size; echo $TERM"))
        assert "xterm-256color" in (await shown(session, "24 80")).pretty_screen
        await session.resize(94, 55)
        await session.act(SubmitLine("stty size"))
        await shown(session, "55 94")
        await session.act(SubmitLine("printf '%s' '\u00ff\u00fe' | od -An -tx1"))
        await shown(session, "c3 bf c3 be")
        await session.write(b"printf '%s' '\xff' | od -An -tx1\r")
        await shown(session, " ff")
        await session.act(SubmitLine("exit"))
        async with asyncio.timeout(LIMIT_S):
            while (await session.observe_turn()).closed is None:
                pass
        assert session.end is not None
        assert session.end.kind is EndKind.EOF
