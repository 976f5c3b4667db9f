"""The price list of the yard, and the bank."""

from __future__ import annotations

from starlane.door.screens.wording import counted, figure, key, label, labelled, title
from starlane.door.styles import Line
from starlane.rules.yard import FIGHTER_RESALE, WAGE
from starlane.views import PilotView, YardView


def yard_screen(yard: YardView, pilot: PilotView) -> list[Line]:
    """What can be bought, with the key for it, and the pilot's money."""
    if yard.holds_for_sale:
        holds = f"the next {figure(yard.hold_price)}, dearer each; the ship takes {figure(yard.holds_for_sale)} more"
    else:
        holds = "the ship has as many as it can take"
    scanner = "fitted" if pilot.scanner else f"{figure(yard.scanner_price)}; it shows what is in the next sectors"
    fitted = (f"holds {figure(pilot.holds)}", f"{figure(pilot.free_holds)} free")
    return [
        title("The yard and the bank at Haven, prices in credits"),
        _item("H", "Holds", holds),
        _item("F", "Fighters", f"{figure(yard.fighter_price)} each"),
        _item("S", "Sell", f"fighters, at {FIGHTER_RESALE} each"),
        _item("C", "Settlers", f"{figure(yard.colonist_price)} a colonist, one hold each"),
        _item("N", "Scanner", scanner),
        _item("D", "Deposit", "credits in the bank, where no attacker gets them"),
        _item("W", "Withdraw", "credits from the bank"),
        _item("E", "Earn", f"{WAGE} credits for each turn that you work in the yard"),
        labelled("Money", f"{counted(pilot.credits, 'credits')} aboard", f"{figure(pilot.bank)} in the bank"),
        labelled("Ship", counted(pilot.fighters, "fighters"), *fitted),
    ]


def _item(pressed: str, word: str, text: str) -> Line:
    return (key(pressed), "  ", label(word), text)
