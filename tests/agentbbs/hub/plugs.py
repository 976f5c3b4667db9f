"""Plugins for the tests of the menu and the board."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from agentbbs.hub.plugin import Access
from agentbbs.hub.visit import Visit


class Plug:
    """A plugin that says its name and waits for a key, or does what it is told."""

    def __init__(
        self,
        id: str,  # noqa: A002 - the contract's name
        key: str,
        *,
        title: str = "",
        access: Access = Access.GUEST,
        does: Callable[[Visit], Awaitable[object]] | None = None,
    ) -> None:
        self.id = id
        self.key = key
        self.title = title or id.capitalize()
        self.access = access
        self._does = does

    async def run(self, visit: Visit) -> None:
        if self._does is not None:
            await self._does(visit)
            return
        visit.caller.say(f"This is {self.title}.")
        await visit.caller.pause()
