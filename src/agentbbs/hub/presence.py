"""Who is on the board at this moment, what they do, and a word to them from elsewhere."""

from __future__ import annotations

from typing import Protocol

import msgspec

from agentbbs.hub.text import Text


class Reachable(Protocol):
    """A visit, as others can reach it."""

    def tell(self, *texts: Text) -> None:
        """Show a notice when it disturbs nothing."""
        ...

    def end(self, why: str) -> None:
        """Say why and hang up."""
        ...


class Present(msgspec.Struct, frozen=True):
    """Somebody on a node. A guest has no account."""

    node: int
    account: int | None
    name: str
    transport: str
    since_ms: int
    """Unix milliseconds."""
    doing: str
    address: str = ""
    """For sysops alone."""
    sysop: bool = False


class Presence:
    """The callers of one board. Belongs to one event loop; nothing in it waits."""

    def __init__(self) -> None:
        self._there: dict[int, tuple[Present, Reachable]] = {}

    def arrive(self, present: Present, visit: Reachable) -> None:
        """Somebody is in. Its node is its own until `leave`."""
        self._there[present.node] = (present, visit)

    def leave(self, node: int) -> None:
        """Nobody is on the node any more, if somebody was."""
        self._there.pop(node, None)

    def everyone(self) -> tuple[Present, ...]:
        """All who are in, by node."""
        return tuple(self._there[node][0] for node in sorted(self._there))

    def on_node(self, node: int) -> Present | None:
        """Who is on a node."""
        there = self._there.get(node)
        return None if there is None else there[0]

    def of_account(self, account: int) -> tuple[Present, ...]:
        """Where an account is, by node: it may have several callers."""
        return tuple(present for present in self.everyone() if present.account == account)

    def set_doing(self, node: int, doing: str) -> None:
        """Say what the caller of a node does now, for the others to see: a few words."""
        there = self._there.get(node)
        if there is not None:
            self._there[node] = (msgspec.structs.replace(there[0], doing=doing), there[1])

    def tell(self, node: int, *texts: Text) -> bool:
        """A notice to the caller of a node, shown when it disturbs nothing. False if nobody is there."""
        there = self._there.get(node)
        if there is None:
            return False
        there[1].tell(*texts)
        return True

    def broadcast(self, *texts: Text, but: int | None = None) -> int:
        """A notice to everybody, except on node `but`; returns to how many."""
        return sum(self.tell(node, *texts) for node in tuple(self._there) if node != but)

    def kick(self, node: int, why: str) -> bool:
        """End a visit: the caller is told why and hung up on, wherever on the board it is. False if nobody is there."""
        there = self._there.get(node)
        if there is None:
            return False
        there[1].end(why)
        return True
