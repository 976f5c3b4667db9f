"""`/m/ID`: matches that are on, over, and not there, whatever their texts are."""

from __future__ import annotations

import json
import random
from typing import Any

import msgspec
import pytest
from tests.random_matches import play

from agentbbs.games.catalog import find
from agentbbs.hub.games.human_seat import HumanSeat
from agentbbs.play import offline_referee, replay
from agentbbs.play.match import STRIKES
from agentbbs.play.ports import ARENA_TRANSPORT, FinishedMatch, Player, Ply, Strike
from agentbbs.play.scene import scene
from agentbbs.protocol.agentgames import Termination
from agentbbs.store import accounts
from agentbbs.store.ledger import Ledger
from agentbbs.web.drawing.board import described
from agentbbs.web.headers import PAGE

from .html import valid
from .reader import Reader
from .site import NOW_MS, PUBLIC_URL, Site

EVIL = "</pre><script>alert(1)</script><img src=x onerror=alert(2)>&amp;\"'\x1b[2J\u202e\u200b\n<b>"


async def shown(site: Site, match_id: str, status: int = 200, query: str = "") -> Reader:
    """The page of a match, with the headers that hold a browser to it."""
    found, headers, text = await site.ask("GET", f"/m/{match_id}{query}")
    assert found == status
    assert headers["content-security-policy"] == PAGE["Content-Security-Policy"]
    assert headers["x-content-type-options"] == "nosniff"
    valid(text)
    return Reader(text)


def plies(page: Reader) -> list[str]:
    """The rows of the table of plies, each as it is read."""
    rows: list[str] = []
    for path, text in page.texts:
        if path[-1:] == ("tbody",):
            rows.append("")
        elif "tbody" in path:
            rows[-1] += text
    return [" ".join(row.split()) for row in rows if row.strip()]


def store(site: Site, *matches: FinishedMatch) -> None:
    """Put matches into the database; accounts 1 and 2 are ada and bob."""
    with site.database.begin() as conn:
        for name in ("ada", "bob"):
            accounts.add(conn, name, now_ms=NOW_MS)
    with site.database.writing_connection() as conn:
        Ledger().commit(conn, list(matches))


def struck(*, name: str = "ada", reason: str | None = "centre first", detail: str | None = None) -> FinishedMatch:
    """Two strikes and a move of an endpoint, then three strikes of another, which forfeit."""
    detail = detail or "the nonce is another"
    wrong = Strike("nonce", 31, "4", detail=detail, reason=reason, nonce="a" * 32, asked_ms=5)
    late = Strike("timeout", 10_000, detail="no complete answer in time", nonce="b" * 32, asked_ms=700)
    first = Ply("4", 12, (wrong, late), reason, "c" * 32, 10_900)
    illegal = tuple(
        Strike("illegal_move", 3, "4", detail="the move is not in `legal`", nonce=sign * 32, asked_ms=11_000)
        for sign in "def"
    )
    return FinishedMatch(
        id="019a7c1e-4b02-7d31-9c55-2f6b1a8e0d47",
        game="ttt",
        rules_version=find("ttt").version,
        players=(Player(1, name, ARENA_TRANSPORT, 10_000), Player(2, "bob", ARENA_TRANSPORT, 9_000)),
        plies=(first,),
        unplayed=illegal,
        winner=0,
        termination=Termination.STRIKES,
        reason="forfeit: strikes",
        rated=True,
        why=None,
        move_timeout_ms=15_000,
        started_ms=NOW_MS,
        ended_ms=NOW_MS + 12_000,
    )


class TestFinished:
    async def test_every_strike_stands_at_the_ply_and_the_seat_that_made_it(self, site: Site) -> None:
        """Cases 134 and 136: both failed replies, with times and reasons, in place and at their seats."""
        match = struck()
        store(site, match)
        page = await shown(site, match.id)
        start, first, end = plies(page)
        assert "strike" not in start
        assert first.startswith("1 X ada 4 12 ms")
        nonce, timeout = first.split("strike of ")[1:]
        assert nonce.startswith("X ada: nonce after 31 ms, asked at 0.005 s, offered 4: the nonce is another")
        assert "centre first" in nonce
        assert timeout.startswith("X ada: timeout after 10.0 s, asked at 0.700 s: no complete answer in time")
        assert timeout.endswith("centre first"), "what was said with the move comes after its strikes"
        assert [part.partition(":")[0] for part in end.split("strike of ")[1:]] == ["O bob"] * 3
        assert end.endswith("X ada wins (forfeit: strikes).")
        for clock in ("10.0 s for an answer", "9.0 s for an answer"):
            assert clock in page.text
        assert page.refresh == ""

    @pytest.mark.parametrize("game", ["ttt", "c4"])
    @pytest.mark.parametrize("seed", range(2))
    async def test_every_ply_is_told(self, site: Site, game: str, seed: int) -> None:
        match = play(random.Random(seed), game, 0.1, strikes=(False, False), why=None, endpoints=(True, False))
        store(site, match)
        page = await shown(site, match.id)
        rows = plies(page)
        assert len(rows) == len(match.plies) + 2
        for number, (row, ply) in enumerate(zip(rows[1:], match.plies, strict=False), start=1):
            assert row.startswith(f"{number} {'XO'[(number - 1) % 2]} ")
            assert f" {ply.move} " in row

    async def test_texts_of_agents_are_inert(self, site: Site) -> None:
        match = struck(name=EVIL, reason=EVIL, detail=EVIL)
        store(site, match)
        for address in (match.id, f"{match.id}/embed"):
            _, _, text = await site.ask("GET", f"/m/{address}?ply=1")
            page = Reader(text, addresses=(PUBLIC_URL,))  # it fails at any tag that is not ours
            assert "<script>alert(1)</script>" in page.text
            for sign in ("\x1b", "\u202e", "\u200b"):
                assert sign not in page.text

    async def test_what_scripts_put_into_the_page_is_inert(self, site: Site) -> None:
        match = struck(reason=EVIL, detail=EVIL)
        store(site, match)
        _, _, text = await site.ask("GET", f"/m/{match.id}/frames.json")
        for sign in ("\x1b", "\u202e", "\u200b", "\\u001b"):
            assert sign not in text

    async def test_an_account_has_a_link_and_a_house_bot_has_none(self, site: Site) -> None:
        house = msgspec.structs.replace(
            struck(), players=(Player(1, "ada", "ssh"), Player(None, "minimax", "house")), rated=False, why="practice"
        )
        store(site, house)
        page = await shown(site, house.id)
        assert [link for link in page.links if link.startswith("/agents/")] == ["/agents/ada"]
        assert "no: practice" in page.text

    async def test_the_name_of_a_removed_account_is_struck_out_and_leads_nowhere(self, site: Site) -> None:
        match = struck()
        store(site, match)
        kept, _, before = await site.ask("GET", f"/m/{match.id}/frames.json")
        with site.database.begin() as conn:
            accounts.remove(conn, "bob", now_ms=NOW_MS)
        page = await shown(site, match.id)
        assert "bob" not in page.text
        assert [link for link in page.links if link.startswith("/agents/")] == ["/agents/ada"]
        assert (await site.ask("GET", f"/m/{match.id}/frames.json"))[2] == before, "kept for ever, it names nobody"
        assert kept == 200

    async def test_ratings_stand_as_the_match_found_and_left_them(self, site: Site) -> None:
        match = struck()
        store(site, match)
        page = await shown(site, match.id)
        assert "1500 → 1516 (+16)" in page.said
        assert "1500 → 1484 (-16)" in page.said

    async def test_the_file_is_what_the_offline_referee_takes(self, site: Site) -> None:
        match = struck()
        store(site, match)
        page = await shown(site, match.id)
        (link,) = [link for link in page.links if link.endswith(".json")]
        status, headers, text = await site.ask("GET", link)
        assert status == 200
        assert headers["content-type"].startswith("application/json")
        assert headers["content-disposition"] == f'attachment; filename="{match.id}.json"'
        saved = replay.parse(text.encode())
        assert offline_referee.referee(saved) == ()
        assert [strike.kind for strike in saved.plies[0].strikes] == ["nonce", "timeout"]

    @pytest.mark.parametrize("faulty", [{"game": "go9"}, {"rules_version": 99}, {"plies": (Ply("4", 1), Ply("4", 1))}])
    async def test_a_match_by_rules_that_are_not_here_still_has_its_plies_and_its_file(
        self, site: Site, faulty: dict[str, Any]
    ) -> None:
        match = msgspec.structs.replace(struck(), **faulty)
        store(site, match)
        page = await shown(site, match.id)
        assert "can't be drawn here" in page.text
        assert plies(page)[1].startswith("1 X ada 4 ")
        assert page.inside("svg") == []
        (link,) = [link for link in page.links if link.endswith(".json")]
        assert (await site.ask("GET", link))[0] == 200
        status, _, text = await site.ask("GET", f"/m/{match.id}/embed")
        assert status == 200
        assert "can't be drawn here" in Reader(text, addresses=(PUBLIC_URL,)).text

    async def test_a_reader_who_has_the_page_is_not_sent_it_again(self, site: Site) -> None:
        match = struck()
        store(site, match)
        _, headers, _ = await site.ask("GET", f"/m/{match.id}")
        again = {"If-None-Match": headers["etag"]}
        assert (await site.ask("GET", f"/m/{match.id}", headers=again))[0] == 304
        assert (await site.ask("GET", f"/m/{match.id}?ply=0", headers=again))[0] == 200


class TestLive:
    async def test_a_match_that_is_on_shows_its_board_and_asks_again(self, site: Site) -> None:
        one, other = HumanSeat(1, "ann", lambda: None), HumanSeat(2, "<b>bob", lambda: None)
        match_id = site.runner.start(find("ttt"), (one, other), why_unrated="a <challenge>")
        page = await shown(site, match_id)
        assert page.refresh == "5", "for readers without scripts"
        assert "X ann is to move" in page.text
        assert "<b>bob" in page.text
        assert "a <challenge>" in page.text
        one.play("4")
        position = find("ttt").initial().play("4")
        page = await shown(site, match_id)
        drawn = scene(position)
        assert drawn is not None
        assert described(drawn) in page.inside("desc")
        assert "O <b>bob is to move" in page.text
        assert (await site.ask("GET", f"/m/{match_id}.json"))[0] == 404, "there is no file yet"

    async def test_between_the_end_and_the_store_the_page_asks_again(
        self, site: Site, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        kept: list[Any] = []
        monkeypatch.setattr(site.writer, "record", lambda match, settled: kept.append((match, settled)))
        one, other = HumanSeat(1, "ann", lambda: None), HumanSeat(2, "bob", lambda: None)
        match_id = site.runner.start(find("ttt"), (one, other), why_unrated="a challenge")
        one.resign()
        page = await shown(site, match_id)
        assert page.refresh == "1"
        assert "being stored" in page.text
        kept[0][1](None)
        await shown(site, match_id, status=404)


class TestUnknown:
    @pytest.mark.parametrize(
        "match_id",
        ["019a7c1e", "x", "%3Cscript%3E", "a" * 65, "019a7c1e-4b02-7d31-9c55-2f6b1a8e0d4", "%00", "%ff", "%0a"],
    )
    async def test_a_match_that_is_not_there_says_what_may_have_happened(self, site: Site, match_id: str) -> None:
        store(site, struck())
        page = await shown(site, match_id, status=404)
        assert "stop of the venue" in page.text
        assert "void" in page.text
        assert page.refresh == ""

    async def test_its_file_is_not_there_in_json(self, site: Site) -> None:
        status, headers, text = await site.ask("GET", "/m/unknown.json")
        assert (status, json.loads(text)["error"]["code"]) == (404, "not_found")
        assert headers["content-type"].startswith("application/json")

    @pytest.mark.parametrize("path", ["/m", "/m/", "/m/a/b", "/m/a.b", "/elsewhere", "/%3Cb%3E"])
    async def test_other_paths_are_pages_too(self, site: Site, path: str) -> None:
        status, headers, text = await site.ask("GET", path)
        assert status == 404
        assert headers["content-type"].startswith("text/html")
        Reader(text)


def test_an_arena_seat_has_three_strikes() -> None:
    assert STRIKES(3).faults == len(struck().unplayed)
