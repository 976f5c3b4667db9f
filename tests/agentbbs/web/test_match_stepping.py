"""Stepping through `/m/ID`, and what can be taken from there: frames, notations, the board for other pages."""

from __future__ import annotations

import json
import random
import re
from typing import Any, Final

import msgspec
import pytest
from tests.random_matches import play

from agentbbs.games import catalog
from agentbbs.games.game import Game, IllegalMove, Outcome
from agentbbs.games.notation import GameRecord, Notation, pgn_tag, sgf_text
from agentbbs.hub.games.human_seat import HumanSeat
from agentbbs.play.ports import FinishedMatch, Player, Ply
from agentbbs.protocol.agentgames import Termination
from agentbbs.web import headers
from agentbbs.web.pages import match as match_pages

from .html import Page, valid
from .reader import Reader
from .site import NOW_MS, PUBLIC_URL, Site
from .test_match_page import EVIL, store, struck

MAX_PAGE_BYTES: Final = 100_000


class PawnsPosition(msgspec.Struct, frozen=True):
    """Two pawns walk four squares; who is through first has won. Its board is no grid."""

    moves: tuple[str, ...] = ()

    @property
    def ply(self) -> int:
        return len(self.moves)

    @property
    def to_move(self) -> int:
        return -1 if self.outcome else self.ply % 2

    @property
    def legal(self) -> tuple[str, ...]:
        return () if self.outcome else ("step", "wait")

    @property
    def outcome(self) -> Outcome | None:
        through = [self.moves[seat::2].count("step") == 4 for seat in (0, 1)]
        if True in through:
            return Outcome(through.index(True))
        return Outcome(-1) if self.ply == 20 else None

    def play(self, move: str) -> PawnsPosition:
        if move not in self.legal:
            raise IllegalMove(move, self.legal)
        return PawnsPosition((*self.moves, move))

    def observation(self) -> dict[str, Any]:
        return {"board": self.text(), "toMove": self.to_move, "legal": list(self.legal)}

    def text(self) -> str:
        return "\n".join(f"{'XO'[seat]}{'>' * self.moves[seat::2].count('step')}" for seat in (0, 1))

    def serialise(self) -> str:
        return " ".join(self.moves)


def write_pgn(record: GameRecord) -> str:
    tags = {
        "Event": record.event,
        "Site": record.site,
        "Date": record.started.strftime("%Y.%m.%d"),
        "Round": "-",
        "White": record.players[0],
        "Black": record.players[1],
        "Result": record.result,
    }
    return (
        "".join(pgn_tag(name, value) for name, value in tags.items()) + f"\n{' '.join(record.moves)} {record.result}\n"
    )


def write_sgf(record: GameRecord) -> str:
    moves = "".join(f";{'BW'[at % 2]}[{sgf_text(move)}]" for at, move in enumerate(record.moves))
    return f"(;GM[1]FF[4]CA[UTF-8]PB[{sgf_text(record.players[0])}]PW[{sgf_text(record.players[1])}]{moves})"


class Pawns:
    """A game of another package, with both notations."""

    id = "pawns"
    title = "Pawns"
    aliases = ()
    version = 1
    max_plies = 20
    notations = (
        Notation("pgn", "PGN", "application/vnd.chess-pgn", "pgn", write_pgn),
        Notation("sgf", "SGF", "application/x-go-sgf", "sgf", write_sgf),
    )

    def initial(self) -> PawnsPosition:
        return PawnsPosition()

    def restore(self, text: str) -> PawnsPosition:
        return PawnsPosition(tuple(text.split()))


@pytest.fixture
def pawns(monkeypatch: pytest.MonkeyPatch) -> Game:
    """The game, installed."""
    game = Pawns()
    monkeypatch.setattr(catalog, "GAMES", {**catalog.GAMES, game.id: game})
    return game


def of_pawns(*, name: str = "ada") -> FinishedMatch:
    return FinishedMatch(
        id="019a7c1e-pawns",
        game="pawns",
        rules_version=1,
        players=(Player(1, name, "ssh"), Player(2, "bob", "websocket")),
        plies=tuple(Ply(move, 7) for move in ("step", "wait", "step", "step", "step", "wait", "step")),
        unplayed=(),
        winner=0,
        termination=Termination.NORMAL,
        reason=None,
        rated=True,
        why=None,
        move_timeout_ms=15_000,
        started_ms=NOW_MS,
        ended_ms=NOW_MS + 100,
    )


def of_c4(seed: int = 1, plies: int = 1) -> FinishedMatch:
    """A match of Connect 4 to its end, of at least so many plies."""
    while True:
        match = play(random.Random(seed), "c4", 0, strikes=(False, False), why=None)
        if len(match.plies) >= plies:
            return match
        seed += 1


async def at(site: Site, match: FinishedMatch, query: str = "") -> Page:
    status, _, text = await site.ask("GET", f"/m/{match.id}{query}")
    assert status == 200
    Reader(text)
    return valid(text)


def discs(page: Page) -> int:
    return sum(one.get("class") in {"disc-x", "disc-o"} for one in page.root.iter())


def current(page: Page) -> list[str | None]:
    return [row.get("id") for row in page.all("tr") if row.get("aria-current")]


def leads(page: Page) -> dict[str, str]:
    """Where each step leads."""
    return {link.attrib["data-step"]: link.attrib["href"] for link in page.all("a") if "data-step" in link.attrib}


class TestStepping:
    async def test_it_begins_at_the_end(self, site: Site) -> None:
        match = of_c4()
        store(site, match)
        last = len(match.plies)
        page = await at(site, match)
        assert discs(page) == last
        assert current(page) == [f"p{last}"]
        assert leads(page) == {
            "first": "?ply=0",
            "back": f"?ply={last - 1}",
            "next": f"?ply={last}",
            "last": f"?ply={last}",
        }

    async def test_links_lead_from_ply_to_ply(self, site: Site) -> None:
        match = of_c4()
        store(site, match)
        page = await at(site, match, "?ply=0")
        for ply in range(4):
            assert discs(page) == ply
            assert current(page) == [f"p{ply}"]
            page = await at(site, match, leads(page)["next"])
        page = await at(site, match, leads(page)["back"])
        assert discs(page) == 3

    async def test_every_row_leads_to_its_ply(self, site: Site) -> None:
        match = of_c4()
        store(site, match)
        page = await at(site, match)
        rows = [link for link in page.links if "#p" in link and not link.endswith("#plies")]
        assert rows == [f"?ply={ply}#p{ply}" for ply in range(len(match.plies) + 1)]
        assert {f"p{ply}" for ply in range(len(match.plies) + 1)} <= set(page.ids)

    @pytest.mark.parametrize("query", ["", "-1", "x", "1e3", "٣", "0x1", " 1", "9" * 30, "99999", "1.0", "%00", "<b>"])
    async def test_what_is_no_ply_is_the_end(self, site: Site, query: str) -> None:
        match = of_c4()
        store(site, match)
        page = await at(site, match, f"?ply={query}")
        assert current(page) == [f"p{len(match.plies)}"]

    async def test_only_the_board_that_is_shown_is_sent_and_the_page_is_light(self, site: Site) -> None:
        match = of_c4(plies=42)
        store(site, match)
        _, _, text = await site.ask("GET", f"/m/{match.id}")
        page = valid(text)
        assert len(page.all("svg")) == 1
        files = [one.get("src") or one.get("href") or "" for one in page.all("script", "link")]
        loaded = [file for file in files if file.startswith("/static/")]
        loaded += [file.replace("match.js", "board.js") for file in loaded if file.endswith("match.js")]
        loaded.append(f"/m/{match.id}/frames.json")
        weight = len(text) + sum([len((await site.ask("GET", file))[2]) for file in loaded])
        assert weight < MAX_PAGE_BYTES

    async def test_clocks_and_times_stand_beside_the_seats(self, site: Site) -> None:
        match = struck()
        store(site, match)
        page = await at(site, match, "?ply=1")
        assert [said for said in page.texts("li") if said.startswith(("X ", "O "))] == ["X ada 12 ms", "O bob"]
        page = await at(site, match, "?ply=0")
        assert "X ada" in page.texts("li")

    async def test_a_match_without_a_move_has_nothing_to_step_through(self, site: Site) -> None:
        match = msgspec.structs.replace(
            struck(), plies=(), unplayed=(), winner=-1, termination=Termination.SERVER, rated=False, why="void"
        )
        store(site, match)
        page = await at(site, match)
        assert leads(page) == {}
        assert "No move was played. The match is void" in page.text

    async def test_a_long_match_is_told_in_parts(
        self, site: Site, pawns: Game, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(match_pages, "ROWS_SHOWN", 3)
        monkeypatch.setattr(match_pages, "MAX_FRAMES", 5)
        match = of_pawns()
        store(site, match)
        page = await at(site, match, "?ply=4")
        assert [row.get("id") for row in page.all("tr") if row.get("id")] == ["p3", "p4", "p5"]
        assert "?ply=2#plies" in page.links
        assert "?ply=6#plies" in page.links
        assert "data-frames" not in "".join(name for one in page.root.iter() for name in one.attrib)
        assert (await site.ask("GET", f"/m/{match.id}/frames.json"))[0] == 404

    async def test_a_board_that_is_no_grid_is_shown_as_text(self, site: Site, pawns: Game) -> None:
        match = of_pawns()
        store(site, match)
        page = await at(site, match, "?ply=3")
        assert page.all("svg") == []
        assert "X>> O" in page.texts("pre")
        frames = json.loads((await site.ask("GET", f"/m/{match.id}/frames.json"))[2])
        assert frames["frames"][3]["text"] == "X>>\nO"
        assert "board" not in frames


class TestFrames:
    async def test_scripts_have_every_position_and_keep_it_for_ever(self, site: Site) -> None:
        match = of_c4()
        store(site, match)
        page = await at(site, match)
        (address,) = [one.attrib["data-frames"] for one in page.all("div") if "data-frames" in one.attrib]
        status, found, text = await site.ask("GET", address)
        assert status == 200
        assert found["content-type"].startswith("application/json")
        assert "immutable" in found["cache-control"]
        frames = json.loads(text)
        assert [frame.get("move") for frame in frames["frames"]] == [None, *(ply.move for ply in match.plies)]
        assert (await site.ask("GET", address, headers={"If-None-Match": found["etag"]}))[0] == 304

    async def test_under_no_version_it_is_asked_for_again(self, site: Site) -> None:
        match = of_c4()
        store(site, match)
        for query in ("", "?v=0", "?v=x"):
            _, found, _ = await site.ask("GET", f"/m/{match.id}/frames.json{query}")
            assert found["cache-control"] == "no-cache"
            assert found["etag"]

    @pytest.mark.parametrize("match_id", ["unknown", "a" * 65, "%00"])
    async def test_of_no_match_there_are_none(self, site: Site, match_id: str) -> None:
        status, _, text = await site.ask("GET", f"/m/{match_id}/frames.json")
        assert (status, json.loads(text)["error"]["code"]) == (404, "not_found")


class TestNotations:
    async def test_a_game_that_has_some_offers_them(self, site: Site, pawns: Game) -> None:
        match = of_pawns()
        store(site, match)
        page = await at(site, match)
        assert [link for link in page.links if link.startswith(f"/m/{match.id}.")] == [
            f"/m/{match.id}.{suffix}" for suffix in ("json", "pgn", "sgf")
        ]
        status, found, text = await site.ask("GET", f"/m/{match.id}.pgn")
        assert status == 200
        assert found["content-type"].startswith("application/vnd.chess-pgn")
        assert found["content-disposition"] == f'attachment; filename="{match.id}.pgn"'
        assert text.splitlines() == [
            '[Event "rated match"]',
            f'[Site "{PUBLIC_URL}/m/{match.id}"]',
            '[Date "2026.01.01"]',
            '[Round "-"]',
            '[White "ada"]',
            '[Black "bob"]',
            '[Result "1-0"]',
            "",
            "step wait step step step wait step 1-0",
        ]

    async def test_names_of_strangers_stay_names(self, site: Site, pawns: Game) -> None:
        match = of_pawns(name='"] [Result "0-1"]\n;B[dd]\\')
        store(site, match)
        _, _, pgn = await site.ask("GET", f"/m/{match.id}.pgn")
        assert '[White "\\"] [Result \\"0-1\\"] ;B[dd]\\\\"]' in pgn.splitlines()
        _, _, sgf = await site.ask("GET", f"/m/{match.id}.sgf")
        assert sgf.startswith('(;GM[1]FF[4]CA[UTF-8]PB["\\] [Result "0-1"\\] ;B[dd\\]\\\\]PW[bob];B[step]')

    @pytest.mark.parametrize("suffix", ["pgn", "sgf", "html", "js", "jsonx"])
    async def test_other_games_have_none(self, site: Site, suffix: str) -> None:
        match = of_c4()
        store(site, match)
        assert (await site.ask("GET", f"/m/{match.id}.{suffix}"))[0] == 404
        assert (await site.ask("GET", f"/m/unknown.{suffix}"))[0] == 404

    async def test_a_match_by_other_rules_is_not_written_down(self, site: Site, pawns: Game) -> None:
        match = msgspec.structs.replace(of_pawns(), rules_version=2)
        store(site, match)
        assert (await site.ask("GET", f"/m/{match.id}.pgn"))[0] == 404
        assert f"/m/{match.id}.pgn" not in (await at(site, match)).links


class TestEmbedded:
    async def test_the_snippet_leads_to_a_board_that_any_page_may_frame(self, site: Site) -> None:
        match = of_c4()
        store(site, match)
        page = await at(site, match)
        (snippet,) = [said for said in page.texts("pre") if said.startswith("<iframe")]
        address = re.search(r'src="([^"]+)"', snippet)
        assert address is not None
        assert address[1] == f"{PUBLIC_URL}/m/{match.id}/embed"
        status, found, text = await site.ask("GET", address[1].removeprefix(PUBLIC_URL))
        assert status == 200
        assert found["content-security-policy"] == headers.EMBEDDED["Content-Security-Policy"]
        assert "frame-ancestors *" in found["content-security-policy"]
        embedded = valid(text)
        assert discs(embedded) == len(match.plies)
        assert embedded.all("form", "header", "nav")[0].get("aria-label") == "Steps of the match"
        assert [link for link in embedded.links if not link.startswith("?")] == [f"{PUBLIC_URL}/m/{match.id}"]

    async def test_it_steps_and_says_the_same_to_everybody(self, site: Site) -> None:
        match = of_c4()
        store(site, match)
        _, found, text = await site.ask("GET", f"/m/{match.id}/embed?ply=2")
        assert discs(valid(text)) == 2
        assert "set-cookie" not in found
        cookie = {"Cookie": "session=whoever"}
        assert (await site.ask("GET", f"/m/{match.id}/embed?ply=2", headers=cookie))[2] == text

    async def test_it_plays_by_itself_if_that_is_asked_for(self, site: Site) -> None:
        match = of_c4()
        store(site, match)
        for query, asked in (("?autoplay=1", True), ("", False), ("?autoplay=0", False)):
            _, _, text = await site.ask("GET", f"/m/{match.id}/embed{query}")
            assert ("data-autoplay" in text) is asked

    async def test_a_match_that_is_on_is_shown_as_it_stands(self, site: Site) -> None:
        one, other = HumanSeat(1, EVIL, lambda: None), HumanSeat(2, "bob", lambda: None)
        match_id = site.runner.start(catalog.find("ttt"), (one, other), why_unrated="a challenge")
        status, found, text = await site.ask("GET", f"/m/{match_id}/embed")
        assert status == 200
        assert found["content-security-policy"] == headers.EMBEDDED["Content-Security-Policy"]
        assert Reader(text, addresses=(PUBLIC_URL,)).refresh == "5"
        assert valid(text).all("svg")

    async def test_a_match_that_is_not_there_says_so(self, site: Site) -> None:
        status, found, text = await site.ask("GET", "/m/unknown/embed")
        assert status == 404
        assert found["content-security-policy"] == headers.EMBEDDED["Content-Security-Policy"]
        assert "not kept here" in valid(text).text
