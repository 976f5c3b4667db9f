"""Matches that are on, watched as they are played."""

from __future__ import annotations

import asyncio
from typing import Final

from agentbbs.games.catalog import GAMES
from agentbbs.hub.caller import Caller
from agentbbs.hub.games.drawing import board
from agentbbs.hub.games.room import GameRoom
from agentbbs.hub.listing import Column, Listing
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import Command, put_bar
from agentbbs.hub.visit import Visit
from agentbbs.play.match import Match
from agentbbs.play.onlooker import Onlooker

MAX_LISTED: Final = 200
"""Matches in one list, the newest."""

_AGAIN: Final = Command("R", "look again")
_QUIT: Final = frozenset({"q", "escape", "ctrl-c"})
_TABLE: Final = (
    Column("Game", 14),
    Column("X", 16),
    Column("O", 16),
    Column("Ply", 4, right=True),
    Column("Rated", None),
)


async def show_live(visit: Visit) -> None:
    """The matches that are on, until the caller wants back; a row is watched."""
    room: GameRoom = visit.board.games
    listing = Listing(visit.caller)
    said: Text = ""
    while True:
        matches = room.live[:MAX_LISTED]
        chosen = await listing.pick("Live matches", _TABLE, [_row(match) for match in matches], [_AGAIN], said=said)
        said = ""
        if isinstance(chosen, int):
            if not await watch(visit.caller, room, matches[chosen].id):
                said = "That match is over: see it among the recent matches."
        elif chosen != _AGAIN.key:
            return


async def watch(caller: Caller, room: GameRoom, match_id: str) -> bool:
    """Watch a match until it is over or the caller has seen enough. False if it is not on."""
    match = room.runner.match(match_id)
    if match is None:
        return False
    await _Watcher(caller, room, match).run()
    return True


def _row(match: Match) -> list[Span]:
    return [
        Span(match.game.title),
        *(Span(player.name, Style.NAME) for player in match.players),
        Span(str(match.position.ply)),
        Span("yes" if match.why_unrated is None else f"no: {match.why_unrated}", Style.DIM),
    ]


class _Watcher:
    """One caller at one match. What comes is followed at once; what is drawn is how it stands when the caller's line
    has taken the screen before, so that who reads slowly sees less and keeps nobody waiting."""

    def __init__(self, caller: Caller, room: GameRoom, match: Match) -> None:
        self._caller = caller
        self._audience = room.audience
        self._match = match.id
        self._game = match.game.id
        self._news = room.audience.watch(match, room.runner.now())
        self._onlooker = Onlooker()
        self._heard = ""

    async def run(self) -> None:
        following = asyncio.create_task(self._follow(), name="watch a match")
        drawn = ""
        try:
            while not following.done():
                if self._heard != drawn:
                    drawn = self._heard
                    self._draw()
                key = await self._caller.key(notices=True)
                if key is not None and key.name.lower() in _QUIT:
                    self._caller.write("\n")
                    return
            following.result()
            self._draw()
            await self._caller.pause()
        finally:
            following.cancel()
            self._audience.leave(self._match, self._news)

    async def _follow(self) -> None:
        try:
            async for message in self._news:
                self._heard = self._onlooker.hear(message)
                self._caller.nudge()
        finally:
            self._caller.nudge()

    def _draw(self) -> None:
        caller, onlooker = self._caller, self._onlooker
        caller.clear()
        put_bar(caller, f"Live: {GAMES[self._game].title}", "over" if onlooker.over else "on")
        for line in onlooker.title.split("\n"):
            caller.say(Span(line, Style.DIM))
        caller.say()
        if onlooker.position is None:
            caller.say(self._heard)
        else:
            for row in board(self._game, onlooker.position, last=onlooker.last_move):
                caller.say(row)
        caller.say()
        caller.say(Span(onlooker.status, Style.NOTICE if onlooker.over else Style.LABEL))
        if not onlooker.over:
            caller.write(Span("Q: leave ", Style.KEY))
