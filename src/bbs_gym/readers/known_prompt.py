"""Prompts of known programs, as tables: what each is called, how it looks, what it takes.

One table serves the names in observations (`matched_prompt`), the routes, the hints of modality in prompts of agents,
and what is safe to act upon. None of it gates anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache

import msgspec

from bbs_gym.readers.live_screen import LiveScreen
from tty_agent.observer.readiness import PromptPattern


class Wants(StrEnum):
    """What a prompt takes."""

    KEY = "key"
    """One key, which acts at once."""
    KEY_OR_NUMBER = "key_or_number"
    """One key, or a number and Enter."""
    KEY_OR_EAGER_NUMBER = "key_or_eager_number"
    """One key, or a number that is taken as soon as no longer one is possible."""
    NUMBER = "number"
    """Digits and Enter."""
    EAGER_NUMBER = "eager_number"
    """Digits that are taken as soon as no longer number is possible, else by Enter."""
    LINE = "line"
    """A line of text, and Enter."""
    TEXT = "text"
    """One of the lines of a longer text."""
    YES_NO = "yes_no"
    """Y or N, which acts at once; Enter takes what is in brackets or marked."""
    ANY_KEY = "any_key"
    CHOICE = "choice"
    """An item of a list, by its number and Enter, or by arrows and Enter."""
    SECRET = "secret"  # noqa: S105 - the kind of a prompt
    NOTHING = "nothing"
    """It only says to wait."""


class KnownPrompt(msgspec.Struct, frozen=True, kw_only=True):
    """One prompt of a program. Raises ValueError where its pattern is no good one (see `PromptPattern`)."""

    name: str
    pattern: str
    """A regular expression for the row up to the cursor; anchored, so that text of others in a row is no prompt."""
    wants: Wants
    safe: bool | None = None
    """Whatever is typed does no harm that can't be undone; None: it depends."""
    above: str = ""
    """If given, the nearest row above with text must match it: the live row alone tells too little."""
    shared: bool = False
    """Another program words one just so."""
    hint: str = ""
    """For agents, beyond what `wants` says."""

    def __post_init__(self) -> None:
        """Check both patterns at once."""
        self.noted()
        PromptPattern(f"{self.name}, above", self.above)

    def noted(self) -> PromptPattern:
        """As profiles name it to the observer, which sees the live row alone."""
        return PromptPattern(self.name, self.pattern)

    def fits(self, screen: LiveScreen) -> bool:
        """It is the live prompt."""
        return _found(self.pattern, screen.live) and (not self.above or _found(self.above, screen.nearest))


def live_prompt(table: Iterable[KnownPrompt], screen: LiveScreen) -> KnownPrompt | None:
    """The first of the table that the screen waits at; None if it waits at none of them."""
    if not screen.waits:
        return None
    return next((prompt for prompt in table if prompt.fits(screen)), None)


def _found(pattern: str, row: str) -> bool:
    return _compiled(pattern).search(row) is not None


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
