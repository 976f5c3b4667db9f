"""Before a fight and in it: who may fight whom and where, and what every fight costs."""

from __future__ import annotations

from starlane.engine.allies import allied
from starlane.engine.mooring import in_space
from starlane.engine.ports import World
from starlane.engine.protection import require_unprotected
from starlane.engine.refusal import Refused
from starlane.engine.turns import spend_turn
from starlane.flows import Flow
from starlane.goods import Good
from starlane.records import Pilot, Sector
from starlane.rules.combat import OPEN_SPACE, fight


def require_open_space(world: World, number: int) -> None:
    """Raises Refused if the Watch patrols the sector."""
    sector = world.get(Sector, number)
    if sector is None or sector.safe:
        raise Refused("The Haven Watch allows no fighting here; fly farther out.")


def require_foe(world: World, pilot: Pilot, other: Pilot) -> None:
    """Raises Refused unless `pilot` may fight `other` and what belongs to it, `other`'s own protection aside."""
    if other.id == pilot.id:
        raise Refused("That is your own.")
    if allied(world, pilot.id, other.id):
        raise Refused(f"{other.name} is of your alliance; allies do not fight.")
    require_unprotected(pilot, world.today)


def open_fire(world: World, pilot: Pilot, fighters: int) -> Pilot:
    """The pilot ready to send so many `fighters`: off its planet, out of port, a turn spent; kept.

    Raises Refused if it has no turn or does not have the fighters aboard.
    """
    if not 1 <= fighters <= pilot.fighters:
        raise Refused(
            f"Send 1 to {pilot.fighters:,} fighters." if pilot.fighters else "You have no fighters aboard to send."
        )
    return spend_turn(world, in_space(world, pilot))


def battle(world: World, attackers: int, defenders: int, defence_permille: int = OPEN_SPACE) -> tuple[int, int]:
    """Fight it out and enter it into the books: what either side loses, attackers first."""
    lost, foe_lost = fight(world.dice, attackers, defenders, defence_permille)
    world.flow(Flow.BATTLE, Good.FIGHTERS, -lost - foe_lost)
    return lost, foe_lost
