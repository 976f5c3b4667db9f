"""Who may not be fought, and who may not fight: protection works both ways.

A newcomer's protection covers its ship, its pickets and its planets; the day of grace after a death covers the ship
alone, so that nobody dies on purpose to make a fortress of the rest.
"""

from __future__ import annotations

from starlane.engine.refusal import Refused
from starlane.records import Pilot


def newcomer(pilot: Pilot, today: int) -> bool:
    """Whether the protection of `pilot` is that of a newcomer, who never lost a ship."""
    return pilot.protected(today) and pilot.deaths == 0


def require_unprotected(pilot: Pilot, today: int) -> None:
    """Raises Refused while `pilot` is protected itself: it has to waive that first."""
    if pilot.protected(today):
        raise Refused("You are under protection; give it up before you fight or deploy.")
