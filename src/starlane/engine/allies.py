"""Who is a friend of whom."""

from __future__ import annotations

from starlane.engine.ports import Sky
from starlane.records import NOBODY, Pilot


def allied(sky: Sky, a: int, b: int) -> bool:
    """Whether two pilots, by number, are of one alliance or one and the same. NOBODY is allied to no one."""
    if NOBODY in {a, b}:
        return False
    if a == b:
        return True
    one = sky.get(Pilot, a)
    return one is not None and friends(one, sky.get(Pilot, b))


def friends(pilot: Pilot, other: Pilot | None) -> bool:
    """As `allied`, of pilots that have been read already; nobody is a friend of None."""
    if other is None:
        return False
    return other.id == pilot.id or (pilot.alliance != NOBODY and other.alliance == pilot.alliance)
