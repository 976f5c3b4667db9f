"""Stepping through the screens of a match: which word leads where. Pure."""

from __future__ import annotations

from enum import StrEnum


class Step(StrEnum):
    """What a reader wants."""

    NEXT = "next"
    BACK = "back"
    FIRST = "first"
    LAST = "last"


def step(at: int, wanted: Step, last: int) -> int:
    """The screen that a step leads to from `at`, of screens 0 to `last`."""
    if wanted is Step.NEXT:
        return min(at + 1, last)
    if wanted is Step.BACK:
        return max(at - 1, 0)
    return 0 if wanted is Step.FIRST else last
