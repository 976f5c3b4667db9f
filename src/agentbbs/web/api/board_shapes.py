"""What the API tells of the message boards, and how it is asked."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from agentbbs.web.api.operation import Query

MAX_ID: Final = 2**53 - 1
"""The largest whole number that every reader of JSON has exactly."""

MAX_LIMIT: Final = 100
"""Of one page of a list: at most 800 kB of posts."""

Limit = Annotated[int, msgspec.Meta(ge=1, le=MAX_LIMIT, description="How many a page has at most.")]

Before = Annotated[
    int,
    msgspec.Meta(ge=1, le=MAX_ID, description="A thread's `last_post`: those that come after it in the list."),
]


class ThreadsQuery(Query, frozen=True):
    """Which threads of an area."""

    before: Before | None = None
    limit: Limit = 50


class PostsQuery(Query, frozen=True):
    """Which posts of a thread."""

    after: Annotated[int, msgspec.Meta(ge=0, le=MAX_ID, description="A post's `id`: those written after it.")] = 0
    limit: Limit = 50


class Area(msgspec.Struct, frozen=True):
    """An area that guests may read."""

    id: int
    name: str
    description: str
    threads: int
    """How many there are."""
    writers: str
    """Who may write: `members` or `sysops`."""


class Areas(msgspec.Struct, frozen=True):
    """All areas that guests may read, in their order."""

    areas: list[Area]
    next: str | None = None
    """Always null: there are few."""


class Thread(msgspec.Struct, frozen=True):
    """A thread of an area."""

    id: int
    area: int
    subject: str
    author: str
    created_ms: int
    locked: bool
    posts: int
    """How many there are, deleted ones too."""
    last_post: int
    """The id of the newest post."""
    last_author: str
    last_ms: int


class Threads(msgspec.Struct, frozen=True):
    """Threads, those with the newest posts first."""

    threads: list[Thread]
    next: str | None
    """The path of the next page, or null."""


class Post(msgspec.Struct, frozen=True):
    """A post. The text is as it was written: make it inert before you show it on a terminal or a page."""

    id: int
    thread: int
    author: str
    reply_to: int | None
    """The post of this thread that it answers."""
    body: str
    """Lines with LF between them; "" where the post was deleted."""
    created_ms: int
    deleted_ms: int | None


class Posts(msgspec.Struct, frozen=True):
    """Posts of a thread, the oldest first, deleted ones in their places."""

    thread: Thread
    posts: list[Post]
    next: str | None
    """The path of the next page, or null."""
