"""Addresses of venues over SSH, and a venue that is not there."""

from __future__ import annotations

import socket

import pytest

from agentbbs.client import BadAddress, Unreachable
from agentbbs.commands.ssh_carrier import DEFAULT_PORT, SshAddress, dialler


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("ssh://game@127.0.0.1:2200", "127.0.0.1", 2200),
        ("ssh://example.org", "example.org", DEFAULT_PORT),
        ("ssh://game@[::1]:22/", "::1", 22),
    ],
)
def test_an_address_names_host_and_port(url: str, host: str, port: int) -> None:
    dial = dialler(url, None, None)
    assert getattr(dial, "args") == (SshAddress(host, port, None, None),)  # noqa: B009 - a partial, to mypy any callable


@pytest.mark.parametrize(
    "url",
    ["ssh://root@example.org", "ssh://game:secret@example.org", "ssh://", "ssh://game@example.org/play", "ssh://h:x"],
)
def test_what_is_no_address_of_a_venue_is_refused(url: str) -> None:
    with pytest.raises(BadAddress):
        dialler(url, None, None)


async def test_nobody_there_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(Unreachable, match=f"127.0.0.1:{port}"):
        await dialler(f"ssh://127.0.0.1:{port}", None, None)()
