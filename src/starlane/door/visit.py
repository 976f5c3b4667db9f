"""One visit of a caller, from coming aboard to leaving."""

from __future__ import annotations

from typing import Final

from starlane.door.console import Console
from starlane.door.dialogues.bridge import bridge
from starlane.door.dialogues.cockpit import Cockpit
from starlane.door.dialogues.help import help_on
from starlane.door.dialogues.radio import NEWS_DAYS, show_news, unread
from starlane.door.identity import Identity
from starlane.door.screens.entry import farewell, title_screen, welcome, welcome_back
from starlane.door.screens.wording import counted, danger
from starlane.door.styles import Line
from starlane.engine.refusal import Refused, Superseded
from starlane.orders import OPERATOR, Actor, Enter, Leave
from starlane.records import Pilot
from starlane.reports import Entered
from starlane.universe.universe import Universe

_FIRST_SUBJECT: Final = "start"
_NEWS_LINES: Final = 4
"""Of the Gazette at the entry: with a few notices and the sector screen they fit 24 rows. N shows the rest."""


def visit(console: Console, universe: Universe, identity: Identity) -> None:
    """Let the caller play until it leaves, or has come aboard from elsewhere, which it is told.

    Whatever ends the visit, HungUp and TimeUp among it, the pilot has left when this returns or raises.
    """
    last_day = _last_day(universe, identity.key)
    try:
        entered = universe.perform(OPERATOR, Enter(key=identity.key, name=identity.name))
    except Refused as refused:
        console.show(danger(str(refused)))
        return
    if not isinstance(entered, Entered):
        raise TypeError(f"Enter was answered by {type(entered).__name__}")
    cockpit = Cockpit(console, universe, Actor(entered.pilot, entered.session))
    try:
        console.idle = cockpit.overheard
        _arrive(cockpit, entered, last_day)
        bridge(cockpit)
        console.show(*farewell(cockpit.pilot(), cockpit.ranking()))
    except Superseded as elsewhere:
        console.idle = _nothing
        console.show(danger(str(elsewhere)))
    finally:
        console.idle = _nothing
        _leave(cockpit)


def _arrive(cockpit: Cockpit, entered: Entered, last_day: int) -> None:
    """All that is shown before the first command. Nothing hangs on its being seen: the pilot is aboard already."""
    settings = cockpit.universe.settings
    console = cockpit.console
    console.show(*title_screen(settings))
    if entered.new:
        console.show(*welcome(entered, settings))
        if console.confirm("Do you want instructions"):
            help_on(cockpit, _FIRST_SUBJECT)
            console.pause()
    else:
        console.show(*welcome_back(entered))
        show_news(cockpit, min(entered.day - last_day + 1, NEWS_DAYS), _NEWS_LINES)
    console.show(*cockpit.overheard())
    letters = unread(cockpit)
    if letters:
        console.show(f"You have {counted(letters, 'unread letters')}. Keys R, R: read mail.")
    cockpit.show_sector()


def _last_day(universe: Universe, key: str) -> int:
    """The day on which the pilot gave an order last; 0 for a newcomer."""
    with universe.look() as sky:
        known = sky.find(Pilot, key=key)
    return known[0].turns_day if known else 0


def _leave(cockpit: Cockpit) -> None:
    try:
        cockpit.universe.perform(cockpit.actor, Leave())
    except Superseded:
        return  # the pilot is aboard elsewhere, and leaves there


def _nothing() -> tuple[Line, ...]:
    return ()
