"""Words that the world says: notices to one pilot, news for all."""

from __future__ import annotations

from typing import Final

from starlane.engine.ports import World
from starlane.records import NOBODY, News, Notice

MAX_NOTICES: Final = 50
"""That wait for one pilot: two screens to read after a long absence. The oldest gives way to the next."""
CHATTER_NOTICES: Final = 30
"""Where so many wait, `chat` adds none: nobody can talk away what others have done to a pilot."""
NEWS_PER_DAY: Final = 500
"""In the Gazette: the oldest of the day gives way to the next, so that busy pilots can't fill the universe with it."""


def tell(world: World, pilot: int, text: str) -> None:
    """A line that `pilot` gets before the next prompt, or at the next entry. To NOBODY: to no one."""
    if pilot == NOBODY:
        return
    spare = world.count(Notice, pilot=pilot) - MAX_NOTICES + 1
    if spare > 0:
        for oldest in world.find(Notice, pilot=pilot)[:spare]:
            world.drop(oldest)
    world.add(Notice(id=0, pilot=pilot, day=world.today, text=text))


def chat(world: World, pilot: int, text: str) -> bool:
    """As `tell`, for what other pilots say and not do; whether it was added, for there may be too many already."""
    if world.count(Notice, pilot=pilot) >= CHATTER_NOTICES:
        return False
    tell(world, pilot, text)
    return True


def news(world: World, text: str) -> None:
    """A line in the Haven Gazette of today."""
    spare = world.count(News, day=world.today) - NEWS_PER_DAY + 1
    if spare > 0:
        for oldest in world.find(News, day=world.today)[:spare]:
            world.drop(oldest)
    world.add(News(id=0, day=world.today, text=text))
