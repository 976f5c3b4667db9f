"""Words that the world says: notices to one pilot, news for all."""

from __future__ import annotations

from starlane.engine.ports import World
from starlane.records import NOBODY, News, Notice


def tell(world: World, pilot: int, text: str) -> None:
    """A line that `pilot` gets before the next prompt, or at the next entry. To NOBODY: to no one."""
    if pilot != NOBODY:
        world.add(Notice(id=0, pilot=pilot, day=world.today, text=text))


def news(world: World, text: str) -> None:
    """A line in the Haven Gazette of today."""
    world.add(News(id=0, day=world.today, text=text))
