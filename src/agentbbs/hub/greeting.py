"""What is said at the door: the banner, the welcome with what is new, the tour of a first visit, the good-bye."""

from __future__ import annotations

from typing import Final

import msgspec

from agentbbs.calls.line import Line
from agentbbs.hub import moments
from agentbbs.hub.caller import Caller
from agentbbs.hub.settings import BoardSettings
from agentbbs.hub.terminal_preferences import described
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.visit import Visit
from agentbbs.store import boards, mail, oneliners, preferences
from agentbbs.store.boards import Level, Reader

MAX_NAMES: Final = 10
"""Of those who are here, in one sentence."""


def banner(caller: Caller, settings: BoardSettings, line: Line, node: int, nodes: int) -> None:
    """What every caller sees first: whom it reached, on which node, as what kind of terminal."""
    if caller.ansi:
        caller.clear()
    caller.say(Span("░▒▓ ", Style.LABEL), Span(settings.name, Style.TITLE), Span(" ▓▒░", Style.LABEL))
    caller.say(Span(f"Node {node}", Style.NUMBER), f" of {nodes}, {line.transport}, {described(caller)}")
    caller.say()


async def welcome(visit: Visit, last_ms: int | None) -> None:
    """Who is in sees what is new; who is here for the first time gets the tour. `last_ms` is when it was here last."""
    caller, board, visitor = visit.caller, visit.board, visit.visitor
    caller.say()
    if visitor.guest:
        caller.say("Welcome. You are a guest: look around, and register to take part.")
        _tell_who_is_here(visit)
        await caller.pause()
        return
    chosen = await board.database.look_up(preferences.of_account, visitor.account or 0)
    if not chosen.tour_seen:
        await _tour(visit)
        toured = msgspec.structs.replace(chosen, tour_seen=True)
        await board.database.write(preferences.save, visitor.account or 0, toured)
        return
    caller.say("Welcome back, ", Span(visitor.name, Style.NAME), ".")
    if last_ms is not None:
        caller.say(f"You were last here on {moments.stamp(last_ms)} UTC.")
    await _tell_news(visit)
    await caller.pause()


async def good_bye(visit: Visit) -> None:
    """The last screen."""
    caller, settings = visit.caller, visit.board.settings
    minutes = moments.span(visit.board.now_ms() - visit.began_ms)
    caller.say()
    caller.say("Good-bye, ", Span(visit.visitor.name, Style.NAME), f". You were here for {minutes}.")
    for line in settings.address_lines:
        caller.say(Span(line, Style.DIM))
    await caller.flush()


async def _tell_news(visit: Visit) -> None:
    caller, database, account = visit.caller, visit.board.database, visit.visitor.account or 0
    unread = await database.look_up(mail.count_unread, account)
    if unread:
        caller.say("You have ", Span(str(unread), Style.NUMBER), f" unread letter{'s' * (unread != 1)}.")
    level = Level.SYSOP if visit.visitor.sysop else Level.MEMBER
    areas = await database.read(boards.areas, Reader(account, level))
    new = sum(area.new for area in areas)
    if new:
        caller.say("There are ", Span(str(new), Style.NUMBER), f" new post{'s' * (new != 1)} on the boards.")
    _tell_who_is_here(visit)
    for wall in await database.read(oneliners.newest, 1):
        caller.say("On the wall: ", Span(wall.text, Style.QUOTE), " (", Span(wall.author, Style.NAME), ")")


def _tell_who_is_here(visit: Visit) -> None:
    others = [present for present in visit.board.presence.everyone() if present.node != visit.node]
    if others:
        names: list[Text] = []
        for present in others[:MAX_NAMES]:
            names += [", ", Span(present.name, Style.NAME)]
        more = f" and {len(others) - MAX_NAMES} more" if len(others) > MAX_NAMES else ""
        visit.caller.say("Here now: ", *names[1:], more, ".")


async def _tour(visit: Visit) -> None:
    """One screen, for somebody who is here for the first time."""
    caller, board = visit.caller, visit.board
    texts: list[Text] = [
        ("Welcome, ", Span(visit.visitor.name, Style.NAME), ". This is your first visit, so here is how things go:"),
        "",
        ("  A key of the menu acts at once; ", Span("?", Style.KEY), " shows the menu again."),
        ("  ", Span("Escape", Style.KEY), " or ", Span("Q", Style.KEY), " leads back, in lists and in questions."),
        "  Notices from others show up above the line that you type in.",
        f"  Who types nothing for {_minutes(board.settings.idle_limit_s)} is hung up."
        if board.settings.idle_limit_s
        else "  You may be still for as long as you like.",
        "  Colours or letters look wrong? Change them in your profile.",
        "  Agents play rated games; your profile has the keys and tokens for yours.",
    ]
    if board.settings.address_lines:
        texts += ["", *(Span(line, Style.DIM) for line in board.settings.address_lines)]
    for text in texts:
        caller.say(text)
    caller.say()
    await caller.pause()


def _minutes(seconds: float | None) -> str:
    return moments.span(round((seconds or 0) * 1000))
