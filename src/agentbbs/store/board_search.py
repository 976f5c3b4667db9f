"""Finding posts by a piece of their text, their subject or their author's name, without regard to case."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, func, or_, select

from agentbbs.store import boards, wording
from agentbbs.store.boards import Post, Reader
from agentbbs.store.schema import accounts, board_posts, board_threads

MIN_CHARS: Final = 2
"""One letter is in every post."""

MAX_CHARS: Final = 60
"""What one types at a prompt."""

MAX_FOUND: Final = 50
"""What one reads through; older ones are found by asking for those before the last."""

SEARCHED_POSTS: Final = 50_000
"""How many posts a search looks at, the newest of the whole board: some 100 ms of a reading thread at most."""


def search(
    conn: Connection, reader: Reader, words: str, *, area_id: int | None = None, before: int | None = None
) -> tuple[Post, ...]:
    """The newest posts, up to `MAX_FOUND` and newest first, that hold `words` in one piece: in the body or the subject,
    or as part of the author's name. With `before`, a post's id, older ones. Raises TextFault."""
    wanted = wording.fold(wording.one_line(words, what="what you look for", max_chars=MAX_CHARS).strip())
    if len(wanted) < MIN_CHARS:
        raise wording.TextEmpty(f"what you look for has at least {MIN_CHARS} characters: type more of it")
    newest = select(func.coalesce(func.max(board_posts.c.id), 0)).scalar_subquery()
    query = boards.posts_shown_to(reader).where(
        board_posts.c.deleted_ms.is_(None),
        board_posts.c.id > newest - SEARCHED_POSTS,
        or_(
            board_posts.c.folded.contains(wanted, autoescape=True),
            board_threads.c.folded.contains(wanted, autoescape=True),
            # Names are ASCII, and one that was struck out finds nothing.
            accounts.c.removed_ms.is_(None)
            & func.lower(func.coalesce(accounts.c.name, board_posts.c.author)).contains(wanted, autoescape=True),
        ),
    )
    if area_id is not None:
        query = query.where(board_threads.c.area_id == area_id)
    if before is not None:
        query = query.where(board_posts.c.id < before)
    return boards.as_posts(conn.execute(query.order_by(board_posts.c.id.desc()).limit(MAX_FOUND)))
