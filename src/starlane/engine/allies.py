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
    one, other = sky.get(Pilot, a), sky.get(Pilot, b)
    return one is not None and other is not None and one.alliance != NOBODY and one.alliance == other.alliance
