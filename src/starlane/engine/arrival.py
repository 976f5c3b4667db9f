"""Coming aboard and going ashore."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Final

import msgspec

from starlane.engine.mooring import out_of_port
from starlane.engine.ports import World
from starlane.engine.refusal import Refused
from starlane.engine.sightings import visit
from starlane.engine.texts import spoken_for, without_marks
from starlane.engine.turns import with_turns_of_today
from starlane.engine.words import news
from starlane.flows import Flow
from starlane.goods import Good
from starlane.inert import inert_name
from starlane.orders import Enter, Leave, Waive
from starlane.records import HAVEN, NOBODY, Pilot
from starlane.reports import Done, Entered
from starlane.settings import MAX_NAME_CHARS

_NAMELESS: Final = "Pilot"
"""Who has no name that can be shown."""


def enter(world: World, order: Enter) -> Entered:
    """See `orders.Enter`. Who has another name on the board than before has it here too."""
    if not order.key:
        raise Refused("The board has not said who you are; tell its operator.")
    known = world.find(Pilot, key=order.key)
    pilot = _renamed(world, known[0], order.name) if known else _newcomer(world, order)
    pilot = with_turns_of_today(world, out_of_port(world, pilot))
    pilot = msgspec.structs.replace(pilot, session=pilot.session + 1, aboard=True)
    world.put(pilot)
    return Entered(
        pilot=pilot.id, session=pilot.session, name=pilot.name, new=not known, day=world.today, turns=pilot.turns
    )


def leave(world: World, pilot: Pilot, _order: Leave) -> Done:
    """See `orders.Leave`. The ship stays where it is, on the ground too, but not in port."""
    world.put(msgspec.structs.replace(out_of_port(world, pilot), aboard=False))
    return Done(text="You go ashore.")


def waive(world: World, pilot: Pilot, _order: Waive) -> Done:
    """See `orders.Waive`."""
    if not pilot.protected(world.today):
        raise Refused("You are under no protection.")
    world.put(msgspec.structs.replace(pilot, protected_until=world.today))
    return Done(text="Your protection is over: you may attack, and be attacked.")


def _newcomer(world: World, order: Enter) -> Pilot:
    """A new pilot at Haven, kept, with the starter kit."""
    settings = world.settings
    pilot = world.add(
        Pilot(
            id=0,
            key=order.key,
            name=next(_free_names(world, _shown(order.name), NOBODY)),
            sector=HAVEN,
            credits=settings.start_credits,
            holds=settings.start_holds,
            fighters=settings.start_fighters,
            turns=settings.turns_per_day,
            turns_day=world.today,
            arrived_day=world.today,
            protected_until=world.today + settings.protected_days,
        )
    )
    for good in (Good.CREDITS, Good.HOLDS, Good.FIGHTERS):
        world.flow(Flow.GRANT, good, pilot.amount(good))
    news(world, f"{pilot.name} has come to Haven.")
    return visit(world, pilot)[0]


def _renamed(world: World, pilot: Pilot, board_name: str) -> Pilot:
    """The pilot under its name of the board; a number behind it stays as long as another has the bare one."""
    wanted = _shown(board_name)
    if pilot.name == wanted:
        return pilot
    name = next(_free_names(world, wanted, pilot.id))
    number = pilot.name.rpartition("-")[2]
    if name != wanted and number.isdecimal() and pilot.name == _numbered(wanted, int(number)):
        return pilot
    news(world, f"{pilot.name} is called {name} from now on.")
    return msgspec.structs.replace(pilot, name=name)


def _shown(board_name: str) -> str:
    return inert_name(without_marks(board_name), MAX_NAME_CHARS) or _NAMELESS


def _free_names(world: World, wanted: str, pilot: int) -> Iterator[str]:
    """`wanted`, `wanted-2`, `wanted-3` and so on, those left out that another than `pilot` has, or that screens say of
    others. Case makes no difference: nobody is to be taken for another."""
    taken = {other.name.casefold() for other in world.find(Pilot) if other.id != pilot}
    names = (wanted if number == 1 else _numbered(wanted, number) for number in count(1))
    return (name for name in names if name.casefold() not in taken and not spoken_for(name))


def _numbered(wanted: str, number: int) -> str:
    ending = f"-{number}"
    return wanted[: MAX_NAME_CHARS - len(ending)].rstrip() + ending
