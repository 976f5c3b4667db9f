"""A seat that was lost over one transport is taken back over the other, at a real venue with a time of grace."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect

from .conftest import VenueProcess

LIMIT_S = 30
OpenVenue = Callable[..., VenueProcess]


class OverSsh:
    """OpenSSH's own client as an agent."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def say(self, message: dict[str, object]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        await self._process.stdin.drain()

    async def hear(self, kind: str) -> dict[str, Any]:
        assert self._process.stdout is not None
        while True:
            line = await asyncio.wait_for(self._process.stdout.readline(), LIMIT_S)
            message: dict[str, Any] = json.loads(line)
            if message["type"] == kind:
                return message

    async def drop(self) -> None:
        self._process.kill()
        await self._process.wait()


async def over_ssh(venue: VenueProcess, key: Path, known_hosts: Path) -> OverSsh:
    host, _, port = json.loads((venue.data / "venue.json").read_bytes())["ssh"].rpartition(":")
    options = (
        "-o",
        f"UserKnownHostsFile={known_hosts}",
        "-o",
        "StrictHostKeyChecking=accept-new",
        "-o",
        "BatchMode=yes",
    )
    command = ("ssh", "-F", "/dev/null", "-T", *options, "-i", str(key), "-p", port, f"game@{host}")
    pipe = asyncio.subprocess.PIPE
    return OverSsh(await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=pipe))


async def over_websocket(venue: VenueProcess, token: str) -> ClientConnection:
    return await connect(venue.url, additional_headers={"Authorization": f"Bearer {token}"})


async def hear(connection: ClientConnection, kind: str) -> dict[str, Any]:
    while True:
        message: dict[str, Any] = json.loads(await asyncio.wait_for(connection.recv(), LIMIT_S))
        if message["type"] == kind:
            return message


@pytest.mark.skipif(shutil.which("ssh") is None, reason="OpenSSH's client is not installed")
def test_a_seat_is_lost_over_ssh_and_taken_back_over_ssh_and_over_websocket(
    open_venue: OpenVenue, tmp_path: Path
) -> None:
    key, known_hosts = tmp_path / "key", tmp_path / "known_hosts"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True, timeout=LIMIT_S)
    venue = open_venue(AGENTBBS_GAME_RESUME_GRACE="30")
    added = venue.cli("user", "add", "ann", "--key", f"{key}.pub")
    assert added.returncode == 0, added.stderr
    tokens = {"ann": venue.mint("ann"), "bob": venue.mint("bob")}

    async def play() -> dict[str, Any]:
        ann = await over_ssh(venue, key, known_hosts)
        await ann.say({"type": "join", "game": "ttt"})
        bob = await over_websocket(venue, tokens["bob"])
        await bob.send('{"type":"join","game":"ttt"}')
        hello = await ann.hear("hello")
        await hear(bob, "state")
        await ann.drop()
        ann = await over_ssh(venue, key, known_hosts)
        await ann.say({"type": "join", "resume": hello["resume"]})
        assert (await ann.hear("hello"))["match"] == hello["match"]
        assert (await ann.hear("state"))["ply"] == 0
        await ann.drop()
        back = await over_websocket(venue, tokens["ann"])
        await back.send(json.dumps({"type": "join", "resume": hello["resume"]}))
        assert (await hear(back, "state"))["ply"] == 0
        await bob.send('{"type":"resign"}')
        result = await hear(back, "result")
        await asyncio.gather(bob.close(), back.close())
        return result

    result = asyncio.run(play())
    assert (result["outcome"], result["termination"]) == ("win", "resign")
