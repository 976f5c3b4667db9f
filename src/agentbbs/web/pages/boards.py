"""`/boards`: areas, threads and posts as guests may read them. Writing is for those who call the board."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Final

import msgspec
from aiohttp import web

from agentbbs.store import boards, quoting
from agentbbs.store.accounts import REMOVED_NAME
from agentbbs.web.api.boards import GUEST, ID_PATTERN, writers
from agentbbs.web.asked import number
from agentbbs.web.frame import render
from agentbbs.web.links import link
from agentbbs.web.venue_view import VenueView
from agentbbs.web.ways_in import ways_in

if TYPE_CHECKING:
    from sqlalchemy import Connection

POSTS: Final = 20
"""Of a page: what a reader scrolls through, and 160 kB of text at most."""

THREADS: Final = 50
"""Of a page."""

_NEWEST: Final = 2**53
"""No post has this number."""


class Part(msgspec.Struct, frozen=True):
    """Lines of a post that belong together: a quotation, or what its author wrote."""

    quoted: bool
    text: str


class Shown(msgspec.Struct, frozen=True):
    """A post as a page shows it."""

    post: boards.Post
    parts: tuple[Part, ...]
    known: bool
    """Whether its author has a page."""
    answers: str | None
    """Who wrote the post that it answers; None where it answers none."""
    answers_to: str | None
    """Where that post is."""


class ThreadPage(msgspec.Struct, frozen=True):
    """Some posts of a thread, and the ways on; None where there is none."""

    area: boards.Area
    thread: boards.Thread
    posts: tuple[Shown, ...]
    earlier: str | None
    later: str | None
    newest: str | None


class BoardPages:
    """The handlers of `/boards`, `/boards/AREA` and `/boards/threads/ID`."""

    def __init__(self, view: VenueView) -> None:
        self._database = view.database
        ways = ways_in(view.settings)
        self._call = ways.guest or ways.telnet

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/boards", self.areas),
            web.get(f"/boards/{{area:{ID_PATTERN}}}", self.area),
            web.get(f"/boards/threads/{{thread:{ID_PATTERN}}}", self.thread),
        ]

    async def areas(self, request: web.Request) -> web.Response:
        """All areas."""
        found = await self._database.read(boards.areas, GUEST)
        shown = [(area, writers(area)) for area in found]
        return render(request, "boards.html", areas=shown, call=self._call)

    async def area(self, request: web.Request) -> web.Response:
        """The threads of an area; `?before=` a thread's newest post goes on behind it."""
        area_id, before = int(request.match_info["area"]), number(request.query.get("before"))

        def read(conn: Connection) -> tuple[boards.Area, tuple[boards.Thread, ...]]:
            return boards.area(conn, GUEST, area_id), boards.threads(
                conn, GUEST, area_id, before=before, limit=THREADS + 1
            )

        try:
            area, found = await self._database.read(read)
        except boards.NoSuchArea as fault:
            raise web.HTTPNotFound(text="No area with that number is here, or it is for members.") from fault
        shown = found[:THREADS]
        return render(
            request,
            "boards_area.html",
            area=area,
            writers=writers(area),
            threads=[(one, one.author != REMOVED_NAME, one.last_author != REMOVED_NAME) for one in shown],
            begun=before is None,
            older=link(f"/boards/{area_id}", before=shown[-1].last_post) if len(found) > THREADS else None,
            call=self._call,
        )

    async def thread(self, request: web.Request) -> web.Response:
        """Posts of a thread; `?after=` a post goes on behind it."""
        thread_id, after = int(request.match_info["thread"]), number(request.query.get("after"))
        try:
            found = await self._database.read(thread_page, thread_id, after or 0)
        except boards.NoSuchThread as fault:
            raise web.HTTPNotFound(text="No thread with that number is here, or it is for members.") from fault
        return render(request, "boards_thread.html", page=found, begun=not after, call=self._call)


def thread_page(conn: Connection, thread_id: int, after: int) -> ThreadPage:
    """The posts of a thread behind `after`, for a guest. Raises boards.NoSuchThread."""
    thread = boards.thread(conn, GUEST, thread_id)
    area = boards.area(conn, GUEST, thread.area)
    found = boards.posts(conn, GUEST, thread_id, after=after, limit=POSTS + 1)
    posts = found[:POSTS]
    before = posts[0].id if posts else _NEWEST
    earlier = boards.earlier_posts(conn, GUEST, thread_id, before=before, limit=POSTS) if after else ()
    more = len(found) > POSTS
    newest = boards.earlier_posts(conn, GUEST, thread_id, before=_NEWEST, limit=POSTS) if more else ()
    answered = _answered(conn, posts)
    return ThreadPage(
        area=area,
        thread=thread,
        posts=tuple(_shown(post, posts, answered) for post in posts),
        earlier=_page_of(thread_id, earlier),
        later=link(f"/boards/threads/{thread_id}", after=posts[-1].id) if more else None,
        newest=_page_of(thread_id, newest),
    )


def parts(body: str) -> tuple[Part, ...]:
    """A post's text, cut where a quotation begins or ends; blank lines around the parts are left out. Pure."""
    found = groupby(body.split("\n"), key=quoting.is_quoted)
    return tuple(_parts((quoted, "\n".join(lines)) for quoted, lines in found))


def _parts(found: Iterator[tuple[bool, str]]) -> Iterator[Part]:
    for quoted, text in found:
        stripped = _without_blank_ends(text)
        if stripped:
            yield Part(quoted, stripped)


def _without_blank_ends(text: str) -> str:
    """What is drawn with letters may begin with spaces: only whole lines go."""
    lines = text.split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return "\n".join(lines)


def _answered(conn: Connection, posts: tuple[boards.Post, ...]) -> dict[int, str]:
    """Who wrote the posts that these answer."""
    known = {post.id: post.author for post in posts}
    wanted = {post.reply_to for post in posts if post.reply_to is not None}
    return {one: known[one] if one in known else boards.post(conn, GUEST, one).author for one in wanted}


def _shown(post: boards.Post, posts: tuple[boards.Post, ...], answered: dict[int, str]) -> Shown:
    to = None
    if post.reply_to is not None:
        here = any(one.id == post.reply_to for one in posts)
        to = f"#p{post.reply_to}" if here else _place(post.thread, post.reply_to)
    return Shown(
        post=post,
        parts=parts(post.body),
        known=post.account is not None and post.author != REMOVED_NAME,
        answers=None if post.reply_to is None else answered[post.reply_to],
        answers_to=to,
    )


def _page_of(thread_id: int, posts: tuple[boards.Post, ...]) -> str | None:
    """Where the page is that has these, none before them and as many as go on a page."""
    if not posts:
        return None
    path = f"/boards/threads/{thread_id}"
    return path if len(posts) < POSTS else link(path, after=posts[0].id - 1)


def _place(thread_id: int, post_id: int) -> str:
    """Where a post is, whatever is written before or behind it."""
    return link(f"/boards/threads/{thread_id}", after=post_id - 1) + f"#p{post_id}"
