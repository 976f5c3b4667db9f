"""Words among pilots: letters, the radio, one's own log, and the notices that wait."""

from __future__ import annotations

from typing import Final

import msgspec

from starlane.engine.ports import World
from starlane.engine.refusal import Refused
from starlane.engine.texts import entered
from starlane.engine.words import chat
from starlane.orders import Broadcast, Burn, Hear, Jot, MarkRead, Strike, Write
from starlane.records import Letter, Note, Notice, Pilot
from starlane.reports import Done, Heard

MAX_LETTERS: Final = 100
"""In one box: a few screens of a list. The oldest that was read gives way to a new one."""
MAX_UNREAD_FROM_ONE: Final = 20
"""Unread letters of one sender in one box, so that no single pilot can fill it."""
MAX_NOTES: Final = 100
"""Lines of one pilot's log. None gives way by itself: they are the pilot's own."""


def write(world: World, pilot: Pilot, order: Write) -> Done:
    """See `orders.Write`. The reader is told at once."""
    reader = world.get(Pilot, order.to)
    if reader is None:
        raise Refused("There is no such pilot.")
    if reader.id == pilot.id:
        raise Refused("For words to yourself there is your log.")
    body = entered(order.body)
    _make_room(world, pilot, reader)
    world.add(Letter(id=0, sender=pilot.id, reader=reader.id, day=world.today, body=body))
    told = f"A letter from {pilot.name}."
    if not world.count(Notice, pilot=reader.id, text=told):
        chat(world, reader.id, told)
    return Done(text=f"Your letter is in {reader.name}'s box.")


def burn(world: World, pilot: Pilot, order: Burn) -> Done:
    """See `orders.Burn`."""
    world.drop(_letter(world, pilot, order.letter))
    return Done(text="The letter is ashes.")


def mark_read(world: World, pilot: Pilot, order: MarkRead) -> Done:
    """See `orders.MarkRead`. To do it twice does nothing more."""
    letter = _letter(world, pilot, order.letter)
    if not letter.read:
        world.put(msgspec.structs.replace(letter, read=True))
    return Done(text="The letter is marked as read.")


def broadcast(world: World, pilot: Pilot, order: Broadcast) -> Done:
    """See `orders.Broadcast`. It costs nothing: those with many notices waiting miss it, so it drowns out nothing."""
    line = f"Radio from {pilot.name}: {entered(order.body)}"
    heard = sum(chat(world, other.id, line) for other in world.find(Pilot) if other.id != pilot.id)
    return Done(text=f"It goes out to {heard:,} {'pilot' if heard == 1 else 'pilots'}.")


def jot(world: World, pilot: Pilot, order: Jot) -> Done:
    """See `orders.Jot`."""
    if world.count(Note, pilot=pilot.id) >= MAX_NOTES:
        raise Refused(f"Your log has {MAX_NOTES} lines, which is all it holds; strike one out.")
    world.add(Note(id=0, pilot=pilot.id, day=world.today, text=entered(order.body)))
    return Done(text="It is in your log.")


def strike(world: World, pilot: Pilot, order: Strike) -> Done:
    """See `orders.Strike`."""
    note = world.get(Note, order.note)
    if note is None or note.pilot != pilot.id:
        raise Refused("There is no such line in your log.")
    world.drop(note)
    return Done(text="The line is struck out.")


def hear(world: World, pilot: Pilot, order: Hear) -> Heard:  # noqa: ARG001 - handlers take their order
    """See `orders.Hear`."""
    waiting = world.find(Notice, pilot=pilot.id)
    for notice in waiting:
        world.drop(notice)
    return Heard(texts=tuple(notice.text for notice in waiting))


def _letter(world: World, pilot: Pilot, number: int) -> Letter:
    letter = world.get(Letter, number)
    if letter is None or letter.reader != pilot.id:
        raise Refused("There is no such letter in your box.")
    return letter


def _make_room(world: World, pilot: Pilot, reader: Pilot) -> None:
    if world.count(Letter, reader=reader.id, sender=pilot.id, read=False) >= MAX_UNREAD_FROM_ONE:
        raise Refused(f"{reader.name} has {MAX_UNREAD_FROM_ONE} letters of yours to read first.")
    if world.count(Letter, reader=reader.id) >= MAX_LETTERS:
        were_read = world.find(Letter, reader=reader.id, read=True)
        if not were_read:
            raise Refused(f"{reader.name}'s box is full of unread letters.")
        world.drop(were_read[0])
