"""How long things took, and whether the machine may be what was slow. Pure.

How long a model thinks, and how long an agent waits because it wants to, are the agent's affair. A screen that comes
late, or an action that is long in being recorded and typed, is not: it is told, and nothing is left out for it.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

SUSPECT_FACTOR: Final = 5.0
"""So many times as slow as the peers: a game's screens vary by less."""

MIN_SAMPLES: Final = 5
"""Of each side: fewer say nothing."""

MIN_SLOW_COMMIT_S: Final = 0.25
"""Medians below it are not called slow: five times a few milliseconds is the noise of a busy loop."""

MIN_SLOW_TURN_S: Final = 1.0
"""A turn takes the quiet time of its policy in any case, and next to none where its screen came to rest while others
acted."""


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """Medians of one participant, in seconds; None: too few samples. Workers of a campaign are compared by them."""

    observe_s: float | None = None
    """From the start of a turn until it was ready; turns after a `wait` of the agent's own are not among them."""
    decide_s: float | None = None
    """Of one decision, repairs counted."""
    commit_s: float | None = None
    """To write it down and to type it."""
    samples: int = 0


def pace_of(observed: Sequence[float], decided: Sequence[float], committed: Sequence[float]) -> Pace:
    """The medians."""
    return Pace(
        observe_s=_median(observed), decide_s=_median(decided), commit_s=_median(committed), samples=len(decided)
    )


def suspects(paces: Mapping[str, Pace]) -> dict[str, str]:
    """Who had a machine so much slower than its peers that it is to be suspected, and why, by agent id.

    Turns and commits are compared, which are the share of the BBS and of this program; decisions never are.
    """
    found: dict[str, str] = {}
    for agent, pace in paces.items():
        others = [one for other, one in paces.items() if other != agent]
        whys = (
            _slow("turns", MIN_SLOW_TURN_S, pace.observe_s, [one.observe_s for one in others]),
            _slow("commits", MIN_SLOW_COMMIT_S, pace.commit_s, [one.commit_s for one in others]),
        )
        if told := "; ".join(why for why in whys if why):
            found[agent] = told
    return found


def _slow(what: str, floor_s: float, own: float | None, peers: Sequence[float | None]) -> str:
    known = [peer for peer in peers if peer is not None]
    if own is None or not known or own < floor_s:
        return ""
    usual = statistics.median(known)
    if own < SUSPECT_FACTOR * usual:
        return ""
    return f"{what} took {own:.2f} s, and {usual:.2f} s elsewhere (medians)"


def _median(seconds: Sequence[float]) -> float | None:
    return round(statistics.median(seconds), 6) if len(seconds) >= MIN_SAMPLES else None
