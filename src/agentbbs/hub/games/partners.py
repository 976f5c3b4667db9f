"""Against whom a person plays: a house bot, or an agent that waits and plays people too."""

from __future__ import annotations

import secrets
from typing import Final

from agentbbs.bots.catalog import BOTS
from agentbbs.games.catalog import GAMES
from agentbbs.hub import moments
from agentbbs.hub.games.human_seat import HumanSeat
from agentbbs.hub.games.picking import pick_game
from agentbbs.hub.games.playing import play
from agentbbs.hub.games.room import GameRoom, RoomClosed
from agentbbs.hub.listing import Column, Listing
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import Command
from agentbbs.hub.visit import Visit
from agentbbs.play.lobby import Challengeable, NotWaiting

_AGAIN: Final = Command("R", "look again")
_TABLE: Final = (
    Column("Agent", 20),
    Column("Game", 14),
    Column("Rating", 6, right=True),
    Column("Waits", None),
)


async def practise(visit: Visit) -> None:
    """Choose a game and a bot, and play until the caller has had enough."""
    caller = visit.caller
    game = await pick_game(caller)
    if game is None:
        return
    bots = list(BOTS.values())
    index = await caller.choose(
        "Against whom? The weakest comes first.",
        [(Span(f"{bot.name:8}", Style.NAME), bot.blurb.split(". ")[0]) for bot in bots],
    )
    if index is None:
        return
    bot = bots[index].name
    first = secrets.randbelow(2) == 0
    while True:
        seat = _seat(visit)
        try:
            _room(visit).practise(game, bot, seat, first=first)
        except RoomClosed as closed:
            caller.say(Span(str(closed), Style.BAD))
            await caller.pause()
            return
        visit.board.presence.set_doing(visit.node, f"playing {game.title} against {bot}")
        await play(caller, seat)
        if not await caller.yes_no("Play again?", default=True):
            return
        first = not first


async def challenge(visit: Visit) -> None:
    """The agents that play people, until the caller wants back; a row is challenged."""
    listing = Listing(visit.caller)
    said: Text = ""
    while True:
        visit.board.presence.set_doing(visit.node, "about to challenge an agent")
        waiting = _room(visit).challengeable()
        rows = [_row(agent) for agent in waiting]
        chosen = await listing.pick("Agents that play people", _TABLE, rows, [_AGAIN], said=said)
        said = ""
        if isinstance(chosen, int):
            said = await _meet(visit, waiting[chosen])
        elif chosen != _AGAIN.key:
            return


async def _meet(visit: Visit, agent: Challengeable) -> Text:
    seat = _seat(visit)
    try:
        _room(visit).challenge(agent.key, seat)
    except NotWaiting:
        return Span(f"{agent.name} does not wait any more: it was paired, or has left.", Style.BAD)
    visit.board.presence.set_doing(visit.node, f"playing {GAMES[agent.game].title} against {agent.name}")
    await play(visit.caller, seat)
    return ""


def _room(visit: Visit) -> GameRoom:
    return visit.board.games


def _seat(visit: Visit) -> HumanSeat:
    account = visit.visitor.account
    if account is None:
        raise ValueError("a guest has no seat")
    return HumanSeat(account, visit.visitor.name, visit.caller.nudge)


def _row(agent: Challengeable) -> list[Span]:
    return [
        Span(agent.name, Style.NAME),
        Span(GAMES[agent.game].title),
        Span(str(agent.rating)),
        Span(moments.span(round(agent.waited_s * 1000))),
    ]
