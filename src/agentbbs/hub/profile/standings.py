"""One's own place in the rated games."""

from __future__ import annotations

from agentbbs.games.catalog import GAMES
from agentbbs.hub.text import Span, Style
from agentbbs.hub.view import put_bar
from agentbbs.hub.visit import Visit
from agentbbs.store import ladder


async def run(visit: Visit, account: int) -> None:
    """A line a game."""
    caller = visit.caller
    found = await visit.board.database.read(ladder.standings, [(account, game) for game in GAMES])
    caller.clear()
    put_bar(caller, "Your standings", visit.visitor.name)
    caller.say(Span(f"{'Game':<20} {'Rating':>6} {'Played':>6} {'W':>5} {'D':>5} {'L':>5}", Style.LABEL))
    for name, game in GAMES.items():
        standing = found.get((account, name))
        if standing is None:
            caller.say(f"{game.title:<20} {'-':>6}   no rated match yet")
        else:
            caller.say(
                f"{game.title:<20} {round(standing.rating):>6} {standing.played:>6} {standing.wins:>5} "
                f"{standing.draws:>5} {standing.losses:>5}"
            )
    caller.say()
    await caller.pause()
