"""What a BBS does for the gym outside of play: the contract of hosts. Agents never see any of it.

Play goes over a terminal, always. A host makes accounts, starts and stops a BBS, keeps and puts back its state, knows
which node somebody is on, and reads scores. `house` and `synchronet` are the two that come with the gym.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import msgspec

from bbs_gym.accounts.account import Account


class HostFault(Exception):
    """The host can't do it; the text says what failed and what to do. Infrastructure, never an agent's fault."""


class NotSupported(HostFault):
    """This kind of host has no such thing; the text names what to use instead."""


class Transport(StrEnum):
    """Ways to a BBS."""

    TELNET = "telnet"
    RLOGIN = "rlogin"
    SSH = "ssh"


class Endpoint(msgspec.Struct, frozen=True):
    """Where a BBS listens for one transport."""

    host: str
    port: int


class Change(StrEnum):
    """What provisioning did, or would do, with an account."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"


class Provisioned(msgspec.Struct, frozen=True, kw_only=True):
    """One account, provisioned."""

    agent_id: str
    alias: str
    change: Change
    detail: str = ""


class Seat(msgspec.Struct, frozen=True, kw_only=True):
    """Who is on a node, as the BBS sees it."""

    node: int
    alias: str
    doing: str = ""


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A kept state of a BBS."""

    name: str
    path: Path
    sha256: str
    """Over the content of all its files, in order of name: equal states have equal hashes."""
    created_at: str


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """What a game says of a player: its native score and the parts that it has."""

    player: str
    """As the game knows it."""
    agent_id: str | None = None
    """None: no agent of the registry."""
    score: float
    parts: Mapping[str, float] = {}


class Host(Protocol):
    """A BBS, from outside. Every method raises HostFault; those that a kind of host lacks raise NotSupported."""

    kind: str
    """`house` or `synchronet`."""

    async def start(self) -> None:
        """Have it run; nothing if it does already."""

    async def stop(self) -> None:
        """End it, if this object started it."""

    def endpoint(self, transport: Transport) -> Endpoint:
        """Where it listens. NotSupported where it does not."""

    def encoding(self) -> str:
        """What its terminals speak by default: `cp437` or `utf-8`."""

    async def provision(self, accounts: Sequence[Account], *, dry_run: bool = False) -> tuple[Provisioned, ...]:
        """Make or update these accounts on the BBS; a second time changes nothing. In the order given."""

    async def nodes(self) -> tuple[Seat, ...]:
        """Who is on which node, now."""

    def node_count(self) -> int:
        """Nodes are 1 to this."""

    async def save(self, name: str) -> Snapshot:
        """Keep the state under `name`. Callers may be on where the host allows it."""

    async def restore(self, snapshot: Snapshot) -> None:
        """Put a kept state back; the BBS is stopped and started for it if need be. Nobody is on afterwards."""

    async def scores(self, game: str) -> tuple[Score, ...]:
        """Native scores of a game (`starlane`, `tw2`, `bre`), the best first."""

    async def reset_door(self, game: str, *, seed: int | None = None) -> None:
        """Make the game's world anew. Nobody may be in it."""

    async def grant_turns(self, game: str, player: str, turns: int) -> None:
        """Give a player more turns of today."""

    async def export(self, what: str) -> object:
        """State for checks: `boards`, `mail`, `users`, or a game's id; plain JSON values."""
