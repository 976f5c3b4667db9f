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
    proofs: tuple[str, ...] = ()
    """As `Visitor` has them; for nobody."""


class Presence:
    """The callers of one board. Belongs to one event loop; nothing in it waits."""

    def __init__(self) -> None:
        self._there: dict[int, tuple[Present, Reachable]] = {}
        self._logging_in: dict[int, tuple[Present, Reachable]] = {}

    def arrive(self, present: Present, visit: Reachable) -> None:
        """Somebody is in. Its node is its own until `leave`."""
        self._logging_in.pop(present.node, None)
        self._there[present.node] = (present, visit)

    def ring(self, present: Present, visit: Reachable) -> None:
        """Somebody has a node and is not in yet: sysops see it, and it can be told and kicked like others."""
        self._logging_in[present.node] = (present, visit)

    def logging_in(self) -> tuple[Present, ...]:
        """All who have a node and are not in yet, by node."""
        return tuple(self._logging_in[node][0] for node in sorted(self._logging_in))

    def leave(self, node: int) -> None:
        """Nobody is on the node any more, if somebody was."""
        self._there.pop(node, None)
        self._logging_in.pop(node, None)

    def everyone(self) -> tuple[Present, ...]:
        """All who are in, by node."""
        return tuple(self._there[node][0] for node in sorted(self._there))

    def on_node(self, node: int) -> Present | None:
        """Who is on a node."""
        there = self._there.get(node)
        return None if there is None else there[0]

    def is_there(self, present: Present) -> bool:
        """Whether that caller, in or not in yet, is on its node still, with the same proofs."""
        there = self._there.get(present.node) or self._logging_in.get(present.node)
        return there is not None and (there[0].account, there[0].since_ms, there[0].proofs) == (
            present.account,
            present.since_ms,
            present.proofs,
        )

    def of_account(self, account: int) -> tuple[Present, ...]:
        """Where an account is, by node: it may have several callers."""
        return tuple(present for present in self.everyone() if present.account == account)

    def set_doing(self, node: int, doing: str) -> None:
        """Say what the caller of a node does now, for the others to see: a few words."""
        there = self._there.get(node)
        if there is not None:
            self._there[node] = (msgspec.structs.replace(there[0], doing=doing), there[1])

    def set_proofs(self, node: int, proofs: tuple[str, ...]) -> None:
        """From now on, one of these has to hold for the caller of a node."""
        there = self._there.get(node)
        if there is not None:
            self._there[node] = (msgspec.structs.replace(there[0], proofs=proofs), there[1])

    def tell(self, node: int, *texts: Text) -> bool:
        """A notice to the caller of a node, shown when it disturbs nothing. False if nobody is there."""
        there = self._there.get(node) or self._logging_in.get(node)
        if there is None:
            return False
        there[1].tell(*texts)
        return True

    def broadcast(self, *texts: Text, but: int | None = None) -> int:
        """A notice to everybody, except on node `but`; returns to how many."""
        return sum(self.tell(node, *texts) for node in tuple(self._there) if node != but)

    def kick(self, node: int, why: str) -> bool:
        """End a visit: the caller is told why and hung up on, wherever on the board it is. False if nobody is there."""
        there = self._there.get(node) or self._logging_in.get(node)
        if there is None:
            return False
        there[1].end(why)
        return True
