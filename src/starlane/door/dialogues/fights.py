"""Attacks, and fighters that stand guard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from starlane.door.dialogues.cockpit import Cockpit
from starlane.door.screens.fight import fight_lines
from starlane.door.screens.wording import counted, figure
from starlane.orders import AttackPlanet, AttackShip, AttackThorn, Deploy, Force, Order, Waive
from starlane.records import NOBODY, Stance
from starlane.reports import Fought
from starlane.settings import MAX_FIGHTERS
from starlane.views import SectorView


class _Target(msgspec.Struct, frozen=True):
    """Something to attack, and how it is shown."""

    text: str
    attack: Callable[[int], Order]
    """The order to attack it with so many fighters."""


def attack(cockpit: Cockpit) -> None:
    """A: choose a target and how many fighters go."""
    view, pilot = cockpit.sector(), cockpit.pilot()
    targets = _thorns(view) if pilot.protected_days else [*_thorns(view), *_strangers(view)]
    if view.safe:
        cockpit.console.show("This sector is safe: the Haven Watch lets nobody fight here.")
    elif not targets and pilot.protected_days and _strangers(view):
        cockpit.console.show("Under protection you can attack thornships only. W gives the protection up.")
    elif not targets:
        cockpit.console.show(
            "There is nobody here to attack. A picket that bars the way into a sector is fought by flying there."
        )
    elif not pilot.fighters:
        cockpit.console.show("You have no fighters aboard. The yard at Haven, sector 1, sells them.")
    else:
        target = _choose(cockpit, targets)
        if target is not None:
            _strike(cockpit, target, pilot.fighters)


def _thorns(view: SectorView) -> list[_Target]:
    return [
        _Target(
            f"the thornship {thorn.name}, {counted(thorn.fighters, 'fighters')}",
            partial(_attack_thorn, thorn.thornship),
        )
        for thorn in view.thorns
    ]


def _strangers(view: SectorView) -> list[_Target]:
    """Ships, planets and the picket of those who are neither allies nor protected."""
    targets = [
        _Target(f"the ship of {ship.name}, {counted(ship.fighters, 'fighters')}", partial(_attack_ship, ship.pilot))
        for ship in view.ships
        if not ship.ally and not ship.protected
    ]
    targets += [
        _Target(
            f"the planet {planet.name}, {counted(planet.fighters, 'fighters')}",
            partial(_attack_planet, planet.planet),
        )
        for planet in view.planets
        if (planet.owner != NOBODY and not planet.friendly) or (planet.owner == NOBODY and planet.fighters)
    ]
    if view.picket and not view.picket.friendly:
        picket = f"the picket of {view.picket.owner_name}, {counted(view.picket.fighters, 'fighters')}"
        targets.append(_Target(picket, partial(_attack_picket, view.number)))
    return targets


def _attack_ship(pilot: int, fighters: int) -> Order:
    return AttackShip(pilot=pilot, fighters=fighters)


def _attack_thorn(thornship: int, fighters: int) -> Order:
    return AttackThorn(thornship=thornship, fighters=fighters)


def _attack_planet(planet: int, fighters: int) -> Order:
    return AttackPlanet(planet=planet, fighters=fighters)


def _attack_picket(sector: int, fighters: int) -> Order:
    return Force(to=sector, fighters=fighters)


def _choose(cockpit: Cockpit, targets: Sequence[_Target]) -> _Target | None:
    cockpit.console.show(*(f"{number:>3}. {target.text}" for number, target in enumerate(targets, 1)))
    only = 1 if len(targets) == 1 else 0
    number = cockpit.console.number("Attack which, 0 for none", 0, len(targets), only)
    return targets[number - 1] if number else None


def _strike(cockpit: Cockpit, target: _Target, aboard: int) -> None:
    fighters = cockpit.console.number("Fighters to send, 0 for none", 0, aboard, aboard)
    if not fighters:
        return
    fought = cockpit.order(target.attack(fighters), Fought)
    if fought is not None:
        cockpit.console.show(*fight_lines(fought))
        if fought.won or fought.destroyed:
            cockpit.show_sector()


def deploy(cockpit: Cockpit) -> None:
    """F: how many fighters stand in this sector, and what they do."""
    view, pilot = cockpit.sector(), cockpit.pilot()
    if view.safe:
        cockpit.console.show("This sector is safe: nobody deploys fighters here.")
        return
    if view.picket and view.picket.owner != pilot.pilot:
        cockpit.console.show(f"Fighters of {view.picket.owner_name} stand here; one pilot's a sector.")
        return
    here = view.picket.fighters if view.picket else 0
    if not here and not pilot.fighters:
        cockpit.console.show("You have no fighters aboard. The yard at Haven, sector 1, sells them.")
        return
    if not here and pilot.protected_days:
        cockpit.console.show("Under protection you can't deploy fighters. W gives the protection up.")
        return
    cockpit.console.show(f"Your fighters: {figure(here)} deployed here, {figure(pilot.fighters)} aboard.")
    total = here + pilot.fighters
    amount = cockpit.console.number("How many shall stand here", max(0, total - MAX_FIGHTERS), total, here)
    if amount is None or (amount == 0 and not here):
        return
    stance = view.picket.stance if view.picket else Stance.GUARD
    if amount:
        stance = _stance(cockpit, stance)
    cockpit.done(Deploy(fighters=amount, stance=stance))


def _stance(cockpit: Cockpit, default: Stance) -> Stance:
    cockpit.console.show("T toll: let in whoever pays. G guard: let nobody in. H hunt: shoot at strangers, too.")
    keys = {stance[0].upper(): stance for stance in Stance}
    preset = default[0].upper()
    return keys[cockpit.choose(f"What do they do (T/G/H) [{preset}]? ", list(keys), default=preset)]


def waive(cockpit: Cockpit) -> None:
    """W: give up the newcomer's protection."""
    if not cockpit.pilot().protected_days:
        cockpit.console.show("You are not under protection.")
    elif cockpit.console.confirm("Then others can attack you, too. Give the protection up for good"):
        cockpit.done(Waive())
