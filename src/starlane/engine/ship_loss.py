"""The loss of a ship: its pilot starts afresh at Haven, with a penalty."""

from __future__ import annotations

from typing import Final

import msgspec

from starlane.engine.mooring import in_space
from starlane.engine.ports import World
from starlane.engine.sightings import visit
from starlane.engine.turns import with_turns_of_today
from starlane.engine.words import news, tell
from starlane.flows import Flow
from starlane.goods import Good
from starlane.records import HAVEN, Pilot
from starlane.rules.fresh_start import TURNS_DIVISOR, fresh_start

DAYS_OF_GRACE: Final = 1
"""The ship can't be attacked for so many days, today included: nobody is killed twice in a row."""


def lose_ship(world: World, victim: Pilot, by: str, *, shot_down: int = 0) -> Pilot:
    """The pilot with its new ship, kept; what `victim` still had aboard is gone.

    Winners take their salvage before. `by` names who did it, as a sentence has it: `Ada`, `the thornship Grim Teasel`.
    `shot_down` fighters were lost in the fight that ended the ship; see `rules.fresh_start`.
    """
    change = fresh_start(world.settings, victim, shot_down)
    for good, amount in change.gone.items():
        world.flow(Flow.WRECK, good, -amount)
    world.flow(Flow.LOSS, Good.CREDITS, -change.fined)
    for good, amount in change.given.items():
        world.flow(Flow.GRANT, good, amount)
    afresh = _afresh(world, in_space(world, victim)).with_more(bank=-change.fined)
    afresh = msgspec.structs.replace(afresh, **{good.value: amount for good, amount in change.given.items()})
    world.put(afresh)
    afresh, _ = visit(world, afresh)
    fine = f" Your bank lost {change.fined:,} credits." if change.fined else ""
    tell(
        world, victim.id, f"Your ship was destroyed by {by} in sector {victim.sector}. You start afresh at Haven.{fine}"
    )
    news(world, f"{victim.name}'s ship was destroyed by {by} in sector {victim.sector}.")
    return afresh


def _afresh(world: World, victim: Pilot) -> Pilot:
    """`victim` at Haven with an empty hull and half of its turns; of the new day's, if it had none of them yet."""
    victim = with_turns_of_today(world, victim)
    return msgspec.structs.replace(
        victim,
        sector=HAVEN,
        scanner=False,
        credits=0,
        holds=0,
        ice=0,
        grain=0,
        tools=0,
        colonists=0,
        fighters=0,
        turns=victim.turns // TURNS_DIVISOR,
        protected_until=max(victim.protected_until, world.today + DAYS_OF_GRACE),
        deaths=victim.deaths + 1,
    )
