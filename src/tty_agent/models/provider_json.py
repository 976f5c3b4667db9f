"""Reading the JSON that providers send: with tolerance, since each has fields, and lacks fields, of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec


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
    """A number of tokens, or None if it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def dollars(value: object) -> float | None:
    """A cost, or None if it is none."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else None


def text(value: object) -> str | None:
    """A string, or None if it is none."""
    return value if isinstance(value, str) else None


def mapping(value: object) -> dict[str, Any]:
    """An object, or an empty one."""
    return value if isinstance(value, dict) else {}
