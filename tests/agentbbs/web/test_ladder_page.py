"""`/ladders` and `/ladders/GAME`: who stands where, looked for, paged and empty."""

from __future__ import annotations

import html
import re

import pytest

from agentbbs.games import catalog
from agentbbs.play.ports import Player
from agentbbs.store import accounts
from agentbbs.store.ledger import Ledger
from agentbbs.store.names import MAX_CHARS
from agentbbs.web.headers import PAGE
from agentbbs.web.pages.ladders import PAGE_ROWS

from .html import Page, said, valid
from .played import ADA, BOB, CLEO, fill, match
from .site import NOW_MS, Site


@pytest.fixture
async def played(site: Site) -> Site:
    fill(site.database)
    return site


async def shown(site: Site, path: str, status: int = 200) -> Page:
    """A page, as valid as it is held to be."""
    found, headers, text = await site.ask("GET", path)
    assert found == status, text
    assert headers["content-security-policy"] == PAGE["Content-Security-Policy"]
    return valid(text)


def names(page: Page) -> list[str]:
    """Who is in the table, in order."""
    return [said(one.find("a")) for one in page.all("th") if one.get("scope") == "row" and one.find("a") is not None]  # type: ignore[arg-type]


def row(page: Page, name: str) -> list[str]:
    """The cells of one agent."""
    found = next(one for one in page.all("tr") if one.get("id") == f"agent-{name}")
    return [said(cell) for cell in found]


def crowd(site: Site, count: int) -> None:
    """So many agents, each of whom has won once against the first; the later the better, by ever so little."""
    with site.database.begin() as conn:
        for number in range(count + 1):
            accounts.add(conn, f"agent-{number:03d}", now_ms=NOW_MS)
    players = [
        Player(number + 1, f"agent-{number:03d}", "ssh" if number % 2 else "websocket") for number in range(count + 1)
    ]
    with site.database.writing_connection() as conn:
        Ledger().commit(conn, [match(number, players[number], players[0], 0) for number in range(1, count + 1)])


class TestAllLadders:
    async def test_each_game_has_its_best(self, played: Site) -> None:
        page = await shown(played, "/ladders")
        assert page.title == "Ladders · AgentBBS"
        assert page.texts("h2") == [game.title for game in catalog.GAMES.values()]
        assert "/ladders/c4" in page.links
        assert "/agents/ada?game=c4" in page.links
        assert "3 agents" in page.text
        assert "gone" not in page.text

    async def test_a_game_that_nobody_plays_says_so(self, site: Site) -> None:
        page = await shown(site, "/ladders")
        assert page.text.count("Nobody has played a rated match yet.") == len(catalog.GAMES)
        assert page.all("table") == []


class TestLadder:
    async def test_rows_are_in_order_with_everything_about_each(self, played: Site) -> None:
        page = await shown(played, "/ladders/c4")
        assert page.title == "Connect 4 ladder · AgentBBS"
        assert page.texts("h1") == ["Connect 4 ladder"]
        assert names(page) == [ADA.name, CLEO.name, BOB.name]
        rank, name, rating, trend, games, wins, draws, losses, transport = row(page, "ada")
        assert (rank, name, games, wins, draws, losses, transport) == ("1", "ada", "29", "19", "9", "1", "webhook")
        assert int(rating) > 1590
        assert re.fullmatch(r"[+-]\d+ over 20 matches", trend)
        assert "3 agents" in page.text
        assert sum(one.get("class") == "spark" for one in page.all("svg")) == 3

    async def test_marks_are_explained(self, played: Site) -> None:
        page = await shown(played, "/ladders/c4")
        assert "repeat_line" in row(page, "Cleo")[1]
        assert "repeat_line" in row(page, "bob")[1]
        assert "repeat_line" not in row(page, "ada")[1]
        assert "move by move and with the same winner, at least 10 times" in page.text
        page = await shown(played, "/ladders/ttt")
        assert row(page, "bob")[2].endswith("? provisional")
        assert "fewer than 10 rated matches" in page.text
        assert "repeat_line" not in page.text

    async def test_a_removed_agent_is_left_off(self, played: Site) -> None:
        assert "gone" not in names(await shown(played, "/ladders/c4?q=gone", 200))

    async def test_a_filter_shows_those_alone_with_their_ranks(self, played: Site) -> None:
        for query, found in [
            ("q=B", ["bob"]),
            ("q=cLEO", ["Cleo"]),
            ("transport=ssh", ["bob"]),
            ("transport=webhook&q=", ["ada"]),
            ("transport=&q=%20o%20", ["Cleo", "bob"]),
        ]:
            everybody = await shown(played, "/ladders/c4")
            page = await shown(played, f"/ladders/c4?{query}")
            assert names(page) == found
            assert f"{len(found)} of 3 agents match" in page.text
            assert [row(page, name)[0] for name in found] == [row(everybody, name)[0] for name in found]
            assert "/ladders/c4" in page.links

    async def test_transports_are_those_that_occur(self, played: Site) -> None:
        page = await shown(played, "/ladders/c4?transport=ssh")
        options = {said(one): "selected" in one.attrib for one in page.all("option")}
        assert options == {"any": False, "ssh": True, "webhook": False, "websocket": False}

    async def test_nothing_that_matches_says_so_and_leads_back(self, played: Site) -> None:
        page = await shown(played, "/ladders/c4?q=nobody&transport=telnet")
        assert "No agent on this ladder matches the name nobody and the transport telnet. Show all 3." in page.text
        assert page.all("table") == []
        assert "/ladders/c4" in page.links

    async def test_an_empty_ladder_says_how_to_get_onto_it(self, site: Site) -> None:
        page = await shown(site, "/ladders/c4")
        assert "Nobody has played a rated match of Connect 4 here yet." in page.text
        assert {"/join", "/practice", "/protocol"} <= set(page.links)

    async def test_a_query_is_text_and_nothing_else(self, played: Site) -> None:
        _, _, text = await played.ask(
            "GET", "/ladders/c4?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&transport=%3Cb%3E%E2%80%AE"
        )
        page = valid(text)
        assert "<script>alert" not in text
        assert "\u202e" not in text
        assert '"><script>alert(1)</scrip'[:MAX_CHARS] in page.text


class TestNames:
    async def test_other_names_of_a_game_lead_to_its_id(self, site: Site) -> None:
        for alias in ["connect4", "Connect-4", "C4", "FOUR-IN-A-ROW"]:
            status, headers, _ = await site.ask("GET", f"/ladders/{alias}?q=a%26b&page=2&path=x")
            assert (status, headers["location"]) == (302, "/ladders/c4?q=a%26b&page=2")

    async def test_a_game_that_is_not_played_is_not_found(self, site: Site) -> None:
        for name in ["chess", "..%2Fc4", "%00", "x" * 500, "%F0%9F%8E%B2"]:
            page = await shown(site, f"/ladders/{name}", 404)
            assert "the games are ttt, c4" in page.text


class TestPaging:
    async def test_pages_follow_each_other_and_keep_the_filter(self, site: Site) -> None:
        crowd(site, 2 * PAGE_ROWS + 3)
        seen: list[str] = []
        path = "/ladders/c4?transport=ssh"
        for _ in range(2):
            page = await shown(site, path)
            seen += names(page)
            following = [one.attrib["href"] for one in page.all("a") if one.get("rel") == "next"]
            path = html.unescape(following[0]) if following else ""
        assert path == ""
        assert len(seen) == len(set(seen)) == PAGE_ROWS + 2
        whole = [await shown(site, f"/ladders/c4?page={number}") for number in (1, 2, 3)]
        assert [len(names(page)) for page in whole] == [PAGE_ROWS, PAGE_ROWS, 4]
        assert "104 agents; 101 to 104 are on this page" in whole[2].text
        assert "Page 3 of 3" in whole[2].text

    async def test_a_wrong_number_leads_to_a_page_that_is_there(self, site: Site) -> None:
        crowd(site, PAGE_ROWS + 1)
        for asked, there in [
            ("0", 1),
            ("-1", 1),
            ("", 1),
            ("two", 1),
            ("9" * 5000, 1),
            ("2", 2),
            ("99", 2),
            ("9" * 15, 2),
            ("%C2%B2", 1),
        ]:
            page = await shown(site, f"/ladders/c4?page={asked}")
            assert f"Page {there} of 2" in page.text

    async def test_one_page_needs_no_pager(self, played: Site) -> None:
        assert "Page 1" not in (await shown(played, "/ladders/c4")).text


class TestTags:
    async def test_a_reader_that_has_the_page_is_told_so(self, played: Site) -> None:
        _, headers, _ = await played.ask("GET", "/ladders/c4")
        assert headers["vary"] == "Cookie"
        asked = {"If-None-Match": headers["etag"]}
        status, again, text = await played.ask("GET", "/ladders/c4", headers=asked)
        assert (status, text, again["etag"]) == (304, "", headers["etag"])
        assert again["content-security-policy"] == PAGE["Content-Security-Policy"]
        assert (await played.ask("GET", "/ladders/c4?q=a", headers=asked))[0] == 200
        assert (await played.ask("GET", "/ladders/ttt", headers=asked))[0] == 200
