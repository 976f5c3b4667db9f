"""Which game?"""

from __future__ import annotations

from agentbbs.games.catalog import GAMES
from agentbbs.games.game import Game
from agentbbs.hub.caller import Caller
from agentbbs.hub.text import Text


async def pick_game(caller: Caller, prompt: Text = "Which game?") -> Game | None:
    """A game of the catalog; None if the caller wants none."""
    games = list(GAMES.values())
    index = await caller.choose(prompt, [game.title for game in games])
    return None if index is None else games[index]
