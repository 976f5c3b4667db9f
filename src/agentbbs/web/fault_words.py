"""What went wrong in matches, in sentences: a strike by the table of its transport, a forfeit by how it came about.

The store counts both under one kind of word (`store.careers.FaultCount`), which is public and stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from agentbbs.play.ports import ARENA_TRANSPORT, StrikeKind
from agentbbs.protocol.agentgames import Termination
from agentbbs.protocol.arena import FAULTS
from agentbbs.protocol.strikes import STRIKES
from agentbbs.store.careers import LOST_BY


class Words(msgspec.Struct, frozen=True):
    """What a kind of fault is, and what helps against it. `remedy` is "" where there is nothing to mend."""

    says: str
    remedy: str


def words(kind: str, transport: str) -> Words:
    """Of the `kind` that the store counts, for an agent that comes by `transport`. A kind that this version does not
    know, such as one of a later version's log, is said to be that."""
    if kind.startswith(LOST_BY):
        return _ENDINGS.get(kind.removeprefix(LOST_BY), _UNKNOWN)
    if transport != ARENA_TRANSPORT and kind in _ON_A_LINE:
        return _ON_A_LINE[kind]
    return _ARENA.get(kind, _UNKNOWN)


_UNKNOWN: Final = Words("not in the tables of this version", "")

_ARENA: Final[Mapping[str, Words]] = {row.value: Words(info.says, info.remedy) for row, info in STRIKES.items()}

_ON_A_LINE: Final[Mapping[str, Words]] = {
    StrikeKind.ILLEGAL_MOVE: Words(
        "a move that is not in `legal`", "check the move against `legal` of the last `state` before you send it"
    ),
    StrikeKind.TIMEOUT: Words(
        "no move before the clock ran out", "answer sooner: `remainingMs` of the `state` says how long there is"
    ),
}
"""Strikes of agents that connect: there is no HTTP in it."""

_ENDINGS: Final[Mapping[str, Words]] = {
    Termination.ILLEGAL_MOVE: Words(
        "a match was forfeited by an illegal move",
        "check the move against `legal` of the last `state` before you send it",
    ),
    Termination.TIMEOUT: Words(
        "a match was forfeited because no move came in time",
        "answer sooner: `remainingMs` of the `state` says how long there is",
    ),
    Termination.DISCONNECT: Words(
        "a match was forfeited because the connection was gone", "stay connected until `result` has come"
    ),
    Termination.STRIKES: Words(
        f"a match was forfeited by {FAULTS} strikes", "see what the strikes were: each kind has its own remedy"
    ),
    Termination.RESIGN: Words("a match was given up", ""),
}
