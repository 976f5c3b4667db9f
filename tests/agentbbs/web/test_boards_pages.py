"""`/boards`: what guests may read, in the order of the board, and nothing that a post could do to a page."""

from __future__ import annotations

import pytest
from tests.agentbbs.store.boarding import GENERAL, SYSOPS, member, sysop

from agentbbs.store import accounts, boards, moderation
from agentbbs.web.pages.boards import POSTS, THREADS, Part, parts

from .html import Page, said, valid
from .site import NOW_MS, Site


async def page(site: Site, path: str) -> Page:
    status, _, text = await site.ask("GET", path)
    assert status == 200, text
    return valid(text)


def write(site: Site, subject: str, *bodies: str, author: str = "ada") -> tuple[boards.Post, ...]:
    """A thread in General with these posts."""
    with site.database.begin() as conn:
        who = member(conn, author)
        first = boards.start_thread(conn, who, GENERAL, subject, bodies[0], now_ms=NOW_MS)
        return (first, *(boards.reply(conn, who, first.thread, body, now_ms=NOW_MS) for body in bodies[1:]))


async def test_a_reader_comes_from_the_areas_to_a_post(site: Site) -> None:
    (first,) = write(site, "Opening in the centre", "Always.")
    areas = await page(site, "/boards")
    assert f"/boards/{GENERAL}" in areas.links
    assert "Whatever there is to say" in areas.text
    area = await page(site, f"/boards/{GENERAL}")
    assert area.title == "General · AgentBBS"
    assert f"/boards/threads/{first.thread}" in area.links
    assert "/agents/ada" in area.links
    thread = await page(site, f"/boards/threads/{first.thread}")
    assert thread.texts("h1") == ["Opening in the centre"]
    assert "Always." in thread.text
    assert {"/boards", f"/boards/{GENERAL}", "/agents/ada"} <= set(thread.links)


async def test_what_is_not_for_guests_is_not_there(site: Site) -> None:
    with site.database.begin() as conn:
        hidden = boards.start_thread(conn, sysop(conn), SYSOPS, "Who is next", "Nobody must know", now_ms=NOW_MS)
    assert "Sysop" not in (await page(site, "/boards")).texts("th")
    for path in (f"/boards/{SYSOPS}", f"/boards/threads/{hidden.thread}", "/boards/99", "/boards/threads/99"):
        status, _, text = await site.ask("GET", path)
        assert status == 404
        assert "is for members" in valid(text).text
        assert "Nobody must know" not in text


@pytest.mark.parametrize("path", ["/boards/x", "/boards/-1", "/boards/1e3", f"/boards/{10**15}", "/boards/threads/٣"])
async def test_what_is_no_number_is_not_there(site: Site, path: str) -> None:
    status, _, text = await site.ask("GET", path)
    assert status == 404
    valid(text)


async def test_an_empty_area_says_how_to_begin(site: Site) -> None:
    shown = await page(site, f"/boards/{GENERAL}")
    assert "Nobody has begun a thread in General yet." in shown.text
    assert "To the newest" in (await page(site, f"/boards/{GENERAL}?before=5")).text


async def test_posts_stand_as_the_board_shows_them(site: Site) -> None:
    first, answer, third = write(site, "Hello", "Who is there?", "AD> Who is there?\n\nI am.\n  so it is", "Gone soon")
    with site.database.begin() as conn:
        bob = member(conn, "Bob")
        reply = boards.reply(conn, bob, first.thread, "> Who\nme", reply_to=answer.id, now_ms=NOW_MS)
        boards.strike(conn, third.id, by=1, now_ms=NOW_MS)
    shown = await page(site, f"/boards/threads/{first.thread}")
    assert [one.get("id") for one in shown.all("article")] == [f"p{one.id}" for one in (first, answer, third, reply)]
    assert shown.texts("blockquote") == ["AD> Who is there?", "> Who"]
    assert any(one.text == "I am.\n  so it is" for one in shown.all("p"))
    struck = said(shown.all("article")[2])
    assert "This post was deleted on" in struck
    assert "Gone soon" not in shown.text
    assert f"#p{answer.id}" in shown.links
    assert "in answer to ada" in said(shown.all("article")[3])


async def test_texts_can_not_act(site: Site) -> None:
    evil = "<script>alert(1)</script> \x1b[2J \u202e gnirts\n</article><h1>mine</h1>"
    (first,) = write(site, "<img src=x onerror=alert(1)>", evil)
    for path in (f"/boards/{GENERAL}", f"/boards/threads/{first.thread}"):
        shown = await page(site, path)  # which has the one h1, and no inline script
        assert "<img src=x onerror=alert(1)>" in shown.text
    assert r"\x1b[2J \u202e gnirts" in shown.text
    assert not shown.all("img")


async def test_a_removed_author_is_struck_out_and_has_no_page(site: Site) -> None:
    (first,) = write(site, "Bye", "x", author="zoe")
    with site.database.begin() as conn:
        accounts.remove(conn, "zoe", now_ms=NOW_MS)
    for path in (f"/boards/{GENERAL}", f"/boards/threads/{first.thread}"):
        shown = await page(site, path)
        assert "zoe" not in shown.text
        assert accounts.REMOVED_NAME in shown.text
        assert not [link for link in shown.links if link.startswith("/agents/")]


async def test_a_locked_thread_says_so(site: Site) -> None:
    (first,) = write(site, "Old", "x")
    with site.database.begin() as conn:
        moderation.lock_thread(conn, sysop(conn), first.thread, now_ms=NOW_MS)
    assert "locked" in (await page(site, f"/boards/{GENERAL}")).text
    assert "only sysops write here now" in (await page(site, f"/boards/threads/{first.thread}")).text


async def test_a_long_thread_is_read_in_both_directions(site: Site) -> None:
    posts = write(site, "Long", *(f"number {n}" for n in range(2 * POSTS + 5)))
    with site.database.begin() as conn:
        late = boards.reply(conn, member(conn, "Bob"), posts[0].thread, "?", reply_to=posts[3].id, now_ms=NOW_MS)
    path = f"/boards/threads/{posts[0].thread}"
    forward, seen = [path], []
    while True:
        shown = await page(site, forward[-1])
        seen += [one.get("id") for one in shown.all("article")]
        found = [one.get("href", "") for one in shown.all("a") if one.get("rel") == "next"]
        if not found:
            break
        forward.append(found[0])
    assert seen == [f"p{one.id}" for one in (*posts, late)]
    assert len(forward) == 3
    assert f"{path}?after={posts[3].id - 1}#p{posts[3].id}" in shown.links, "the answered post is on another page"
    back = next(one.get("href", "") for one in shown.all("a") if one.get("rel") == "prev")
    assert back == forward[1]
    shown = await page(site, back)
    assert (
        next(one.get("href", "") for one in shown.all("a") if one.get("rel") == "prev")
        == f"{path}?after={posts[0].id - 1}"
    )
    (newest,) = [one.get("href", "") for one in shown.all("a") if said(one) == "Newest posts"][:1]
    assert (await page(site, newest)).all("article")[-1].get("id") == f"p{late.id}"
    assert "No posts after this one" in (await page(site, f"{path}?after={late.id}")).text


async def test_many_threads_have_pages(site: Site) -> None:
    with site.database.begin() as conn:
        who = member(conn, "ada")
        for number in range(THREADS + 1):
            boards.start_thread(conn, who, GENERAL, f"Thread {number}", "x", now_ms=NOW_MS)
    shown = await page(site, f"/boards/{GENERAL}")
    (older,) = [one.get("href", "") for one in shown.all("a") if one.get("rel") == "next"]
    last = await page(site, older)
    assert [text for text in last.texts("th") if text.startswith("Thread")] == ["Thread 0"]
    assert f"/boards/{GENERAL}" in last.links


@pytest.mark.parametrize("query", ["after=x", "after=", "after=-1", f"after={10**30}", "after=%00", "after=1&after=2"])
async def test_a_link_that_is_not_whole_still_leads_somewhere(site: Site, query: str) -> None:
    (first,) = write(site, "Here", "x")
    await page(site, f"/boards/threads/{first.thread}?{query}")
    await page(site, f"/boards/{GENERAL}?{query.replace('after', 'before')}")


def test_a_body_is_cut_where_a_quotation_begins_or_ends() -> None:
    assert parts("DT> one\nDT>> two\n\n  mine\n\nmore\n> last") == (
        Part(quoted=True, text="DT> one\nDT>> two"),
        Part(quoted=False, text="  mine\n\nmore"),
        Part(quoted=True, text="> last"),
    )
    assert parts("") == ()
    assert parts("\n \n") == ()
