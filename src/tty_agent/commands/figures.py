"""Numbers of options: those that are too large to mean anything, and what is no number at all, are mistakes."""

from __future__ import annotations

from typing import Final

import typer

MAX_SECONDS: Final = 30 * 24 * 3600
"""A month; timers count no further than some years."""

MAX_USD: Final = 1e6


def seconds(value: float | None) -> float | None:
    """The value of an option that is a time. Raises BadParameter."""
    return _up_to(MAX_SECONDS, "s", value)


def dollars(value: float | None) -> float | None:
    """The value of an option that is a cost. Raises BadParameter."""
    return _up_to(MAX_USD, "USD", value)


def _up_to(most: float, unit: str, value: float | None) -> float | None:
    if value is not None and not value <= most:  # which is so for nan too
        raise typer.BadParameter(f"{value:g} is more than it can be: give a number up to {most:.0f} {unit}")
    return value
