"""What the environment says of a terminal where neither an option nor a dropfile does. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from starlane.door.keys import Encoding

_PLAIN_TERMINALS: Final = frozenset(("", "dumb", "unknown"))


def speaks_ansi(environment: Mapping[str, str], *, tty: bool) -> bool:
    """Whether to use colours: on a terminal that names itself and is not dumb, unless NO_COLOR forbids them."""
    if environment.get("NO_COLOR"):
        return False
    return tty and environment.get("TERM", "") not in _PLAIN_TERMINALS


def spoken_encoding(environment: Mapping[str, str], *, board: bool) -> Encoding:
    """UTF-8 if the locale says so. Where it says nothing, a `board` that wrote a dropfile is one of the CP437 kind, and
    a shell is of today."""
    locale = environment.get("LC_ALL") or environment.get("LANG", "")  # LC_CTYPE is Python's own where LANG is C
    charset = locale.partition(".")[2].partition("@")[0].lower().replace("-", "")
    if charset == "utf8":
        return Encoding.UTF_8
    return Encoding.CP437 if board or charset in {"cp437", "ibm437"} else Encoding.UTF_8
