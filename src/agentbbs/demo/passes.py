"""How the accounts of the demo get in: its agents, and whoever watches."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import asyncssh
import msgspec

from agentbbs.serve import Venue
from agentbbs.servers.host_key import host_key
from agentbbs.store import accounts, keys, tokens

VISITOR: Final = "you"
"""The account that the demo keeps for whoever watches."""


class Passes(msgspec.Struct, frozen=True):
    """How the accounts of the demo get in: a token each, one key file for each, and whom SSH may trust."""

    tokens: dict[str, str]
    keys: dict[str, Path]
    known_hosts: Path


def make_passes(venue: Venue, folder: Path, agents: Sequence[str]) -> Passes:
    """An account with a token and a key for each agent and for the visitor."""
    now_ms = time.time_ns() // 1_000_000
    passes = Passes({}, {}, folder / "known_hosts")
    with venue.database.begin() as conn:
        for name in (*agents, VISITOR):
            account = accounts.add(conn, name, now_ms=now_ms).id
            passes.tokens[name] = tokens.mint(conn, account, now_ms)
            key = asyncssh.generate_private_key("ssh-ed25519")
            passes.keys[name] = folder / f"{name}.key"
            passes.keys[name].touch(0o600)
            key.write_private_key(passes.keys[name])
            keys.add(conn, account, keys.parse(key.export_public_key().decode()), now_ms=now_ms)
    if venue.ssh is not None:
        host = host_key(venue.settings.data).export_public_key().decode()
        passes.known_hosts.write_text(f"[{venue.ssh.host}]:{venue.ssh.port} {host}")
    return passes
