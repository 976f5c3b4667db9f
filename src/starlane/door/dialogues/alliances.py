"""Alliances: who flies with whom."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from starlane.door.dialogues.cockpit import Cockpit
from starlane.door.dialogues.help import help_on
from starlane.door.dialogues.pilots import choose_pilot
from starlane.door.screens.alliances import alliance_list
from starlane.engine import looking
from starlane.orders import Expel, Found, Invite, Join, Quit
from starlane.settings import MAX_NAME_CHARS
from starlane.views import AllianceView

_PROMPT: Final = "Team: Display, Found, Join, Invite, Expel, Leave, Quit (D/F/J/I/E/L/Q) [Q]? "


def alliances(cockpit: Cockpit) -> None:
    """T: the alliances, and one's own. Costs no turn."""
    _display(cockpit)
    while True:
        chosen = cockpit.choose(_PROMPT, [*_STEPS, "Q", "?"], default="Q")
        if chosen == "Q":
            return
        if chosen == "?":
            help_on(cockpit, "alliances")
        else:
            _STEPS[chosen](cockpit)


def _all(cockpit: Cockpit) -> tuple[AllianceView, ...]:
    return tuple(cockpit.look(looking.alliances))


def _own(cockpit: Cockpit) -> AllianceView | None:
    """The alliance that the pilot belongs to; if it belongs to none that has been said."""
    for alliance in _all(cockpit):
        if any(member.pilot == cockpit.actor.pilot for member in alliance.members):
            return alliance
    cockpit.console.show("You belong to no alliance. F founds one; J joins one that has invited you.")
    return None


def _display(cockpit: Cockpit) -> None:
    cockpit.console.show(*alliance_list(_all(cockpit), cockpit.pilot().alliance))


def _found(cockpit: Cockpit) -> None:
    name = cockpit.console.text("Name of the new alliance", MAX_NAME_CHARS)
    if name:
        cockpit.done(Found(name=name))


def _join(cockpit: Cockpit) -> None:
    inviting = [alliance for alliance in _all(cockpit) if alliance.invited]
    if not inviting:
        cockpit.console.show("No alliance has invited you. Write to the leader of one (R at the command prompt).")
        return
    cockpit.console.show(*(f"{number:>3}. {alliance.name}" for number, alliance in enumerate(inviting, 1)))
    number = cockpit.console.number("Join which, 0 for none", 0, len(inviting), 1 if len(inviting) == 1 else 0)
    if number:
        cockpit.done(Join(alliance=inviting[number - 1].alliance))


def _invite(cockpit: Cockpit) -> None:
    own = _own(cockpit)
    if own is None:
        return
    members = {member.pilot for member in own.members}
    others = [pilot for pilot in cockpit.others() if pilot.pilot not in members]
    pilot = choose_pilot(cockpit, "Invite whom", others)
    if pilot is not None:
        cockpit.done(Invite(pilot=pilot.pilot))


def _expel(cockpit: Cockpit) -> None:
    own = _own(cockpit)
    if own is None:
        return
    members = {member.pilot for member in own.members}
    pilot = choose_pilot(cockpit, "Put out whom", [pilot for pilot in cockpit.others() if pilot.pilot in members])
    if pilot is not None and cockpit.console.confirm(f"Put {pilot.name} out of {own.name}"):
        cockpit.done(Expel(pilot=pilot.pilot))


def _leave(cockpit: Cockpit) -> None:
    own = _own(cockpit)
    if own is not None and cockpit.console.confirm(f"Leave {own.name}"):
        cockpit.done(Quit())


_STEPS: Final[Mapping[str, Callable[[Cockpit], None]]] = {
    "D": _display,
    "F": _found,
    "J": _join,
    "I": _invite,
    "E": _expel,
    "L": _leave,
}
