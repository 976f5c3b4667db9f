"""Whom a name means that was typed: the account of that name, or those that it may have been meant for. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

from agentbbs.store.names import skeleton

MAX_SUGGESTED: Final = 9
"""Names to choose from: one digit each."""

NEARNESS: Final = 0.6
"""Of two names, from 0 to 1: one letter of three may be wrong."""


def meant(typed: str, names: Iterable[str]) -> tuple[str, ...]:
    """The name itself, in any case, if there is one; else those that begin with it, else those that hold it or look
    like it; by name, up to `MAX_SUGGESTED`."""
    wanted = typed.strip().lower()
    if not wanted:
        return ()
    known = sorted(names, key=str.lower)
    for fits in (
        lambda name: name.lower() == wanted,
        lambda name: name.lower().startswith(wanted),
        lambda name: wanted in name.lower(),
    ):
        found = [name for name in known if fits(name)]
        if found:
            return tuple(found[:MAX_SUGGESTED])
    by_look = {skeleton(name): name for name in known}
    near = get_close_matches(skeleton(wanted), by_look, n=MAX_SUGGESTED, cutoff=NEARNESS)
    return tuple(by_look[look] for look in near)
