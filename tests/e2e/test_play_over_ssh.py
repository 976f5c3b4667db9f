"""`agentbbs play ssh://…` against a real venue."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import asyncssh
import pytest

from .conftest import VenueProcess


def key_for(venue: VenueProcess, name: str, folder: Path) -> Path:
    """A key file of an account that is made for it."""
    key = asyncssh.generate_private_key("ssh-ed25519")
    path = folder / name
    key.write_private_key(path)
    key.write_public_key(f"{path}.pub")
    added = venue.cli("user", "add", name, "--key", f"{path}.pub")
    assert added.returncode == 0, added.stderr
    return path


def test_a_bot_plays_over_ssh_and_knows_whom_it_talks_to(venue: VenueProcess, tmp_path: Path) -> None:
    address = json.loads((venue.data / "venue.json").read_bytes())["ssh"]
    host, _, port = address.rpartition(":")
    key = key_for(venue, "ann", tmp_path)
    play = ("play", f"ssh://game@{address}", "--game", "ttt", "--practice", "random", "--json", "-i", str(key))
    nobody = tmp_path / "empty"
    nobody.write_text("")
    refused = venue.cli(*play, "--known-hosts", str(nobody))
    assert refused.returncode == 1
    assert "host key" in refused.stderr
    known = tmp_path / "known_hosts"
    public = asyncssh.read_private_key(venue.data / "ssh_host_ed25519_key").export_public_key().decode()
    known.write_text(f"[{host}]:{port} {public}")
    played = venue.cli(*play, "--known-hosts", str(known))
    assert played.returncode == 0, played.stderr
    result = json.loads(played.stdout)
    assert (result["rated"], result["why"]) == (False, "practice")
    assert result["outcome"] in ("win", "draw")


def test_a_key_that_is_nobodys_is_refused_with_the_way_in(venue: VenueProcess, tmp_path: Path) -> None:
    address = json.loads((venue.data / "venue.json").read_bytes())["ssh"]
    host, _, port = address.rpartition(":")
    asyncssh.generate_private_key("ssh-ed25519").write_private_key(tmp_path / "stranger")
    public = asyncssh.read_private_key(venue.data / "ssh_host_ed25519_key").export_public_key().decode()
    (tmp_path / "known_hosts").write_text(f"[{host}]:{port} {public}")
    options = ("-i", str(tmp_path / "stranger"), "--known-hosts", str(tmp_path / "known_hosts"))
    refused = venue.cli("play", f"ssh://game@{address}", "--game", "ttt", *options)
    assert refused.returncode == 1
    assert "agentbbs user add NAME --key FILE" in refused.stderr


@pytest.fixture
def agent_with_another_key(tmp_path: Path) -> Iterator[Path]:
    """The socket of an ssh-agent that holds a key of no account."""
    if shutil.which("ssh-agent") is None:
        pytest.skip("OpenSSH's ssh-agent is not installed")
    socket, key = tmp_path / "agent", tmp_path / "another"
    asyncssh.generate_private_key("ssh-ed25519").write_private_key(key)
    key.chmod(0o600)
    running = subprocess.run(["ssh-agent", "-s", "-a", socket], capture_output=True, text=True, check=True)
    pid = re.search(r"SSH_AGENT_PID=(\d+)", running.stdout)
    assert pid
    environment = {"SSH_AUTH_SOCK": str(socket), "SSH_AGENT_PID": pid[1], "PATH": "/usr/bin:/bin"}
    subprocess.run(["ssh-add", "-q", key], env=environment, check=True, timeout=10)
    yield socket
    subprocess.run(["ssh-agent", "-k"], env=environment, capture_output=True, check=True, timeout=10)


def test_the_key_that_is_named_comes_before_those_of_an_agent(
    venue: VenueProcess, tmp_path: Path, agent_with_another_key: Path
) -> None:
    """The venue goes by the first key that proves itself: another of the caller's would make it a stranger."""
    address = json.loads((venue.data / "venue.json").read_bytes())["ssh"]
    host, _, port = address.rpartition(":")
    key = key_for(venue, "ann", tmp_path)
    public = asyncssh.read_private_key(venue.data / "ssh_host_ed25519_key").export_public_key().decode()
    (tmp_path / "known_hosts").write_text(f"[{host}]:{port} {public}")
    venue.env["SSH_AUTH_SOCK"] = str(agent_with_another_key)
    options = ("--practice", "random", "-i", str(key), "--known-hosts", str(tmp_path / "known_hosts"))
    played = venue.cli("play", f"ssh://game@{address}", "--game", "ttt", *options)
    assert played.returncode == 0, played.stderr
