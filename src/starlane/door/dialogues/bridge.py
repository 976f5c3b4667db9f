"""The command prompt: every key of it, and what it leads to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from starlane.door.dialogues.alliances import alliances
from starlane.door.dialogues.bounties import bounties
from starlane.door.dialogues.cockpit import Cockpit
from starlane.door.dialogues.computer import computer
from starlane.door.dialogues.fights import attack, deploy, waive
from starlane.door.dialogues.flight import ask_move, fly, jettison, scan
from starlane.door.dialogues.help import help_menu
from starlane.door.dialogues.planets import land
from starlane.door.dialogues.radio import radio, show_news
from starlane.door.dialogues.trade import port
from starlane.door.dialogues.yard import yard
from starlane.door.screens.help import command_keys
from starlane.door.screens.ship import ship_screen
from starlane.door.screens.wording import prompt

PROMPT: Final = prompt("Command (?=Help)? ")


def bridge(cockpit: Cockpit) -> None:
    """Take commands until the pilot leaves the game."""
    keys = [*COMMANDS, "Q"]
    while True:
        chosen = cockpit.console.command(PROMPT, keys)
        if isinstance(chosen, int):
            fly(cockpit, chosen)
        elif chosen == "Q":
            if cockpit.console.confirm("Leave the game"):
                return
        else:
            COMMANDS.get(chosen, Cockpit.show_sector)(cockpit)


def _ship(cockpit: Cockpit) -> None:
    cockpit.console.show(*ship_screen(cockpit.pilot()))


def _keys(cockpit: Cockpit) -> None:
    cockpit.console.show(*command_keys())


COMMANDS: Final[Mapping[str, Callable[[Cockpit], None]]] = {
    "D": Cockpit.show_sector,
    "M": ask_move,
    "P": port,
    "L": land,
    "A": attack,
    "F": deploy,
    "S": scan,
    "J": jettison,
    "Y": yard,
    "C": computer,
    "R": radio,
    "T": alliances,
    "B": bounties,
    "I": _ship,
    "N": show_news,
    "W": waive,
    "H": help_menu,
    "?": _keys,
}
"""All but Q, which leaves, numbers, which fly there, and Enter, which shows the sector."""
