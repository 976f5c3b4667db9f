"""The radio: letters, broadcasts, and the Gazette."""

from __future__ import annotations

from typing import Final

from starlane.door.dialogues.cockpit import Cockpit
from starlane.door.dialogues.help import help_on
from starlane.door.dialogues.pilots import choose_pilot
from starlane.door.screens.post import gazette, letter_list, letter_screen
from starlane.engine import looking
from starlane.orders import Broadcast, Burn, MarkRead, Write
from starlane.settings import MAX_TEXT_CHARS
from starlane.views import LetterView

_PROMPT: Final = "Radio: Read mail, List, Write a letter, Broadcast, Quit (R/L/W/B/Q) [Q]? "
NEWS_DAYS: Final = 7
"""Of the Gazette: what is older is no news."""
_MAX_NEWS_LINES: Final = 100
"""Some screens, the newest at the end: nobody reads more."""


def radio(cockpit: Cockpit) -> None:
    """R: mail and broadcasts. Costs no turn."""
    cockpit.console.show(*letter_list(_letters(cockpit)))
    while True:
        chosen = cockpit.choose(_PROMPT, ["R", "L", "W", "B", "Q", "?"], default="Q")
        match chosen:
            case "Q":
                return
            case "R":
                _read(cockpit)
            case "L":
                cockpit.console.show(*letter_list(_letters(cockpit)))
            case "W":
                reader = choose_pilot(cockpit, "A letter to whom")
                if reader is not None:
                    _write(cockpit, reader.pilot, reader.name)
            case "B":
                _broadcast(cockpit)
            case _:
                help_on(cockpit, "words")


def show_news(cockpit: Cockpit, days: int = NEWS_DAYS, most: int = _MAX_NEWS_LINES) -> None:
    """N: what the Gazette says of so many days, today included, `most` lines of it."""
    cockpit.console.show(*gazette(cockpit.look(lambda sky, _: looking.gazette(sky, days)), most))


def unread(cockpit: Cockpit) -> int:
    """How many letters wait."""
    return sum(not letter.read for letter in _letters(cockpit))


def _letters(cockpit: Cockpit) -> tuple[LetterView, ...]:
    return tuple(cockpit.look(looking.letters))


def _read(cockpit: Cockpit) -> None:
    """Through the unread letters, or all of them where none is unread."""
    letters = _letters(cockpit)
    if not letters:
        cockpit.console.show("There is no mail for you.")
        return
    waiting = [letter for letter in letters if not letter.read] or list(letters)
    for number, letter in enumerate(waiting, 1):
        cockpit.console.show(*letter_screen(letter, number, len(waiting)))
        if not letter.read:
            cockpit.silently(MarkRead(letter=letter.letter))
        asked = "Next, Answer, Burn, Quit (N/A/B/Q) [N]? "
        chosen = cockpit.choose(asked, ["N", "A", "B", "Q"], default="N")
        if chosen == "Q":
            return
        if chosen == "A":
            _write(cockpit, letter.sender, letter.sender_name)
        elif chosen == "B":
            cockpit.done(Burn(letter=letter.letter))


def _write(cockpit: Cockpit, to: int, name: str) -> None:
    body = cockpit.console.text(f"Letter to {name}", MAX_TEXT_CHARS)
    if body:
        cockpit.done(Write(to=to, body=body))


def _broadcast(cockpit: Cockpit) -> None:
    body = cockpit.console.text("Words for every pilot", MAX_TEXT_CHARS)
    if body:
        cockpit.done(Broadcast(body=body))
