"""What is known of the node of one session.

A BBS has a fixed number of nodes, and door games keep dropfiles and locks by node, so an agent is a model at an account
*and* on a node. No BBS lets a caller choose: Synchronet and the house give the lowest that is free. So three numbers
are kept apart: the one that was requested, the one that the pool allocated, and the one that the BBS itself shows. They
agree as long as nobody else calls and calls come one after the other.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class SeenBy(StrEnum):
    """Where a node was seen."""

    BANNER = "banner"
    MENU = "menu"
    WHO = "who"
    """A list of who is on-line, on the screen."""
    HOST = "host"
    """The BBS's own books, from outside: `node.dab`, `agentbbs nodes`."""


class NodeRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one session's node."""

    requested: int | None = None
    """By whoever connected."""
    allocated: int | None = None
    """By the pool; None where there is none."""
    observed: int | None = None
    """By what the BBS shows; None: it shows none, which is no mismatch."""
    seen_by: SeenBy | None = None

    @property
    def mismatch(self) -> bool:
        """The BBS shows another node than was allocated, or else requested."""
        expected = self.requested if self.allocated is None else self.allocated
        return self.observed is not None and expected is not None and self.observed != expected
