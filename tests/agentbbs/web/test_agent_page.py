"""`/agents/NAME`: everything that is known of an agent, and what is said where nothing is."""

from __future__ import annotations

import html

import pytest

from agentbbs.play.ports import Player
from agentbbs.store import accounts
from agentbbs.store.careers import FaultCount
from agentbbs.store.ledger import Ledger
from agentbbs.web.agent_sheet import MATCHES, OPPONENTS
from agentbbs.web.fault_words import words
from agentbbs.web.headers import PAGE

from .html import Page, said, valid
from .played import ADA, ADA_AND_BOB, BOB, NEWBIE, fill, match
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


def section(page: Page, name: str) -> list[list[str]]:
    """The rows of the table of a section, head included, as texts of cells."""
    part = next(one for one in page.all("section") if one.get("aria-labelledby") == name)
    return [[said(cell) for cell in row] for row in part.iter("tr")]


def facts(page: Page) -> dict[str, str]:
    return dict(zip(page.texts("dt"), page.texts("dd"), strict=True))


class TestStanding:
    async def test_who_it_is_and_where_it_stands(self, played: Site) -> None:
        page = await shown(played, "/agents/ada")
        assert page.title == "ada at Connect 4 · AgentBBS"
        assert "Member since 2026-01-01 12:00 UTC." in page.text
        told = facts(page)
        assert told["Rank"] == "1 of 3"
        assert told["Rated"] == "29 matches"
        assert told["Results"] == "19 won, 9 drawn, 1 lost"
        assert told["Win rate"] == "66 %"
        assert told["All"] == "31 matches, rated or not"
        assert told["Transport"] == "webhook"
        assert "provisional" not in page.text

    async def test_each_game_is_a_link_the_one_played_last_first(self, played: Site) -> None:
        page = await shown(played, "/agents/bob")
        tabs = [one for one in page.all("a") if (one.get("href") or "").startswith("/agents/bob?game=")]
        assert [said(one) for one in tabs[:2]] == ["Tic-Tac-Toe", "Connect 4"]
        assert page.title == "bob at Tic-Tac-Toe · AgentBBS"
        assert facts(page)["Rating"].endswith("? provisional")
        assert facts(await shown(played, "/agents/bob?game=connect4"))["Rank"] == "3 of 3 repeat_line"

    async def test_marks_and_transports_are_shown(self, played: Site) -> None:
        page = await shown(played, "/agents/Cleo?game=c4")
        assert facts(page)["Rank"] == "2 of 3 repeat_line"
        assert "Comes by websocket" in page.text


class TestRating:
    async def test_the_graph_is_told_in_words_and_as_a_table(self, played: Site) -> None:
        page = await shown(played, "/agents/ada")
        graph = next(one for one in page.all("svg") if one.get("role") == "img")
        title, told = said(graph.find("title")), said(graph.find("desc"))  # type: ignore[arg-type]
        assert title == "Rating of ada at Connect 4"
        assert "after match 1," in told
        assert told.split(". ")[0] in page.text
        rows = section(page, "rating")
        assert rows[0] == ["Match", "Rating"]
        assert (rows[1][0], rows[-1][0]) == ("1", "31")
        assert "More of them as JSON: /api/v1/agents/ada/ratings" in page.text


class TestOpponents:
    async def test_each_opponent_with_the_score(self, played: Site) -> None:
        head, *rows = section(await shown(played, "/agents/ada?game=c4"), "met")
        assert head[:2] == ["Opponent", "Score"]
        bob, gone = rows
        assert bob[:5] == ["bob", "80 %", "18", "9", "1"]
        assert gone[:5] == ["(removed)", "100 %", "1", "0", "0"]

    async def test_who_was_removed_has_no_link(self, played: Site) -> None:
        page = await shown(played, "/agents/ada?game=c4")
        assert "/agents/bob?game=c4" in page.links
        assert not any("removed" in link or "gone" in link or "greedy" in link for link in page.links)

    async def test_many_opponents_are_paged(self, site: Site) -> None:
        meet(site, OPPONENTS + 3)
        first = await shown(site, "/agents/ada")
        assert len(section(first, "met")) == 1 + OPPONENTS
        assert "/agents/ada?game=c4&met=2#met" in first.links
        second = await shown(site, "/agents/ada?game=c4&met=2")
        assert len(section(second, "met")) == 1 + 3
        names = {row[0] for page in (first, second) for row in section(page, "met")[1:]}
        assert len(names) == OPPONENTS + 3
        beyond = await shown(site, "/agents/ada?met=99")
        assert "There are no more opponents." in beyond.text
        assert "/agents/ada?game=c4#met" in beyond.links


class TestMatches:
    async def test_each_match_is_told_from_the_agents_side(self, played: Site) -> None:
        page = await shown(played, "/agents/ada?game=c4")
        rows = [row[:4] for row in section(page, "matches")[1:]]
        assert len(rows) == MATCHES
        void, practice, left, lost = rows[:4]
        assert void == ["void against Cleo", "Cleo", "void: server error", "unrated server"]
        assert practice == ["lost against greedy", "greedy", "played to the end", "unrated practice"]
        assert left[:3] == ["won against (removed)", "(removed)", "forfeit: disconnect"]
        assert lost[:3] == ["lost against bob", "bob", "forfeit: strikes"]
        rating, change = lost[3].split()
        assert int(rating) > 1500
        assert int(change) < 0
        assert {row[0].split()[0] for row in rows} == {"void", "lost", "won", "drawn"}
        assert f"/m/{match(203, ADA, BOB, 0).id}" in page.links

    async def test_older_matches_are_a_link_away(self, played: Site) -> None:
        page = await shown(played, "/agents/ada?game=c4")
        older = [one.attrib["href"] for one in page.all("a") if one.get("rel") == "next"]
        assert len(older) == 1
        path, anchor = html.unescape(older[0]).split("#")
        assert anchor == "matches"
        further = await shown(played, path)
        assert "Older matches" in further.texts("h2")
        assert len(section(further, "matches")) == 1 + ADA_AND_BOB + 4 - MATCHES
        assert "/agents/ada?game=c4#matches" in further.links
        assert not set(_matches(page)) & set(_matches(further))

    async def test_a_wrong_place_shows_the_newest(self, played: Site) -> None:
        for before in ["0", "-3", "x", "9" * 400, "", "1e3"]:
            assert "Newest matches" in (await shown(played, f"/agents/ada?game=c4&before={before}")).texts("h2")

    async def test_before_all_there_is_nothing(self, played: Site) -> None:
        page = await shown(played, "/agents/ada?game=c4&before=1")
        assert "There are no older matches. Show the newest." in page.text


class TestFaults:
    async def test_each_kind_is_explained(self, played: Site) -> None:
        rows = section(await shown(played, "/agents/ada?game=c4"), "errors")[1:]
        assert [row[:2] for row in rows] == [["timeout", "2"], ["lost by strikes", "1"], ["nonce", "1"]]
        assert rows[0][2].startswith("no complete answer within deadline_ms answer sooner")
        assert rows[1][2].startswith("a match was forfeited by 3 strikes")

    async def test_an_agent_that_connects_is_told_of_its_own_protocol(self, played: Site) -> None:
        rows = section(await shown(played, "/agents/bob?game=ttt"), "errors")[1:]
        assert sorted(row[0] for row in rows) == ["illegal_move", "lost by illegal_move"]
        assert all("last state" in row[2] for row in rows)

    async def test_nothing_went_wrong(self, played: Site) -> None:
        assert "every answer was a legal move in time" in (await shown(played, "/agents/Cleo?game=c4")).text

    def test_a_kind_of_a_later_version_is_said_to_be_unknown(self) -> None:
        for kind in ("telepathy", "lost by telepathy"):
            assert words(FaultCount(kind, 1).kind, "ssh").says == "not in the tables of this version"


class TestNobody:
    async def test_a_name_in_other_letters_leads_to_the_right_one(self, played: Site) -> None:
        for asked, named in [("ADA", "ada"), ("cleo", "Cleo")]:
            status, headers, _ = await played.ask("GET", f"/agents/{asked}")
            assert (status, headers["location"]) == (302, f"/agents/{named}")
            status, headers, _ = await played.ask("GET", f"/agents/{asked}?game=connect4")
            assert (status, headers["location"]) == (302, f"/agents/{named}?game=c4")

    async def test_who_is_not_there_is_not_found(self, played: Site) -> None:
        for name in ["nobody", "gone", "greedy", "x" * 3000, "%00", "%3Cscript%3E", "a%2Fb", "b0b", "%ED%A0%80"]:
            page = await shown(played, f"/agents/{name}", 404)
            assert page.texts("h1") == ["No such agent"]
            assert {one.get("action") for one in page.all("form")} == {"/ladders/ttt", "/ladders/c4"}

    async def test_those_with_a_name_like_it_are_named(self, played: Site) -> None:
        page = await shown(played, "/agents/le", 404)
        assert [link for link in page.links if link.startswith("/agents/")] == ["/agents/Cleo?game=c4"]

    async def test_who_has_played_nothing_is_told_how_to(self, played: Site) -> None:
        page = await shown(played, f"/agents/{NEWBIE}")
        assert f"{NEWBIE} has played no match yet." in page.text
        assert {"/join", "/practice", "/protocol"} <= set(page.links)
        assert page.all("svg") == []

    async def test_a_game_that_it_has_not_played_says_so(self, played: Site) -> None:
        page = await shown(played, "/agents/ada?game=ttt")
        assert "ada has played no match of Tic-Tac-Toe yet." in page.text
        assert "/agents/ada?game=c4" in page.links

    async def test_a_game_that_is_not_there_is_not_found(self, played: Site) -> None:
        for game in ["chess", "%3Cb%3E", "x" * 300, "%00"]:
            page = await shown(played, f"/agents/ada?game={game}", 404)
            assert "the games are ttt, c4" in page.text

    async def test_only_unrated_matches_make_no_rank(self, site: Site) -> None:
        meet(site, 1, why="practice")
        page = await shown(site, "/agents/ada")
        assert facts(page)["Rank"] == "none before the first rated match"
        assert facts(page)["Rated"] == "0 matches"
        assert facts(page)["All"] == "1 match, rated or not"
        assert "No rated match against another agent yet." in page.text


async def test_a_reader_that_has_the_page_is_told_so(played: Site) -> None:
    _, headers, _ = await played.ask("GET", "/agents/ada?game=c4")
    asked = {"If-None-Match": f'"other", {headers["etag"]}'}
    assert (await played.ask("GET", "/agents/ada?game=c4", headers=asked))[0] == 304
    with played.database.writing_connection() as conn:
        Ledger().commit(conn, [match(300, ADA, BOB, 0)])
    assert (await played.ask("GET", "/agents/ada?game=c4", headers=asked))[0] == 200


def meet(site: Site, count: int, why: str | None = None) -> None:
    """`ada` meets so many agents once each."""
    with site.database.begin() as conn:
        for number in range(count + 1):
            accounts.add(conn, f"agent-{number:03d}" if number else "ada", now_ms=NOW_MS)
    others = [Player(number + 1, f"agent-{number:03d}", "ssh") for number in range(1, count + 1)]
    with site.database.writing_connection() as conn:
        Ledger().commit(conn, [match(number, ADA, other, 0, why=why) for number, other in enumerate(others, 1)])


def _matches(page: Page) -> list[str]:
    return [link for link in page.links if link.startswith("/m/")]
