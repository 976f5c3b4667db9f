"""What is said to a caller who does not come in."""

from __future__ import annotations


class TurnedAway(Exception):
    """The caller does not get in; the text is for the caller."""
