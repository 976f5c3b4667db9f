"""Help, subject by subject."""

from __future__ import annotations

from starlane.door.dialogues.cockpit import Cockpit
from starlane.door.screens.help import SUBJECTS, subject_list, subject_screen


def help_menu(cockpit: Cockpit) -> None:
    """H: the subjects, once, and the page of each one that is chosen."""
    cockpit.console.show(*subject_list())
    while True:
        number = cockpit.console.number("Help on which subject, 0 for none", 0, len(SUBJECTS), 0)
        if not number:
            return
        help_on(cockpit, list(SUBJECTS)[number - 1])


def help_on(cockpit: Cockpit, subject: str) -> None:
    """The page of one subject, a key of SUBJECTS."""
    cockpit.console.show(*subject_screen(subject, cockpit.universe.settings))
