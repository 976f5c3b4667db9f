"""A screen split at its live row: the row in which input goes, and what stands above it.

A terminal keeps old text, and other people's text, above the cursor. So one rule holds for all readers: what a program
asks is looked for in the live row alone, and what stands above may only make a reader more careful.
"""

from __future__ import annotations

import msgspec

from tty_agent.hints import ObservationHints, extract
from tty_agent.observation.observation import Observation


class LiveScreen(msgspec.Struct, frozen=True):
    """Rows have no blanks at their ends."""

    above: tuple[str, ...]
    """The rows above the live one, from the top down."""
    live: str
    """The live row up to the cursor; what the last action typed and did not send is left out."""
    waits: bool
    """The program can be waiting there: nothing stands behind the cursor or below it, and the connection is open."""

    @property
    def nearest(self) -> str:
        """The nearest row above with text; "" if none has."""
        return next((row for row in reversed(self.above) if row), "")

    def rows(self) -> tuple[str, ...]:
        """All of it, the live row last."""
        return (*self.above, self.live)


def of_text(text: str) -> LiveScreen:
    """Of a screen as text; its last row with text is taken for the live one."""
    rows = [row.rstrip() for row in text.split("\n")]
    while len(rows) > 1 and not rows[-1]:
        rows.pop()
    return LiveScreen(tuple(rows[:-1]), rows[-1], waits=bool(rows[-1]))


def of_turn(observation: Observation, hints: ObservationHints | None = None) -> LiveScreen:
    """Of a turn; without `hints` they are drawn from the observation alone."""
    seen = extract(observation) if hints is None else hints
    rows = [row.rstrip() for row in observation.pretty_screen.split("\n")]
    at = seen.active_row
    nothing_more = not seen.after_cursor.strip() and not any(rows[at + 1 :])
    return LiveScreen(tuple(rows[:at]), seen.active_prompt, waits=nothing_more and observation.closed is None)
