"""Naming another pilot."""

from __future__ import annotations

from typing import Final

from starlane.door.dialogues.cockpit import Cockpit
from starlane.door.screens.wording import listed
from starlane.settings import MAX_NAME_CHARS
from starlane.views import RankLine

_MAX_NAMES_SHOWN: Final = 12
"""About three lines of names: enough to choose from, and what is above stays on the screen."""


def choose_pilot(cockpit: Cockpit, prompt: str, among: list[RankLine] | None = None) -> RankLine | None:
    """A pilot by its name or how that begins, in either case. None if the caller thought better of it, or nobody is
    called so, which has been said then."""
    pilots = cockpit.others() if among is None else among
    if not pilots:
        cockpit.console.show("There is no other pilot to choose.")
        return None
    wanted = cockpit.console.text(f"{prompt}, by name or how it begins", MAX_NAME_CHARS)
    if not wanted:
        return None
    found = _called(pilots, wanted)
    if len(found) == 1:
        return found[0]
    names = [pilot.name for pilot in found or pilots]
    shown = listed(names[:_MAX_NAMES_SHOWN], "or")
    more = f" and {len(names) - _MAX_NAMES_SHOWN} more" if len(names) > _MAX_NAMES_SHOWN else ""
    start = f"More than one name begins with {wanted}" if found else f"No pilot's name begins with {wanted}"
    cockpit.console.show(f"{start}; try {shown}{more}.")
    return None


def _called(pilots: list[RankLine], wanted: str) -> list[RankLine]:
    folded = wanted.casefold()
    exact = [pilot for pilot in pilots if pilot.name.casefold() == folded]
    return exact or [pilot for pilot in pilots if pilot.name.casefold().startswith(folded)]
