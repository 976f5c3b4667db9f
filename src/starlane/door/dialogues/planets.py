"""Planets: landing, claiming, loading, working."""

from __future__ import annotations

from typing import Final

from starlane.door.dialogues.cockpit import Cockpit
from starlane.door.dialogues.help import help_on
from starlane.door.screens.planet import planet_screen
from starlane.door.screens.wording import counted, figure
from starlane.engine import looking
from starlane.goods import CARGO, TRADE_GOODS, Good
from starlane.orders import Build, Claim, Employ, Land, LiftOff, Load
from starlane.records import NOBODY, Job
from starlane.rules.planets import MIN_SETTLERS, NATURES
from starlane.settings import MAX_FIGHTERS, MAX_NAME_CHARS
from starlane.views import PilotView, PlanetLine, PlanetView

_GOODS: Final = {
    "I": Good.ICE,
    "G": Good.GRAIN,
    "T": Good.TOOLS,
    "C": Good.COLONISTS,
    "F": Good.FIGHTERS,
    "M": Good.CREDITS,
}


def land(cockpit: Cockpit) -> None:
    """L: land on a planet of the sector, and stay until the pilot lifts off or has enough."""
    if not cockpit.pilot().planet:
        planet = _choose(cockpit, cockpit.sector().planets)
        if planet is None or not cockpit.done(Land(planet=planet.planet)):
            return
    _display(cockpit)
    while _surface(cockpit):
        pass


def _choose(cockpit: Cockpit, planets: tuple[PlanetLine, ...]) -> PlanetLine | None:
    if not planets:
        cockpit.console.show("There is no planet in this sector.")
        return None
    if len(planets) == 1:
        return planets[0]
    cockpit.console.show(
        *(
            f"{number:>3}. {planet.name}, {planet.kind}, {f'of {planet.owner_name}' if planet.owner_name else 'nobody'}"
            for number, planet in enumerate(planets, 1)
        )
    )
    number = cockpit.console.number("Land on which, 0 for none", 0, len(planets), 0)
    return planets[number - 1] if number else None


def _view(cockpit: Cockpit) -> PlanetView | None:
    """The planet below, or None if the ship is in orbit: its owner may have turned it away meanwhile."""
    return cockpit.look(lambda sky, pilot: looking.planet_view(sky, pilot.planet) if pilot.planet else None)


def _display(cockpit: Cockpit) -> None:
    view = _view(cockpit)
    if view is not None:
        cockpit.console.show(*planet_screen(view, cockpit.pilot()))


def _surface(cockpit: Cockpit) -> bool:
    """One command on the ground; False when the pilot is done there."""
    view = _view(cockpit)
    if view is None:
        return False
    own = view.owner == cockpit.actor.pilot
    commands = _OWN if own else _UNCLAIMED if view.owner == NOBODY else _ALLIED
    asked = f"Planet: {', '.join(commands.values())} ({'/'.join(commands)}) [Q]? "
    chosen = cockpit.choose(asked, [*commands, "?"], default="Q")
    pilot = cockpit.pilot()
    match chosen:
        case "L":
            return not cockpit.done(LiftOff())
        case "Q":
            cockpit.console.show(f"Your ship stays on {view.name} until you lift off or fly away.")
            return False
        case "S":
            _display(cockpit)
        case "B":
            _bring(cockpit, pilot)
        case "T":
            _take(cockpit, view, pilot, own=own)
        case "C":
            _claim(cockpit, view, pilot)
        case "J":
            _employ(cockpit, view)
        case "W":
            _build(cockpit, view)
        case _:
            help_on(cockpit, "planets")
    return True


_UNCLAIMED: Final = {"C": "Claim", "S": "Show", "L": "Lift off", "Q": "Quit"}
_ALLIED: Final = {"B": "Bring", "T": "Take", "S": "Show", "L": "Lift off", "Q": "Quit"}
_OWN: Final = {
    "B": "Bring",
    "T": "Take",
    "J": "Job",
    "W": "Works",
    "S": "Show",
    "L": "Lift off",
    "Q": "Quit",
}


def _good(cockpit: Cockpit, verb: str, there: dict[Good, int]) -> Good | None:
    choices = {pressed: good for pressed, good in _GOODS.items() if there.get(good)}
    if not choices:
        cockpit.console.show(f"There is nothing to {verb}.")
        return None
    named = ", ".join(f"{pressed}={'money' if good is Good.CREDITS else good}" for pressed, good in choices.items())
    cockpit.console.show(f"{named}.")
    return choices.get(cockpit.choose(f"What to {verb} ({'/'.join(choices)}, Enter=nothing)? ", list(choices)))


def _bring(cockpit: Cockpit, pilot: PilotView) -> None:
    aboard = {good: getattr(pilot, good) for good in _GOODS.values()}
    good = _good(cockpit, "bring down", aboard)
    if good is not None:
        amount = cockpit.console.number(f"How many {good} to bring down", 0, aboard[good], aboard[good])
        if amount:
            cockpit.done(Load(good=good, amount=amount))


def _take(cockpit: Cockpit, planet: PlanetView, pilot: PilotView, *, own: bool) -> None:
    goods = tuple(_GOODS.values()) if own else TRADE_GOODS
    good = _good(cockpit, "take aboard", {good: getattr(planet, good) for good in goods})
    if good is None:
        return
    most = getattr(planet, good)
    if good in CARGO:
        most = min(most, pilot.free_holds)
    elif good is Good.FIGHTERS:
        most = min(most, MAX_FIGHTERS - pilot.fighters)
    if most < 1:
        cockpit.console.show(f"Your ship has no room for {good}.")
        return
    amount = cockpit.console.number(f"How many {good} to take aboard", 0, most, most)
    if amount:
        cockpit.done(Load(good=good, amount=-amount))


def _claim(cockpit: Cockpit, planet: PlanetView, pilot: PilotView) -> None:
    if pilot.colonists < MIN_SETTLERS:
        have = figure(pilot.colonists)
        cockpit.console.show(f"A claim takes {MIN_SETTLERS} colonists; you have {have}. The yard at Haven has them.")
        return
    settlers = counted(pilot.colonists, "colonists")
    if cockpit.console.confirm(f"Settle all your {settlers} here", default=True):
        name = cockpit.console.text("Name of the planet", MAX_NAME_CHARS, default=planet.name)
        cockpit.done(Claim(name=name))


def _employ(cockpit: Cockpit, planet: PlanetView) -> None:
    makes = NATURES[planet.kind].makes
    rates = ", ".join(f"{job[0].upper()}={job} {figure(makes[job])}" for job in Job)
    cockpit.console.show(f"What 1,000 colonists make a day here without works: {rates}.")
    jobs = {job[0].upper(): job for job in Job}
    preset = planet.job[0].upper()
    chosen = cockpit.choose(f"What shall they make ({'/'.join(jobs)}) [{preset}]? ", list(jobs), default=preset)
    if chosen != preset:
        cockpit.done(Employ(job=jobs[chosen]))


def _build(cockpit: Cockpit, planet: PlanetView) -> None:
    if not planet.build_credits:
        cockpit.console.show("The works are at their highest level.")
        return
    cost = f"{counted(planet.build_credits, 'credits')} and {figure(planet.build_tools)} tools here"
    if cockpit.console.confirm(f"Raise the works to level {planet.works + 1} for {cost}"):
        cockpit.done(Build())
