"""`/matches`: what is on, and the log by game, by agent and by pages."""

from __future__ import annotations

import pytest

from agentbbs.play.ports import FinishedMatch
from agentbbs.store import accounts
from agentbbs.web.pages.match_list import LISTED_NOW, OPEN_NOW, PAGE_ROWS

from .html import Page, valid
from .live_tables import Table, finished, store
from .site import NOW_MS, Site

EVIL = "</td><script>alert(1)</script>\x1b[2J\u202e"


async def shown(site: Site, query: str = "") -> Page:
    status, _, text = await site.ask("GET", f"/matches{query}")
    assert status == 200
    return valid(text)


def listed(page: Page) -> list[int]:
    """The numbers of the matches that are over, in order."""
    return [int(one.rpartition("-")[2]) for one in page.links if one.startswith("/m/019a7c1e-")]


def log(site: Site, count: int) -> list[FinishedMatch]:
    """Matches of ada against bob (ttt) and of bob against cyd (c4), in turn."""
    matches = [
        finished(site, number, "c4", ("bob", "cyd")) if number % 2 else finished(site, number)
        for number in range(count)
    ]
    store(site, *matches)
    return matches


class TestOver:
    async def test_the_newest_come_first_a_page_at_a_time(self, site: Site) -> None:
        log(site, 2 * PAGE_ROWS + 1)
        page = await shown(site)
        assert listed(page) == list(range(2 * PAGE_ROWS, PAGE_ROWS, -1))
        (older,) = [one for one in page.links if one.startswith("/matches?before=")]
        page = await shown(site, older.removeprefix("/matches"))
        assert listed(page) == list(range(PAGE_ROWS, 0, -1))
        assert "On now" not in page.texts("h2")
        (older,) = [one for one in page.links if one.startswith("/matches?before=")]
        page = await shown(site, older.removeprefix("/matches"))
        assert listed(page) == [0]
        assert not [one for one in page.links if one.startswith("/matches?before=")]

    @pytest.mark.parametrize(
        ("query", "numbers"),
        [
            ("?game=c4", [5, 3, 1]),
            ("?game=ttt", [4, 2, 0]),
            ("?agent=ada", [4, 2, 0]),
            ("?agent=BOB", [5, 4, 3, 2, 1, 0]),
            ("?agent=bob&game=c4", [5, 3, 1]),
            ("?agent=+bob+&game=", [5, 4, 3, 2, 1, 0]),
            ("?game=nonsense&before=x", [5, 4, 3, 2, 1, 0]),
            ("?before=-1", [5, 4, 3, 2, 1, 0]),
            ("?before=99999999999999999999", [5, 4, 3, 2, 1, 0]),
        ],
    )
    async def test_by_game_and_by_agent(self, site: Site, query: str, numbers: list[int]) -> None:
        log(site, 6)
        assert listed(await shown(site, query)) == numbers

    async def test_a_filter_is_kept_from_page_to_page(self, site: Site) -> None:
        log(site, 2 * PAGE_ROWS + 2)
        page = await shown(site, "?agent=ada&game=ttt")
        (older,) = [one for one in page.links if "before=" in one and one.startswith("/matches")]
        assert older.startswith("/matches?game=ttt&agent=ada&before=")
        page = await shown(site, older.removeprefix("/matches"))
        assert listed(page) == [0]
        assert "/matches?game=ttt&agent=ada" in page.links
        assert f"/api/v1{older}" in page.links

    async def test_a_line_says_who_won_by_what_and_what_it_was_worth(self, site: Site) -> None:
        store(site, finished(site, 0), finished(site, 1, why="practice"))
        page = await shown(site)
        unrated, rated = page.texts("tr")[1:]
        assert "not rated: practice" in unrated
        assert "ada +" in rated or "ada -" in rated or "draw" in rated
        assert "/agents/ada" in page.links

    async def test_a_removed_account_is_struck_out(self, site: Site) -> None:
        log(site, 1)
        with site.database.begin() as conn:
            accounts.remove(conn, "ada", now_ms=NOW_MS)
        page = await shown(site)
        assert "(removed)" in page.text
        assert "/agents/ada" not in page.links
        assert "Nobody is called" in (await shown(site, "?agent=ada")).text


class TestEmpty:
    @pytest.mark.parametrize(
        ("query", "said"),
        [
            ("", "No match has ended here yet"),
            ("?game=c4", "No such match has ended yet"),
            ("?agent=nobody", "Nobody is called nobody here"),
            ("?before=7", "Nothing older is kept"),
        ],
    )
    async def test_it_says_why_and_what_to_do(self, site: Site, query: str, said: str) -> None:
        page = await shown(site, query)
        assert said in page.text
        assert not page.all("table")

    async def test_what_is_asked_for_is_shown_inert(self, site: Site) -> None:
        page = await shown(site, "?agent=%3Cscript%3Ealert(1)%1b%5b2J%00")
        assert "<script>" in page.text
        assert "\x1b" not in page.text


class TestOnNow:
    async def test_matches_that_are_on_stand_above(self, site: Site) -> None:
        tables = [Table(site) for _ in range(LISTED_NOW + 3)]
        page = await shown(site)
        on = [one for one in page.links if one.startswith("/m/")]
        assert on == sorted((f"/m/{table.id}" for table in tables), reverse=True)[:LISTED_NOW]
        rest = [one for one in page.all("li") if page.inside(one, "details")]
        assert len(rest) == LISTED_NOW - OPEN_NOW
        assert f"{LISTED_NOW + 3} matches are on" in page.text
        assert "On now" not in (await shown(site, "?game=c4")).texts("h2")
