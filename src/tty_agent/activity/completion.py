"""Completion checks that fit any terminal. Those that know a program belong to its profile."""

from __future__ import annotations

import re

from tty_agent.activity.activity import Completion, CompletionCheck
from tty_agent.hints import ObservationHints
from tty_agent.observation.observation import Observation

DONE = "done"
FAILED = "failed"


def screen_shows(pattern: str, outcome: str = DONE, *, name: str = "") -> CompletionCheck:
    """The activity is over with `outcome` as soon as a row of the screen matches the regular expression.

    The row of the cursor does not count: what the agent types there is its own. Raises ValueError for a pattern
    that can't be compiled.
    """
    try:
        search = re.compile(pattern).search
    except (re.error, OverflowError, RecursionError) as fault:
        raise ValueError(f"{pattern!r} is no regular expression: {fault}") from fault

    def check(observation: Observation, hints: ObservationHints) -> Completion | None:
        del hints
        for row, text in enumerate(observation.pretty_screen.split("\n")):
            if row != observation.cursor[0] and search(text):
                return Completion(outcome, f"the screen shows {text.strip()!r}")
        return None

    return CompletionCheck(name or f"screen shows {pattern}", check)
