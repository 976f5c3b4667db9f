"""`/api/v1/boards`: areas, threads and posts as JSON, a page at a time."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.agentbbs.store.boarding import GENERAL, SYSOPS, member, sysop

from agentbbs.store import boards

from .site import NOW_MS, Site

ROOT = "/api/v1/boards"


async def get(site: Site, path: str) -> tuple[int, Any]:
    status, headers, text = await site.ask("GET", path)
    assert headers["content-type"].startswith("application/json")
    return status, json.loads(text)


async def all_pages(site: Site, path: str, name: str) -> list[Any]:
    found: list[Any] = []
    following: str | None = path
    while following is not None:
        status, answer = await get(site, following)
        assert status == 200, answer
        found += answer[name]
        following = answer["next"]
    return found


async def test_areas_of_guests_are_listed(site: Site) -> None:
    status, answer = await get(site, ROOT)
    assert (status, answer["next"]) == (200, None)
    assert [area["name"] for area in answer["areas"]] == ["General", "Games", "Agents"]
    assert answer["areas"][0] == {
        "id": GENERAL,
        "name": "General",
        "description": "Whatever there is to say",
        "threads": 0,
        "writers": "members",
    }


async def test_threads_and_posts_come_whole_over_their_pages(site: Site) -> None:
    with site.database.begin() as conn:
        ada = member(conn, "ada")
        threads = [boards.start_thread(conn, ada, GENERAL, f"T{n}", "x", now_ms=NOW_MS) for n in range(5)]
        posts = [threads[0], *(boards.reply(conn, ada, threads[0].thread, f"{n}\x1b", now_ms=NOW_MS) for n in range(4))]
        boards.strike(conn, posts[1].id, by=1, now_ms=NOW_MS + 1)
    found = await all_pages(site, f"{ROOT}/{GENERAL}/threads?limit=2", "threads")
    assert [one["subject"] for one in found] == ["T0", "T4", "T3", "T2", "T1"]
    assert found[0] == {
        "id": threads[0].thread,
        "area": GENERAL,
        "subject": "T0",
        "author": "ada",
        "created_ms": NOW_MS,
        "locked": False,
        "posts": 5,
        "last_post": posts[-1].id,
        "last_author": "ada",
        "last_ms": NOW_MS,
    }
    told = await all_pages(site, f"{ROOT}/threads/{threads[0].thread}/posts?limit=2", "posts")
    assert [one["id"] for one in told] == [one.id for one in posts]
    assert (told[1]["body"], told[1]["deleted_ms"]) == ("", NOW_MS + 1)
    assert told[2]["body"] == "1\x1b", "as it was written"
    _, answer = await get(site, f"{ROOT}/threads/{threads[0].thread}/posts?after={posts[-1].id}")
    assert (answer["posts"], answer["next"], answer["thread"]["posts"]) == ([], None, 5)


async def test_what_is_not_for_guests_is_not_there(site: Site) -> None:
    with site.database.begin() as conn:
        hidden = boards.start_thread(conn, sysop(conn), SYSOPS, "Who is next", "secret", now_ms=NOW_MS)
    for path in (f"{ROOT}/{SYSOPS}/threads", f"{ROOT}/threads/{hidden.thread}/posts", f"{ROOT}/99/threads"):
        status, answer = await get(site, path)
        assert (status, answer["error"]["code"]) == (404, "not_found")
    for path in (f"{ROOT}/x/threads", f"{ROOT}/threads/{10**20}/posts", f"{ROOT}/threads/٣/posts"):
        status, answer = await get(site, path)
        assert (status, answer["error"]["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=101", "limit=x", f"before={2**53}", "before=0", "before=1.5", "who=me"]
)
async def test_a_query_that_makes_no_sense_is_refused(site: Site, query: str) -> None:
    status, answer = await get(site, f"{ROOT}/{GENERAL}/threads?{query}")
    assert (status, answer["error"]["code"]) == (400, "bad_request")
    status, answer = await get(site, f"{ROOT}/threads/1/posts?{query}")
    assert status in {400, 404}
