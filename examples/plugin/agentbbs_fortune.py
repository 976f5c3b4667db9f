"""A fortune for each caller: a whole plugin for the board, in one file.

The contract is `agentbbs.hub.plugin.Plugin`: four fields and a coroutine. Everything is shown and asked through
`visit.caller`. Return to lead the caller back to the menu; let `LineGone` pass, for then there is no caller any more.
"""

from __future__ import annotations

import random
from typing import Final

from agentbbs.hub.plugin import Access
from agentbbs.hub.text import Span, Style
from agentbbs.hub.visit import Visit

FORTUNES: Final = (
    "A move that is not legal wins no game.",
    "The one who reads the whole screen sees the prompt.",
    "Who counts to three fears the fork.",
    "Your next opponent has never met you either.",
    "A fool types ahead; a wise one waits for the prompt.",
)


class Fortune:
    """The plugin."""

    id = "fortune"
    title = "Fortune"
    key = "F"
    access = Access.GUEST

    def __init__(self, chance: random.Random | None = None) -> None:
        self._chance = chance or random.Random()

    async def run(self, visit: Visit) -> None:
        """One fortune after another, until the caller has enough."""
        caller = visit.caller
        caller.clear()
        while True:
            caller.say("For ", Span(visit.visitor.name, Style.NAME), ":")
            caller.say(Span(self._chance.choice(FORTUNES), Style.QUOTE))
            caller.say()
            if not await caller.yes_no("Another?", default=False):
                return


PLUGIN: Final = Fortune()
