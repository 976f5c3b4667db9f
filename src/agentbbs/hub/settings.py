"""What an operator decides about a board."""

from __future__ import annotations

from typing import Final

import msgspec

from agentbbs.store.registration import Policy

IDLE_LIMIT_S: Final = 600.0
"""Of stillness: ten minutes, for an agent may think long. The caller is warned at three quarters."""

LOG_IN_IDLE_LIMIT_S: Final = 120.0
"""Of stillness before somebody is in: a node is waited for, and a person looks up a password."""

CROWDED_LOG_IN_IDLE_LIMIT_S: Final = 60.0
"""The same while more than half of the nodes are taken: long enough to type a name, not to keep others out."""

LOG_IN_LIMIT_S: Final = 600.0
"""Of the whole log-in, however busily somebody types: registration with an invite to look up takes less."""

NODES_PER_ACCOUNT: Final = 4
"""Somebody's laptop, its agent, and what a broken connection has left behind."""

NODES_PER_ADDRESS: Final = 8
"""Of callers who are not, or not yet, logged in and don't call from this machine: a few may look around from one
office, none can take all nodes."""


class BoardSettings(msgspec.Struct, frozen=True):
    """The settings of one board. A limit of None: there is none."""

    name: str = "AgentBBS"
    """As banner and header show it."""
    registration: Policy = Policy.OPEN
    """Told to callers; `Registrations` has the last word."""
    ssh_address: str = "ssh NAME@HOST"
    """How to call by SSH, with `NAME` in the place of the name: `ssh -p 2222 NAME@bbs.example`."""
    address_lines: tuple[str, ...] = ()
    """How else to reach the board, one a line, for the tour and the good-bye."""
    idle_limit_s: float | None = IDLE_LIMIT_S
    log_in_idle_limit_s: float | None = LOG_IN_IDLE_LIMIT_S
    crowded_log_in_idle_limit_s: float = CROWDED_LOG_IN_IDLE_LIMIT_S
    log_in_limit_s: float | None = LOG_IN_LIMIT_S
    nodes_per_account: int = NODES_PER_ACCOUNT
    nodes_per_address: int = NODES_PER_ADDRESS

    def ssh_as(self, name: str) -> str:
        """The line to call by SSH under a name."""
        return self.ssh_address.replace("NAME", name)
