"""Which posts are read, one after another: those of a thread, those that are new, those that were found.

Only the numbers of the posts are kept; each is fetched when it is shown, as it is then.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from agentbbs.hub.plugins.boards.reading_room import ReadingRoom
from agentbbs.store import boards
from agentbbs.store.boards import Area, Post

FETCHED_POSTS: Final = 200
"""At a time: 1.6 MB at most, for a moment."""


class Sheaf:
    """Numbers of posts in reading order, the one that is being read, and where more may come from."""

    def __init__(
        self, kind: str, ids: Iterable[int], more: Callable[[int], Awaitable[Iterable[int]]], *, at: int = 0
    ) -> None:
        self.kind: Final = kind
        """`post`, `new post`, `found`."""
        self.ids: Final = list(ids)
        self.at = at
        self._more = more

    @property
    def current(self) -> int:
        """The number of the post."""
        return self.ids[self.at]

    async def fetch(self) -> bool:
        """Look for posts behind the last; whether there are any."""
        fresh = list(await self._more(self.ids[-1] if self.ids else 0))
        known = set(self.ids)
        self.ids.extend(number for number in fresh if number not in known)
        return len(self.ids) > len(known)

    async def next(self) -> bool:
        """Go on; False if there is nothing to go on to."""
        if self.at + 1 >= len(self.ids) and not await self.fetch():
            return False
        self.at += 1
        return True

    def previous(self) -> bool:
        """Go back; False at the first."""
        if self.at == 0:
            return False
        self.at -= 1
        return True

    def drop(self) -> bool:
        """The current post is gone: the next one takes its place, or the last. False if none is left."""
        del self.ids[self.at]
        self.at = min(self.at, max(len(self.ids) - 1, 0))
        return bool(self.ids)


async def of_thread(room: ReadingRoom, thread_id: int, post_id: int | None = None) -> Sheaf:
    """A thread, open at a post; else at the first that is new to the reader, else at its beginning. Raises
    NoSuchThread."""

    async def more(after: int) -> Iterable[int]:
        found: list[int] = []
        while True:
            posts = await room.database.read(
                boards.posts, room.reader, thread_id, after=found[-1] if found else after, limit=FETCHED_POSTS
            )
            found += _ids(posts)
            if len(posts) < FETCHED_POSTS:
                return found

    ids = list(await more(0))
    if post_id is None:
        post_id = next(
            iter(_ids(await room.database.read(boards.new_posts, room.reader, thread_id=thread_id, limit=1))), None
        )
    return Sheaf("post", ids, more, at=ids.index(post_id) if post_id in ids else 0)


async def of_new(room: ReadingRoom, area: Area | None) -> Sheaf:
    """What is new, in an area or in all."""

    async def more(_: int) -> Iterable[int]:
        area_id = None if area is None else area.id
        return _ids(await room.database.read(boards.new_posts, room.reader, area_id=area_id, limit=FETCHED_POSTS))

    return Sheaf("new post", await more(0), more)


def of_found(found: Iterable[Post], at: int) -> Sheaf:
    """What a search found."""

    async def more(_: int) -> Iterable[int]:
        return ()

    return Sheaf("found", _ids(found), more, at=at)


def _ids(posts: Iterable[Post]) -> list[int]:
    return [post.id for post in posts]
