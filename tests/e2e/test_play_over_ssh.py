"""`agentbbs play ssh://…` against a real venue."""

from __future__ import annotations

import json
from pathlib import Path

import asyncssh

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
