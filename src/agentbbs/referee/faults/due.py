"""When a fault is due: at which requests of a match the server plays well, and at which it does wrong."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

import msgspec

from agentbbs.referee.faults.bodies import Turn
from agentbbs.referee.faults.table import Fault

MAX_MATCHES: Final = 1000
"""Remembered, a few hundred bytes each; beyond that the one that was asked longest ago is forgotten."""


class _Memory(msgspec.Struct):
    nonce: str = ""
    position: int = 0
    """The move number of the last request."""
    times: int = 0
    """Requests of that position, one after the other."""


class Memory:
    """What has been asked, match by match, of each fault."""

    def __init__(self) -> None:
        self._matches: OrderedDict[tuple[str, str], _Memory] = OrderedDict()

    def note(self, fault: Fault, turn: Turn) -> tuple[int, str]:
        """Take a request down. Returns how often this position has been asked before, and the nonce of the request
        before in this match (empty for the first)."""
        key = (fault.path, turn.match_id)
        found = self._matches.setdefault(key, _Memory())
        self._matches.move_to_end(key)
        if len(self._matches) > MAX_MATCHES:
            self._matches.popitem(last=False)
        if found.position != turn.move_number:
            found.position, found.times = turn.move_number, 0
        before, nonce = found.times, found.nonce
        found.times, found.nonce = before + 1, turn.nonce
        return before, nonce


def is_due(fault: Fault, turn: Turn, asked_before: int, after: int | None = None) -> bool:
    """Whether the fault happens at this request. `after` stands in place of the table's."""
    if fault.plan and after is None:
        return asked_before < dict(fault.plan).get(turn.own_move, 0)
    return turn.own_move > (fault.after if after is None else after)
