"""Reading the JSON that providers send: with tolerance, since each has fields, and lacks fields, of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

MAX_TOKENS: Final = 10**12
"""Of one session; a figure above is a fault of the provider's, and would spoil the sums of the run."""

MAX_DOLLARS: Final = 10**6
"""Of one answer; as above."""


def json_lines(output: bytes) -> Iterator[Any]:
    """The value of each line that is JSON, in order. Other lines are a program's chatter and are left out."""
    for line in output.splitlines():
        if not line.strip():
            continue
        try:
            yield msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            continue  # chatter


def count(value: object) -> int | None:
    """A number of tokens, or None if it is none, or more than can be."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_TOKENS else None


def dollars(value: object) -> float | None:
    """A cost, or None if it is none, or more than can be."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= MAX_DOLLARS else None


def text(value: object) -> str | None:
    """A string, or None if it is none."""
    return value if isinstance(value, str) else None


def mapping(value: object) -> dict[str, Any]:
    """An object, or an empty one."""
    return value if isinstance(value, dict) else {}
