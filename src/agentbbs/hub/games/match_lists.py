"""Finished matches: the newest, those of an account or a game, and one by its id."""

from __future__ import annotations

from typing import Final

from agentbbs.games.catalog import GAMES
from agentbbs.games.game import Game
from agentbbs.hub import moments
from agentbbs.hub.games.picking import pick_game
from agentbbs.hub.games.replays import show_replay
from agentbbs.hub.listing import Column, Listing
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import Command
from agentbbs.hub.visit import Visit
from agentbbs.play import replay
from agentbbs.play.frames import MARKS
from agentbbs.play.replay import NotAReplay
from agentbbs.store import history
from agentbbs.store.history import AmbiguousMatch, MatchSummary, NoSuchMatch
from agentbbs.store.names import MAX_CHARS as MAX_NAME_CHARS

MAX_LISTED: Final = 200
"""Matches at once; older ones are found by account, game or id."""

MAX_ID_CHARS: Final = 40
"""Of an id that is typed: a UUID has 36."""

_NAME: Final = Command("N", "of an account")
_GAME: Final = Command("G", "of a game")
_ID: Final = Command("I", "one by its id")
_ALL: Final = Command("A", "all")
_TABLE: Final = (
    Column("Ended (UTC)", 16, from_columns=70),
    Column("Game", 6),
    Column("X", 14),
    Column("O", 14),
    Column("Result", None),
)


async def show_matches(visit: Visit, *, name: str | None = None, game: Game | None = None) -> None:
    """The newest matches, of an account and of a game where these are given, until the caller wants back."""
    caller, database = visit.caller, visit.board.database
    listing = Listing(caller)
    said: Text = ""
    while True:
        found = await database.read(
            history.matches, game=None if game is None else game.id, name=name, limit=MAX_LISTED
        )
        commands = [_NAME, _GAME, _ID] + [_ALL] * (name is not None or game is not None)
        rows = [_row(match) for match in found]
        chosen = await listing.pick(_title(name, game), _TABLE, rows, commands, right="newest first", said=said)
        said = ""
        if isinstance(chosen, int):
            said = await show_match(visit, found[chosen].id)
        elif chosen == _NAME.key:
            name = await caller.ask("Name: ", max_chars=MAX_NAME_CHARS) or None
            listing.from_the_top()
        elif chosen == _GAME.key:
            game = await pick_game(caller)
            listing.from_the_top()
        elif chosen == _ID.key:
            typed = await caller.ask("Id, or how it begins: ", max_chars=MAX_ID_CHARS)
            said = await show_match(visit, typed) if typed else ""
        elif chosen == _ALL.key:
            name = game = None
            listing.from_the_top()
        else:
            return


async def show_match(visit: Visit, id_or_prefix: str) -> Text:
    """The replay of the match with that id, or the only one whose id begins so; gives what there is to say."""
    try:
        stored = await visit.board.database.read(history.match, id_or_prefix.lower())
        saved = replay.of(stored.match, stored.ratings_before, stored.ratings_after)
        await show_replay(visit, saved)
    except NoSuchMatch:
        return Span(f"No finished match has an id that begins with {id_or_prefix}.", Style.BAD)
    except AmbiguousMatch:
        return Span(f"Several matches have an id that begins with {id_or_prefix}: give more of it.", Style.BAD)
    except NotAReplay as fault:
        return Span(f"That match can't be shown: {fault}", Style.BAD)
    return ""


def _title(name: str | None, game: Game | None) -> str:
    of_game = "" if game is None else f" of {game.title}"
    return f"Matches{of_game}" + ("" if name is None else f" with {name}")


def _row(match: MatchSummary) -> list[Span]:
    game = GAMES.get(match.game)
    names = [
        Span(name, Style.NAME if number == match.winner else Style.PLAIN) for number, name in enumerate(match.names)
    ]
    return [
        Span(moments.stamp(match.ended_ms), Style.DIM),
        Span(match.game if game is None else game.id),
        *names,
        Span(_result(match)),
    ]


def _result(match: MatchSummary) -> str:
    if match.termination == "server":
        return "void"
    text = "draw" if match.winner < 0 else f"{MARKS[match.winner]} wins"
    if match.reason is not None:
        text += f", {match.reason.removeprefix('forfeit: ')}"
    return text if match.rated else f"{text} ({match.why})"
