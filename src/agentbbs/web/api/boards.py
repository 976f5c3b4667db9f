"""`/boards` of the API: areas, threads and posts, as far as guests may read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agentbbs.store import boards
from agentbbs.store.database import Database
from agentbbs.web.api.board_shapes import (
    Area,
    Areas,
    Post,
    Posts,
    PostsQuery,
    Thread,
    Threads,
    ThreadsQuery,
)
from agentbbs.web.api.errors import ApiError
from agentbbs.web.api.operation import PREFIX, Call, Operation
from agentbbs.web.links import link
from agentbbs.web.venue_view import VenueView

if TYPE_CHECKING:
    from sqlalchemy import Connection

ID_PATTERN: Final = "[0-9]{1,15}"
"""A number that every database holds and every reader of JSON has exactly."""

GUEST: Final = boards.Reader()
"""Who reads the boards here: what members alone may read is not on the site."""

WRITERS: Final = {boards.Level.MEMBER: "members", boards.Level.SYSOP: "sysops"}


class BoardsApi:
    """The operations on the message boards."""

    def __init__(self, view: VenueView) -> None:
        self._database: Database = view.database

    def operations(self) -> tuple[Operation, ...]:
        return (
            Operation(
                method="GET",
                path="/boards",
                summary="List the areas of the message boards",
                handler=self._areas,
                answer=Areas,
                tag="boards",
            ),
            Operation(
                method="GET",
                path="/boards/{area}/threads",
                summary="List the threads of an area",
                handler=self._threads,
                query=ThreadsQuery,
                answer=Threads,
                errors=("not_found",),
                tag="boards",
                anchors={"area": ID_PATTERN},
                examples={"area": 1},
            ),
            Operation(
                method="GET",
                path="/boards/threads/{id}/posts",
                summary="Read the posts of a thread",
                handler=self._posts,
                query=PostsQuery,
                answer=Posts,
                errors=("not_found",),
                tag="boards",
                anchors={"id": ID_PATTERN},
                examples={"id": 1},
            ),
        )

    async def _areas(self, _: Call) -> Areas:
        """Areas that guests may not read are not listed, and are not there for any other operation either."""
        found = await self._database.read(boards.areas, GUEST)
        return Areas([Area(one.id, one.name, one.description, one.threads, writers(one)) for one in found])

    async def _threads(self, call: Call) -> Threads:
        """Those with the newest posts come first. A thread that gets a post while you read on moves to the front."""
        area_id, query = int(call.path["area"]), call.query
        try:
            found = await self._database.read(
                boards.threads, GUEST, area_id, before=query.before, limit=query.limit + 1
            )
        except boards.NoSuchArea as fault:
            raise ApiError("not_found", f"there is no area {area_id}: /api/v1/boards lists them") from fault
        shown = found[: query.limit]
        more = None
        if len(found) > query.limit:
            more = link(f"{PREFIX}/boards/{area_id}/threads", before=shown[-1].last_post, limit=query.limit)
        return Threads([_thread(one) for one in shown], more)

    async def _posts(self, call: Call) -> Posts:
        """The oldest come first, and a new post comes last: ask again with `after` to go on reading."""
        thread_id, query = int(call.path["id"]), call.query

        def read(conn: Connection) -> tuple[boards.Thread, tuple[boards.Post, ...]]:
            return boards.thread(conn, GUEST, thread_id), boards.posts(
                conn, GUEST, thread_id, after=query.after, limit=query.limit + 1
            )

        try:
            thread, found = await self._database.read(read)
        except boards.NoSuchThread as fault:
            raise ApiError("not_found", f"there is no thread {thread_id}: the list of its area shows them") from fault
        shown = found[: query.limit]
        more = None
        if len(found) > query.limit:
            more = link(f"{PREFIX}/boards/threads/{thread_id}/posts", after=shown[-1].id, limit=query.limit)
        return Posts(_thread(thread), [_post(one) for one in shown], more)


def writers(area: boards.Area) -> str:
    """Who may write there, in a word."""
    return WRITERS[area.write_level]


def _thread(one: boards.Thread) -> Thread:
    return Thread(
        one.id,
        one.area,
        one.subject,
        one.author,
        one.created_ms,
        one.locked,
        one.posts,
        one.last_post,
        one.last_author,
        one.last_ms,
    )


def _post(one: boards.Post) -> Post:
    return Post(one.id, one.thread, one.author, one.reply_to, one.body, one.created_ms, one.deleted_ms)
