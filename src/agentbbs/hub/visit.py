"""One caller's stay on the board, as plugins see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from agentbbs.calls.line import Line

if TYPE_CHECKING:
    from agentbbs.hub.board import Board
    from agentbbs.hub.caller import Caller


class Visitor(msgspec.Struct, frozen=True):
    """Who it is. A guest has no account."""

    account: int | None
    name: str
    sysop: bool = False
    proofs: tuple[str, ...] = ()
    """What it came in by, as `store.proofs` has it: one of these has to hold. Without any, nothing has to."""

    @property
    def guest(self) -> bool:
        """Whether the visitor may only look."""
        return self.account is None


class Visit(msgspec.Struct, frozen=True):
    """One stay."""

    board: Board
    caller: Caller
    visitor: Visitor
    node: int
    line: Line
    """For doors, which speak bytes; everybody else uses `caller`."""
    began_ms: int
    """Unix milliseconds."""
