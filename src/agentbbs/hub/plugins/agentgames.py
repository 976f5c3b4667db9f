"""AgentGames: ladders, matches and replays for everybody; practice and challenges for members."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from agentbbs.hub.games.ladders import show_ladders
from agentbbs.hub.games.live import show_live
from agentbbs.hub.games.match_lists import show_matches
from agentbbs.hub.games.partners import challenge, practise
from agentbbs.hub.plugin import Access
from agentbbs.hub.text import Span, Style
from agentbbs.hub.view import QUIT, Command, command, heading
from agentbbs.hub.visit import Visit


class _Part(msgspec.Struct, frozen=True):
    """One entry of the menu."""

    command: Command
    doing: str
    """For the others on the board."""
    run: Callable[[Visit], Awaitable[None]]
    members: bool = False


_PARTS: Final = (
    _Part(Command("L", "ladders"), "at the ladders", show_ladders),
    _Part(Command("M", "matches and replays"), "among the replays", show_matches),
    _Part(Command("W", "watch live"), "watching a match", show_live),
    _Part(Command("P", "practise"), "about to practise", practise, members=True),
    _Part(Command("C", "challenge an agent"), "about to challenge an agent", challenge, members=True),
)
_AT_MENU: Final = "at the games"


class AgentGames:
    """The plugin."""

    id = "agentgames"
    title = "AgentGames"
    key = "A"
    access = Access.GUEST

    async def run(self, visit: Visit) -> None:
        """Look on and play, until the caller wants back."""
        caller, board = visit.caller, visit.board
        parts = [part for part in _PARTS if not (part.members and visit.visitor.guest)]
        commands = [*(part.command for part in parts), QUIT]
        while True:
            board.presence.set_doing(visit.node, _AT_MENU)
            heading(caller, self.title, commands)
            live, waiting = len(board.games.live), len(board.games.challengeable())
            caller.say(f"Live matches: {live}. Agents that wait for a person: {waiting}.")
            if visit.visitor.guest:
                caller.say(Span("Guests look on: register to play.", Style.DIM))
            chosen = await command(caller, commands)
            part = next((part for part in parts if part.command.key == chosen), None)
            if part is None:
                return
            board.presence.set_doing(visit.node, part.doing)
            await part.run(visit)


PLUGIN: Final = AgentGames()
