"""The house bots, by strength."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from agentbbs.bots.bot import Bot
from agentbbs.bots.chance import CHANCE
from agentbbs.bots.greedy import GREEDY
from agentbbs.bots.minimax import MINIMAX

_WEAKEST_FIRST: Final[tuple[Bot, ...]] = (CHANCE, GREEDY, MINIMAX)

BOTS: Final[Mapping[str, Bot]] = MappingProxyType({bot.name: bot for bot in _WEAKEST_FIRST})
"""Name -> bot, the weakest first; read-only."""

_MAX_SHOWN_CHARS: Final = 40
"""How much of an unknown name an error repeats: a name is shorter, and a client may send anything."""


class UnknownBot(LookupError):
    """No house bot has that name; `names` holds those that there are."""

    def __init__(self, name: str, names: tuple[str, ...]) -> None:
        super().__init__(f"unknown bot {name[:_MAX_SHOWN_CHARS]!r}: the house bots are {', '.join(names)}")
        self.name = name
        self.names = names


def find(name: str) -> Bot:
    """The house bot of that name, case-free. Raises UnknownBot."""
    try:
        return BOTS[name.lower()]
    except KeyError:
        raise UnknownBot(name, tuple(BOTS)) from None
