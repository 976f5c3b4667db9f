"""Telnet over loopback: against a server that the test plays, and against the telnetd of GNU inetutils."""

from __future__ import annotations

import asyncio
import shutil

from tests.tty_agent.transports.loopback import calling, listening

from tty_agent.transports.telnet import Telnet

TELNETD = shutil.which("telnetd", path="/usr/sbin:/usr/bin") or shutil.which("in.telnetd", path="/usr/sbin:/usr/bin")


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
