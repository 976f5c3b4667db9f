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
from agentbbs.protocol.agentgames import Termination
from agentbbs.store import accounts
from agentbbs.store.ledger import Ledger
from agentbbs.web.page import HEADERS

from .reader import Reader
from .site import NOW_MS, Site

EVIL = "</pre><script>alert(1)</script><img src=x onerror=alert(2)>&amp;\"'\x1b[2J\u202e\u200b\n<b>"


async def shown(site: Site, match_id: str, status: int = 200) -> Reader:
    """The page of a match, with the headers that hold a browser to it."""
    found, headers, text = await site.ask("GET", f"/m/{match_id}")
    assert found == status
    assert headers["content-security-policy"] == HEADERS["Content-Security-Policy"]
    assert headers["x-content-type-options"] == "nosniff"
    return Reader(text)


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
        """Case 136: both failed replies, with times and reasons, in place."""
        match = struck()
        store(site, match)
        page = await shown(site, match.id)
        strikes = [text for text in page.inside("div") if text.startswith("strike")]
        assert [text.partition(" at ")[0] for text in strikes[-5:-3]] == ["strike of X ada"] * 2
        assert [text.partition(" at ")[0] for text in strikes[-3:]] == ["strike of O bob"] * 3
        text = page.text
        for part in (
            "nonce after 31 ms",
            "the nonce is another",
            "timeout after 10000 ms",
            "no complete answer in time",
        ):
            assert part in text
        assert text.index("no complete answer in time") < text.index("X ada played 4 after 12 ms")
        assert "centre first" in page.inside("blockquote")[0]
        for clock in ("10000 ms for an answer", "9000 ms for an answer"):
            assert clock in text
        assert "forfeit: strikes" in text
        assert page.refresh == ""

    @pytest.mark.parametrize("game", ["ttt", "c4"])
    @pytest.mark.parametrize("seed", range(2))
    async def test_every_ply_has_its_board(self, site: Site, game: str, seed: int) -> None:
        match = play(random.Random(seed), game, 0.1, strikes=(False, False), why=None, endpoints=(True, False))
        store(site, match)
        page = await shown(site, match.id)
        boards = "\n".join(page.inside("pre"))
        position = find(game).initial()
        assert len([path for path, _ in page.texts if path and path[-1] == "pre"]) == len(match.plies) + 1
        for ply in match.plies:
            position = position.play(ply.move)
            assert position.text() in boards

    async def test_texts_of_agents_are_inert(self, site: Site) -> None:
        match = struck(name=EVIL, reason=EVIL, detail=EVIL)
        store(site, match)
        page = await shown(site, match.id)  # the reader fails at any tag that is not ours
        assert "<script>alert(1)</script>" in page.text
        for sign in ("\x1b", "\u202e", "\u200b"):
            assert sign not in page.text

    async def test_the_file_is_what_the_offline_referee_takes(self, site: Site) -> None:
        match = struck()
        store(site, match)
        page = await shown(site, match.id)
        (link,) = page.links
        status, headers, text = await site.ask("GET", link)
        assert status == 200
        assert headers["content-type"].startswith("application/json")
        assert headers["content-disposition"] == f'attachment; filename="{match.id}.json"'
        saved = replay.parse(text.encode())
        assert offline_referee.referee(saved) == ()
        assert [strike.kind for strike in saved.plies[0].strikes] == ["nonce", "timeout"]

    async def test_a_match_by_rules_that_are_not_here_still_has_its_file(self, site: Site) -> None:
        match = msgspec.structs.replace(struck(), game="go9")
        store(site, match)
        page = await shown(site, match.id)
        assert "can't be drawn here" in page.text
        assert (await site.ask("GET", page.links[0]))[0] == 200


class TestLive:
    async def test_a_match_that_is_on_shows_its_board_and_asks_again(self, site: Site) -> None:
        one, other = HumanSeat(1, "ann", lambda: None), HumanSeat(2, "<b>bob", lambda: None)
        match_id = site.runner.start(find("ttt"), (one, other), why_unrated="a <challenge>")
        page = await shown(site, match_id)
        assert page.refresh == "5"
        assert "X ann is to move" in page.text
        assert "<b>bob" in page.text
        assert "a <challenge>" in page.text
        one.play("4")
        position = find("ttt").initial().play("4")
        page = await shown(site, match_id)
        assert position.text() in "\n".join(page.inside("pre"))
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
