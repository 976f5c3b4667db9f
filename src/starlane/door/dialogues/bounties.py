"""Bounties: credits on the heads of pilots."""

from __future__ import annotations

from typing import Final

from starlane.door.dialogues.cockpit import Cockpit
from starlane.door.dialogues.help import help_on
from starlane.door.dialogues.pilots import choose_pilot
from starlane.door.screens.alliances import bounty_list
from starlane.door.screens.wording import figure
from starlane.engine import looking
from starlane.engine.bounties import MIN_BOUNTY_CREDITS
from starlane.orders import PostBounty
from starlane.records import HAVEN

_PROMPT: Final = "Bounties: Post one, Quit (P/Q) [Q]? "


def bounties(cockpit: Cockpit) -> None:
    """B: whose head is worth how much; at Haven also posting. Costs no turn."""
    cockpit.console.show(*bounty_list(cockpit.look(lambda sky, _: looking.bounties(sky))))
    while True:
        chosen = cockpit.choose(_PROMPT, ["P", "Q", "?"], default="Q")
        if chosen == "Q":
            return
        if chosen == "?":
            help_on(cockpit, "alliances")
        else:
            _post(cockpit)


def _post(cockpit: Cockpit) -> None:
    pilot = cockpit.pilot()
    if pilot.sector != HAVEN:
        cockpit.console.show("Bounties are posted at Haven, sector 1. Type 1 to fly there.")
        return
    if pilot.credits < MIN_BOUNTY_CREDITS:
        cockpit.console.show(
            f"A bounty is {MIN_BOUNTY_CREDITS} credits at least; you have {figure(pilot.credits)} aboard."
        )
        return
    target = choose_pilot(cockpit, "On whose head")
    if target is None:
        return
    amount = cockpit.console.number(f"How many credits on {target.name}", 0, pilot.credits, 0)
    if amount:
        cockpit.done(PostBounty(target=target.pilot, credits=amount))
