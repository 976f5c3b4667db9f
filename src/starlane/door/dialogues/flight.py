"""Flying: one lane, a path of lanes, pickets in the way, the scanner, and the airlock."""

from __future__ import annotations

from starlane.door.dialogues.cockpit import Cockpit
from starlane.door.screens.fight import fight_lines
from starlane.door.screens.flight import path_line, scan_screen, stopped_lines
from starlane.door.screens.sector import passing_line
from starlane.door.screens.wording import counted, figure
from starlane.engine import looking
from starlane.goods import CARGO
from starlane.orders import Force, Jettison, Move, Scan
from starlane.records import Stance
from starlane.reports import Fought, Moved, Scanned, Stopped
from starlane.views import SectorView


def ask_move(cockpit: Cockpit) -> None:
    """M: where to?"""
    lanes = ", ".join(str(lane.to) for lane in cockpit.sector().lanes)
    last = cockpit.universe.settings.sectors
    cockpit.console.show(f"Lanes lead to {lanes}. Any other sector takes several turns.")
    to = cockpit.console.number("Fly to sector", 1, last)
    if to is not None:
        fly(cockpit, to)


def fly(cockpit: Cockpit, to: int) -> None:
    """Fly to a sector, next door or not. Ends with the sector screen if the ship has moved."""
    last = cockpit.universe.settings.sectors
    here = cockpit.sector()
    if not 1 <= to <= last:
        cockpit.console.show(f"There is no sector {figure(to)}; they are numbered from 1 to {last}.")
        return
    if to == here.number:
        cockpit.console.show(f"You are in sector {to} already.")
        return
    way = cockpit.look(lambda sky, pilot: looking.path(sky, pilot, to))
    if len(way) > 1:
        cockpit.console.show(path_line(here.number, way))
        turns = cockpit.pilot().turns
        if turns < len(way):
            cockpit.console.show(f"You have {counted(turns, 'turns')} left today; that does not get you there.")
        if not cockpit.console.confirm("Fly there", default=True):
            return
    _autopilot(cockpit, way)


def _autopilot(cockpit: Cockpit, way: tuple[int, ...]) -> None:
    moved = False
    for left, sector in enumerate(way, 1 - len(way)):
        if not _hop(cockpit, sector):
            break
        moved = True
        if not left:
            break
        view = cockpit.sector()
        overheard = cockpit.overheard()
        reason = "a message" if overheard else _alarm(view)
        cockpit.console.show(*overheard)
        if reason:
            cockpit.console.show(f"The autopilot stops in sector {view.number}: {reason}. Type {way[-1]} to fly on.")
            break
        cockpit.console.show(passing_line(view))
    if moved:
        cockpit.show_sector()


def _alarm(view: SectorView) -> str:
    """What makes the autopilot stop, or nothing. In safe sectors nobody can be harmed, so ships there don't count; nor
    do pickets, which stop strangers on their way in."""
    if view.thorns:
        return "a thornship"
    if not view.safe and any(not ship.ally for ship in view.ships):
        return "another ship"
    return ""


def _hop(cockpit: Cockpit, to: int) -> bool:
    """Fly along one lane; whether the ship is there then."""
    report = cockpit.attempt(Move(to=to))
    if isinstance(report, Stopped):
        cockpit.console.show(*stopped_lines(report))
        if report.destroyed:
            cockpit.show_sector()
            return False
        return _face(cockpit, report)
    return isinstance(report, Moved)


def _face(cockpit: Cockpit, stopped: Stopped) -> bool:
    """Pay, fight, or stay: whether the ship is in then."""
    fighters = cockpit.pilot().fighters
    toll = stopped.stance is Stance.TOLL
    choices = [*(["Pay"] if toll else []), *(["Force your way"] if fighters else []), "Stay here"]
    keys = [choice[0] for choice in choices]
    asked = f"{', '.join(f'{choice[0]}={choice}' for choice in choices)} ({'/'.join(keys)}) [S]? "
    chosen = cockpit.choose(asked, keys, default="S")
    if chosen == "P":
        report = cockpit.attempt(Move(to=stopped.to, pay=stopped.toll))
        if isinstance(report, Moved):
            cockpit.console.show(f"You pay {counted(report.toll, 'credits')} of toll.")
            return True
        if isinstance(report, Stopped):
            cockpit.console.show(*stopped_lines(report))
        return False
    return chosen == "F" and _force(cockpit, stopped.to, fighters)


def _force(cockpit: Cockpit, to: int, fighters: int) -> bool:
    sent = cockpit.console.number("Fighters to send, 0 for none", 0, fighters, fighters)
    if not sent:
        return False
    fought = cockpit.order(Force(to=to, fighters=sent), Fought)
    if fought is None:
        return False
    cockpit.console.show(*fight_lines(fought))
    if fought.destroyed:
        cockpit.show_sector()
    return fought.moved


def scan(cockpit: Cockpit) -> None:
    """S: the neighbour sectors, if there is a scanner."""
    if not cockpit.pilot().scanner:
        cockpit.console.show("You have no scanner. The yard at Haven, sector 1, sells one (keys Y, N).")
        return
    scanned = cockpit.order(Scan(), Scanned)
    if scanned is not None:
        cockpit.console.show(*scan_screen(scanned.sights))


def jettison(cockpit: Cockpit) -> None:
    """J: cargo out of the airlock."""
    pilot = cockpit.pilot()
    carried = [good for good in CARGO if getattr(pilot, good)]
    if not carried:
        cockpit.console.show("Your holds are empty; there is nothing to jettison.")
        return
    keys = [good[0].upper() for good in carried]
    choices = ", ".join(f"{good[0].upper()}={good}" for good in carried)
    chosen = cockpit.choose(f"Jettison what, {choices} (Enter=nothing)? ", keys)
    for good in carried:
        if chosen == good[0].upper():
            have = getattr(pilot, good)
            amount = cockpit.console.number(f"Units of {good} to throw away, 0 for none", 0, have, 0)
            if amount:
                cockpit.done(Jettison(good=good, amount=amount))
