"""Rlogin over loopback, against a server that the test plays."""

from __future__ import annotations

import logging
import socket

import pytest
from tests.tty_agent.transports.loopback import calling, listening

from tty_agent.transports.rlogin import Rlogin
from tty_agent.transports.transport import CannotConnect, EndKind

GREETING = b"\0secret-Pa55\0alice\0ansi-bbs/115200\0"


def rlogin(port: int) -> Rlogin:
    return Rlogin("127.0.0.1", port, user="alice", password="secret-Pa55")


async def test_the_password_goes_first_and_bytes_pass_as_they_are() -> None:
    async with listening() as server, calling(server, rlogin(server.port)) as (transport, caller):
        await caller.expect(GREETING)
        await caller.say(b"\0")
        await caller.say(b"\0\xff\xfb\x01\r\0")
        seen = b""
        while len(seen) < 6:
            seen += await transport.read()
        assert seen == b"\0\xff\xfb\x01\r\0"
        every = bytes(range(256))
        await transport.write(every)
        await caller.expect(every)
        caller.connection.shutdown(socket.SHUT_WR)
        assert await transport.read() == b""
        assert transport.end is not None
        assert transport.end.kind is EndKind.EOF
        await transport.close()


async def test_the_window_is_told_only_after_an_urgent_request() -> None:
    async with listening() as server, calling(server, rlogin(server.port)) as (transport, caller):
        await caller.expect(GREETING)
        await caller.say(b"\0\x80in band is text")
        assert await transport.read() == b"\x80in band is text"
        await transport.resize(94, 55)
        await transport.write(b"typed")
        await caller.expect(b"typed")
        caller.ask_for_size()
        await caller.say(b"go on")
        assert await transport.read() == b"go on"
        await caller.expect(b"\xff\xffss\x00\x37\x00\x5e\x00\x00\x00\x00")
        await transport.resize(80, 24)
        await caller.expect(b"\xff\xffss\x00\x18\x00\x50\x00\x00\x00\x00")
        await transport.close()
        assert await caller.hear(1) == b""


async def test_other_urgent_data_asks_for_nothing() -> None:
    async with listening() as server, calling(server, rlogin(server.port)) as (transport, caller):
        await caller.expect(GREETING)
        caller.connection.send(b"\x02", socket.MSG_OOB)  # "discard output"
        await caller.say(b"text")
        assert await transport.read() == b"text"
        await transport.resize(94, 55)
        await transport.close()
        assert await caller.hear(1) == b""


def test_fields_go_by_name_only() -> None:
    with pytest.raises(TypeError):
        Rlogin("127.0.0.1", 513, "alice", "secret")  # type: ignore[call-arg]


async def test_the_password_is_shown_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    transport = Rlogin("127.0.0.1", 1, user="alice", password="secret\0Pa55")
    with pytest.raises(CannotConnect, match="NUL") as error:
        await transport.open(80, 24)
    await transport.close()
    shown = repr(transport) + str(transport.metadata) + str(error.value) + repr(error.value) + caplog.text
    assert "secret" not in shown
    assert transport.metadata == {
        "transport": "rlogin",
        "host": "127.0.0.1",
        "port": 1,
        "user": "alice",
        "terminal_type": "ansi-bbs/115200",
    }
