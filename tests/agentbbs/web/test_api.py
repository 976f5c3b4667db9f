"""What holds for the whole API: strict reading, tags, refusals in one form, and what pages of other sites may do."""

from __future__ import annotations

import gzip
import json
import random
from typing import Annotated, Any

import msgspec
import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from tests.random_matches import play

from agentbbs.games.catalog import find
from agentbbs.hub.games.human_seat import HumanSeat
from agentbbs.protocol.errors import CODES
from agentbbs.protocol.strikes import STRIKES
from agentbbs.store import accounts
from agentbbs.store.ledger import Ledger
from agentbbs.web.answering import answered
from agentbbs.web.api import cors, serving
from agentbbs.web.api.errors import ERRORS, ApiError
from agentbbs.web.api.limits import Limits
from agentbbs.web.api.operation import Call, Operation, Query

from . import played
from .site import PUBLIC_URL, Site
from .test_limits import Clock, settings

Client = TestClient[web.Request, web.Application]


class Wanted(Query, frozen=True):
    """A query with something of everything."""

    text: Annotated[str, msgspec.Meta(max_length=20)] | None = None
    number: Annotated[int, msgspec.Meta(ge=0, le=9)] | None = None
    share: float = 0.5
    sure: bool = False


class Sent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A body."""

    name: str
    inner: dict[str, int] = {}


class Found(msgspec.Struct, frozen=True):
    """An answer."""

    found: Any


async def read(call: Call) -> Found:
    """Whatever was asked."""
    return Found(msgspec.structs.asdict(call.query))


async def write(call: Call) -> Found:
    """Whatever was sent."""
    return Found(call.body.name)


async def explode(call: Call) -> Found:
    """A fault of ours."""
    raise RuntimeError(f"a secret of {call.path['id']}")


async def nothing(_: Call) -> None:
    """Done."""


async def nobody(_: web.Request) -> Any:
    raise web.HTTPUnauthorized


OPERATIONS = (
    Operation(method="GET", path="/read", summary="Read", handler=read, query=Wanted, answer=Found, keep_s=60),
    Operation(method="GET", path="/fresh", summary="Read", handler=read, answer=Found),
    Operation(method="POST", path="/write", summary="Write", handler=write, body=Sent, answer=Found, status=201),
    Operation(method="GET", path="/explode/{id}", summary="Fail", handler=explode, anchors={"id": "[a-z]{1,4}"}),
    Operation(method="DELETE", path="/explode/{id}", summary="Forget", handler=nothing, anchors={"id": "[a-z]{1,4}"}),
)


@pytest.fixture
async def api() -> Any:
    """An API of operations that are there to be asked anything."""
    app = web.Application(middlewares=[answered])
    app.on_response_prepare.append(cors.finish)
    app.add_routes(serving.routes(OPERATIONS, nobody, Limits(settings(reads=10**6, writes=10**6), Clock())))
    async with TestClient(TestServer(app)) as client:
        yield client


async def refused(answer: Any, code: str) -> str:
    """The sentence of a refusal, which has one form and is kept by nobody."""
    assert answer.status == ERRORS[code].status
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Cache-Control"] == "no-store"
    told = await answer.json()
    assert told.keys() == {"error"}
    assert told["error"]["code"] == code
    return str(told["error"]["message"])


class TestQueries:
    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("", {"text": None, "number": None, "share": 0.5, "sure": False}),
            ("text=null", {"text": "null", "number": None, "share": 0.5, "sure": False}),
            ("text=nan&number=9", {"text": "nan", "number": 9, "share": 0.5, "sure": False}),
            ("text=&sure=true&share=0.25", {"text": "", "number": None, "share": 0.25, "sure": True}),
            ("text=%F0%9F%8E%B2%00%2F", {"text": "\U0001f3b2\0/", "number": None, "share": 0.5, "sure": False}),
        ],
    )
    async def test_a_query_is_read(self, api: Client, query: str, found: object) -> None:
        async with api.get(f"/api/v1/read?{query}") as answer:
            assert (answer.status, (await answer.json())["found"]) == (200, found)

    @pytest.mark.parametrize(
        "query",
        [
            "nobody=knows",
            "text=a&Text=b",
            "text=a&text=a",
            "text=" + "a" * 21,
            "number=",
            "number=10",
            "number=-1",
            "number=null",
            "number=1_0",
            "number=\u0663",
            "number=" + "9" * 5000,
            "share=nan",
            "share=-Infinity",
            "share=NULL",
            "sure=null",
            "sure=perhaps",
            "text[]=a",
            "=",
            "%00=1",
        ],
    )
    async def test_what_is_none_is_refused(self, api: Client, query: str) -> None:
        async with api.get(f"/api/v1/read?{query}") as answer:
            assert len(await refused(answer, "bad_request")) < 500

    async def test_an_operation_without_a_query_takes_none(self, api: Client) -> None:
        async with api.get("/api/v1/fresh?x=1") as answer:
            assert "none may stand there" in await refused(answer, "bad_request")


class TestBodies:
    async def send(self, api: Client, data: bytes, kind: str = "application/json", **headers: str) -> Any:
        return await api.post("/api/v1/write", data=data, headers={"Content-Type": kind, **headers})

    async def test_a_body_is_read(self, api: Client) -> None:
        for kind in ("application/json", "application/json; charset=UTF-8", "Application/JSON"):
            answer = await self.send(api, b' {"inner": {"a": 1}, "name": "\xc3\xa9"} ', kind)
            assert (answer.status, await answer.json()) == (201, {"found": "\xe9"})

    @pytest.mark.parametrize(
        "data",
        [
            b"",
            b"null",
            b"{}",
            b'{"name": "a", "name": "b"}',
            b'{"name": "a", "\\u006eame": "b"}',
            b'{"name": "a", "inner": {"x": 1, "x": 2}}',
            b'{"name": "a", "more": 1}',
            b'{"name": NaN}',
            b'{"name": "a", "inner": {"x": Infinity}}',
            b'{"name": "\xff"}',
            b'{"name": "\\ud800"}',
            b'\xef\xbb\xbf{"name": "a"}',
            b'{"name": "a"} {}',
            b'{"name": "a", "inner": ' + b'{"x":' * 2000,
            b"[" * 10_000,
        ],
    )
    async def test_what_is_no_such_json_is_refused(self, api: Client, data: bytes) -> None:
        await refused(await self.send(api, data), "bad_request")

    @pytest.mark.parametrize(
        "kind", ["text/json", "application/json; charset=utf-16", "application/x-www-form-urlencoded"]
    )
    async def test_what_is_not_said_to_be_json_is_not_read(self, api: Client, kind: str) -> None:
        await refused(await self.send(api, b'{"name": "a"}', kind), "unsupported_media_type")

    async def test_a_body_that_is_packed_is_measured_unpacked(self, api: Client) -> None:
        packed = gzip.compress(b'{"name": "a"}')
        answer = await self.send(api, packed, **{"Content-Encoding": "gzip"})
        assert (answer.status, await answer.json()) == (201, {"found": "a"})
        bomb = gzip.compress(b" " * 1_000_000)
        await refused(await self.send(api, bomb, **{"Content-Encoding": "gzip"}), "too_large")
        await refused(await self.send(api, packed[5:], **{"Content-Encoding": "gzip"}), "bad_request")


class TestAnswers:
    async def test_a_tag_spares_an_answer(self, api: Client) -> None:
        async with api.get("/api/v1/read?text=a") as first:
            tag = first.headers["ETag"]
            assert first.headers["Cache-Control"] == "public, max-age=60"
            whole = await first.read()
        for named, status in ((tag, 304), (f'"x", {tag}', 304), ("*", 304), ('W/"x"', 200)):
            async with api.get("/api/v1/read?text=a", headers={"If-None-Match": named}) as again:
                assert again.status == status
                assert again.headers["ETag"] == tag
                assert again.headers["Cache-Control"] == "public, max-age=60"
                assert {"RateLimit", "RateLimit-Policy", "Access-Control-Allow-Origin"} <= set(again.headers)
                assert await again.read() == (b"" if status == 304 else whole)
        async with api.get("/api/v1/read?text=b", headers={"If-None-Match": tag}) as other:
            assert other.status == 200

    async def test_what_may_change_is_asked_for_each_time(self, api: Client) -> None:
        async with api.get("/api/v1/fresh") as answer:
            assert answer.headers["Cache-Control"] == "no-cache"

    async def test_head_is_get_without_its_body(self, api: Client) -> None:
        async with api.get("/api/v1/fresh") as whole, api.head("/api/v1/fresh") as head:
            assert (head.status, await head.read()) == (200, b"")
            for name in ("ETag", "Content-Length", "Content-Type", "Cache-Control"):
                assert head.headers[name] == whole.headers[name]

    async def test_a_fault_of_ours_tells_nothing_of_itself(self, api: Client) -> None:
        async with api.get("/api/v1/explode/abc") as answer:
            assert "secret" not in await refused(answer, "internal")
            assert "RateLimit" in answer.headers

    @pytest.mark.parametrize(
        "path", ["/explode/ABC", "/explode/abcde", "/explode/", "/explode/a%0A", "/explode/a%2Fb", "//fresh"]
    )
    async def test_a_path_that_is_none_is_not_found(self, api: Client, path: str) -> None:
        async with api.get(f"/api/v1{path}") as answer:
            await refused(answer, "not_found")

    async def test_another_method_is_told_those_that_there_are(self, api: Client) -> None:
        async with api.put("/api/v1/explode/abc") as answer:
            await refused(answer, "method_not_allowed")
            assert answer.headers["Allow"] == "DELETE, GET, HEAD, OPTIONS"
        async with api.delete("/api/v1/explode/abc") as answer:
            assert (answer.status, answer.headers["Cache-Control"], await answer.read()) == (204, "no-store", b"")

    async def test_what_is_answered_with_nothing_has_no_type(self, api: Client) -> None:
        async with api.delete("/api/v1/explode/abc") as answer:
            assert "Content-Type" not in answer.headers

    async def test_a_refusal_that_was_not_thought_of_has_the_same_form(self) -> None:
        assert ApiError("not_found", "x", headers={"X": "1"}).response().headers["X"] == "1"


class TestOtherSites:
    def preflight(self, method: str, wanted: str = "authorization") -> dict[str, str]:
        return {
            "Origin": "https://elsewhere.example",
            "Access-Control-Request-Method": method,
            "Access-Control-Request-Headers": wanted,
        }

    async def test_they_may_read_and_see_where_they_stand(self, api: Client) -> None:
        async with api.get("/api/v1/fresh", headers={"Origin": "https://elsewhere.example"}) as answer:
            assert answer.headers["Access-Control-Allow-Origin"] == "*"
            exposed = set(answer.headers["Access-Control-Expose-Headers"].split(", "))
            assert exposed == {"ETag", "Retry-After", "RateLimit-Policy", "RateLimit"}
            assert "Access-Control-Allow-Credentials" not in answer.headers

    async def test_they_may_read_with_a_token_that_they_were_given(self, api: Client) -> None:
        async with api.options("/api/v1/fresh", headers=self.preflight("GET")) as answer:
            assert (answer.status, answer.headers["Access-Control-Allow-Origin"]) == (204, "*")
            assert "Authorization" in answer.headers["Access-Control-Allow-Headers"]
            assert answer.headers["Access-Control-Allow-Methods"] == "GET, HEAD"

    @pytest.mark.parametrize(
        ("path", "method"), [("/write", "POST"), ("/explode/abc", "DELETE"), ("/write", "GET"), ("/fresh", "POST")]
    )
    async def test_they_may_change_nothing(self, api: Client, path: str, method: str) -> None:
        async with api.options(f"/api/v1{path}", headers=self.preflight(method, "content-type")) as answer:
            assert answer.status == 204
            assert not [name for name in answer.headers if name.startswith("Access-Control")]
        async with api.post("/api/v1/write", data=b"{}", headers={"Origin": "https://elsewhere.example"}) as answer:
            assert not [name for name in answer.headers if name.startswith("Access-Control")]

    async def test_options_says_what_there_is(self, api: Client) -> None:
        async with api.options("/api/v1/explode/abc") as answer:
            assert (answer.status, answer.headers["Allow"]) == (204, "DELETE, GET, HEAD, OPTIONS")


class TestTokens:
    async def test_a_wrong_token_is_refused_where_none_is_wanted(self, site: Site) -> None:
        status, headers, text = await site.ask("GET", "/api/v1/", headers={"Authorization": "Bearer abbs_wrong"})
        assert (status, json.loads(text)["error"]["code"]) == (401, "unauthorized")
        assert headers["www-authenticate"] == "Bearer"

    async def test_what_a_proxy_before_the_venue_wants_is_not_for_the_api(self, site: Site) -> None:
        status, headers, _ = await site.ask("GET", "/api/v1/", headers={"Authorization": "Basic YTpi"})
        assert (status, headers["cache-control"]) == (200, "no-cache")

    async def test_what_a_token_reads_is_kept_by_nobody(self, site: Site) -> None:
        token = {"Authorization": f"bearer {site.token('ada')}"}
        status, headers, _ = await site.ask("GET", "/api/v1/", headers=token)
        assert (status, headers["cache-control"]) == (200, "no-store")
        _, same, _ = await site.ask("GET", "/api/v1/", headers={**token, "If-None-Match": headers["etag"]})
        assert same["cache-control"] == "no-store"

    async def test_a_cookie_says_nothing(self, site: Site) -> None:
        token = site.token("ada")
        for cookie in (f"token={token}", f"session={token}", f"Authorization=Bearer {token}"):
            assert (await site.ask("GET", "/api/v1/endpoints", headers={"Cookie": cookie}))[0] == 401


async def get(site: Site, path: str) -> Any:
    status, _, text = await site.ask("GET", path)
    assert status == 200, text
    return json.loads(text)


def random_match(site: Site) -> str:
    """The id of a match of random moves, which is stored."""
    with site.database.begin() as conn:
        for name in ("ada", "bob"):
            accounts.add(conn, name, now_ms=1)
    match = play(random.Random(3), "ttt", 0, strikes=(False, False), why=None)
    with site.database.writing_connection() as conn:
        Ledger().commit(conn, [match])
    return match.id


class TestVenue:
    @pytest.mark.parametrize("path", ["/api/v1", "/api/v1/"])
    async def test_it_says_what_it_is(self, site: Site, path: str) -> None:
        venue = await get(site, path)
        assert [game["id"] for game in venue["games"]][:2] == ["ttt", "c4"]
        assert venue["public_url"] == PUBLIC_URL
        assert (venue["status"], venue["registration"]) == ("ok", "open")
        assert venue["deadlines"]["endpoint_deadline_ms"] == 2000
        assert [limit["key"] for limit in venue["limits"]] == ["reads", "writes"]
        assert (await site.ask("GET", venue["document"]))[0] == 200

    async def test_the_tables_are_those_of_the_code(self, site: Site) -> None:
        assert [row["code"] for row in (await get(site, "/api/v1/protocol/errors"))["errors"]] == list(CODES)
        assert [row["row"] for row in (await get(site, "/api/v1/protocol/strikes"))["strikes"]] == list(STRIKES)
        assert [row["code"] for row in (await get(site, "/api/v1/protocol/api-errors"))["errors"]] == list(ERRORS)


class TestMatches:
    async def test_they_are_listed_newest_first_over_their_pages(self, site: Site) -> None:
        played.fill(site.database)
        found, following = [], "/api/v1/matches?limit=7"
        while following:
            page = await get(site, following)
            assert len(page["matches"]) <= 7
            found += page["matches"]
            following = page["next"]
        everything = await get(site, "/api/v1/matches?limit=200")
        assert found == everything["matches"]
        assert [one["seq"] for one in found] == sorted((one["seq"] for one in found), reverse=True)
        assert everything["next"] is None

    async def test_a_line_says_who_won_and_what_it_did_to_ratings(self, site: Site) -> None:
        played.fill(site.database)
        (line,) = (await get(site, "/api/v1/matches?game=tic-tac-toe&limit=1"))["matches"]
        assert (line["game"], line["winner"], line["termination"], line["rated"]) == ("ttt", 1, "illegal_move", True)
        assert [player["name"] for player in line["players"]] == ["bob", "Cleo"]
        assert line["players"][1]["rating_after"] > line["players"][1]["rating_before"]

    async def test_they_are_listed_of_one_agent(self, site: Site) -> None:
        played.fill(site.database)
        found, following = [], "/api/v1/matches?agent=ADA&game=c4&limit=10"
        while following:
            page = await get(site, following)
            found += page["matches"]
            following = page["next"]
        everything = (await get(site, "/api/v1/matches?game=c4&limit=200"))["matches"]
        assert found == [one for one in everything if "ada" in {player["name"] for player in one["players"]}]

    async def test_they_are_listed_of_one_game(self, site: Site) -> None:
        played.fill(site.database)
        found = (await get(site, "/api/v1/matches?game=connect4&limit=200"))["matches"]
        assert {one["game"] for one in found} == {"c4"}
        assert "(removed)" in {player["name"] for one in found for player in one["players"]}

    @pytest.mark.parametrize(
        ("query", "code"),
        [
            ("game=chess", "unknown_game"),
            ("agent=nobody", "not_found"),
            ("agent=gone", "not_found"),
            ("agent=", "bad_request"),
            ("before=0", "bad_request"),
            ("before=99999999999999999999", "bad_request"),
            ("limit=201", "bad_request"),
        ],
    )
    async def test_what_can_not_be_listed_is_refused(self, site: Site, query: str, code: str) -> None:
        played.fill(site.database)
        status, _, text = await site.ask("GET", f"/api/v1/matches?{query}")
        assert (status, json.loads(text)["error"]["code"]) == (ERRORS[code].status, code)

    async def test_one_is_the_file_that_is_downloaded_from_its_page(self, site: Site) -> None:
        played.fill(site.database)
        found = played.match(1, played.ADA, played.BOB, 0)
        _, headers, text = await site.ask("GET", f"/api/v1/matches/{found.id}")
        assert text == (await site.ask("GET", f"/m/{found.id}.json"))[2]
        assert headers["cache-control"] == "public, max-age=60"
        for wrong in (found.id[:-1], found.id + "0", found.id[:8], "nobody"):
            status, _, text = await site.ask("GET", f"/api/v1/matches/{wrong}")
            assert (status, json.loads(text)["error"]["code"]) == (404, "not_found")

    async def test_its_positions_come_whole_or_in_parts(self, site: Site) -> None:
        match = random_match(site)
        whole = await get(site, f"/api/v1/matches/{match}/frames")
        assert [frame["ply"] for frame in whole["frames"]] == list(range(whole["plies"] + 1))
        part = await get(site, f"/api/v1/matches/{match}/frames?first=2&limit=2")
        assert part["frames"] == whole["frames"][2:4]
        assert (await get(site, f"/api/v1/matches/{match}/frames?first=10000"))["frames"] == []

    async def test_one_that_is_on_is_elsewhere(self, site: Site) -> None:
        with site.database.begin() as conn:
            ids = [accounts.add(conn, name, now_ms=1).id for name in ("ada", "bob")]
        seats = HumanSeat(ids[0], "ada", lambda: None), HumanSeat(ids[1], "bob", lambda: None)
        key = site.runner.start(find("ttt"), seats, why_unrated="a challenge")
        status, _, text = await site.ask("GET", f"/api/v1/matches/{key}")
        assert status == 404
        assert f"/api/v1/live/{key}/events" in json.loads(text)["error"]["message"]
