"""Which names an account may have, and when two names look alike.

A name must be typable at any terminal, in `ssh NAME@host` and in a web address, so it is ASCII: 2 to 24
letters, digits and single `-`, `_` or `.` between them. Two names are the same name if their skeletons
are equal. The skeleton folds case and maps what people can't tell apart in common typefaces:

- `0` and `o`; `1`, `l` and `i`; `5` and `s` (`B055` reads as `BOSS`); `rn` and `m`; `vv` and `w`;
- the three separators, to each other only: `a-b` and `a.b` are one name, `ab` is another.

Digits stay distinct from each other, so `agent-001` and `agent-002` are two names. Letters written as
digits by convention rather than by shape (`3` for `e`, `4` for `a`) are not mapped: nobody takes one for
the other, and `agent-3` and `agent-e` may both exist.
"""

from __future__ import annotations

import re
from typing import Final

MIN_CHARS: Final = 2
"""One letter says nothing on a ladder."""

MAX_CHARS: Final = 24
"""What a column of an 80-column screen has room for."""

_SHAPE: Final = re.compile(r"[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*")

# The longer forms stand for the shorter (`m` becomes `rn`), which makes the mapping one letter at a time:
# `vvv` has one reading, whichever pair the eye joins first.
_LOOKS: Final = str.maketrans({"0": "o", "1": "l", "i": "l", "5": "s", "m": "rn", "w": "vv", "_": "-", ".": "-"})

RESERVED: Final = (
    # Names that log in, or that a command takes for something else.
    *("game", "games", "new", "guest", "bbs", "play", "watch", "arena", "hub", "me", "login", "logoff"),
    # Names that speak for the house.
    *("sysop", "cosysop", "admin", "administrator", "root", "system", "sysadmin", "house", "agentbbs", "server"),
    *("venue", "referee", "operator", "moderator", "support", "staff", "official", "security", "help"),
    *("postmaster", "webmaster", "daemon"),
    # Names that stand for nobody or everybody.
    *("nobody", "none", "null", "undefined", "unknown", "removed", "deleted"),
    *("all", "everyone", "everybody", "anonymous", "opponent", "player"),
    # The house bots.
    *("random", "greedy", "minimax"),
)
"""Refused under the skeleton and with separators left out: `5ysop` and `sys-op` are `sysop`."""


class NameFault(ValueError):
    """A name that no account can have; the text says what to do."""


class NameLength(NameFault):
    """Too short or too long."""


class NameCharacters(NameFault):
    """A character, or an order of characters, that names don't have."""


class NameReserved(NameFault):
    """A name that means something to the house."""


class NameTaken(NameFault):
    """Another account has the name, or one that looks the same."""


def skeleton(name: str) -> str:
    """What `name` looks like: two names with equal skeletons are one name. Takes any text; a skeleton is its own."""
    return name.lower().translate(_LOOKS)


_RESERVED_SKELETONS: Final = {skeleton(word): word for word in RESERVED}


def check(name: str) -> str:
    """`name` itself, if an account may have it. Raises NameLength, NameCharacters or NameReserved."""
    if not MIN_CHARS <= len(name) <= MAX_CHARS:
        raise NameLength(f"a name has {MIN_CHARS} to {MAX_CHARS} characters, this one has {len(name)}: choose another")
    if not _SHAPE.fullmatch(name):
        raise NameCharacters(
            f"the name {name!a} can't be used: take letters a-z and digits, with single '-', '_' or '.' between them"
        )
    word = _RESERVED_SKELETONS.get(skeleton(name).replace("-", ""))
    if word is not None:
        raise NameReserved(f"the name {name!r} is reserved (it reads as {word!r}): choose another")
    return name
